//! What a job says it did, and jobs that end early.

use super::*;
use base::status::Code;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) fn entries(range: std::ops::Range<u32>, sequence: u64) -> Vec<Entry> {
    range
        .map(|index| {
            let user_key = format!("key{index:06}");
            (InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value), vec![b'v'; 100])
        })
        .collect()
}

pub(super) fn two_files() -> (Arc<TestEnvironment>, Compaction) {
    let comparator = InternalKeyComparator::bytewise();
    let environment = Arc::new(TestEnvironment::new(comparator.clone()));
    let older = flush(&environment, &entries(0..1000, 5), &[], 1, None).unwrap();
    let newer = flush(&environment, &entries(500..1500, 9), &[], 2, None).unwrap();
    let version = version(&comparator, &[(0, older), (0, newer)], &[]);
    (environment, compaction(version, &[0], 1, true))
}

pub(super) fn job(environment: &Arc<TestEnvironment>, compaction: Compaction) -> CompactionJob {
    let options = job_options(environment, &[]);
    CompactionJob::new(Arc::new(compaction), options, Arc::clone(environment) as _)
}

#[test]
fn what_a_job_did_is_in_the_edit_and_the_counts() {
    let (environment, compaction) = two_files();
    let outcome = job(&environment, compaction).run(&[b"key000700".to_vec()]).unwrap();
    let stats = &outcome.stats;
    assert_eq!((stats.num_input_records, stats.num_output_records), (2000, 1500));
    assert_eq!((stats.num_dropped_records, stats.iteration.dropped_hidden), (500, 500));
    assert_eq!((stats.num_parts, stats.num_output_files), (2, 2));
    assert_eq!(stats.num_input_files_in_non_output_levels, 2);
    assert!(stats.bytes_written > 150_000);
    let edit = &outcome.edit;
    assert_eq!(edit.deleted_files, [(0, 10), (0, 11)].into());
    let file = &edit.new_files[0].file;
    assert_eq!(edit.new_files[0].level, 1);
    assert_eq!((file.smallest_seqno, file.largest_seqno), (0, 0), "zeroed at the bottom");
    assert_eq!(file.largest, InternalKey::new(b"key000699", 0, ValueType::Value));
    assert_eq!((file.epoch_number, file.oldest_ancester_time), (1, 1_600_000_001));
    assert_eq!(environment.file_names().len(), 4);
}

#[test]
fn a_cancelled_job_leaves_no_file() {
    let (environment, compaction) = two_files();
    let mut job = job(&environment, compaction);
    let canceled = Arc::new(AtomicBool::new(true));
    job.options.cancellation.manual_compaction_canceled = Some(Arc::clone(&canceled));
    assert_eq!(job.run(&[]).unwrap_err().code(), Code::Incomplete);
    job.options.cancellation.shutting_down.store(true, Ordering::Relaxed);
    assert_eq!(job.run(&[]).unwrap_err().code(), Code::ShutdownInProgress);
    assert_eq!(environment.file_names(), ["000010.sst", "000011.sst"]);
}

#[test]
fn a_damaged_input_is_named_and_no_file_is_left() {
    for damaged_byte in [300_usize, 20_000, 60_000] {
        let (environment, compaction) = two_files();
        let path = environment.directory.join("000010.sst");
        let file_system = &environment.file_system;
        let mut bytes = env::read_file_to_vec(&**file_system, &path, 1 << 20).unwrap();
        bytes[damaged_byte] ^= 1;
        let options = env::FileOptions::default();
        let mut file = file_system.new_writable_file(&path, &options).unwrap();
        file.append(&bytes).unwrap();
        file.close().unwrap();
        let job = job(&environment, compaction);
        let status = job.run(&[b"key000700".to_vec()]).unwrap_err();
        assert!(status.is_corruption(), "{status}");
        assert!(status.message().contains("000010.sst"), "{status}");
        assert_eq!(environment.file_names(), ["000010.sst", "000011.sst"]);
    }
}

#[test]
fn boundaries_divide_a_large_job() {
    let (environment, mut compaction) = two_files();
    compaction.target_output_file_size = 10_000;
    compaction.max_subcompactions = 3;
    let job = job(&environment, compaction);
    let boundaries = job.boundaries(0).unwrap();
    assert_eq!(boundaries.len(), 2);
    let outcome = job.run(&boundaries).unwrap();
    assert_eq!((outcome.stats.num_output_records, outcome.stats.num_parts), (1500, 3));
}
