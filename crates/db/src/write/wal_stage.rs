//! The WALs of an open database: the one that is written to, and those that still hold what is in
//! no table.
//!
//! A WAL is closed when writes turn to the next one, but its file stays open until it is synced: a
//! write that is synced must find all writes before it as safe as itself. Syncing takes long, so
//! that it is a job of its own ([`WalSync`]) that goes on while others write.

use crate::write::wal_sync::WalSync;
use base::filename::wal_file_name;
use base::{Result, SequenceNumber, Status};
use env::{FileOptions, FileSystem};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use version::WalAddition;
use wal::{LogCompression, LogWriter, PredecessorWalInfo};

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
    /// Each WAL says how the one before it ended (`track_and_verify_wals`).
    pub(crate) states_predecessor: bool,
    pub(crate) file_options: FileOptions,
}

/// A WAL that writes may still have to be synced to.
#[derive(Debug)]
pub(super) struct OpenWal {
    pub(super) number: u64,
    pub(super) writer: LogWriter,
    /// Column families whose timestamp sizes it states.
    stated: BTreeSet<u32>,
    /// Bytes before the first batch.
    start_bytes: u64,
    /// Batches, each of a group counted.
    batches: u64,
    /// Number of the first entry of the last batch; 0 without one.
    last_sequence: SequenceNumber,
    /// Bytes known to be safe from a power loss.
    synced_bytes: u64,
    /// Bytes that were handed to the operating system because somebody asked for it.
    flushed_bytes: u64,
    /// Behind what was written there may be what the file held as an earlier WAL.
    is_reused: bool,
}

impl OpenWal {
    /// Bytes, none if there is no batch.
    fn batch_bytes(&self) -> u64 {
        Some(self.writer.size_bytes()).filter(|bytes| *bytes > self.start_bytes).unwrap_or(0)
    }

    /// Mean size of the batches, in bytes.
    fn batch_size(&self) -> u64 {
        (self.writer.size_bytes() - self.start_bytes) / self.batches.max(1)
    }
}

