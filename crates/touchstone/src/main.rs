//! The `touchstone` command.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

const HELP: &str = "\
touchstone: a key-value store on RocksDB's directories

usage: touchstone COMMAND [ARGUMENT...]

commands:
  ldb         looks into a database and changes it, as RocksDB's ldb
  sst_dump    looks into table files, as RocksDB's sst_dump
  bench       fills and measures databases, as RocksDB's db_bench
  compare     compares engines with each other and with what this machine allows
  machine     measures what this machine allows at best
  report      makes a table of what bench or RocksDB's db_bench printed, as benchmark.sh does
  options     chooses options for a budget, explains, compares and checks them
  shape       tells what a read of a database has to go through
  serve-metrics  answers Prometheus about a database that another process may be writing
  top         shows such a database in the terminal

COMMAND --help says more. touchstone --version prints the version.
";

/// Exit status where the command is not known.
const USAGE: i32 = 2;

fn main() -> ExitCode {
    let arguments: Result<Vec<_>, _> =
        std::env::args_os().skip(1).map(OsString::into_string).collect();
    let status = match arguments {
        Ok(arguments) => run(&arguments, &mut io::stdout(), &mut io::stderr()),
        Err(text) => {
            eprintln!("argument is not UTF-8: {}", text.to_string_lossy());
            USAGE
        }
    };
    ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX))
}

fn run(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let (command, rest) = arguments.split_first().unzip();
    let rest = rest.map_or(&[][..], <[String]>::as_ref);
    match command.map(String::as_str) {
        Some("ldb") => tools::ldb::main(rest, &mut io::stdin().lock(), out, err),
        Some("sst_dump") => tools::sst_dump::main(rest, out, err),
        Some("options") => tools::options_command::main(rest, out, err),
        Some("serve-metrics") => tools::serve_metrics::main(rest, out, err),
        Some("top") => tools::top::main(rest, out, err),
        Some("shape") => tools::shape::main(rest, out, err),
        Some("compare") => lab::compare::main(rest, out, err),
        Some("report") => lab::campaign_report::main(rest, out, err),
        Some("machine") => lab::machine::main(rest, out, err),
        // Its threads print too, so nobody may hold the streams.
        Some("bench") => bench::main(rest),
        Some("--version") => print(out, &format!("touchstone {}\n", env!("CARGO_PKG_VERSION")), 0),
        Some("--help") => print(out, HELP, 0),
        _ => print(err, HELP, USAGE),
    }
}

fn print(output: &mut dyn Write, text: &str, status: i32) -> i32 {
    // There is nobody left to tell that the output is closed.
    if output.write_all(text.as_bytes()).is_ok() { status } else { 1 }
}
