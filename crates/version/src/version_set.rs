//! The version set of a database open for writing: it keeps the current version of every column
//! family and makes each change of them safe in the MANIFEST before it takes effect.
//!
//! ```text
//! log_and_apply ─▶ prepare: new versions, all checks ─▶ write: MANIFEST, synced ─▶ install
//!                  (edit_batch, nothing changed yet)    (CURRENT too if it is new)
//! ```
//!
//! The first change after an open goes to a new MANIFEST, which begins with a snapshot of the whole
//! state; so does one that finds the MANIFEST too large, and one after a failed write, when the end
//! of the old MANIFEST is unknown. After a failure nothing has changed in memory, but the change
//! may be on disk: until the next success [`VersionSet::is_in_doubt`] names the files that must be
//! kept for that. Then they are obsolete, as the new MANIFEST does not have them.
//!
//! The set belongs under a lock of its own, held while it writes. The counters of file numbers and
//! epoch numbers are shared and need no lock.

use crate::best_efforts::{FileChecker, recover_best_efforts};
use crate::column_family_set::{ColumnFamilyEntry, ColumnFamilySet};
use crate::edit_batch::{ApplyContext, NewColumnFamily, PreparedEdits};
use crate::file_numbers::FileNumbers;
use crate::live_versions::{LiveFiles, LiveVersions, ObsoleteFile};
use crate::manifest_snapshot::write_snapshot;
use crate::manifest_writer::{ManifestWriter, create_manifest, set_current_file};
use crate::recovery::{RecoveredManifest, recover};
use crate::version::Version;
use crate::version_builder::VersionOptions;
use crate::version_edit::VersionEdit;
use crate::version_edit_handler::ColumnFamilyReplay;
use crate::wal_edit::WalSet;
use base::filename::descriptor_file_name;
use base::{Result, SequenceNumber, Status};
use env::FileSystem;
use statistics::Statistics;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How MANIFESTs are written.
#[derive(Clone, Debug)]
pub struct VersionSetOptions {
    /// A MANIFEST of this many bytes is followed by a new one (`max_manifest_file_size`); RocksDB's
    /// default is 1 GiB.
    pub max_manifest_file_size: u64,
    /// But not before it has grown by this much over its opening snapshot, in percent
    /// (`max_manifest_space_amp_pct`, 10.8); RocksDB's default is 500. 0 as before that release.
    pub max_manifest_space_amp_pct: u32,
    /// Sync with `fsync` where `fdatasync` would do (`use_fsync`); RocksDB's default is false.
    pub use_fsync: bool,
    /// Put the database's id into the MANIFEST (`write_dbid_to_manifest`); RocksDB's default is
    /// true since 9.7.
    pub write_dbid_to_manifest: bool,
    /// Where syncs are timed (`statistics`). Default: none.
    pub statistics: Option<Arc<Statistics>>,
    /// List the database's directory when it is opened, so that no number of a file in it is given out
    /// again. Who knows what is there marks these numbers as used before the first is given out.
    /// Default: true.
    pub lists_directory: bool,
}

impl Default for VersionSetOptions {
    fn default() -> Self {
        Self {
            max_manifest_file_size: 1 << 30,
            max_manifest_space_amp_pct: 500,
            use_fsync: false,
            write_dbid_to_manifest: true,
            statistics: None,
            lists_directory: true,
        }
    }
}

/// The versions of all column families of a database open for writing.
#[derive(Debug)]
pub struct VersionSet {
    fs: Arc<dyn FileSystem>,
    db_path: PathBuf,
    options: VersionSetOptions,
    set: ColumnFamilySet,
    file_numbers: Arc<FileNumbers>,
    /// The MANIFEST that edits are appended to; none if the next edit begins a new one.
    manifest: Option<ManifestWriter>,
    /// The MANIFEST that `CURRENT` names.
    manifest_number: u64,
    /// Bytes of its opening snapshot; 0 if it is not ours.
    snapshot_size_bytes: u64,
    /// Files of changes that failed: numbers of tables, blob files and MANIFESTs.
    in_doubt: BTreeSet<u64>,
    /// The tables and blob files among them.
    files_in_doubt: Vec<ObsoleteFile>,
    /// Those of before the last success.
    abandoned: Vec<ObsoleteFile>,
    /// Numbers of MANIFESTs that others have taken the place of.
    obsolete_manifests: Vec<u64>,
    live: LiveVersions,
}