/// The WALs. One writer at a time has it.
#[derive(Debug)]
pub(crate) struct WalStage {
    pub(super) file_system: Arc<dyn FileSystem>,
    pub(super) options: WalOptions,
    current: Option<OpenWal>,
    /// Closed to writes and not synced, from old to new.
    unsynced: VecDeque<OpenWal>,
    /// Finished and synced since somebody last asked.
    synced: Vec<WalAddition>,
    /// Bytes of every WAL that holds what is in no table, by number; 0 for the current one.
    live: BTreeMap<u64, u64>,
    /// Their sum.
    finished_bytes: u64,
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
            finished_bytes: 0,
            recyclable: VecDeque::new(),
            first_own: None,
            is_directory_dirty: false,
        }
    }

    /// How the next WALs are written as files.
    pub(crate) fn set_file_options(&mut self, options: FileOptions) {
        self.options.file_options = options;
    }

    /// Number of the WAL that writes go to; 0 before there is one.
    pub(crate) fn current_number(&self) -> u64 {
        self.current.as_ref().map_or(0, |wal| wal.number)
    }

    /// Whether the current WAL is appended to through a mapping.
    pub(crate) fn is_current_mapped(&self) -> bool {
        self.current.as_ref().is_some_and(|wal| wal.writer.is_mapped())
    }

    /// Bytes of memory for what is to be written.
    pub(crate) fn buffer_bytes(&self) -> usize {
        let open = self.unsynced.iter().chain(&self.current);
        open.map(|wal| wal.writer.buffer_bytes()).sum()
    }

    /// Whether no batch was written to the current WAL.
    pub(crate) fn is_current_empty(&self) -> bool {
        self.current_bytes() == 0
    }

    fn current_bytes(&self) -> u64 {
        self.current.as_ref().map_or(0, OpenWal::batch_bytes)
    }

    /// Bytes of all WALs that hold what is in no table.
    pub(crate) fn total_size_bytes(&self) -> u64 {
        self.finished_bytes + self.current_bytes()
    }

    /// Numbers of those WALs, ascending.
    pub(crate) fn live_numbers(&self) -> impl Iterator<Item = u64> {
        self.live.keys().copied()
    }

    /// Counts a WAL that recovery leaves among those that hold what is in no table.
    pub(crate) fn keep(&mut self, number: u64, size_bytes: u64) {
        let before = self.live.insert(number, size_bytes).unwrap_or(0);
        self.finished_bytes = self.finished_bytes - before + size_bytes;
    }

    /// Turns writes to a new WAL. The one before stays open until it is synced, or released.
    ///
    /// # Errors
    /// `IoError` if it cannot be made, or the one before cannot be handed to the operating system;
    /// then writes still go to the one before.
    pub(crate) fn start(&mut self, number: u64) -> Result<()> {
        self.finish_current()?;
        let path = wal_file_name(&self.options.directory, number);
        let file_options = self.next_file_options();
        let is_reused = !self.recyclable.is_empty();
        // One that cannot be reused is not tried again.
        let file = match self.recyclable.pop_front() {
            Some(old) => {
                let old = wal_file_name(&self.options.directory, old);
                self.file_system.reuse_writable_file(&path, &old, &file_options)?
            }
            None => self.file_system.new_writable_file(&path, &file_options)?,
        };
        let mut writer = match self.options.recycled_max {
            0 => LogWriter::new(file),
            _ => LogWriter::new_recyclable(file, number),
        };
        writer.add_compression_record(self.options.compression)?;
        if self.options.states_predecessor
            && let Some(predecessor) = &self.current
        {
            writer.add_predecessor_wal_info(&PredecessorWalInfo {
                log_number: predecessor.number,
                size_bytes: predecessor.writer.size_bytes(),
                last_sequence: predecessor.last_sequence,
            })?;
            if !self.options.manual_flush {
                writer.file_mut().flush()?;
            }
        }
        let wal = OpenWal {
            number,
            start_bytes: writer.size_bytes(),
            batches: 0,
            writer,
            stated: BTreeSet::new(),
            last_sequence: 0,
            synced_bytes: 0,
            flushed_bytes: 0,
            is_reused,
        };
        if let Some(finished) = self.current.replace(wal) {
            self.keep(finished.number, finished.batch_bytes());
            self.unsynced.push_back(finished);
        }
        self.first_own.get_or_insert(number);
        self.is_directory_dirty = true;
        self.live.insert(number, 0);
        Ok(())
    }

    /// How the file of the next WAL is written: it is taken to get batches as large as those of the
    /// present one, and to be synced like it. Groups are smaller where the file is mapped, so that their
    /// size does not tell.
    fn next_file_options(&self) -> FileOptions {
        let mut options = self.options.file_options;
        if let Some(wal) = &self.current {
            options.use_mapped_writes &= wal.batch_size() <= options.mapped_append_size_max;
            options.is_synced_often = wal.synced_bytes > wal.start_bytes;
        }
        options
    }

    /// Turns writes to a new WAL after a failure: the one before is closed as it is, and is never
    /// synced. Everything that it and those before hold must be in tables before the next write.
    ///
    /// # Errors
    /// As [`WalStage::start`].
    pub(crate) fn start_after_failure(&mut self, number: u64) -> Result<()> {
        if !self.is_current_empty() {
            self.keep(self.current_number(), self.current_bytes());
        }
        for wal in self.unsynced.drain(..).chain(self.current.take()) {
            // That it failed is known.
            let _ = wal.writer.close();
        }
        self.start(number)
    }

    /// Hands the current WAL to the operating system and ends it where what was written ends. What
    /// an earlier WAL left behind that begins anywhere in its records, and would read as damage:
    /// then no later WAL would count. One that is mapped ends in zeros besides.
    fn finish_current(&mut self) -> Result<()> {
        let Some(wal) = &mut self.current else { return Ok(()) };
        wal.writer.file_mut().cut()?;
        if wal.is_reused {
            let path = wal_file_name(&self.options.directory, wal.number);
            self.file_system.truncate(&path, wal.writer.size_bytes())?;
        }
        Ok(())
    }

    /// Appends a batch that consists of `parts` and whose first entry has the number `sequence`;
    /// `timestamp_sizes` are those of its column families that have timestamps.
    ///
    /// # Errors
    /// `IoError`. What the WAL holds at its end is then unknown.
    pub(crate) fn append(
        &mut self,
        parts: &[&[u8]],
        sequence: SequenceNumber,
        timestamp_sizes: &[(u32, u16)],
    ) -> Result<()> {
        let Some(wal) = &mut self.current else {
            return Err(Status::aborted("no WAL to write to"));
        };
        if !timestamp_sizes.is_empty() {
            let is_new = |(id, _): &(u32, u16)| wal.stated.insert(*id);
            let new: Vec<_> = timestamp_sizes.iter().copied().filter(is_new).collect();
            if !new.is_empty() {
                wal.writer.add_timestamp_sizes(&new)?;
            }
        }
        wal.writer.add_record_of_parts(parts)?;
        wal.last_sequence = sequence;
        // The entries of a group have a header before them.
        wal.batches += (parts.len() as u64 - 1).max(1);
        if !self.options.manual_flush {
            wal.writer.file_mut().flush()?;
        }
        Ok(())
    }

    /// Hands what was appended to the operating system.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let Some(wal) = &mut self.current else { return Ok(()) };
        wal.writer.file_mut().flush()?;
        wal.flushed_bytes = wal.writer.size_bytes();
        Ok(())
    }

    /// Bytes of the current WAL that may still be in the writer's buffer.
    pub(crate) fn unflushed_bytes(&self) -> u64 {
        let Some(wal) = &self.current else { return 0 };
        match self.options.manual_flush {
            true => wal.writer.size_bytes() - wal.flushed_bytes.max(wal.synced_bytes),
            false => 0,
        }
    }

    /// Takes out what has to be done so that finished WALs are safe from a power loss, and the
    /// directory, so that all are found again. Whoever takes it gives it back.
    pub(crate) fn begin_sync(&mut self) -> WalSync {
        let finished = std::mem::take(&mut self.unsynced);
        let directory = std::mem::take(&mut self.is_directory_dirty);
        WalSync::new(self, finished, directory)
    }

    /// As [`WalStage::begin_sync`], with what was appended to the current WAL so far, to which
    /// others go on writing meanwhile.
    ///
    /// # Errors
    /// `IoError` if it cannot be handed to the operating system.
    pub(crate) fn begin_sync_of_all(&mut self) -> Result<WalSync> {
        self.flush()?;
        let mut sync = self.begin_sync();
        if let Some(wal) = &self.current
            && wal.writer.size_bytes() > wal.synced_bytes
        {
            sync.also(wal.number, wal.writer.size_bytes());
        }
        Ok(sync)
    }

    /// Takes back what was taken out. What was not synced still has to be.
    pub(crate) fn end_sync(&mut self, sync: WalSync) {
        let outcome = sync.into_outcome();
        self.is_directory_dirty |= outcome.is_directory_dirty;
        for wal in outcome.unsynced.into_iter().rev() {
            self.unsynced.push_front(wal);
        }
        if let Some((number, bytes)) = outcome.synced_in_part
            && let Some(wal) = self.current.as_mut().filter(|wal| wal.number == number)
        {
            wal.synced_bytes = wal.synced_bytes.max(bytes);
        }
        self.synced.extend(outcome.synced);
    }

    /// Makes all that was appended to the current WAL safe from a power loss.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn sync_current(&mut self) -> Result<()> {
        if let Some(wal) = &mut self.current {
            let size = wal.writer.size_bytes();
            if size > wal.synced_bytes {
                match self.options.use_fsync {
                    true => wal.writer.file_mut().fsync()?,
                    false => wal.writer.file_mut().sync()?,
                }
                wal.synced_bytes = size;
            }
        }
        Ok(())
    }

    /// Finished WALs that were synced since the last call, with their sizes.
    pub(crate) fn take_synced(&mut self) -> Vec<WalAddition> {
        std::mem::take(&mut self.synced)
    }

    /// Forgets the WALs with a smaller number than `number_min`, which hold nothing any more, and
    /// returns those whose files are to go. Some are kept to be written over. No sync may be under
    /// way.
    pub(crate) fn release(&mut self, number_min: u64) -> Vec<u64> {
        let current = self.current_number();
        let kept = self.live.split_off(&number_min.min(current));
        let mut obsolete = Vec::new();
        for (number, bytes) in std::mem::replace(&mut self.live, kept) {
            self.finished_bytes -= bytes;
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

#[cfg(test)]
mod tests;
