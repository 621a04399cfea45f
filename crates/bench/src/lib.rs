//! The `db_bench` command line.
//!
//! A benchmark is a value: a name and what one thread does ([`workload`]). Flags are data
//! ([`flags`]). Key sequences, key bytes and output are those of RocksDB's tool, so that command
//! lines and scripts go on working.

#![forbid(unsafe_code)]

pub mod combined_stats;
pub mod flags;
pub mod key_generator;
pub mod random;
mod report;
pub mod runner;
pub mod stats;
mod target;
pub mod workload;

use flags::Flags;

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
    match runner::run(&flags) {
        Ok(()) => 0,
        Err(status) => {
            eprintln!("{status}");
            1
        }
    }
}

fn print_help() {
    println!("USAGE:\ntouchstone bench --use_existing_db=1 --readonly --db=DIR [OPTIONS]...\n");
    for flag in flags::table::FLAGS {
        let note = match flag.support {
            flags::Support::Honoured => "",
            flags::Support::Writing => " (concerns writing: no effect yet)",
            flags::Support::NotYet => " (not supported yet)",
        };
        println!(
            "  --{} ({}){note}\n      type: {:?}, default: \"{}\"",
            flag.name, flag.doc, flag.kind, flag.default
        );
    }
}
