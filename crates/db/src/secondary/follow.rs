//! Catching up.

use crate::db_impl::DbImpl;
use crate::identity::read_identity;
use crate::recovery::{MemTableInserter, TimestampSizes};
use crate::secondary::followed_family::FollowedFamily;
use crate::secondary::wal_tail::{BatchSink, WalTail, has_entries, wals_from};
use crate::secondary::{Secondary, SecondaryProgress};
use base::{Result, SequenceNumber, Status};
use env::FileSystem;
use options::DbOptions;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use version::{ManifestActivity, ManifestTail, build_version, read_current};
use wal::WalRecoveryMode;
use wal::write_batch_reader::WriteBatchReader;

/// How often a database is read that changes each time.
const ATTEMPTS: usize = 100;

/// What a secondary has read of its primary's files.
#[derive(Debug)]
pub(crate) struct Followed {
    /// None after an error: the MANIFEST is read from its start then.
    pub(crate) manifest: Option<ManifestTail>,
    /// The id of the database, and what the file IDENTITY said, when it was opened.
    pub(crate) db_id: Option<Vec<u8>>,
    pub(crate) identity: Option<Vec<u8>>,
    pub(crate) activity: ManifestActivity,
    pub(crate) memory: FollowedMemory,
    pub(crate) wals: BTreeMap<u64, WalTail>,
    pub(crate) catch_ups: u64,
}

/// What goes from WALs into memtables.
#[derive(Debug)]
pub(crate) struct FollowedMemory {
    pub(crate) inserter: MemTableInserter,
    /// By id.
    pub(crate) families: BTreeMap<u32, FollowedFamily>,
    /// Number after the last entry of the last batch; none before the first.
    pub(crate) next_sequence: Option<SequenceNumber>,
    /// Number of the last write that reads see.
    pub(crate) shown_sequence: SequenceNumber,
    /// The WAL that the memtables are being filled from.
    pub(crate) wal_number: u64,
    /// Damage that ended a WAL: what follows counts only at the next number.
    pub(crate) stopped: Option<Status>,
    /// No read has seen the memtables being filled.
    pub(crate) is_unseen: bool,
    pub(crate) batches: u64,
    /// Bytes of WALs that are not needed any more.
    pub(crate) bytes_of_past_wals: u64,
}

impl Followed {
    /// Reads what is new and shows it to reads.
    pub(crate) fn catch_up(&mut self, db: &DbImpl, secondary: &Secondary) -> Result<()> {
        self.read_manifest(db)?;
        let mut problem =
            Status::try_again("the primary changes its files faster than they are read");
        for _ in 0..ATTEMPTS {
            let outcome = self.secure_files(&db.options()).and_then(|()| self.read_wals(db));
            // What was read belongs to the files that the MANIFEST had before and has now.
            let is_changed = self.read_manifest(db)?;
            match outcome {
                Ok(()) if is_changed => {}
                Ok(()) => {
                    self.show(db, secondary);
                    return Ok(());
                }
                // The primary deletes what it has said to be unneeded, and may be saying so now.
                Err(status) if status.is_path_not_found() => problem = status,
                Err(status) if !is_changed => return Err(status),
                Err(status) => problem = status,
            }
        }
        Err(problem)
    }

    /// Reads what has come to the MANIFEST, or all of another one that CURRENT names by now. Says
    /// whether anything has.
    fn read_manifest(&mut self, db: &DbImpl) -> Result<bool> {
        // After an error what was read is of no use.
        let tail = self.manifest.take();
        let (mut tail, is_changed, is_new) = self.read_on_manifest(db, tail)?;
        if is_changed {
            self.memory.take_changes(&mut tail, is_new)?;
        }
        self.manifest = Some(tail);
        Ok(is_changed)
    }

    /// Also whether anything has come, and whether it is another MANIFEST.
    fn read_on_manifest(
        &mut self,
        db: &DbImpl,
        tail: Option<ManifestTail>,
    ) -> Result<(ManifestTail, bool, bool)> {
        let fs = &*db.context.file_system;
        let (_, number) = read_current(fs, &db.path)?;
        let (mut tail, is_new) = match tail {
            Some(tail) if tail.number() == number => (tail, false),
            _ => (ManifestTail::open(fs, &db.path)?, true),
        };
        let is_changed = tail.read(&mut self.activity)? || is_new;
        self.check_same_database(db, &tail)?;
        Ok((tail, is_changed, is_new))
    }

