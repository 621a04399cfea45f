//! `touchstone serve-metrics`: answers Prometheus about a database that another process may be writing.

use crate::any_database::Database;
use crate::command_failure::Failure;
use crate::ending::Ending;
use crate::flags;
use crate::print;
use crate::watch::{self, SecondaryPath};
use base::{Result, Status};
use metrics::PrimaryStatistics;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;

const HELP: &str = "\
touchstone serve-metrics --db=DIR [FLAGS]

Answers Prometheus about a database, which RocksDB or Touchstone may be writing meanwhile. Runs until
SIGINT or SIGTERM. docs/metrics.md says what the metrics are.

  --db=DIR
      The directory of the database.
  --listen=ADDRESS
      Where to listen. Default: 127.0.0.1:9309. Port 0 is any that is free.
  --mode=secondary|read-only
      Follow what is written, or open the database anew for each answer. Default: secondary.
  --secondary-path=DIR
      Where the secondary has its LOG. Default: a temporary directory.
  --interval-secs=SECONDS
      Answers within so many seconds show the same state. Default: 1.
";

/// How it is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Secondary,
    ReadOnly,
}

#[derive(Debug)]
struct Arguments {
    db: PathBuf,
    listen: String,
    mode: Mode,
    secondary_path: Option<PathBuf>,
    interval: Duration,
}

/// Runs `serve-metrics` with `arguments`, the program's name not among them, and returns its exit
/// status: 0 when it was told to end, 1 if it could not begin.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let result = parse(arguments).map_err(Failure::from).and_then(|arguments| match arguments {
        Some(arguments) => run(arguments, out, err).map_err(Failure::from),
        None => out.write_all(HELP.as_bytes()).map_err(Failure::from),
    });
    match result {
        Ok(()) => SUCCESS,
        Err(failure) => {
            failure.write("serve-metrics", err);
            FAILURE
        }
    }
}

/// None for help.
fn parse(arguments: &[String]) -> std::result::Result<Option<Arguments>, String> {
    let mut db = None;
    let mut parsed = Arguments {
        db: PathBuf::new(),
        listen: "127.0.0.1:9309".to_owned(),
        mode: Mode::Secondary,
        secondary_path: None,
        interval: Duration::from_secs(1),
    };
    for argument in arguments {
        let (name, value) = flags::split(argument)?;
        match name {
            "help" => return Ok(None),
            "db" => db = Some(PathBuf::from(flags::required(name, value)?)),
            "listen" => parsed.listen = flags::required(name, value)?.to_owned(),
            "mode" => {
                parsed.mode = match flags::required(name, value)? {
                    "secondary" => Mode::Secondary,
                    "read-only" => Mode::ReadOnly,
                    other => {
                        return Err(format!(
                            "--mode: expected secondary or read-only, found {other:?}"
                        ));
                    }
                }
            }
            "secondary-path" => {
                parsed.secondary_path = Some(PathBuf::from(flags::required(name, value)?));
            }
            "interval-secs" => parsed.interval = flags::seconds(name, value)?,
            _ => return Err(format!("--{name}: unknown flag; --help lists those there are")),
        }
    }
    if parsed.mode == Mode::ReadOnly && parsed.secondary_path.is_some() {
        return Err("--secondary-path is for --mode=secondary".to_owned());
    }
    parsed.db = db.ok_or("expected --db=DIR")?;
    Ok(Some(parsed))
}

/// The database as of the last answer.
struct Watched {
    database: Database,
    /// What its process dumped.
    primary: PrimaryStatistics,
    /// When it was brought up to date.
    at: Instant,
}

fn run(arguments: Arguments, out: &mut dyn Write, err: &mut dyn Write) -> Result<()> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| Status::io_error(format!("{what}: {error}"))
    };
    let ending = Ending::watch().map_err(failed("waiting for signals"))?;
    let secondary_path = SecondaryPath::new(arguments.secondary_path.clone());
    let database = match arguments.mode {
        Mode::Secondary => watch::open_as_secondary(&arguments.db, secondary_path.path())?,
        Mode::ReadOnly => watch::open_for_read_only(&arguments.db)?,
    };
    print::write_warnings(err, &database.notes).map_err(failed("standard error"))?;
    let primary = watch::primary_statistics(&database);
    let watched = Mutex::new(Watched { database, primary, at: Instant::now() });
    let Arguments { db, mode, interval, listen, .. } = arguments;
    let server = metrics::serve_text(listen.as_str(), move || {
        // A panic of another answer left what is there as it was.
        let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
        let Watched { database, primary, at } = &mut *watched;
        if at.elapsed() >= interval {
            match mode {
                Mode::Secondary => database.db.try_catch_up_with_primary()?,
                Mode::ReadOnly => *database = watch::open_for_read_only(&db)?,
            }
            *at = Instant::now();
        }
        primary.refresh(&database.db);
        Ok(metrics::text_with(&database.db, primary.newest()))
    })
    .map_err(|status| status.context("--listen"))?;
    writeln!(out, "{}", server.url())
        .and_then(|()| out.flush())
        .map_err(failed("standard output"))?;
    while !ending.wait(Duration::from_secs(3600)) {}
    Ok(())
}

#[cfg(test)]
mod tests;
