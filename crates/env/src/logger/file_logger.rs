//! A log in a file that begins anew now and then.
//!
//! A line is `2026/11/22-03:25:36.666287 30200 text`: local time, the thread's number as the system
//! has it, and before the text its level in brackets, except `INFO`.

use super::{InfoLogLevel, InfoLogOptions, Logger, time_text};
use crate::clock::SystemClock;
use crate::file_system::{FileOptions, FileSystem, WritableFile};
use crate::thread_status::thread_id;
use base::{Result, filename};
use parking_lot::Mutex;
use perf_context::{IoMetric, PerfMetric, Timer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Lines wait at most so long before the operating system has them, if more come.
const FLUSH_MICROS: u64 = 5_000_000;

const OPTIONS: FileOptions =
    FileOptions { writable_file_max_buffer_size: 64 << 10, ..FileOptions::DEFAULT };

/// Writes a database's info log.
#[derive(Debug)]
pub struct FileLogger {
    fs: Arc<dyn FileSystem>,
    clock: Arc<dyn SystemClock>,
    db_path: PathBuf,
    options: InfoLogOptions,
    level: AtomicU8,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// None after an error: opened again when the next flush is due.
    file: Option<Box<dyn WritableFile>>,
    created_micros: u64,
    flushed_micros: u64,
    headers: Vec<String>,
}

impl FileLogger {
    /// Begins a log as [`create_logger_from_options`](super::create_logger_from_options) does, in
    /// directories that exist. `names` are those in the log's directory, where they are known.
    ///
    /// # Errors
    ///
    /// If the new file cannot be created, or the old one not be renamed.
    pub fn create(
        fs: Arc<dyn FileSystem>,
        clock: Arc<dyn SystemClock>,
        db_path: &Path,
        options: &InfoLogOptions,
        names: Option<Vec<String>>,
    ) -> Result<Self> {
        let _timer = Timer::start(PerfMetric::EnvNewLoggerNanos);
        // The name in a log directory holds the whole path. Without a current directory, the path
        // as it was given has to do.
        let db_path = match std::env::current_dir() {
            Ok(current) if options.db_log_dir.is_some() => current.join(db_path),
            _ => db_path.to_path_buf(),
        };
        let level = AtomicU8::new(options.info_log_level as u8);
        let (options, state) = (options.clone(), Mutex::default());
        let logger = Self { fs, clock, db_path, options, level, state };
        logger.begin_file(&mut logger.state.lock(), names)?;
        Ok(logger)
    }

    /// Where the log is.
    pub fn path(&self) -> PathBuf {
        filename::info_log_file_name(&self.db_path, self.log_directory())
    }

    fn log_directory(&self) -> Option<&Path> {
        self.options.db_log_dir.as_deref()
    }

    /// Puts what is there aside, and begins anew. `names` are those in the directory, where they are
    /// known.
    fn begin_file(&self, state: &mut State, mut names: Option<Vec<String>>) -> Result<()> {
        let now = self.clock.now_micros();
        let path = self.path();
        // Dropping flushes.
        state.file = None;
        state.created_micros = now;
        state.flushed_micros = now;
        if self.fs.file_exists(&path)? {
            let old = self.free_old_name(now)?;
            let old_name = old.file_name().map(|name| name.to_string_lossy().into_owned());
            if let Some(names) = &mut names {
                names.extend(old_name);
            }
            match self.fs.rename_file(&path, &old) {
                // Somebody else may have taken it away since.
                Err(status) if !status.is_path_not_found() => return Err(status),
                _ => {}
            }
        }
        state.file = Some(self.fs.new_writable_file(&path, &OPTIONS)?);
        for header in std::mem::take(&mut state.headers) {
            self.append(state, now, InfoLogLevel::Header, &header);
            state.headers.push(header);
        }
        if let Err(status) = self.delete_old_files(names) {
            let text = format!("Fail to trim old info log file: {status}");
            self.append(state, now, InfoLogLevel::Warn, &text);
        }
        Ok(())
    }

    /// A name for an old file that is not taken.
    fn free_old_name(&self, mut micros: u64) -> Result<PathBuf> {
        loop {
            let directory = self.log_directory();
            let path = filename::old_info_log_file_name(&self.db_path, directory, micros);
            if !self.fs.file_exists(&path)? {
                return Ok(path);
            }
            micros += 1;
        }
    }

    fn delete_old_files(&self, names: Option<Vec<String>>) -> Result<()> {
        let directory = self.log_directory().unwrap_or(&self.db_path);
        let names = names.map_or_else(|| self.fs.get_children(directory), Ok)?;
        let mut old = Vec::new();
        for name in names {
            let parsed =
                filename::parse_old_info_log_file_name(&name, &self.db_path, self.log_directory());
            old.extend(parsed.map(|micros| (micros, name)));
        }
        old.sort_unstable();
        let keep = self.options.keep_log_file_num.saturating_sub(1);
        old.truncate(old.len().saturating_sub(keep));
        let mut result = Ok(());
        for (_, name) in old {
            result = result.and(self.fs.delete_file(&directory.join(name)));
        }
        result
    }

    /// Whether the file is large or old enough for another.
    fn is_full(&self, state: &State, now: u64) -> bool {
        let age_seconds = now.saturating_sub(state.created_micros) / 1_000_000;
        let size = state.file.as_ref().map_or(0, |file| file.size());
        let (size_max, age_max) =
            (self.options.max_log_file_size, self.options.log_file_time_to_roll);
        (size_max > 0 && size >= size_max) || (age_max > 0 && age_seconds >= age_max)
    }

    fn append(&self, state: &mut State, now: u64, level: InfoLogLevel, text: &str) {
        let due = now.saturating_sub(state.flushed_micros) >= FLUSH_MICROS;
        if state.file.is_none() && due {
            state.flushed_micros = now;
            state.file = self.fs.reopen_writable_file(&self.path(), &OPTIONS).ok();
        }
        let Some(file) = &mut state.file else { return };
        let mut result = file.append(line(now, level, text).as_bytes());
        if due || (InfoLogLevel::Warn..InfoLogLevel::Header).contains(&level) {
            // What is worse than usual is often the last that is said.
            result = result.and_then(|()| file.flush());
            state.flushed_micros = now;
        }
        if result.is_err() {
            state.file = None;
        }
    }
}

impl Logger for FileLogger {
    fn log_level(&self) -> InfoLogLevel {
        const LEVELS: [InfoLogLevel; 6] = [
            InfoLogLevel::Debug,
            InfoLogLevel::Info,
            InfoLogLevel::Warn,
            InfoLogLevel::Error,
            InfoLogLevel::Fatal,
            InfoLogLevel::Header,
        ];
        LEVELS[usize::from(self.level.load(Ordering::Relaxed))]
    }

    fn set_log_level(&self, level: InfoLogLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    fn log(&self, level: InfoLogLevel, text: fmt::Arguments<'_>) {
        if level < self.log_level() {
            return;
        }
        let _timer = Timer::start(IoMetric::LoggerNanos);
        let text = text.to_string();
        let now = self.clock.now_micros();
        let mut state = self.state.lock();
        if self.is_full(&state, now) {
            // On an error there is no file, and nothing to say it in; a later line tries again.
            let _ = self.begin_file(&mut state, None);
        }
        self.append(&mut state, now, level, &text);
        if level == InfoLogLevel::Header {
            state.headers.push(text);
        }
    }

    fn flush(&self) {
        let mut state = self.state.lock();
        state.flushed_micros = self.clock.now_micros();
        let result = state.file.as_mut().map_or(Ok(()), |file| file.flush());
        if result.is_err() {
            state.file = None;
        }
    }
}

fn line(now: u64, level: InfoLogLevel, text: &str) -> String {
    let label = match level {
        InfoLogLevel::Info | InfoLogLevel::Header => "",
        InfoLogLevel::Debug => "[DEBUG] ",
        InfoLogLevel::Warn => "[WARN] ",
        InfoLogLevel::Error => "[ERROR] ",
        InfoLogLevel::Fatal => "[FATAL] ",
    };
    let thread = thread_id();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{} {thread} {label}{text}{end}", time_text(now))
}
