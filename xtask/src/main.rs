//! The project's own checks. `cargo xtask ci` is the whole gate.

#![forbid(unsafe_code)]

use instructions::Mode;
use std::process::ExitCode;

mod ci;
mod files;
mod instructions;
mod layers;
mod source;
mod tidy;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci       the whole gate: every step below, then the documents and the tests
  fmt      formats the sources
  clippy   the lints, warnings denied
  layers   dependencies between crates against the tables of ARCHITECTURE.md
  tidy     lengths, banned words, placement of tests, links, white space and the like
  doc      the documentation of every crate, warnings denied
  aarch64  the kernels' tests on AArch64 under QEMU, and that what knows of processors compiles
  external a crate that is no member of the workspace, built as a user's is, reads and writes
  test     the tests of every crate

  instructions [--keep | --statistics | --perf-levels | --external | --external-short]
           instructions of operations and of their parts, against those kept, or of operations with
           statistics against without, or at each level of the perf context that needs no time of
           the processor, or in a crate that is no member of the workspace, built as a user's is, all
           of them or a read and a write (needs Valgrind; not part of the gate)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments.first().map(String::as_str);
    let result = match command {
        Some("ci") => ci::run_all(),
        Some("instructions") => match arguments.get(1).map(String::as_str) {
            None => instructions::run(Mode::Compare),
            Some("--keep") => instructions::run(Mode::Keep),
            Some("--statistics") => instructions::run(Mode::Statistics),
            Some("--perf-levels") => instructions::run(Mode::PerfLevels),
            Some("--external") => instructions::run(Mode::External),
            Some("--external-short") => instructions::run(Mode::ExternalShort),
            Some(other) => Err(format!("instructions: {other} is no flag of it\n{USAGE}")),
        },
        Some("fmt") => ci::cargo(&["fmt", "--all"], &[]),
        Some(name) if ci::is_step(name) => ci::run_step(name),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}", why.trim_end());
            ExitCode::FAILURE
        }
    }
}