/// Why edits were not written.
struct NotWritten {
    status: Status,
    /// Whether no MANIFEST that CURRENT may name has any of them.
    is_certain: bool,
}

impl VersionSet {
    /// Makes a new, empty database in `db_path` and opens it with the default column family.
    /// `db_id` goes into the MANIFEST if the options say so.
    ///
    /// # Errors
    /// `IoError`.
    pub fn create(
        fs: Arc<dyn FileSystem>,
        db_path: &Path,
        options: VersionSetOptions,
        db_id: &[u8],
        default_family: &VersionOptions,
    ) -> Result<Self> {
        let id_in_manifest = options.write_dbid_to_manifest.then_some(db_id);
        create_manifest(&*fs, db_path, id_in_manifest, options.use_fsync)?;
        let mut created =
            Self::recover(fs, db_path, options, |_| Ok(Some(default_family.clone())))?;
        created.set_db_id(db_id);
        Ok(created)
    }

    /// Opens the database for writing: reads the MANIFEST that `CURRENT` names. `open_family` says
    /// for each column family what it brings to its versions.
    ///
    /// # Errors
    /// As [`recover`]; `InvalidArgument` that names the column families that `open_family` leaves
    /// closed: all must be open to be written to.
    pub fn recover(
        fs: Arc<dyn FileSystem>,
        db_path: &Path,
        options: VersionSetOptions,
        mut open_family: impl FnMut(&ColumnFamilyReplay) -> Result<Option<VersionOptions>>,
    ) -> Result<Self> {
        let mut family_options = BTreeMap::new();
        let recovered = recover(&*fs, db_path, |family| {
            let options = open_family(family)?;
            if let Some(options) = &options {
                family_options.insert(family.id, options.clone());
            }
            Ok(options)
        })?;
        Self::from_recovered(fs, db_path, options, recovered, family_options)
    }

    /// Opens what can be saved of a database (`best_efforts_recovery`): from the newest MANIFEST
    /// that can be read, whatever `CURRENT` says, each column family as it was when all its files
    /// were last there. `checker` says which files are. Tells also whether any was missing. Logs
    /// are not to be replayed onto the result.
    ///
    /// # Errors
    /// As [`recover_best_efforts`], and as [`VersionSet::recover`] for column families that are not
    /// opened.
    pub fn recover_best_efforts(
        fs: Arc<dyn FileSystem>,
        db_path: &Path,
        options: VersionSetOptions,
        mut open_family: impl FnMut(&ColumnFamilyReplay) -> Result<Option<VersionOptions>>,
        checker: &mut dyn FileChecker,
    ) -> Result<(Self, bool)> {
        let mut family_options = BTreeMap::new();
        let open = |family: &ColumnFamilyReplay| {
            let options = open_family(family)?;
            if let Some(options) = &options {
                family_options.insert(family.id, options.clone());
            }
            Ok(options)
        };
        let recovered = recover_best_efforts(&*fs, db_path, open, checker)?;
        let set = Self::from_recovered(fs, db_path, options, recovered.manifest, family_options)?;
        Ok((set, recovered.files_missing))
    }

    fn from_recovered(
        fs: Arc<dyn FileSystem>,
        db_path: &Path,
        options: VersionSetOptions,
        recovered: RecoveredManifest,
        mut family_options: BTreeMap<u32, VersionOptions>,
    ) -> Result<Self> {
        check_all_opened(&recovered)?;
        let file_numbers = Arc::new(FileNumbers::new(recovered.first_unused_file_number()));
        if options.lists_directory {
            file_numbers.mark_directory_used(&*fs, db_path)?;
        }
        let mut wals = WalSet::default();
        wals.delete_before(recovered.min_wal_number_to_keep);
        for (&number, &synced_size_bytes) in &recovered.tracked_wals {
            wals.add(crate::WalAddition { number, synced_size_bytes })?;
        }
        let mut live = LiveVersions::default();
        let mut set = ColumnFamilySet {
            max_column_family: recovered.max_column_family,
            prev_log_number: recovered.prev_log_number,
            min_log_number_to_keep: recovered.min_log_number_to_keep,
            last_sequence: recovered.last_sequence,
            db_id: recovered.db_id,
            wals,
            ..ColumnFamilySet::default()
        };
        for state in recovered.column_families {
            if let Some(options) = family_options.remove(&state.id) {
                live.add(state.id, &state.version);
                set.insert(Arc::new(ColumnFamilyEntry::new(state, options)));
            }
        }
        Ok(Self {
            fs,
            db_path: db_path.to_path_buf(),
            options,
            set,
            file_numbers,
            manifest: None,
            manifest_number: recovered.manifest_number,
            snapshot_size_bytes: 0,
            in_doubt: BTreeSet::new(),
            files_in_doubt: Vec::new(),
            abandoned: Vec::new(),
            obsolete_manifests: Vec::new(),
            live,
        })
    }

