//! Taking in tables that were made apart from the database.
//!
//! ```text
//! look at the files ─▶ copy or link them in ─▶ stop writes ─▶ flush memtables with their keys
//!   ─▶ choose levels and sequence numbers ─▶ MANIFEST ─▶ show reads the result ─▶ let writes go on
//! ```

mod external_file;
mod overlap;
mod placement;
mod preparation;

use crate::column_family::{ColumnFamilyData, ColumnFamilyHandle};
use crate::db::Db;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::FamilyState;
use crate::event_listener::{BackgroundErrorReason, ExternalFileIngestionInfo};
use crate::events::Hold;
use crate::flush::{may_go_on, wait_for_change};
use crate::flush_job::Edits;
use crate::flush_reason::FlushReason;
use crate::ingest_options::IngestExternalFileOptions;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::status::Code;
use base::{InternalKey, ParsedInternalKey, Result, SequenceNumber, Status};
use compaction::picker::tree::TreeState;
use compaction::{CompactionId, OutputRange, RunningCompaction};
use external_file::{ExternalFile, ranges_meet};
use options::CompactionStyle;
use overlap::{UserKeyRange, are_in_memtables};
use perf_context::{PerfMetric, Timer};
use placement::{LevelView, Placement, Rules, place};
use statistics::{HistogramType, Statistics};
use std::path::PathBuf;
use std::sync::Arc;
use table::ReadOptions;
use table::properties::names;
use version::{
    FileChecksum, FileMetaData, INGESTED_BEHIND_EPOCH_NUMBER, NewFile, Temperature, Version,
    VersionEdit,
};

/// Tables for one column family (`rocksdb::IngestExternalFileArg`).
#[derive(Clone, Debug)]
pub struct IngestExternalFileArg {
    /// The column family.
    pub column_family: ColumnFamilyHandle,
    /// The tables. Of those with a key in common a later one counts.
    pub external_files: Vec<PathBuf>,
    /// How they are taken in.
    pub options: IngestExternalFileOptions,
    /// Their checksums by `file_checksum_gen_factory`, or none for all of them.
    pub files_checksums: Vec<FileChecksum>,
}

impl IngestExternalFileArg {
    /// Tables without checksums, taken in by the default options.
    pub fn new(column_family: &ColumnFamilyHandle, external_files: &[PathBuf]) -> Self {
        Self {
            column_family: column_family.clone(),
            external_files: external_files.to_vec(),
            options: IngestExternalFileOptions::default(),
            files_checksums: Vec::new(),
        }
    }
}

impl Db {
    /// Makes tables that an [`SstFileWriter`](crate::SstFileWriter) wrote, ours or RocksDB's, part of a
    /// column family, all of them or none: as if their entries were written now, without going through
    /// the WAL and memtables.
    ///
    /// # Errors
    /// As [`Db::ingest_external_files`].
    pub fn ingest_external_file(
        &self,
        family: &ColumnFamilyHandle,
        files: &[PathBuf],
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        let arg = IngestExternalFileArg {
            options: *options,
            ..IngestExternalFileArg::new(family, files)
        };
        self.ingest_external_files(&[arg])
    }

    /// As [`Db::ingest_external_file`], for several column families in one step.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no file, one was made for another order of keys or column family, or
    /// the options forbid what would be necessary; `Corruption` if one is damaged or was not made to be
    /// ingested; `TryAgain` if the last level cannot have it and no other one may; `NotSupported` if
    /// the database is open for reading only, and for options that this engine refuses; `IoError`.
    pub fn ingest_external_files(&self, args: &[IngestExternalFileArg]) -> Result<()> {
        for arg in args {
            self.inner.check_call(&arg.options)?;
        }
        self.inner.ingest_external_files(args)
    }
}

/// A file on its way into the database.
#[derive(Debug)]
struct IngestedFile {
    external: ExternalFile,
    /// Its number and path in the database.
    number: u64,
    path: PathBuf,
    /// Its bytes were copied, rather than given another name.
    is_copy: bool,
    checksum: FileChecksum,
    temperature: Temperature,
    level: usize,
    /// Of all its keys; 0 for none of their own.
    sequence: SequenceNumber,
}

