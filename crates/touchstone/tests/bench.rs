//! `touchstone bench` beside `db_bench` on one directory: same keys, same lines.

use std::path::Path;
use std::process::{Command, Output};

const COMMON: &[&str] = &["--use_existing_db=1", "--readonly", "--progress_reports=0"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn touchstone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .arg("bench")
        .args(arguments)
        .output()
        .expect("the binary runs")
}

/// `db_bench`, or nothing where it is not installed.
fn db_bench(arguments: &[&str]) -> Option<Output> {
    match Command::new("db_bench").args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "db_bench must be installed: {error}");
            println!("skipped: db_bench: {error}");
            None
        }
    }
}

/// The parts of the result lines that do not depend on time: name, operations, message.
fn results(output: &Output) -> Vec<String> {
    let stdout = text(&output.stdout);
    stdout
        .lines()
        .filter(|line| line.contains(" micros/op "))
        .map(|line| {
            let (name, rest) = line.split_once(':').expect("a result line");
            let operations = rest.split_whitespace().rev().find(|word| word.ends_with(';'));
            assert!(operations.is_some(), "{line}");
            let count = rest.split(" seconds ").nth(1).expect("operations");
            let count = count.split(' ').next().expect("a count");
            let message = line.find('(').map_or("", |at| &line[at..]);
            let rate = if line.contains("MB/s") { "MB/s" } else { "" };
            format!("{} {count} {rate} {message}", name.trim())
        })
        .collect()
}

fn fill(path: &Path, flags: &[&str]) -> Option<Output> {
    let db = format!("--db={}", path.display());
    let fixed =
        [&db, "--num=20000", "--seed=999", "--compression_type=none", "--progress_reports=0"];
    let output = db_bench(&[&fixed[..], flags].concat())?;
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(output)
}

#[test]
fn key_sequences_and_result_lines_are_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("db");
    let shapes: &[&[&str]] = &[
        &["--key_size=16"],
        &["--key_size=20", "--keys_per_prefix=10", "--prefix_size=8"],
        &["--key_size=8", "--read_random_exp_range=5"],
    ];
    let benchmarks = "--benchmarks=readrandom,readmissing,multireadrandom,seekrandom,readseq,\
                      readreverse,seekrandom[X2]";
    for shape in shapes {
        let fill_flags = [&["--benchmarks=fillrandom"], *shape].concat();
        if fill(&path, &fill_flags).is_none() {
            return;
        }
        let db = format!("--db={}", path.display());
        for more in [
            &["--threads=1"][..],
            &["--threads=2", "--batch_size=8", "--seek_nexts=5"],
            &["--multiread_stride=3", "--batch_size=4", "--reverse_iterator", "--seek_nexts=3"],
            &["--max_scan_distance=20", "--seek_nexts=50", "--reads=2000"],
        ] {
            let run = [&[&db, "--num=20000", "--seed=7", benchmarks][..], COMMON, shape, more];
            let arguments = run.concat();
            let ours = touchstone(&arguments);
            assert!(ours.status.success(), "{arguments:?}: {}", text(&ours.stderr));
            let Some(theirs) = db_bench(&arguments) else { return };
            assert_eq!(results(&ours), results(&theirs), "{arguments:?}");
        }
    }
}

#[test]
fn the_published_count_of_keys_found_is_reproduced() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("db");
    let shape = ["--key_size=8", "--value_size=128", "--num=1000000", "--seed=999"];
    let fill_flags = [&["--benchmarks=fillrandom", "--disable_wal=1"], &shape[..]].concat();
    if fill(&path, &fill_flags).is_none() {
        return;
    }
    let db = format!("--db={}", path.display());
    let run = [&[&db, "--benchmarks=seekrandom,readrandom"][..], COMMON, &shape];
    let output = touchstone(&run.concat());
    let stdout = text(&output.stdout);
    // A new process with the seed of the fill asks for its keys again, one draw apart for seeks.
    assert!(stdout.contains("(816350 of 1000000 found)"), "{stdout}{}", text(&output.stderr));
}

#[test]
fn histograms_headers_and_errors() {
    let fixture = testing::fixtures::bench();
    let unpacked = fixture.unpack_to_temp();
    let db = format!("--db={}", unpacked.path().display());
    let output =
        touchstone(&[&[&db, "--histogram", "--benchmarks=readrandom"][..], COMMON].concat());
    let stdout = text(&output.stdout);
    for part in
        ["Keys:       16 bytes each", "Microseconds per read:\nCount: ", "Percentiles: P50: "]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    for (arguments, part) in [
        (&["--benchmarks=fillseq"][..], "--use_existing_db=1"),
        (&["--nonsense"], "unknown command line flag 'nonsense'"),
        (&["--use_existing_db", "--db=/nowhere/at/all"], "/nowhere/at/all"),
        (&["--use_existing_db", "--benchmarks=fillseq", &db], "writes"),
        (&["--use_existing_db", "--benchmarks=nonsense", &db], "unknown benchmark 'nonsense'"),
        (&["--use_existing_db", "--cache_type=hyper_clock_cache", &db], "lru_cache"),
    ] {
        let output = touchstone(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(part), "{arguments:?}: {}", text(&output.stderr));
    }
}
