//! The WALs of an open database: the one that is written to, and those that still hold what is in
//! no table.
//!
//! A WAL is closed when writes turn to the next one, but its file stays open until it is synced: a
//! write that is synced must find all writes before it as safe as itself.

use base::filename::wal_file_name;
use base::{Result, Status};
use env::{FileOptions, FileSystem};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use version::WalAddition;
use wal::{LogCompression, LogWriter};

/// How WALs are written.
#[derive(Clone, Debug)]
pub(crate) struct WalOptions {
    /// `wal_dir`, or the database's directory.
    pub(crate) directory: PathBuf,
    /// Records stay in the writer's buffer until asked for (`manual_wal_flush`).
    pub(crate) manual_flush: bool,
    /// `use_fsync`.
    pub(crate) use_fsync: bool,
    /// `wal_compression`.
    pub(crate) compression: LogCompression,
    /// WALs kept to be written over (`recycle_log_file_num`).
    pub(crate) recycled_max: usize,
    pub(crate) file_options: FileOptions,
}

/// A WAL that writes may still have to be synced to.
#[derive(Debug)]
struct OpenWal {
    number: u64,
    writer: LogWriter,
    /// Column families whose timestamp sizes it states.
    stated: BTreeSet<u32>,
    /// Bytes known to be safe from a power loss.
    synced_bytes: u64,
    /// Behind what was written there may be what the file held as an earlier WAL.
    is_reused: bool,
}

/// The WALs. One writer at a time has it.
#[derive(Debug)]
pub(crate) struct WalStage {
    file_system: Arc<dyn FileSystem>,
    options: WalOptions,
    current: Option<OpenWal>,
    /// Closed to writes and not synced, from old to new.
    unsynced: VecDeque<OpenWal>,
    /// Finished and synced since somebody last asked.
    synced: Vec<WalAddition>,
    /// Bytes of every WAL that holds what is in no table, by number.
    live: BTreeMap<u64, u64>,
    /// Numbers of files that the next WALs may overwrite.
    recyclable: VecDeque<u64>,
    /// The first WAL begun here. Older ones are not written over: their records may have no log
    /// number, so that they would pass for records of the new WAL.
    first_own: Option<u64>,
    /// Whether the directory has to be synced for the current WAL to be found again.
    is_directory_dirty: bool,
}

impl WalStage {
    /// Without any WAL.
    pub(crate) fn new(file_system: Arc<dyn FileSystem>, options: WalOptions) -> Self {
        Self {
            file_system,
            options,
            current: None,
            unsynced: VecDeque::new(),
            synced: Vec::new(),
            live: BTreeMap::new(),
            recyclable: VecDeque::new(),
            first_own: None,
            is_directory_dirty: false,
        }
    }

    /// Number of the WAL that writes go to; 0 before there is one.
    pub(crate) fn current_number(&self) -> u64 {
        self.current.as_ref().map_or(0, |wal| wal.number)
    }

    /// Whether nothing was written to the current WAL.
    pub(crate) fn is_current_empty(&self) -> bool {
        self.live.get(&self.current_number()).is_none_or(|&bytes| bytes == 0)
    }

    /// Bytes of all WALs that hold what is in no table.
    pub(crate) fn total_size_bytes(&self) -> u64 {
        self.live.values().sum()
    }

    /// Numbers of those WALs, ascending.
    pub(crate) fn live_numbers(&self) -> impl Iterator<Item = u64> {
        self.live.keys().copied()
    }

    /// Counts a WAL that recovery leaves among those that hold what is in no table.
    pub(crate) fn keep(&mut self, number: u64, size_bytes: u64) {
        self.live.insert(number, size_bytes);
    }

    /// Turns writes to a new WAL. The one before stays open until it is synced, or released.
    ///
    /// # Errors
    /// `IoError` if it cannot be made, or the one before cannot be handed to the operating system;
    /// then writes still go to the one before.
    pub(crate) fn start(&mut self, number: u64) -> Result<()> {
        self.finish_current()?;
        let path = wal_file_name(&self.options.directory, number);
        let is_reused = !self.recyclable.is_empty();
        // One that cannot be reused is not tried again.
        let file = match self.recyclable.pop_front() {
            Some(old) => {
                let old = wal_file_name(&self.options.directory, old);
                self.file_system.reuse_writable_file(&path, &old, &self.options.file_options)?
            }
            None => self.file_system.new_writable_file(&path, &self.options.file_options)?,
        };
        let mut writer = match self.options.recycled_max {
            0 => LogWriter::new(file),
            _ => LogWriter::new_recyclable(file, number),
        };
        writer.add_compression_record(self.options.compression)?;
        let wal = OpenWal { number, writer, stated: BTreeSet::new(), synced_bytes: 0, is_reused };
        self.unsynced.extend(self.current.replace(wal));
        self.first_own.get_or_insert(number);
        self.is_directory_dirty = true;
        self.live.insert(number, 0);
        Ok(())
    }