    /// Applies edits of files, numbers and logs, each to the column family before it, in order.
    /// They are safe when this returns, and take effect then. File boundaries are as the comparator
    /// sees them. Returns the version that each column family named now has; edits of column
    /// families dropped meanwhile are left out.
    ///
    /// Set here: next file number, last sequence number, previous log number.
    ///
    /// # Errors
    /// `ColumnFamilyDropped` if all of them are dropped; `InvalidArgument` or `Corruption` if the
    /// edits make no sense, in which case nothing was written; `IoError`, after which it is unknown
    /// whether they will be there at the next open.
    pub fn log_and_apply(
        &mut self,
        edits: Vec<(u32, VersionEdit)>,
        context: &ApplyContext,
    ) -> Result<Vec<(u32, Arc<Version>)>> {
        if edits.is_empty() {
            return Ok(Vec::new());
        }
        let prepared =
            PreparedEdits::of_edits(&self.set, self.file_numbers.peek(), edits, context)?;
        let touched = prepared.touched.clone();
        self.write_and_install(prepared)?;
        let version = |id: u32| Some((id, Arc::clone(self.column_family(id)?.version())));
        Ok(touched.into_iter().filter_map(version).collect())
    }

    /// Creates a column family and returns its id, which no other ever had. Logs before
    /// `log_number` hold nothing for it.
    ///
    /// # Errors
    /// `InvalidArgument` if the name is taken; `IoError` as in [`VersionSet::log_and_apply`].
    pub fn create_column_family(
        &mut self,
        name: &[u8],
        options: &VersionOptions,
        log_number: u64,
    ) -> Result<u32> {
        self.create_column_families(&[NewColumnFamily { name, options }], log_number)?;
        Ok(self.set.max_column_family)
    }