    /// The directory may have been emptied, and another database made there, with files of the same
    /// names.
    fn check_same_database(&self, db: &DbImpl, tail: &ManifestTail) -> Result<()> {
        let identity = read_identity(&*db.context.file_system, &db.path)?;
        let in_manifest = tail.database().db_id.as_ref();
        let in_file = identity.as_ref().filter(|_| identity != self.identity);
        let Some(opened) = &self.db_id else { return Ok(()) };
        match in_manifest.into_iter().chain(in_file).find(|found| *found != opened) {
            None => Ok(()),
            Some(found) => Err(Status::corruption(format!(
                "{}: another database is there now: its id is {}, the one that was opened had {}",
                db.path.display(),
                String::from_utf8_lossy(found),
                String::from_utf8_lossy(opened)
            ))),
        }
    }

    fn secure_files(&mut self, options: &DbOptions) -> Result<()> {
        self.memory.families.values_mut().try_for_each(|family| family.secure(options))
    }

    /// WALs with a smaller number hold nothing that is not in tables.
    fn wal_number_min(&self, options: &DbOptions) -> u64 {
        let Some(tail) = &self.manifest else { return 0 };
        let kept = tail.database().min_log_number_to_keep;
        if options.allow_2pc {
            return kept;
        }
        let is_followed = |id: &u32| self.memory.families.contains_key(id);
        let families = tail.families().values().filter(|family| is_followed(&family.id));
        kept.max(families.map(|family| family.log_number).min().unwrap_or(0))
    }

    fn read_wals(&mut self, db: &DbImpl) -> Result<()> {
        let (fs, options) = (&*db.context.file_system, db.options());
        let (directory, number_min) = (db.wal_directory(), self.wal_number_min(&options));
        let numbers = wals_from(fs, &directory, number_min)?;
        self.forget_wals_before(number_min);
        for &number in &numbers {
            self.wals.entry(number).or_insert_with(|| WalTail::new(number)).open(fs, &directory)?;
        }
        let mode = match options.paranoid_checks {
            true => WalRecoveryMode::from_u8(options.wal_recovery_mode as u8).unwrap_or_default(),
            false => WalRecoveryMode::SkipAnyCorruptedRecords,
        };
        self.memory.stopped = None;
        for (index, number) in numbers.iter().enumerate() {
            let is_complete = self.is_complete(fs, &directory, *number, &numbers[index + 1..])?;
            let Some(wal) = self.wals.get_mut(number) else { continue };
            if is_complete {
                wal.set_final();
            }
            let damage = wal.read(mode, &mut self.memory)?;
            let mut later = self.wals.range(number + 1..);
            if damage.is_some() && !later.any(|(_, wal)| wal.applied_bytes() > 0) {
                self.memory.stopped = damage;
            }
        }
        match self.memory.stopped.take() {
            Some(damage) => Err(damage),
            None => Ok(()),
        }
    }

