//! The info log of a database that is open for writing, in RocksDB's words and with its events, so
//! that what reads one reads the other.
//!
//! Jobs give back facts, and the database says them here. Nothing that is logged can fail an
//! operation. Nobody waits for a file under the state's lock: what is said there waits, and the
//! next line that is said without it takes it along. A write that needs no new memtable says
//! nothing.

mod compactions;
mod files;
mod flushes;
mod ingestions;
mod level_summary;
mod opening;
mod option_changes;

use crate::db::OpenContext;
use crate::open::found_files::FoundFiles;
use base::Status;
use base::filename::FileType;
pub(crate) use compactions::key_range;
use env::logger::{error, header, info, warn};
use env::{
    EventLogger, InfoLogLevel, InfoLogOptions, JsonObject, LogBuffer, Logger, NullLogger,
    SystemClock, create_logger_from_options,
};
pub(crate) use level_summary::level_summary;
pub(crate) use opening::FoundDatabase;
use options::DbOptions;
use statistics::Statistics;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Says what the database does.
#[derive(Debug)]
pub(crate) struct InfoLog {
    logger: Arc<dyn Logger>,
    events: EventLogger,
    clock: Arc<dyn SystemClock>,
    buffer: LogBuffer,
    next_job_id: AtomicU64,
}

impl InfoLog {
    /// Begins the log of the database at `path`: that of the context, if it has one, else a file. If
    /// none can be made there is no log.
    pub(crate) fn begin(
        options: &DbOptions,
        path: &Path,
        context: &OpenContext,
        found: Option<&FoundFiles>,
    ) -> Self {
        let logger = context.info_log.clone().unwrap_or_else(|| {
            let (file_system, clock) = (context.file_system.clone(), context.clock.clone());
            let log_options = info_log_options(options);
            let names = found.filter(|_| log_options.db_log_dir.is_none()).map(|found| {
                let logs = found.within(path).iter().filter(|file| file.kind == FileType::InfoLog);
                logs.map(|file| file.name.clone()).collect()
            });
            create_logger_from_options(file_system, clock, path, &log_options, names)
                .unwrap_or_else(|_| Arc::new(NullLogger))
        });
        Self::new(logger, context.clock.clone())
    }

    fn new(logger: Arc<dyn Logger>, clock: Arc<dyn SystemClock>) -> Self {
        Self {
            events: EventLogger::new(logger.clone(), clock.clone()),
            logger,
            clock,
            buffer: LogBuffer::default(),
            next_job_id: AtomicU64::new(1),
        }
    }

    /// A number for a flush, a compaction or a recovery, which its lines have in common.
    pub(crate) fn next_job_id(&self) -> u64 {
        self.next_job_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether lines of this importance are kept.
    fn keeps(&self, level: InfoLogLevel) -> bool {
        level >= self.logger.log_level()
    }

    /// Says something under a lock. It is written with the next line that is said without one.
    #[track_caller]
    pub(crate) fn say_later(&self, level: InfoLogLevel, text: fmt::Arguments<'_>) {
        if self.keeps(level) {
            self.buffer.push(level, self.clock.now_micros(), text);
        }
    }

    /// Writes what was said under a lock.
    pub(crate) fn write_waiting(&self) {
        self.buffer.write_to(&*self.logger);
    }

    /// Says something that is this important.
    #[track_caller]
    fn say(&self, level: InfoLogLevel, text: fmt::Arguments<'_>) {
        match level {
            InfoLogLevel::Warn => self.warn(text),
            _ => self.info(text),
        }
    }

    /// Says what the database does.
    #[track_caller]
    pub(crate) fn info(&self, text: fmt::Arguments<'_>) {
        self.write_waiting();
        info(&*self.logger, text);
    }

    /// Says what is not as it should be.
    #[track_caller]
    pub(crate) fn warn(&self, text: fmt::Arguments<'_>) {
        self.write_waiting();
        warn(&*self.logger, text);
    }

    /// Says what went wrong.
    #[track_caller]
    pub(crate) fn error(&self, text: fmt::Arguments<'_>) {
        self.write_waiting();
        error(&*self.logger, text);
    }

    /// Says what stands at the top of each file of the log.
    fn header(&self, text: fmt::Arguments<'_>) {
        header(&*self.logger, text);
    }

    /// Says something for programs.
    fn event(&self, fill: impl FnOnce(&mut JsonObject)) {
        self.write_waiting();
        self.events.log(fill);
    }

    /// Says what the statistics are: those of the database, and what is counted for it.
    pub(crate) fn stats(&self, text: &str, statistics: Option<&Statistics>) {
        self.info(format_args!("------- DUMPING STATS -------"));
        self.info(format_args!("{text}"));
        if let Some(statistics) = statistics {
            self.info(format_args!("STATISTICS:\n {statistics}"));
        }
    }

    /// Hands what was said to the operating system.
    pub(crate) fn flush(&self) {
        self.write_waiting();
        self.logger.flush();
    }
}

fn info_log_options(options: &DbOptions) -> InfoLogOptions {
    use options::InfoLogLevel as Named;
    let directory = Some(&options.db_log_dir).filter(|directory| !directory.is_empty());
    InfoLogOptions {
        db_log_dir: directory.map(PathBuf::from),
        max_log_file_size: options.max_log_file_size,
        log_file_time_to_roll: options.log_file_time_to_roll,
        keep_log_file_num: usize::try_from(options.keep_log_file_num).unwrap_or(usize::MAX),
        info_log_level: match options.info_log_level {
            Named::Debug => InfoLogLevel::Debug,
            Named::Warn => InfoLogLevel::Warn,
            Named::Error => InfoLogLevel::Error,
            Named::Fatal => InfoLogLevel::Fatal,
            Named::Header => InfoLogLevel::Header,
            _ => InfoLogLevel::Info,
        },
    }
}

/// How something ended, as RocksDB's `Status::ToString` has it.
fn outcome(result: Result<&(), &Status>) -> String {
    match result {
        Ok(_) => "OK".to_owned(),
        Err(status) => status.to_string(),
    }
}
