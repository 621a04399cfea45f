//! What is known of the process that writes a database, by another one.

use crate::dump::Dump;
use crate::primary_log::PrimaryLog;
use db::{Db, StatsSlice};

/// Statistics that the writing process dumps into its LOG every `stats_dump_period_sec`. Where its LOG
/// tells no tickers, those that it keeps in the column family of its history (`persist_stats_to_disk`),
/// counted from the beginning of that on.
#[derive(Debug)]
pub struct PrimaryStatistics {
    log: PrimaryLog,
    history: History,
}

impl PrimaryStatistics {
    /// Those of the process that writes `db`; `db_log_dir` is its option, empty for the directory of
    /// the database. Nothing is known before [`PrimaryStatistics::refresh`].
    pub fn new(db: &Db, db_log_dir: &str) -> Self {
        let fs = db.context().file_system.clone();
        Self { log: PrimaryLog::new(fs, db.path(), db_log_dir), history: History::default() }
    }

    /// Reads what was written since.
    pub fn refresh(&mut self, db: &Db) {
        self.log.refresh();
        if !self.has_log() {
            self.history.refresh(db);
        }
    }

    /// The newest dump.
    pub fn newest(&self) -> Option<&Dump> {
        match &self.history.newest {
            Some(dump) if !self.has_log() => Some(dump),
            _ => self.log.newest(),
        }
    }

    /// The dump before that, if it is known.
    pub fn before_newest(&self) -> Option<&Dump> {
        match &self.history.newest {
            Some(_) if !self.has_log() => self.history.before.as_ref(),
            _ => self.log.before_newest(),
        }
    }

    /// The last line of the LOG that tells of writes held back.
    pub fn last_stall(&self) -> Option<&str> {
        self.log.last_stall()
    }

    fn has_log(&self) -> bool {
        self.log.newest().is_some_and(|dump| !dump.tickers.is_empty())
    }
}

/// Sums of what the history has.
#[derive(Debug, Default)]
struct History {
    newest: Option<Dump>,
    before: Option<Dump>,
}

impl History {
    fn refresh(&mut self, db: &Db) {
        let start = self.newest.as_ref().map_or(0, |dump| dump.at_micros / 1_000_000 + 1);
        // A history that cannot be read is not known.
        for slice in db.stats_history(start, u64::MAX).unwrap_or_default() {
            self.add(&slice);
        }
    }

    fn add(&mut self, slice: &StatsSlice) {
        let mut dump = self.newest.clone().unwrap_or_default();
        dump.at_micros = slice.time_seconds.saturating_mul(1_000_000);
        dump.at = env::time_text(dump.at_micros);
        for (name, delta) in &slice.deltas {
            let count = dump.tickers.entry(name.clone()).or_default();
            *count = count.saturating_add(*delta);
        }
        self.before = self.newest.replace(dump);
    }
}

#[cfg(test)]
mod tests;