    /// Whether nothing will be appended to the WAL `number` any more: one of those after it has
    /// entries.
    fn is_complete(
        &self,
        fs: &dyn FileSystem,
        directory: &Path,
        number: u64,
        later: &[u64],
    ) -> Result<bool> {
        if self.wals.get(&number).is_some_and(WalTail::is_final) {
            return Ok(true);
        }
        for later in later {
            if has_entries(fs, directory, *later)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn forget_wals_before(&mut self, number_min: u64) {
        let kept = self.wals.split_off(&number_min);
        let past = std::mem::replace(&mut self.wals, kept);
        self.memory.bytes_of_past_wals += past.values().map(WalTail::applied_bytes).sum::<u64>();
    }

    /// Shows all that was read to reads.
    ///
    /// The number comes first: a read that finds new files must find the number too, since what the
    /// old number would show may have been dropped from them for newer versions. One that finds the
    /// number and the files of before sees what had been read by then.
    fn show(&mut self, db: &DbImpl, secondary: &Secondary) {
        let Some(tail) = &self.manifest else { return };
        let database = tail.database();
        let memory = &mut self.memory;
        let replayed = memory.next_sequence.map_or(0, |next| next.saturating_sub(1));
        let last = memory.shown_sequence.max(replayed).max(database.last_sequence.unwrap_or(0));
        (memory.shown_sequence, memory.is_unseen) = (last, false);
        db.visibility.publish(last);
        for (id, family) in &mut memory.families {
            if let Some(replay) = tail.families().get(id) {
                family.install(replay.log_number);
            }
        }
        secondary.min_log_number_to_keep.store(database.min_log_number_to_keep, Ordering::Release);
        self.catch_ups += 1;
    }

    /// How far it has come; the last sequence number is not filled in.
    pub(crate) fn progress(&self) -> SecondaryProgress {
        let current: u64 = self.wals.values().map(WalTail::applied_bytes).sum();
        SecondaryProgress {
            manifest_number: self.manifest.as_ref().map_or(0, ManifestTail::number),
            manifest_bytes: self.manifest.as_ref().map_or(0, ManifestTail::size_bytes),
            activity: self.activity,
            wal_number: self.wals.last_key_value().map_or(0, |(&number, _)| number),
            wal_bytes: self.memory.bytes_of_past_wals + current,
            wal_batches: self.memory.batches,
            last_sequence: self.memory.shown_sequence,
            // The first one was the open.
            catch_ups: self.catch_ups.saturating_sub(1),
        }
    }
}

impl FollowedMemory {
    /// Of `families`, whose memtables are empty.
    pub(crate) fn new(
        mut inserter: MemTableInserter,
        families: BTreeMap<u32, FollowedFamily>,
    ) -> Self {
        for (id, recovering) in &mut inserter.families {
            recovering.memtable = families.get(id).map(|family| family.active().clone());
        }
        Self {
            inserter,
            families,
            next_sequence: None,
            shown_sequence: 0,
            wal_number: 0,
            stopped: None,
            is_unseen: false,
            batches: 0,
            bytes_of_past_wals: 0,
        }
    }

    /// Takes in what edits have changed: files, and which WALs are in tables by now.
    fn take_changes(&mut self, tail: &mut ManifestTail, is_new: bool) -> Result<()> {
        let changed = tail.take_changed();
        for (id, family) in &mut self.families {
            let Some(replay) = tail.families().get(id) else {
                family.is_dropped = true;
                // Its entries only use up sequence numbers from now on.
                self.inserter.families.remove(id);
                continue;
            };
            family.drop_flushed(replay.log_number, self.wal_number, self.shown_sequence);
            if let Some(recovering) = self.inserter.families.get_mut(id) {
                recovering.log_number = replay.log_number;
                recovering.memtable = Some(family.active().clone());
            }
            if !is_new && !changed.contains(id) {
                continue;
            }
            let version = build_version(replay, &family.version_options).map_err(|status| {
                let (path, name) = (tail.path().display(), replay.display_name());
                status.context(format_args!("{path}: column family \"{name}\""))
            })?;
            if let Some(recovering) = self.inserter.families.get_mut(id) {
                recovering.has_tables = version.files().next().is_some();
                let blob_files = version.blob_files().iter();
                recovering.blob_files = blob_files.map(|file| file.number()).collect();
            }
            family.set_next_version(Arc::new(version));
            family.full_history_ts_low.clone_from(&replay.full_history_ts_low);
        }
        Ok(())
    }

    /// Lets entries of the WAL `number` go into memtables of their own; with `anew`, into new ones
    /// even if there are some of that WAL.
    fn begin_memtables(&mut self, number: u64, anew: bool) {
        self.wal_number = number;
        for (id, family) in self.families.iter_mut().filter(|(_, family)| !family.is_dropped) {
            family.begin(number, anew, self.shown_sequence);
            if let Some(recovering) = self.inserter.families.get_mut(id) {
                recovering.memtable = Some(family.active().clone());
            }
        }
    }
}

impl BatchSink for FollowedMemory {
    fn apply(
        &mut self,
        number: u64,
        batch: &WriteBatchReader<'_>,
        sizes: &TimestampSizes,
    ) -> Result<()> {
        if let Some(damage) = &self.stopped {
            if self.next_sequence != Some(batch.sequence()) {
                return Err(damage.clone());
            }
            self.stopped = None;
        }
        // Reads that look at the present memtables may see numbers up to the one shown: an entry that
        // comes so late (its WAL was written after the MANIFEST) must not appear under them.
        let is_late = batch.sequence() <= self.shown_sequence;
        let begins_anew = is_late && !self.is_unseen;
        if begins_anew || number != self.wal_number {
            self.begin_memtables(number, begins_anew);
            self.is_unseen |= begins_anew;
        }
        let next = self.inserter.apply(number, batch, sizes)?;
        self.inserter.full.clear();
        self.next_sequence = Some(next);
        self.batches += 1;
        Ok(())
    }
}
