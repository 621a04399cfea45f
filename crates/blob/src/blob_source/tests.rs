use super::*;
use crate::blob_file_cache::OpenBlobFiles;
use crate::test_files::{self, COLUMN_FAMILY_ID, FILE_NUMBER};
use base::status::Code;
use cache::{LruCache, LruCacheOptions};
use compression::CompressionType;
use env::{FileOptions, FileSystem};
use std::path::Path;

const BLOBS: [(&[u8], &[u8]); 3] = [(b"a", b"first value"), (b"key", &[7; 300]), (b"z", b"")];

/// A source over one file of [`BLOBS`], and where they are.
fn source(blob_cache: Option<Arc<dyn Cache>>) -> (BlobSource, Vec<BlobReference>) {
    let file_system = test_files::file_system();
    let references =
        test_files::write_blobs(&file_system, FILE_NUMBER, CompressionType::Lz4, &BLOBS);
    let file_system: Arc<dyn FileSystem> = file_system;
    let directory = Path::new("/db").to_owned();
    let options = FileOptions::default();
    let open_files = Arc::new(OpenBlobFiles::new(10));
    let files = BlobFileCache::new(file_system, directory, options, COLUMN_FAMILY_ID, open_files);
    (BlobSource::new(files, blob_cache), references)
}

fn lru_cache(options: &LruCacheOptions) -> Arc<dyn Cache> {
    Arc::new(LruCache::new(options).unwrap())
}

#[test]
fn values_come_from_the_files_without_a_cache() {
    let (source, references) = source(None);
    for ((key, value), reference) in BLOBS.into_iter().zip(&references) {
        let found = source.get(&BlobReadOptions::default(), key, reference).unwrap();
        assert_eq!(*found, *value);
    }
    assert_eq!(source.files().open_file_count(), 1);
}

#[test]
fn values_are_cached_and_pinned() {
    let cache = lru_cache(&LruCacheOptions::default());
    let (source, references) = source(Some(Arc::clone(&cache)));
    let options = BlobReadOptions::default();
    for _ in 0..2 {
        for ((key, value), reference) in BLOBS.into_iter().zip(&references) {
            let found = source.get(&options, key, reference).unwrap();
            assert_eq!(*found, *value);
            assert!(found.is_pinned());
        }
    }
    let counters = cache.counters();
    assert_eq!((counters.lookups, counters.hits, counters.inserts), (6, 3, 3));
    assert!(cache.usage_bytes() > 311);

    // Cached values need no file.
    source.files().evict(FILE_NUMBER);
    let cache_only = BlobReadOptions { cache_only: true, ..options };
    assert_eq!(*source.get(&cache_only, b"a", &references[0]).unwrap(), *b"first value");
    assert_eq!(source.files().open_file_count(), 0);
}

#[test]
fn the_cache_is_filled_only_on_request() {
    let cache = lru_cache(&LruCacheOptions::default());
    let (source, references) = source(Some(Arc::clone(&cache)));
    let options = BlobReadOptions { fill_cache: false, ..BlobReadOptions::default() };
    source.get(&options, b"a", &references[0]).unwrap();
    assert_eq!(cache.occupancy_count(), 0);
    let cache_only = BlobReadOptions { cache_only: true, ..options };
    let status = source.get(&cache_only, b"a", &references[0]).unwrap_err();
    assert_eq!(status.code(), Code::Incomplete);
}

#[test]
fn without_a_cache_there_is_no_answer_from_it() {
    let (source, references) = source(None);
    let cache_only = BlobReadOptions { cache_only: true, ..BlobReadOptions::default() };
    let status = source.get(&cache_only, b"a", &references[0]).unwrap_err();
    assert_eq!(status.code(), Code::Incomplete);
}

#[test]
fn a_hit_is_what_the_file_would_have_answered() {
    let (source, references) = source(Some(lru_cache(&LruCacheOptions::default())));
    let options = BlobReadOptions::default();
    source.get(&options, b"a", &references[0]).unwrap();
    let status = source.get(&options, b"b", &references[0]).unwrap_err();
    assert!(status.is_corruption(), "{status}");
    let wrong_size = BlobReference { size: references[0].size - 1, ..references[0] };
    let status = source.get(&options, b"a", &wrong_size).unwrap_err();
    assert!(status.is_corruption(), "{status}");
    assert_eq!(*source.get(&options, b"a", &references[0]).unwrap(), *b"first value");
}

#[test]
fn files_do_not_share_cached_values() {
    let cache = lru_cache(&LruCacheOptions::default());
    let (one, references) = source(Some(Arc::clone(&cache)));
    let (other, _) = source(Some(cache));
    let options = BlobReadOptions::default();
    one.get(&options, b"a", &references[0]).unwrap();
    let cache_only = BlobReadOptions { cache_only: true, ..options };
    assert!(other.get(&cache_only, b"a", &references[0]).is_err());
    // A file that left the version is forgotten.
    one.evict(FILE_NUMBER);
    assert!(one.get(&cache_only, b"a", &references[0]).is_err());
}

#[test]
fn a_full_cache_with_a_strict_limit_is_an_error() {
    let options = LruCacheOptions {
        num_shard_bits: 0,
        strict_capacity_limit: true,
        ..LruCacheOptions::with_capacity(100)
    };
    let (source, references) = source(Some(lru_cache(&options)));
    let status = source.get(&BlobReadOptions::default(), b"key", &references[1]).unwrap_err();
    assert_eq!(status.code(), Code::Aborted);
    // Whoever does not fill the cache has no part in that.
    let options = BlobReadOptions { fill_cache: false, ..BlobReadOptions::default() };
    source.get(&options, b"key", &references[1]).unwrap();
}

#[test]
fn a_missing_file_is_an_io_error_and_embedded_values_are_not_here() {
    let (source, references) = source(None);
    let options = BlobReadOptions::default();
    let dangling = BlobReference { file_number: 77, ..references[0] };
    let status = source.get(&options, b"a", &dangling).unwrap_err();
    assert!(status.is_path_not_found(), "{status}");
    let embedded = BlobReference { file_number: 0, ..references[0] };
    let status = source.get(&options, b"a", &embedded).unwrap_err();
    assert!(status.is_corruption(), "{status}");
}