impl IngestedFile {
    fn range(&self) -> UserKeyRange<'_> {
        UserKeyRange {
            first: self.external.smallest.user_key(),
            last: self.external.largest.user_key(),
        }
    }

    /// A key of it as it reads from now on.
    fn stamped(&self, key: &InternalKey) -> Result<InternalKey> {
        let parsed = ParsedInternalKey::parse(key.as_bytes())?;
        match parsed.sequence {
            0 => Ok(InternalKey::new(parsed.user_key, self.sequence, parsed.value_type)),
            _ => Ok(key.clone()),
        }
    }

    /// What the MANIFEST is to say of it.
    fn metadata(&self, epoch_number: u64, now_seconds: u64) -> Result<FileMetaData> {
        let ExternalFile { size, properties, .. } = &self.external;
        let (smallest, largest) =
            (self.stamped(&self.external.smallest)?, self.stamped(&self.external.largest)?);
        let mut metadata = FileMetaData::new(self.number, *size, smallest, largest);
        (metadata.smallest_seqno, metadata.largest_seqno) = (self.sequence, self.sequence);
        metadata.temperature = self.temperature;
        metadata.oldest_ancester_time = now_seconds;
        metadata.file_creation_time = now_seconds;
        metadata.epoch_number = epoch_number;
        metadata.file_checksum = Some(self.checksum.clone());
        metadata.unique_id = self.external.unique_id;
        metadata.tail_size = size.saturating_sub(properties.tail_start_offset);
        if properties.tail_start_offset == 0 {
            metadata.tail_size = 0;
        }
        // A range deletion alone is to do its work soon.
        metadata.marked_for_compaction =
            properties.num_range_deletions == 1 && properties.num_entries == 1;
        metadata.user_defined_timestamps_persisted =
            properties.user_defined_timestamps_persisted != 0;
        let collected = |name| properties.user_collected(name).unwrap_or_default().to_vec();
        metadata.min_timestamp = collected(names::TIMESTAMP_MIN);
        metadata.max_timestamp = collected(names::TIMESTAMP_MAX);
        Ok(metadata)
    }
}

/// The files for one column family.
#[derive(Debug)]
struct Ingestion {
    family: Arc<ColumnFamilyData>,
    options: IngestExternalFileOptions,
    files: Vec<IngestedFile>,
    /// Some of them have keys in common.
    files_overlap: bool,
    /// What is protected from compactions meanwhile.
    registered: Vec<CompactionId>,
}

fn to_dropped() -> Status {
    Status::invalid_argument("cannot ingest an external file into a dropped CF")
}

impl DbImpl {
    fn ingest_external_files(self: &Arc<Self>, args: &[IngestExternalFileArg]) -> Result<()> {
        let writing = self.writing()?;
        let _timer = Timer::start(PerfMetric::FileIngestionNanos);
        let statistics = self.context.statistics.as_deref();
        let start = statistics.and_then(Statistics::start_timer);
        let outputs = writing.protect_outputs();
        let mut ingestions = self.prepare_ingestions(writing, args)?;
        ingestions.sort_by_key(|ingestion| ingestion.family.id);
        if let Some(statistics) = statistics {
            statistics.stop_timer(HistogramType::IngestExternalFilePrepareTime, start);
        }
        let start = statistics.and_then(Statistics::start_timer);
        let committed = self.commit_ingestions(writing, &mut ingestions);
        drop(outputs);
        // What had to wait for the locks.
        writing.events.deliver_waiting();
        if let Err(status) = committed {
            self.discard_ingestions(writing, &ingestions);
            return Err(status);
        }
        if let Some(statistics) = statistics {
            statistics.stop_timer(HistogramType::IngestExternalFileRunTime, start);
        }
        self.finish_ingestions(writing, &ingestions);
        Ok(())
    }

