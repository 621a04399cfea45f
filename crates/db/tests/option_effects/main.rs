//! Options are acted on: each one that is marked honoured has a test that fails where it is ignored.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod background_jobs;
mod by_objects;
mod changed;
mod choice;
mod coverage;
mod effect;
mod engine;
mod recording_fs;
mod rocksdb;
mod script;
mod subject;

use std::path::Path;
use testing::datadriven;

fn run(file: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/option_effects/testdata");
    let mut failures = Vec::new();
    datadriven::run(&directory.join(file), |directive| {
        changed::run(directive, &mut failures);
        effect::run(directive, &mut failures)
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn of_tables() {
    run("tables.txt");
}

#[test]
fn of_leveled_trees() {
    run("leveled.txt");
}

#[test]
fn of_other_trees() {
    run("other_trees.txt");
}

#[test]
fn of_blobs() {
    run("blobs.txt");
}

#[test]
fn of_memtables() {
    run("memtables.txt");
}

#[test]
fn of_logs() {
    run("logs.txt");
}

#[test]
fn of_files() {
    run("files.txt");
}

#[test]
fn of_reads() {
    run("reads.txt");
}

#[test]
fn of_calls() {
    run("calls.txt");
}

#[test]
fn of_stalls() {
    run("stalls.txt");
}

#[test]
fn of_damage() {
    run("damage.txt");
}