    /// Creates column families and returns their ids, in their order. Logs before `log_number` hold
    /// nothing for them. After a crash there may be the first few.
    ///
    /// # Errors
    /// `InvalidArgument` if a name is taken, and nothing was created; `IoError` as in
    /// [`VersionSet::log_and_apply`].
    pub fn create_column_families(
        &mut self,
        families: &[NewColumnFamily<'_>],
        log_number: u64,
    ) -> Result<Vec<u32>> {
        if families.is_empty() {
            return Ok(Vec::new());
        }
        let free = self.file_numbers.peek();
        let prepared = PreparedEdits::of_family_adds(&self.set, free, families, log_number)?;
        let ids = prepared.touched.clone();
        self.write_and_install(prepared)?;
        Ok(ids)
    }

    /// Drops a column family. Its files live as long as something holds its version.
    ///
    /// # Errors
    /// `InvalidArgument` if it is the default one, or not there; `IoError` as in
    /// [`VersionSet::log_and_apply`].
    pub fn drop_column_family(&mut self, id: u32) -> Result<()> {
        let prepared = PreparedEdits::of_family_drop(&self.set, self.file_numbers.peek(), id)?;
        self.write_and_install(prepared)
    }

    /// Writes a new MANIFEST of the state as it is, and makes it current.
    ///
    /// # Errors
    /// `IoError` as in [`VersionSet::log_and_apply`].
    pub fn write_new_manifest(&mut self) -> Result<()> {
        self.manifest = None;
        let prepared = PreparedEdits::of_nothing(&self.set, self.file_numbers.peek());
        self.write_and_install(prepared)
    }

    /// Closes the MANIFEST. One that is not as long as what was written to it is replaced.
    ///
    /// # Errors
    /// `IoError`. What was acknowledged before is safe all the same.
    pub fn close(&mut self) -> Result<()> {
        let Some(manifest) = self.manifest.take() else {
            return Ok(());
        };
        let (path, size) = (manifest.path().to_path_buf(), manifest.size_bytes());
        let closed = manifest.close();
        if closed.is_ok() && self.fs.get_file_size(&path) == Ok(size) {
            return Ok(());
        }
        self.write_new_manifest()?;
        self.manifest.take().map_or(Ok(()), ManifestWriter::close)
    }

    fn write_and_install(&mut self, mut prepared: PreparedEdits) -> Result<()> {
        if let Err(NotWritten { status, is_certain }) = self.write(&mut prepared) {
            self.manifest = None;
            if !is_certain {
                let files = prepared.records.iter().flat_map(files_of);
                self.files_in_doubt.extend(files);
                self.in_doubt.extend(self.files_in_doubt.iter().map(ObsoleteFile::number));
            }
            return Err(status);
        }
        self.in_doubt.clear();
        self.abandoned.append(&mut self.files_in_doubt);
        self.install(prepared);
        Ok(())
    }

    fn write(&mut self, prepared: &mut PreparedEdits) -> std::result::Result<(), NotWritten> {
        let limit = self.manifest_size_limit_bytes();
        match &mut self.manifest {
            Some(manifest) if manifest.size_bytes() < limit => {
                let added = prepared.records.iter().try_for_each(|edit| manifest.add(edit));
                let written = added.and_then(|()| manifest.sync());
                written.map_err(|status| NotWritten { status, is_certain: false })
            }
            _ => self.write_to_new_manifest(prepared),
        }
    }

    /// Goes by other limits to the MANIFEST's size (`max_manifest_file_size` and
    /// `max_manifest_space_amp_pct`) from the next edit on.
    pub fn set_manifest_limits(&mut self, max_file_size: u64, max_space_amp_pct: u32) {
        self.options.max_manifest_file_size = max_file_size;
        self.options.max_manifest_space_amp_pct = max_space_amp_pct;
    }

    fn manifest_size_limit_bytes(&self) -> u64 {
        let percent = u64::from(self.options.max_manifest_space_amp_pct) + 100;
        let tuned = self.snapshot_size_bytes.saturating_mul(percent) / 100;
        self.options.max_manifest_file_size.max(tuned)
    }

    fn write_to_new_manifest(
        &mut self,
        prepared: &mut PreparedEdits,
    ) -> std::result::Result<(), NotWritten> {
        let number = self.file_numbers.next();
        if let Some(edit) = prepared.records.last_mut() {
            edit.next_file_number = Some(self.file_numbers.peek());
        }
        if let Some(edit) = prepared.records.first_mut().filter(|_| self.set.max_column_family > 0)
        {
            edit.max_column_family = Some(prepared.next.max_column_family);
        }
        let written = self.fill_new_manifest(number, &prepared.records);
        let manifest = match written {
            Ok(manifest) => manifest,
            Err(status) => {
                // CURRENT does not name it. The first error is the one to report.
                let _ = self.fs.delete_file(&descriptor_file_name(&self.db_path, number));
                return Err(NotWritten { status, is_certain: true });
            }
        };
        if let Err(status) = set_current_file(&*self.fs, &self.db_path, number) {
            // CURRENT may name either now.
            self.in_doubt.extend([number, self.manifest_number]);
            return Err(NotWritten { status, is_certain: false });
        }
        self.snapshot_size_bytes = manifest.size_bytes();
        self.obsolete_manifests.push(self.manifest_number);
        self.manifest_number = number;
        self.manifest = Some(manifest);
        Ok(())
    }

    /// Writes the state before the change, and the change.
    fn fill_new_manifest(&self, number: u64, records: &[VersionEdit]) -> Result<ManifestWriter> {
        let fs = &*self.fs;
        let mut manifest =
            ManifestWriter::create(fs, &self.db_path, number, self.options.use_fsync)?
                .with_statistics(self.options.statistics.clone());
        write_snapshot(&self.set, self.options.write_dbid_to_manifest, |edit| manifest.add(edit))?;
        records.iter().try_for_each(|edit| manifest.add(edit))?;
        manifest.sync()?;
        fs.new_directory(&self.db_path)?.fsync()?;
        Ok(manifest)
    }

    fn install(&mut self, prepared: PreparedEdits) {
        let PreparedEdits { records, next, dropped, .. } = prepared;
        let mut edits: HashMap<u32, Vec<&VersionEdit>> = HashMap::new();
        for edit in &records {
            edits.entry(edit.column_family).or_default().push(edit);
        }
        for (&id, family) in &next.families {
            let new = family.version();
            match self.set.families.get(&id) {
                Some(old) if !Arc::ptr_eq(old.version(), new) => {
                    let edits = edits.get(&id).map_or(&[][..], Vec::as_slice);
                    self.live.retire(id, old.version(), new, edits);
                    self.live.add(id, new);
                    family.epoch_numbers.mark_used(new.next_epoch_number() - 1);
                }
                Some(_) => {}
                None => self.live.add(id, new),
            }
        }
        if let Some(family) = dropped.and_then(|id| self.set.families.get(&id)) {
            self.live.retire_all(family.state.id, family.version());
        }
        self.set.advance_to(next, dropped);
    }
}

/// What the set knows.
impl VersionSet {
    /// The column families by id.
    pub fn column_families(&self) -> impl Iterator<Item = &ColumnFamilyEntry> {
        self.set.families.values().map(|family| &**family)
    }