    /// Makes the files part of the tree, while no write is under way.
    fn commit_ingestions(
        self: &Arc<Self>,
        writing: &Writing,
        ingestions: &mut [Ingestion],
    ) -> Result<()> {
        let _hold = Hold::begin();
        let _lead = writing.write_thread.enter_exclusively();
        let _timer = Timer::start(PerfMetric::FileIngestionBlockingLiveWritesNanos);
        self.flush_what_overlaps(writing, ingestions)?;
        let mut sequence = self.visibility.last_sequence();
        let mut edits = Edits::new();
        let placed = ingestions.iter_mut().try_for_each(|ingestion| {
            sequence = sequence.max(self.place_files(writing, ingestion)?);
            edits.insert(ingestion.family.id, self.edit_of(ingestion)?);
            Ok(())
        });
        let new_files: Vec<NewFile> =
            edits.values().flat_map(|edit| &edit.new_files).cloned().collect();
        let installed = placed.and_then(|()| {
            self.log_and_install_as_of(writing, edits, sequence, |state| {
                let mut new_files = new_files.iter();
                for ingestion in &mut *ingestions {
                    let Some(family) = state.family_mut(ingestion.family.id) else { continue };
                    ingestion.unregister(family);
                    for (file, new) in ingestion.files.iter().zip(&mut new_files) {
                        family.compaction.note_table(&new.file, &file.external.properties);
                    }
                }
            })
            .inspect_err(|status| {
                if status.code() == Code::IoError {
                    self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
                }
            })
        });
        if installed.is_ok() {
            // Reads that saw the files before saw none of their keys.
            self.visibility.publish(sequence);
        } else {
            let mut state = writing.state.lock();
            for ingestion in ingestions {
                if let Some(family) = state.family_mut(ingestion.family.id) {
                    ingestion.unregister(family);
                }
            }
        }
        installed
    }

    /// Brings into tables what memtables have of the keys of the files: what comes later must stay above
    /// them.
    fn flush_what_overlaps(
        self: &Arc<Self>,
        writing: &Writing,
        ingestions: &[Ingestion],
    ) -> Result<()> {
        let mut ids = Vec::new();
        for Ingestion { family, options, files, .. } in ingestions {
            if !writing.state.lock().families.contains_key(&family.id) {
                return Err(to_dropped());
            }
            let super_version = family.super_version.load_full();
            let ranges: Vec<_> = files.iter().map(IngestedFile::range).collect();
            if !are_in_memtables(&family.comparator, &super_version.memtables, &ranges)? {
                continue;
            }
            if !options.allow_blocking_flush {
                return Err(Status::invalid_argument("External file requires flush"));
            }
            if family.comparator.timestamp_size() > 0 {
                return Err(overlap_with_timestamps("memtables"));
            }
            ids.push(family.id);
        }
        if ids.is_empty() {
            return Ok(());
        }
        let mut stage = writing.stage.lock();
        if self.options().atomic_flush {
            ids = stage.memtables.families().iter().map(|family| family.data.id).collect();
        }
        self.switch_memtables(&mut stage, &ids)?;
        drop(stage);
        self.request_flush_of_all(writing, &ids, FlushReason::ExternalFileIngestion)?;
        let mut state = writing.state.lock();
        let waits = |id: &u32, families: &std::collections::BTreeMap<u32, FamilyState>| {
            families.get(id).is_some_and(|family| !family.immutables.is_empty())
        };
        while ids.iter().any(|id| waits(id, &state.families)) {
            may_go_on(writing, &state)?;
            wait_for_change(writing, &mut state, false);
        }
        Ok(())
    }

    /// Chooses a level and a sequence number for each file, and keeps compactions from writing there.
    /// Returns the last sequence number given out.
    fn place_files(&self, writing: &Writing, ingestion: &mut Ingestion) -> Result<SequenceNumber> {
        loop {
            let family = ingestion.family.clone();
            let version = family.super_version.load().version.clone();
            // Reads files, so that no lock may be held.
            let keys = ingestion.levels_with_keys(&version)?;
            let mut state = writing.state.lock();
            let oldest_snapshot = state.oldest_snapshot;
            let found = state.family_mut(family.id).ok_or_else(to_dropped)?;
            if !Arc::ptr_eq(&version, &found.data.super_version.load().version) {
                // A compaction has ended meanwhile.
                continue;
            }
            let tree =
                TreeState::new(&found.compaction.picker_input(&family, &version, oldest_snapshot));
            let rules = Rules {
                base_level: tree.targets.base_level.unwrap_or(0),
                hides_from_snapshots: ingestion.options.snapshot_consistency
                    && writing.snapshots.count() > 0,
                files_overlap: ingestion.files_overlap,
                has_one_level: found.compaction.options.compaction_style == CompactionStyle::Fifo,
                above_level: None,
                only_last_level: ingestion.options.fail_if_not_bottommost_level,
            };
            let last = self.visibility.last_sequence();
            let last = ingestion.place(found, &version, &keys, rules, last)?;
            ingestion.register(found);
            return Ok(last);
        }
    }

