use super::*;
use crate::test_files::{self, COLUMN_FAMILY_ID};
use base::status::Code;
use compression::CompressionType;
use env::MemFileSystem;
use std::path::Path;

fn cache(file_system: &Arc<MemFileSystem>, open_files_max: usize) -> BlobFileCache {
    let file_system: Arc<dyn FileSystem> = Arc::clone(file_system) as _;
    let directory = Path::new("/db").to_owned();
    let options = FileOptions::default();
    let open_files = Arc::new(OpenBlobFiles::new(open_files_max));
    BlobFileCache::new(file_system, directory, options, COLUMN_FAMILY_ID, open_files)
}

fn files(numbers: std::ops::RangeInclusive<u64>) -> Arc<MemFileSystem> {
    let file_system = test_files::file_system();
    for number in numbers {
        let value = number.to_string();
        let blobs: [(&[u8], &[u8]); 1] = [(b"key", value.as_bytes())];
        test_files::write_blobs(&file_system, number, CompressionType::None, &blobs);
    }
    file_system
}

#[test]
fn files_are_opened_once() {
    let file_system = files(1..=2);
    let cache = cache(&file_system, 10);
    let first = cache.get(1).unwrap();
    assert!(Arc::ptr_eq(&first, &cache.get(1).unwrap()));
    assert!(!Arc::ptr_eq(&first, &cache.get(2).unwrap()));
    assert_eq!(cache.open_file_count(), 2);
    cache.evict(1);
    assert_eq!(cache.open_file_count(), 1);
    assert!(!Arc::ptr_eq(&first, &cache.get(1).unwrap()));
}

#[test]
fn the_file_not_used_for_longest_is_closed() {
    let file_system = files(1..=3);
    let cache = cache(&file_system, 2);
    let first = cache.get(1).unwrap();
    let second = cache.get(2).unwrap();
    cache.get(1).unwrap();
    cache.get(3).unwrap();
    assert_eq!(cache.open_file_count(), 2);
    assert!(Arc::ptr_eq(&first, &cache.get(1).unwrap()));
    assert!(!Arc::ptr_eq(&second, &cache.get(2).unwrap()));
}

#[test]
fn missing_files_are_io_errors_and_are_tried_again() {
    let file_system = files(1..=1);
    let cache = cache(&file_system, 2);
    let status = cache.get(7).unwrap_err();
    assert_eq!(status.code(), Code::IoError);
    assert!(status.is_path_not_found() && status.message().contains("000007.blob"), "{status}");
    assert_eq!(cache.open_file_count(), 0);
    test_files::write_blobs(&file_system, 7, CompressionType::None, &[(b"k", b"v")]);
    cache.get(7).unwrap();
}

#[test]
fn many_threads_share_a_small_cache() {
    let file_system = files(1..=5);
    let cache = cache(&file_system, 2);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                for round in 0..200 {
                    let reader = cache.get((thread + round) % 5 + 1).unwrap();
                    assert_eq!(reader.blob_count(), 1);
                }
            });
        }
    });
    assert!(cache.open_file_count() <= 2);
}
