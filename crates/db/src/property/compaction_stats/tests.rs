use super::*;
use std::path::Path;
use testing::datadriven::{self, Directive};

/// `name=value` for each word of a line after its first.
fn numbers(line: &str) -> BTreeMap<&str, f64> {
    let pairs = line.split_whitespace().skip(1).map(|word| word.split_once('=').unwrap());
    pairs.map(|(name, value)| (name, value.parse().unwrap())).collect()
}

/// `L0 files=4 bytes=7600 score=1.3 micros=1 count=1 read_mb=… written_mb=…` adds a level;
/// `activity` and `before` lines set what is counted for the whole family.
fn report(input: &str) -> ColumnFamilyReport {
    let mut report = ColumnFamilyReport { name: "default".to_owned(), ..Default::default() };
    for line in input.lines() {
        let numbers = numbers(line);
        let float = |name: &str| numbers.get(name).copied().unwrap_or(0.0);
        let count = |name: &str| float(name) as u64;
        let bytes = |name: &str| (float(name) * MB) as u64;
        let word = line.split_whitespace().next().unwrap();
        if word.starts_with('L') {
            report.levels.push(LevelFiles {
                files: count("files") as usize,
                files_being_compacted: count("compacting") as usize,
                bytes: count("bytes"),
                score: float("score"),
            });
            report.now.compaction.push(CompactionStats {
                micros: count("micros"),
                cpu_micros: count("cpu"),
                count: count("count"),
                bytes_read_non_output_levels: bytes("rn_mb"),
                bytes_read_output_level: bytes("rnp1_mb"),
                bytes_read_blob: bytes("rblob_mb"),
                bytes_written: bytes("written_mb"),
                bytes_written_pre_comp: bytes("precomp_mb"),
                bytes_written_blob: bytes("wblob_mb"),
                bytes_moved: bytes("moved_mb"),
                num_input_records: count("in"),
                num_dropped_records: count("drop"),
            });
            continue;
        }
        if word == "blobs" {
            let (files, bytes) = (count("files") as usize, bytes("mb"));
            report.blobs = BlobStats { files, bytes, garbage_bytes: count("garbage") };
            continue;
        }
        let activity = if word == "before" { &mut report.before } else { &mut report.now };
        activity.uptime_secs = float("uptime");
        activity.bytes_flushed = bytes("flushed_mb");
        activity.bytes_ingested = bytes("ingested_mb");
        activity.files_ingested = count("files");
        activity.l0_files_ingested = count("l0_files");
        activity.keys_ingested = count("keys");
        activity.stalls.l0_delays = count("l0_delays");
        activity.stalls.l0_stops = count("l0_stops");
        activity.stalls.memtable_stops = count("memtable_stops");
        activity.stalls.pending_compaction_bytes_delays = count("pending_delays");
    }
    report
}

fn execute(directive: &Directive) -> String {
    let report = report(&directive.input);
    match directive.command.as_str() {
        "text" => report.to_text(),
        "map" => report.to_map().iter().map(|(name, value)| format!("{name} {value}\n")).collect(),
        "stalls" => write_stall_line(&report.now.stalls.to_map()),
        other => panic!("{}: {other}", directive.position),
    }
}

#[test]
fn texts_are_laid_out_as_rocksdb_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/property/cfstats");
    datadriven::run(&path, execute);
}

#[test]
fn files_and_blobs_without_anything() {
    assert_eq!(BlobStats::default().space_amplification(), 0.0);
    let all_garbage = BlobStats { files: 1, bytes: 10, garbage_bytes: 10 };
    assert_eq!(all_garbage.space_amplification(), 0.0);
    let half_garbage = BlobStats { files: 1, bytes: 10, garbage_bytes: 5 };
    assert_eq!(half_garbage.space_amplification(), 2.0);
}

#[test]
fn levels_that_were_read_have_a_histogram() {
    let (nothing, mut read) = (Histogram::default(), Histogram::default());
    let title = "\n** File Read Latency Histogram By Level [x] **\n";
    assert_eq!(file_histogram("x", std::slice::from_ref(&nothing), &nothing), title);
    read.add(17);
    let text = file_histogram("x", &[nothing.clone(), read.clone()], &nothing);
    let expected =
        format!("{title}** Level 1 read latency histogram (micros):\nCount: 1 Average: 17.0000");
    assert!(text.starts_with(&expected), "{text}");
    assert!(
        file_histogram("x", &[], &read)
            .contains("\n** Blob file read latency histogram (micros):\n")
    );
}
