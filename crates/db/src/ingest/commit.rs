//! Making the files part of the tree, or taking them away again.

use super::overlap::{UserKeyRange, are_in_memtables};
use super::{IngestedFile, Ingestion, overlap_with_timestamps, to_dropped};
use crate::conversion_gate::ClosedGates;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::FamilyState;
use crate::event_listener::{BackgroundErrorReason, ExternalFileIngestionInfo};
use crate::events::Hold;
use crate::flush::{Patience, may_go_on};
use crate::flush_job::Edits;
use crate::flush_reason::FlushReason;
use base::status::Code;
use base::{Result, Status};
use compaction::{OutputRange, RunningCompaction};
use perf_context::{PerfMetric, Timer};
use std::sync::Arc;
use version::{INGESTED_BEHIND_EPOCH_NUMBER, NewFile, VersionEdit};

impl DbImpl {
    /// Makes the files part of the tree, while no write is under way.
    pub(super) fn commit_ingestions(
        self: &Arc<Self>,
        writing: &Writing,
        ingestions: &mut [Ingestion],
    ) -> Result<()> {
        let _hold = Hold::begin();
        let _lead = writing.write_thread.enter_exclusively();
        let _timer = Timer::start(PerfMetric::FileIngestionBlockingLiveWritesNanos);
        // Dropped when reads see the files, and before writes go on.
        let _closed = ClosedGates::of(ingestions.iter().map(|one| one.family.clone()));
        self.flush_what_overlaps(writing, ingestions)?;
        let mut sequence = self.visibility.last_sequence();
        let mut edits = Edits::new();
        let placed = ingestions.iter_mut().try_for_each(|ingestion| {
            sequence = sequence.max(self.place_files(writing, ingestion)?);
            self.write_sequences(ingestion)?;
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
        let mut state = writing.state.lock();
        if installed.is_ok() {
            // Reads that saw the files before saw none of their keys.
            self.visibility.publish(sequence);
        } else {
            for ingestion in ingestions {
                let id = ingestion.family.id;
                if let Some(family) = state.family_mut(id) {
                    ingestion.unregister(family);
                }
                self.queue_if_needed(writing, &mut state, id);
            }
        }
        // No job ends here that would look for more work: with the files, or without what kept compactions
        // away from them, there may be some that stopped writers wait for.
        self.schedule_work(writing, &mut state);
        drop(state);
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
        let newest =
            self.request_flush_of_all(writing, &ids, FlushReason::ExternalFileIngestion)?;
        // Who hears of flushes and ingestions hears of the flush first.
        let patience = Patience { may_wait: &|state| may_go_on(writing, state), polls: false };
        self.wait_for_flush(writing, &newest, &patience)
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
    pub(super) fn discard_ingestions(&self, writing: &Writing, ingestions: &[Ingestion]) {
        let versions = writing.versions.lock();
        for file in ingestions.iter().flat_map(|ingestion| &ingestion.files) {
            if !versions.is_in_doubt(file.number) {
                // The first error is the one to report; the next open finds what is left.
                let _ = self.context.file_system.delete_file(&file.path);
            }
        }
    }

    /// Removes what was moved, and tells.
    pub(super) fn finish_ingestions(&self, writing: &Writing, ingestions: &[Ingestion]) {
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

impl Ingestion {
    /// Has compactions keep away from where the files go.
    pub(super) fn register(&mut self, family: &mut FamilyState) {
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

    pub(super) fn unregister(&mut self, family: &mut FamilyState) {
        for id in self.registered.drain(..) {
            family.compaction.in_progress.unregister(id);
        }
    }
}
