//! The `db_bench` command line.
//!
//! A benchmark is a value: a name and what one thread does ([`workload`]). Flags are data
//! ([`flags`]). Key sequences, key bytes and output are those of RocksDB's tool, so that command
//! lines and scripts go on working.

#![forbid(unsafe_code)]

pub mod arrivals;
pub mod combined_stats;
mod compaction_filters;
mod counted_files;
pub mod engine_choice;
mod family_options;
pub mod flags;
pub mod key_generator;
mod measure;
mod open_context;
mod option_source;
pub mod random;
mod recorder;
mod report;
pub mod report_file;
pub mod runner;
mod shape;
mod shuffle;
pub mod stats;
mod step;
mod target;
mod tree_actions;
mod uint64_comparator;
mod value_generator;
pub mod workload;

use flags::{Flags, Support};

/// Runs `db_bench` with these arguments (the program's name not among them) and returns the exit
/// status.
pub fn main(arguments: &[String]) -> i32 {
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-help" | "-h")) {
        print_help();
        return 1;
    }
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--version" | "-version")) {
        println!("db_bench version {}", env!("CARGO_PKG_VERSION"));
        return 0;
    }
    let flags = match Flags::parse(arguments) {
        Ok(flags) => flags,
        Err(error) => {
            eprintln!("{error}");
            return 1;
        }
    };
    if flags.bool("build_info") {
        println!("{}", build_info());
        return 0;
    }
    if !flags.bool("huge_pages") {
        host::huge_pages::ask_for_none();
    }
    match engine_choice::run(&flags) {
        Ok(()) => 0,
        Err(status) => {
            eprintln!("{status}");
            1
        }
    }
}

/// What `--build_info` prints: a line for each thing that is known of the build.
fn build_info() -> String {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    format!(
        "touchstone {}\n    profile: {profile}\n    target: {}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

fn print_help() {
    println!("USAGE:\ntouchstone bench --db=DIR [OPTIONS]...\n");
    println!("Without --use_existing_db or --readonly, a database at --db is deleted first.\n");
    for flag in flags::all() {
        let note = match flag.support {
            Support::OnlyWith(what) => format!(" (only with {what}, which is not there)"),
            Support::NoEffect(why) => format!(" (without effect: {why})"),
            Support::Refused(why) => format!(" (refused: {why})"),
            _ => String::new(),
        };
        println!(
            "  --{} ({}){note}\n      type: {:?}, default: \"{}\"",
            flag.name, flag.doc, flag.kind, flag.default
        );
    }
}
