//! The info log: lines for people, `LOG` in the database's directory.
//!
//! Lines go through a [`Logger`]. [`info`], [`warn`] and their like put before the text where in
//! the source it was said; [`header`] lines stand at the top of every file that a log continues in.
//! Nothing that is written here can fail an operation: what cannot be logged is lost.

mod file_logger;
mod log_buffer;

use crate::clock::SystemClock;
use crate::file_system::FileSystem;
use base::Result;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::fmt;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use file_logger::FileLogger;
pub use log_buffer::LogBuffer;

/// How important a line is. Numbers are those of `rocksdb::InfoLogLevel`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum InfoLogLevel {
    /// For who looks for an error of the engine.
    Debug = 0,
    /// What the engine does.
    #[default]
    Info = 1,
    /// What is not as it should be.
    Warn = 2,
    /// What went wrong.
    Error = 3,
    /// What ends all.
    Fatal = 4,
    /// What a log begins with: versions and options. Never left out.
    Header = 5,
}

/// Takes lines.
pub trait Logger: fmt::Debug + Send + Sync {
    /// Lines of less importance are left out (`info_log_level`).
    fn log_level(&self) -> InfoLogLevel;

    /// Changes [`Logger::log_level`].
    fn set_log_level(&self, level: InfoLogLevel);

    /// Takes a line, without its end; one that is not important enough is left out.
    fn log(&self, level: InfoLogLevel, text: fmt::Arguments<'_>);

    /// Hands the lines so far to the operating system.
    fn flush(&self) {}
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullLogger;

impl Logger for NullLogger {
    fn log_level(&self) -> InfoLogLevel {
        InfoLogLevel::Header
    }

    fn set_log_level(&self, _level: InfoLogLevel) {}

    fn log(&self, _level: InfoLogLevel, _text: fmt::Arguments<'_>) {}
}

/// Logs for who looks for an error of the engine.
#[track_caller]
pub fn debug(logger: &dyn Logger, text: fmt::Arguments<'_>) {
    log_from(Location::caller(), logger, InfoLogLevel::Debug, text);
}

/// Logs what the engine does: `info(logger, format_args!("..."))`.
#[track_caller]
pub fn info(logger: &dyn Logger, text: fmt::Arguments<'_>) {
    log_from(Location::caller(), logger, InfoLogLevel::Info, text);
}

/// Logs what is not as it should be.
#[track_caller]
pub fn warn(logger: &dyn Logger, text: fmt::Arguments<'_>) {
    log_from(Location::caller(), logger, InfoLogLevel::Warn, text);
}

/// Logs what went wrong.
#[track_caller]
pub fn error(logger: &dyn Logger, text: fmt::Arguments<'_>) {
    log_from(Location::caller(), logger, InfoLogLevel::Error, text);
}

/// Logs what ends all.
#[track_caller]
pub fn fatal(logger: &dyn Logger, text: fmt::Arguments<'_>) {
    log_from(Location::caller(), logger, InfoLogLevel::Fatal, text);
}

/// Logs what a log begins with. It is repeated at the top of each file that the log goes on in.
pub fn header(logger: &dyn Logger, text: fmt::Arguments<'_>) {
    logger.log(InfoLogLevel::Header, text);
}

fn log_from(
    location: &Location<'_>,
    logger: &dyn Logger,
    level: InfoLogLevel,
    text: fmt::Arguments<'_>,
) {
    if level < logger.log_level() {
        return;
    }
    logger.log(level, format_args!("[{}] {text}", place(location)));
}

/// As in RocksDB, from the component on: `db/src/open.rs:12`.
fn place(location: &Location<'_>) -> String {
    let file = location.file();
    let file = file.rsplit_once("crates/").map_or(file, |(_, file)| file);
    format!("{file}:{}", location.line())
}

/// A time as lines begin with it: local, to the microsecond.
pub fn time_text(micros: u64) -> String {
    // A clock that is far off shows the first of all times.
    let time =
        i64::try_from(micros).ok().and_then(|micros| Timestamp::from_microsecond(micros).ok());
    let time = time.unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::system());
    format!("{}.{:06}", time.strftime("%Y/%m/%d-%H:%M:%S"), micros % 1_000_000)
}

/// The time that a line begins with, in microseconds since 1970; none if it begins with something else.
/// Lines tell local time: it is taken to be that of this process.
pub fn line_time_micros(line: &str) -> Option<u64> {
    // What continues a line of several is told apart without much work.
    let is_stamped = line.len() > 26 && line.as_bytes()[4] == b'/' && line.as_bytes()[10] == b'-';
    let text = line.get(..26).filter(|_| is_stamped)?;
    let time = DateTime::strptime("%Y/%m/%d-%H:%M:%S%.f", text).ok()?;
    let time = time.to_zoned(TimeZone::system()).ok()?;
    u64::try_from(time.timestamp().as_microsecond()).ok()
}

/// Where the info log goes, and when it begins anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfoLogOptions {
    /// Another directory than the database's (`db_log_dir`). Default: none.
    pub db_log_dir: Option<PathBuf>,
    /// A new file is begun when the present one has so many bytes (`max_log_file_size`). Default:
    /// 0, never.
    pub max_log_file_size: u64,
    /// A new file is begun after so many seconds (`log_file_time_to_roll`). Default: 0, never.
    pub log_file_time_to_roll: u64,
    /// How many files there are at most, with the present one (`keep_log_file_num`). Default: 1000.
    pub keep_log_file_num: usize,
    /// The least important lines that are kept (`info_log_level`). Default: `Info`.
    pub info_log_level: InfoLogLevel,
}

impl Default for InfoLogOptions {
    fn default() -> Self {
        Self {
            db_log_dir: None,
            max_log_file_size: 0,
            log_file_time_to_roll: 0,
            keep_log_file_num: 1000,
            info_log_level: InfoLogLevel::default(),
        }
    }
}

/// Begins the info log of the database at `db_path`, creating its directories: a `LOG` that is
/// there becomes `LOG.old.<micros>`, and the oldest of those are deleted. The directory is listed for
/// that, unless the `names` in it that begin with `LOG` are known.
///
/// # Errors
///
/// If the directory or the new file cannot be created, or the old one not be renamed. That old ones
/// cannot be deleted only stands in the new one.
pub fn create_logger_from_options(
    fs: Arc<dyn FileSystem>,
    clock: Arc<dyn SystemClock>,
    db_path: &Path,
    options: &InfoLogOptions,
    names: Option<Vec<String>>,
) -> Result<Arc<dyn Logger>> {
    let created = fs.create_dir_if_missing(db_path);
    match &options.db_log_dir {
        // The logs may be on a machine's disk and the database elsewhere.
        Some(directory) => fs.create_dir_if_missing(directory)?,
        None => created?,
    }
    Ok(Arc::new(FileLogger::create(fs, clock, db_path, options, names)?))
}

#[cfg(test)]
mod tests;
