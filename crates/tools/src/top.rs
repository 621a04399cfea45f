//! `touchstone top`: a database that another process is writing, in the terminal.
//!
//! The database is followed as a secondary, without its lock. What only its process knows is taken from
//! its LOG, which says it now and then. A `snapshot` has the numbers, `screen` makes lines of them.

mod screen;
mod snapshot;
mod terminal;

use crate::any_database::Database;
use crate::command_failure::Failure;
use crate::ending::Ending;
use crate::flags;
use crate::watch::{self, SecondaryPath};
use db::SecondaryProgress;
use metrics::PrimaryStatistics;
use snapshot::Snapshot;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use terminal::{Happening, Terminal};

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;

const HELP: &str = "\
touchstone top --db=DIR [FLAGS]

Shows a database that RocksDB or Touchstone may be writing: its levels, what was written, what waits for
compaction, what holds writes back. docs/top.md says where each number comes from. q or Ctrl-C ends it.

  --db=DIR
      The directory of the database.
  --interval=SECONDS
      How often it is brought up to date. Default: 1.
  --once
      Prints it once and ends.
  --secondary-path=DIR
      Where the secondary has its LOG. Default: a temporary directory.
";

#[derive(Debug)]
struct Arguments {
    db: PathBuf,
    interval: Duration,
    once: bool,
    secondary_path: Option<PathBuf>,
}

/// Runs `top` with `arguments`, the program's name not among them, and returns its exit status: 0, or 1
/// if there is nothing to show.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let result = parse(arguments).map_err(Failure::from).and_then(|arguments| match arguments {
        Some(arguments) => run(&arguments, out),
        None => out.write_all(HELP.as_bytes()).map_err(Failure::from),
    });
    match result {
        Ok(()) => SUCCESS,
        Err(failure) => {
            failure.write("top", err);
            FAILURE
        }
    }
}

/// None for help.
fn parse(arguments: &[String]) -> Result<Option<Arguments>, String> {
    let mut db = None;
    let mut parsed = Arguments {
        db: PathBuf::new(),
        interval: Duration::from_secs(1),
        once: false,
        secondary_path: None,
    };
    for argument in arguments {
        let (name, value) = flags::split(argument)?;
        match name {
            "help" => return Ok(None),
            "db" => db = Some(PathBuf::from(flags::required(name, value)?)),
            "interval" => {
                parsed.interval = flags::seconds(name, value)?;
                if parsed.interval < Duration::from_millis(10) {
                    return Err("--interval: expected at least 0.01 seconds".to_owned());
                }
            }
            "once" => {
                flags::without_value(name, value)?;
                parsed.once = true;
            }
            "secondary-path" => {
                parsed.secondary_path = Some(PathBuf::from(flags::required(name, value)?));
            }
            _ => return Err(format!("--{name}: unknown flag; --help lists those there are")),
        }
    }
    parsed.db = db.ok_or("expected --db=DIR")?;
    Ok(Some(parsed))
}

/// The database, and what was known of it when it was last looked at.
struct Followed {
    database: Database,
    /// What its process dumped.
    primary: PrimaryStatistics,
    before: Option<(SecondaryProgress, Instant)>,
}

impl Followed {
    fn snapshot(&mut self) -> Snapshot {
        let db = &self.database.db;
        let problem = db.try_catch_up_with_primary().err().map(|status| status.to_string());
        let now = Instant::now();
        let before = self.before.map(|(progress, at)| (progress, now - at));
        self.primary.refresh(db);
        let snapshot = Snapshot::take(db, self.database.rule, before, &self.primary, problem);
        self.before = Some((snapshot.progress, now));
        snapshot
    }
}

fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let secondary_path = SecondaryPath::new(arguments.secondary_path.clone());
    let database = watch::open_as_secondary(&arguments.db, secondary_path.path())?;
    let primary = watch::primary_statistics(&database);
    let mut followed = Followed { database, primary, before: None };
    if arguments.once {
        return Ok(print(&followed.snapshot(), out)?);
    }
    let ending = Ending::watch().map_err(|error| format!("waiting for signals: {error}"))?;
    if io::stdout().is_terminal() && io::stdin().is_terminal() {
        return Ok(show(&mut followed, arguments.interval, &ending)?);
    }
    // Nobody can press a key: one after another, until it is told to end or nobody reads.
    loop {
        print(&followed.snapshot(), out)?;
        if ending.wait(arguments.interval) {
            return Ok(());
        }
        writeln!(out)?;
    }
}

/// Everything, however long and wide it is.
fn print(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    for line in screen::render(snapshot, usize::MAX, usize::MAX) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn show(followed: &mut Followed, interval: Duration, ending: &Ending) -> io::Result<()> {
    let mut terminal = Terminal::enter()?;
    loop {
        let snapshot = followed.snapshot();
        let due = Instant::now() + interval;
        loop {
            let (columns, rows) = Terminal::size();
            terminal.show(&screen::render(&snapshot, columns, rows), rows)?;
            let left = due.saturating_duration_since(Instant::now());
            match Terminal::wait(left, || ending.is_asked())? {
                Happening::Quit => return Ok(()),
                Happening::Resized => {}
                Happening::Nothing => break,
            }
        }
    }
}

#[cfg(test)]
mod tests;