    fn edit_of(&self, ingestion: &Ingestion) -> Result<VersionEdit> {
        let now_seconds = self.context.clock.now_seconds();
        let mut edit = VersionEdit::default();
        for file in &ingestion.files {
            let epoch_number = match ingestion.options.ingest_behind {
                true => INGESTED_BEHIND_EPOCH_NUMBER,
                false => ingestion.family.epoch_numbers.next(),
            };
            let metadata = file.metadata(epoch_number, now_seconds)?;
            let level = u32::try_from(file.level).unwrap_or(u32::MAX);
            edit.new_files.push(NewFile { level, file: metadata });
        }
        Ok(edit)
    }

    /// Removes the files of ingestions that failed, but for those that a MANIFEST may nevertheless have.
    fn discard_ingestions(&self, writing: &Writing, ingestions: &[Ingestion]) {
        let versions = writing.versions.lock();
        for file in ingestions.iter().flat_map(|ingestion| &ingestion.files) {
            if !versions.is_in_doubt(file.number) {
                // The first error is the one to report; the next open finds what is left.
                let _ = self.context.file_system.delete_file(&file.path);
            }
        }
    }

    /// Removes what was moved, and tells.
    fn finish_ingestions(&self, writing: &Writing, ingestions: &[Ingestion]) {
        for Ingestion { family, options, files, .. } in ingestions {
            for IngestedFile { external, path, level, sequence, is_copy, .. } in files {
                if options.move_files
                    && let Err(status) = self.context.file_system.delete_file(&external.path)
                {
                    writing.info_log.warn(format_args!(
                        "{} was added to DB successfully but failed to remove original file \
                         link : {status}",
                        external.path.display()
                    ));
                }
                let keys = external.properties.num_entries;
                family.stats.count_ingestion(*level, external.size, keys, *is_copy);
                writing.info_log.external_file_ingested(&external.path, *level, path, *sequence);
            }
            let levels = files.iter().map(|file| (file.path.as_path(), file.level));
            let version = family.super_version.load().version.clone();
            writing.info_log.ingestion_finished(levels, &version);
            for file in files {
                writing.events.external_file_ingested(ExternalFileIngestionInfo {
                    cf_name: family.name.clone(),
                    external_file_path: file.external.path.clone(),
                    internal_file_path: file.path.clone(),
                    global_seqno: file.sequence,
                    table_properties: (*file.external.properties).clone(),
                });
            }
        }
    }
}

fn overlap_with_timestamps(place: &str) -> Status {
    Status::invalid_argument(format!(
        "Column family enables user-defined timestamps, please make sure the key range (without \
         timestamp) of external file does not overlap with key range in the {place}"
    ))
}

impl Ingestion {
    fn new(
        family: &Arc<ColumnFamilyData>,
        options: IngestExternalFileOptions,
        files: Vec<IngestedFile>,
    ) -> Self {
        let comparator = &family.comparator;
        let mut sorted: Vec<&ExternalFile> = files.iter().map(|file| &file.external).collect();
        sorted.sort_by(|a, b| comparator.compare(a.smallest.as_bytes(), b.smallest.as_bytes()));
        let files_overlap = sorted.windows(2).any(|pair| pair[0].overlaps(pair[1], comparator));
        Self { family: family.clone(), options, files, files_overlap, registered: Vec::new() }
    }

    /// For each file and level whether there are keys within the file's range, down to the first level
    /// that has some.
    fn levels_with_keys(&self, version: &Version) -> Result<Vec<Vec<bool>>> {
        let read = ReadOptions {
            fill_cache: self.options.fill_cache,
            total_order_seek: true,
            ..ReadOptions::default()
        };
        let of_file = |file: &IngestedFile| {
            let mut levels = vec![false; version.num_levels()];
            for (level, has_keys) in levels.iter_mut().enumerate() {
                *has_keys = file.range().is_in_level(&self.family, version, level, &read)?;
                if *has_keys {
                    break;
                }
            }
            Ok(levels)
        };
        self.files.iter().map(of_file).collect()
    }

