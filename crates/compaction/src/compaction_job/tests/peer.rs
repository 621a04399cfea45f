//! RocksDB's `sst_dump` reads what flushes and compactions wrote.

use super::*;
use env::{FileSystem, PosixFileSystem};
use testing::peer;

fn entries(first: u64) -> Vec<Entry> {
    let mut entries: Vec<_> = (0..400_u64)
        .map(|index| {
            let user_key = format!("key{:05}", index * 7 % 1000);
            let value_type = match index % 9 {
                0 => ValueType::Deletion,
                1 => ValueType::Merge,
                _ => ValueType::Value,
            };
            let value = match value_type {
                ValueType::Deletion => Vec::new(),
                _ => vec![b'v'; 50],
            };
            (InternalKey::new(user_key.as_bytes(), first + index, value_type), value)
        })
        .collect();
    let tombstone = InternalKey::new(b"key00100", first + 500, ValueType::RangeDeletion);
    entries.push((tombstone, b"key00300".to_vec()));
    entries
}

#[test]
fn sst_dump_reads_what_was_written() {
    let Some(sst_dump) = peer::find("sst_dump") else { return };
    let directory = tempfile::tempdir().unwrap();
    let comparator = InternalKeyComparator::bytewise();
    let file_system: Arc<dyn FileSystem> = PosixFileSystem::shared();
    let path = directory.path().to_owned();
    let environment =
        Arc::new(TestEnvironment::over(file_system, path.clone(), comparator.clone()));
    let snapshots = [600, 1100];
    let files: Vec<_> = [1_u64, 1000]
        .iter()
        .map(|&first| (0, flush(&environment, &entries(first), &snapshots, first, None).unwrap()))
        .collect();
    let version = version(&comparator, &files, &[]);
    let mut compaction = compaction(version, &[0], 1, false);
    compaction.max_output_file_size = 10_000;
    let options = job_options(&environment, &snapshots);
    let job = CompactionJob::new(Arc::new(compaction), options, Arc::clone(&environment) as _);
    let outcome = job.run(&[b"key00200".to_vec()]).unwrap();
    assert!(outcome.files.len() > 2, "{} files", outcome.files.len());
    for name in environment.file_names() {
        let file = format!("--file={}", path.join(&name).display());
        for arguments in [&["--command=verify"][..], &["--command=scan", "--verify_checksum"]] {
            let arguments: Vec<_> = [&[&*file], arguments].concat();
            let output = sst_dump.run(&arguments);
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {text}");
            assert!(!text.contains("Corruption"), "{name}: {text}");
        }
    }
}