    /// The column family of this id, unless it was dropped.
    pub fn column_family(&self, id: u32) -> Option<&ColumnFamilyEntry> {
        self.set.families.get(&id).map(|family| &**family)
    }

    /// Whether there is a column family of this name.
    pub fn has_column_family_named(&self, name: &[u8]) -> bool {
        self.set.has_name(name)
    }

    /// The counter of file numbers.
    pub fn file_numbers(&self) -> &Arc<FileNumbers> {
        &self.file_numbers
    }

    /// Number of the MANIFEST that `CURRENT` names. Others are obsolete unless
    /// [`VersionSet::is_in_doubt`].
    pub fn manifest_number(&self) -> u64 {
        self.manifest_number
    }

    /// Bytes of the MANIFEST that edits go to; 0 if the next begins a new one.
    pub fn manifest_size_bytes(&self) -> u64 {
        self.manifest.as_ref().map_or(0, ManifestWriter::size_bytes)
    }

    /// Whether the next change begins a new MANIFEST, because none was begun since the open or
    /// because the last write failed.
    pub fn needs_new_manifest(&self) -> bool {
        self.manifest.is_none()
    }

    /// Whether a file, of any kind, must be kept because a change that failed may be on disk
    /// nevertheless.
    pub fn is_in_doubt(&self, file_number: u64) -> bool {
        self.in_doubt.contains(&file_number)
    }

    /// Largest sequence number that the MANIFEST knows to be used.
    pub fn last_sequence(&self) -> SequenceNumber {
        self.set.last_sequence
    }

    /// Logs with a smaller number hold nothing that is not in tables.
    pub fn min_log_number_to_keep(&self) -> u64 {
        self.set.min_log_number_to_keep
    }

    /// LevelDB's second log; 0 in all databases that RocksDB wrote.
    pub fn prev_log_number(&self) -> u64 {
        self.set.prev_log_number
    }

    /// Largest id that a column family ever had.
    pub fn max_column_family(&self) -> u32 {
        self.set.max_column_family
    }

    /// The logs that the MANIFEST keeps account of.
    pub fn wals(&self) -> &WalSet {
        &self.set.wals
    }

    /// Id of the database, if it is known.
    pub fn db_id(&self) -> Option<&[u8]> {
        self.set.db_id.as_deref()
    }

    /// Sets the id of the database. It is in the MANIFESTs begun from here on, if the options say
    /// so; to have it there at once, put it into an edit.
    pub fn set_db_id(&mut self, db_id: &[u8]) {
        self.set.db_id = Some(db_id.to_vec());
    }

    /// The options, to be changed by whoever sets mutable options.
    pub fn options_mut(&mut self) -> &mut VersionSetOptions {
        &mut self.options
    }

    /// Changes the options of a column family for the versions made from here on. The comparator
    /// must stay.
    pub fn set_force_consistency_checks(&mut self, column_family: u32, force: bool) {
        if let Some(family) = self.set.families.get_mut(&column_family).map(Arc::make_mut) {
            family.options.force_consistency_checks = force;
        }
    }