    /// Chooses for each file. Returns the last sequence number given out, at least `last`.
    fn place(
        &mut self,
        family: &FamilyState,
        version: &Version,
        keys: &[Vec<bool>],
        mut rules: Rules,
        mut last: SequenceNumber,
    ) -> Result<SequenceNumber> {
        let comparator = &self.family.comparator;
        // Files with keys in common go one above the other, those that come later further up.
        let mut batch_start = 0;
        for (index, keys) in keys.iter().enumerate() {
            let (before, file) = self.files.split_at(index);
            let mut batch = before[batch_start..].iter();
            if self.files_overlap
                && batch.any(|other| other.external.overlaps(&file[0].external, comparator))
            {
                rules.above_level = before[batch_start..].iter().map(|other| other.level).min();
                batch_start = index;
            }
            let view = |level: usize| self.level_view(family, version, level, &file[0], keys);
            let views: Vec<LevelView> = (0..version.num_levels()).map(view).collect();
            let placement = match self.options.ingest_behind {
                true => place_behind(version, &views)?,
                false => place(&views, &rules)?,
            };
            if placement.needs_sequence && comparator.timestamp_size() > 0 {
                return Err(overlap_with_timestamps("db"));
            }
            if placement.needs_sequence && !self.options.allow_global_seqno {
                return Err(Status::invalid_argument("Global seqno is required, but disabled"));
            }
            if placement.needs_sequence {
                last += 1;
                if last > MAX_SEQUENCE_NUMBER {
                    return Err(Status::aborted("there are no sequence numbers left"));
                }
            }
            let file = &mut self.files[index];
            file.level = placement.level;
            file.sequence = if placement.needs_sequence { last } else { 0 };
        }
        Ok(last)
    }

    fn level_view(
        &self,
        family: &FamilyState,
        version: &Version,
        level: usize,
        file: &IngestedFile,
        keys: &[bool],
    ) -> LevelView {
        let (comparator, external) = (&self.family.comparator, &file.external);
        let UserKeyRange { first, last } = file.range();
        let in_progress = &family.compaction.in_progress;
        let is_written = in_progress.writes_to_range(comparator, level, first, last);
        let bounds = (&external.smallest, &external.largest);
        let is_in_the_way = |other: &Arc<FileMetaData>| {
            ranges_meet(comparator, bounds, (&other.smallest, &other.largest))
        };
        LevelView {
            overlaps: keys.get(level).copied().unwrap_or(false) || is_written,
            fits: level == 0
                || !is_written && !version.level_files(level).iter().any(is_in_the_way),
        }
    }

    /// Has compactions keep away from where the files go.
    fn register(&mut self, family: &mut FamilyState) {
        for file in self.files.iter().filter(|file| file.level > 0) {
            let UserKeyRange { first, last } = file.range();
            let output = OutputRange {
                level: file.level,
                smallest_user_key: first.to_vec(),
                largest_user_key: last.to_vec(),
            };
            let running =
                RunningCompaction { output: Some(output), ..RunningCompaction::default() };
            self.registered.push(family.compaction.in_progress.register(running));
        }
    }

    fn unregister(&mut self, family: &mut FamilyState) {
        for id in self.registered.drain(..) {
            family.compaction.in_progress.unregister(id);
        }
    }
}

/// Where a file goes that is to be under all data there is.
fn place_behind(version: &Version, levels: &[LevelView]) -> Result<Placement> {
    let last = levels.len().saturating_sub(1);
    if !levels.last().is_some_and(|view| view.fits) {
        return Err(Status::invalid_argument(
            "Can't ingest_behind file as it doesn't fit at the last level!",
        ));
    }
    let mut upper = (0..last).flat_map(|level| version.level_files(level));
    if upper.any(|file| file.smallest_seqno == 0) {
        return Err(Status::invalid_argument(
            "Can't ingest_behind file as despite cf_allow_ingest_behind=true there are files with 0 \
             seqno in database at upper levels!",
        ));
    }
    Ok(Placement { level: last, needs_sequence: false })
}
