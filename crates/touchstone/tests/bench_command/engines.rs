//! Every engine: the same flags leave the same entries, and find the same.

use crate::{results, text, touchstone};
use std::path::Path;
use std::process::Command;

const FLAGS: &[&str] = &[
    "--num=3000",
    "--seed=11",
    "--batch_size=3",
    "--write_buffer_size=100000",
    "--compression_type=none",
    "--bloom_bits=10",
    "--cache_size=200000",
    "--merge_operator=put",
    "--seek_nexts=5",
    "--progress_reports=0",
];

/// What both fills the database and reads it. The last one is none: what reads do must not depend on
/// when background work happens.
const BENCHMARKS: &str = "--benchmarks=fillrandom,overwrite,deleterandom,mergerandom,updaterandom,\
                          waitforcompaction,readrandom,readmissing,multireadrandom,seekrandom,readseq,\
                          readreverse,levelstats";

/// Fills a database with an engine: what it counted, and what is in it then.
fn fill(engine: &str, directory: &Path) -> (Vec<String>, String) {
    let db = format!("--db={}", directory.display());
    let engine = format!("--engine={engine}");
    let arguments: Vec<_> =
        [&*engine, &db, BENCHMARKS].into_iter().chain(FLAGS.iter().copied()).collect();
    let output = touchstone(&arguments);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{engine}: {stdout}{stderr}");
    let dump = Command::new(env!("CARGO_BIN_EXE_touchstone"))
        .args(["ldb", &db, "scan", "--hex"])
        .output()
        .expect("the binary runs");
    assert!(dump.status.success(), "{engine}: {}", text(&dump.stderr));
    (results(&output), text(&dump.stdout))
}

#[test]
fn every_engine_keeps_and_finds_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (counts, content) = fill("touchstone", &directory.path().join("touchstone"));
    assert_eq!(counts.len(), 11, "{counts:?}");
    assert!(content.lines().count() > 1000, "{content}");
    for (release, library) in testing::judges::library_files() {
        let theirs = fill(library.to_str().unwrap(), &directory.path().join(release));
        assert_eq!(theirs.0, counts, "{release}");
        assert!(theirs.1 == content, "{release} keeps something else");
    }
}

#[test]
fn the_harness_is_measured() {
    let flags = ["--engine=null", "--benchmarks=fillrandom,levelstats", "--num=1000"];
    let output = touchstone(&[&flags[..], &["--harness_cost"]].concat());
    let stdout = text(&output.stdout);
    assert!(stdout.contains("fillrandom   : harness "), "{stdout}");
    assert!(stdout.contains("levelstats   : skipped (this engine lacks properties)"), "{stdout}");
}

#[test]
fn engines_that_cannot_be_had_are_said() {
    let directory = tempfile::tempdir().unwrap();
    let bench = |engine: &str, variables: &[(&str, &str)]| {
        let output = Command::new(env!("CARGO_BIN_EXE_touchstone"))
            .args(["bench", engine, "--benchmarks=fillseq", "--num=10"])
            .arg(format!("--db={}", directory.path().join("db").display()))
            .envs(variables.iter().copied())
            .output()
            .expect("the binary runs");
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    };
    let error = bench("--engine=leveldb", &[]);
    assert!(error.contains("--engine=leveldb is not known"), "{error}");
    let error = bench("--engine=/nowhere/librocksdb.so", &[]);
    assert!(error.contains("/nowhere/librocksdb.so"), "{error}");
    let no_library = directory.path().join("librocksdb.so");
    std::fs::write(&no_library, "no library").unwrap();
    let error = bench(&format!("--engine={}", no_library.display()), &[]);
    assert!(error.contains("librocksdb.so: ") && !error.contains("dlopen"), "{error}");
    let cache = directory.path().join("cache");
    let without_maven = [("PATH", "/nowhere"), ("XDG_CACHE_HOME", cache.to_str().unwrap())];
    let error = bench("--engine=rocksdb:7.0.0", &without_maven);
    assert!(error.contains("mvn does not run"), "{error}");
    assert!(!cache.join("touchstone/rocksdb/7.0.0").exists());
}