    /// A column family needs no log before `log_number`, since it has nothing in memory that is in
    /// one. That is not worth a record of its own; the next ones may say that the logs are not
    /// needed, and the next MANIFEST says it of the family.
    pub fn advance_log_number(&mut self, column_family: u32, log_number: u64) {
        if let Some(family) = self.set.families.get_mut(&column_family)
            && family.state.log_number < log_number
        {
            Arc::make_mut(family).state.log_number = log_number;
        }
    }

    /// The log number from which on logs are needed once `edits` are applied: the smallest of all
    /// column families, or of a log with a prepared transaction that is not committed to a table,
    /// if there is one.
    pub fn min_log_number_after(
        &self,
        edits: &[(u32, VersionEdit)],
        oldest_log_with_prepared: Option<u64>,
    ) -> u64 {
        let mut edited: HashMap<u32, u64> = HashMap::new();
        for (id, edit) in edits {
            let number = edited.entry(*id).or_default();
            *number = edit.log_number.unwrap_or(0).max(*number);
        }
        let after = |family: &ColumnFamilyEntry| {
            let own = edited.get(&family.state.id).copied().unwrap_or(0);
            own.max(family.state.log_number)
        };
        let families = self.column_families().map(after);
        families.chain(oldest_log_with_prepared).min().unwrap_or(0)
    }

    /// Numbers of the files that some version has which something holds. Reads all of them: for
    /// the full scan at an open.
    pub fn live_files(&self) -> LiveFiles {
        self.live.live_files()
    }

    /// The versions of a column family that something holds, the current one among them.
    pub fn live_versions(&self, column_family: u32) -> Vec<Arc<Version>> {
        self.live.of(column_family)
    }

    /// Bytes of tables that are obsolete and wait for their deletion.
    pub fn obsolete_table_bytes(&self) -> u64 {
        self.live.obsolete_table_bytes()
    }

    /// The numbers of MANIFESTs that are not current any more. Each is told once, so the caller must
    /// see to its deletion.
    pub fn take_obsolete_manifests(&mut self) -> Vec<u64> {
        if !self.in_doubt.is_empty() {
            return Vec::new();
        }
        std::mem::take(&mut self.obsolete_manifests)
    }

    /// Whether files of a column family, dropped perhaps, are going to be obsolete.
    pub fn awaits_obsolete_files_of(&self, column_family: u32) -> bool {
        let is_of = |file: &ObsoleteFile| file.column_family() == column_family;
        self.live.retires_any_of(column_family)
            || self.abandoned.iter().chain(&self.files_in_doubt).any(is_of)
    }

    /// The files that became obsolete: no current version has them, and nothing holds an older one
    /// that does. Each is told once, so the caller must see to its deletion.
    pub fn take_obsolete_files(&mut self) -> Vec<ObsoleteFile> {
        let mut obsolete = self.live.take_obsolete_files();
        let abandoned = std::mem::take(&mut self.abandoned);
        if !abandoned.is_empty() {
            // A change that failed may have been one of files that are there.
            let live = self.live.live_files();
            let is_live = |file: &ObsoleteFile| live.contains(file) || self.live.retires(file);
            obsolete.extend(abandoned.into_iter().filter(|file| !is_live(file)));
            obsolete.sort_unstable();
            obsolete.dedup();
        }
        obsolete
    }
}

/// The tables and blob files that an edit adds.
fn files_of(edit: &VersionEdit) -> impl Iterator<Item = ObsoleteFile> {
    let column_family = edit.column_family;
    let tables = edit.new_files.iter().map(move |new| ObsoleteFile::Table {
        column_family,
        number: new.file.number,
        path_id: new.file.path_id,
    });
    let blobs = edit.blob_file_additions.iter();
    tables.chain(blobs.map(move |blob| ObsoleteFile::Blob { column_family, number: blob.number }))
}

/// RocksDB refuses to write while a column family is closed: flushes of others could drop logs
/// that it needs.
fn check_all_opened(recovered: &RecoveredManifest) -> Result<()> {
    if recovered.column_families_not_opened.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = recovered
        .column_families_not_opened
        .iter()
        .map(|(_, name)| String::from_utf8_lossy(name))
        .collect();
    Err(Status::invalid_argument(format!("Column families not opened: {}", names.join(", "))))
}

#[cfg(test)]
mod tests;