    /// Turns writes to a new WAL after a failure: the one before is closed as it is, and is never
    /// synced. Everything that it and those before hold must be in tables before the next write.
    ///
    /// # Errors
    /// As [`WalStage::start`].
    pub(crate) fn start_after_failure(&mut self, number: u64) -> Result<()> {
        for wal in self.unsynced.drain(..).chain(self.current.take()) {
            // That it failed is known.
            let _ = wal.writer.close();
        }
        self.start(number)
    }

    /// Hands the current WAL to the operating system and ends it where what was written ends. What
    /// an earlier WAL left behind that begins anywhere in its records, and would read as damage:
    /// then no later WAL would count.
    fn finish_current(&mut self) -> Result<()> {
        let Some(wal) = &mut self.current else { return Ok(()) };
        wal.writer.file_mut().flush()?;
        if wal.is_reused {
            let path = wal_file_name(&self.options.directory, wal.number);
            self.file_system.truncate(&path, wal.writer.file_mut().size())?;
        }
        Ok(())
    }

    /// Appends a batch; `timestamp_sizes` are those of its column families that have timestamps.
    ///
    /// # Errors
    /// `IoError`. What the WAL holds at its end is then unknown.
    pub(crate) fn append(&mut self, batch: &[u8], timestamp_sizes: &[(u32, u16)]) -> Result<()> {
        let Some(wal) = &mut self.current else {
            return Err(Status::aborted("no WAL to write to"));
        };
        let new: Vec<_> =
            timestamp_sizes.iter().copied().filter(|(id, _)| wal.stated.insert(*id)).collect();
        if !new.is_empty() {
            wal.writer.add_timestamp_sizes(&new)?;
        }
        wal.writer.add_record(batch)?;
        if !self.options.manual_flush {
            wal.writer.file_mut().flush()?;
        }
        self.live.insert(wal.number, wal.writer.file_mut().size());
        Ok(())
    }

    /// Hands what was appended to the operating system.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn flush(&mut self) -> Result<()> {
        match &mut self.current {
            Some(wal) => wal.writer.file_mut().flush(),
            None => Ok(()),
        }
    }

    /// Makes all that was appended safe from a power loss.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.sync_finished_files()?;
        if let Some(wal) = &mut self.current {
            let size = wal.writer.file_mut().size();
            if size > wal.synced_bytes {
                sync_file(wal, self.options.use_fsync)?;
                wal.synced_bytes = size;
            }
        }
        self.sync_directory()
    }

    /// Makes what is in finished WALs safe from a power loss, before tables that hold part of it
    /// take their place.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn sync_finished(&mut self) -> Result<()> {
        self.sync_finished_files()?;
        self.sync_directory()
    }

    fn sync_finished_files(&mut self) -> Result<()> {
        while let Some(wal) = self.unsynced.front_mut() {
            sync_file(wal, self.options.use_fsync)?;
            let size = wal.writer.file_mut().size();
            if size > 0 {
                let synced_size_bytes = Some(size);
                self.synced.push(WalAddition { number: wal.number, synced_size_bytes });
            }
            if let Some(wal) = self.unsynced.pop_front() {
                wal.writer.close()?;
            }
        }
        Ok(())
    }

    /// Finished WALs that were synced since the last call, with their sizes.
    pub(crate) fn take_synced(&mut self) -> Vec<WalAddition> {
        std::mem::take(&mut self.synced)
    }

    fn sync_directory(&mut self) -> Result<()> {
        if self.is_directory_dirty {
            self.file_system.new_directory(&self.options.directory)?.fsync()?;
            self.is_directory_dirty = false;
        }
        Ok(())
    }

    /// Forgets the WALs with a smaller number than `number_min`, which hold nothing any more, and
    /// returns those whose files are to go. Some are kept to be written over.
    pub(crate) fn release(&mut self, number_min: u64) -> Vec<u64> {
        let current = self.current_number();
        let kept = self.live.split_off(&number_min.min(current));
        let mut obsolete = Vec::new();
        for number in std::mem::replace(&mut self.live, kept).into_keys() {
            self.unsynced.retain(|wal| wal.number != number);
            // Entered in the MANIFEST now, it would be missed at the next open.
            self.synced.retain(|wal| wal.number != number);
            let is_own = self.first_own.is_some_and(|first| number >= first);
            if is_own && self.recyclable.len() < self.options.recycled_max {
                self.recyclable.push_back(number);
            } else {
                obsolete.push(number);
            }
        }
        obsolete
    }

    /// Syncs nothing; hands everything to the operating system and closes all files.
    ///
    /// # Errors
    /// The first `IoError`; all files are closed nevertheless.
    pub(crate) fn close(&mut self) -> Result<()> {
        let mut result = self.finish_current();
        for wal in self.unsynced.drain(..).chain(self.current.take()) {
            result = result.and(wal.writer.close());
        }
        result
    }
}

fn sync_file(wal: &mut OpenWal, use_fsync: bool) -> Result<()> {
    match use_fsync {
        true => wal.writer.file_mut().fsync(),
        false => wal.writer.file_mut().sync(),
    }
}

#[cfg(test)]
mod tests;
