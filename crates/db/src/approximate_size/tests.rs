use super::*;
use crate::set_options::tests::Setup;
use crate::{BottommostLevelCompaction, CompactRangeOptions, FlushOptions};
use base::status::Code;

type Change = fn(&mut SizeApproximationOptions);

const FILES_ONLY: Change = |_| {};
const MEMTABLES_ONLY: Change = |options| {
    options.include_files = false;
    options.include_memtables = true;
};
const BLOBS_ONLY: Change = |options| {
    options.include_files = false;
    options.include_blob_files = true;
};

fn size(setup: &Setup, range: Range<&str>, change: Change) -> u64 {
    let mut options = SizeApproximationOptions::default();
    change(&mut options);
    let family = setup.family("default");
    setup.db.approximate_sizes_with(&options, &family, &[range]).unwrap()[0]
}

fn put_many(setup: &Setup, value_bytes: usize) {
    for number in 0..1000 {
        setup.put("default", &format!("{number:04}"), value_bytes);
    }
}

fn flush(setup: &Setup) {
    setup.db.flush(&FlushOptions::default(), &[&setup.family("default")]).unwrap();
}

#[test]
fn memtables_count_where_they_are_wanted() {
    let setup = Setup::new("", &[("default", "compression=kNoCompression")]);
    put_many(&setup, 100);
    assert_eq!(size(&setup, "0000".."9", FILES_ONLY), 0);
    let all = size(&setup, "0000".."9", MEMTABLES_ONLY);
    assert!((100_000..150_000).contains(&all), "{all}");
    let half = size(&setup, "0000".."0500", MEMTABLES_ONLY);
    assert!((all / 4..all * 3 / 4).contains(&half), "{half} of {all}");
    let stats =
        |range: Range<&str>| setup.db.approximate_memtable_stats(&setup.family("default"), &range);
    let whole = stats("0000".."9").unwrap();
    assert_eq!(whole.bytes, all);
    assert!((900..1100).contains(&whole.entries), "{whole:?}");
    assert_eq!(stats("5".."9").unwrap(), MemTableStats::default());
    assert!(stats("9".."5").unwrap_err().message().contains("before its start"));
    assert_eq!(size(&setup, "5".."9", MEMTABLES_ONLY), 0);
    flush(&setup);
    assert_eq!(size(&setup, "0000".."9", MEMTABLES_ONLY), 0);
    let in_files = size(&setup, "0000".."9", FILES_ONLY);
    assert!((100_000..150_000).contains(&in_files), "{in_files}");
}

#[test]
fn blob_files_count_by_the_share_of_tables() {
    let setup = Setup::new("", &[("default", "enable_blob_files=true;compression=kNoCompression")]);
    put_many(&setup, 1000);
    flush(&setup);
    let all = size(&setup, "0000".."9", BLOBS_ONLY);
    assert!((900_000..1_100_000).contains(&all), "{all}");
    let half = size(&setup, "0000".."0500", BLOBS_ONLY);
    assert!((all / 4..all * 3 / 4).contains(&half), "{half} of {all}");
    let both: Change = |options| options.include_blob_files = true;
    let files = size(&setup, "0000".."9", FILES_ONLY);
    assert_eq!(size(&setup, "0000".."9", both), all + files);
}

#[test]
fn with_a_margin_files_that_matter_little_are_not_read() {
    let family = "target_file_size_base=20K;compression=kNoCompression;num_levels=3";
    let setup = Setup::new("", &[("default", family)]);
    put_many(&setup, 100);
    flush(&setup);
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    setup.db.compact_range(&options, &setup.family("default"), None, None).unwrap();
    let range = || "0010".."0990";
    let exact = size(&setup, range(), FILES_ONLY);
    let files = setup.db.live_files();
    let ends = [&files[0], &files[files.len() - 1]].map(|file| file.size_bytes);
    assert!(files.len() > 4, "{files:?}");
    let rough = size(&setup, range(), |options| options.files_size_error_margin = 0.9);
    let total: u64 = files.iter().map(|file| file.size_bytes).sum();
    assert_eq!(rough, total - ends[0] - ends[1] + (ends[0] + ends[1]) / 2);
    assert_ne!(rough, exact);
    assert_eq!(size(&setup, range(), |options| options.files_size_error_margin = 0.01), exact);
}

#[test]
fn to_count_nothing_is_a_mistake() {
    let setup = Setup::new("", &[("default", "")]);
    let options = SizeApproximationOptions::default().include_files(false);
    let family = setup.family("default");
    let status = setup.db.approximate_sizes_with(&options, &family, &["a".."b"]).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("set one of include_files"), "{status}");
}
