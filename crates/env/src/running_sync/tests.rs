use super::*;
use crate::counted_file::{CountedFileKind, CountedWritableFile};
use crate::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use crate::file_system::{FileOptions, FileSystem};
use crate::file_system_wrapper::WritableFileWrapper;
use crate::posix::PosixFileSystem;
use crate::{FaultInjectionFileSystem, MemFileSystem};
use perf_context::{
    IoMetric, PerfLevel, io_stats_context, perf_level, reset_io_stats_context, set_perf_level,
};
use statistics::{CompactionCause, HistogramType, Statistics, StatsLevel};
use std::path::Path;
use std::thread::{ThreadId, current};

/// Syncs as if that took time, and says which thread did.
#[derive(Debug)]
struct Slow {
    file: Box<dyn WritableFile>,
    synced_by: Arc<Mutex<Option<ThreadId>>>,
    takes_time: bool,
}

impl WritableFileWrapper for Slow {
    fn target(&self) -> &dyn WritableFile {
        &*self.file
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.file
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.file
    }

    fn sync(&mut self) -> Result<()> {
        *self.synced_by.lock() = Some(current().id());
        self.file.sync()
    }

    fn sync_takes_time(&self) -> bool {
        self.takes_time
    }
}

fn written(file_system: &dyn FileSystem, path: &Path) -> Box<dyn WritableFile> {
    let mut file = file_system.new_writable_file(path, &FileOptions::default()).unwrap();
    file.append(b"content").unwrap();
    file
}

#[test]
fn a_thread_of_its_own_syncs_where_that_takes_time() {
    let file_system = MemFileSystem::new();
    for takes_time in [false, true] {
        let synced_by = Arc::default();
        let file = written(&file_system, Path::new("/file"));
        let file = Box::new(Slow { file, synced_by: Arc::clone(&synced_by), takes_time });
        let (result, _) = RunningSync::begin(file, false).wait();
        result.unwrap();
        let is_other = synced_by.lock().is_some_and(|thread| thread != current().id());
        assert_eq!(is_other, takes_time);
    }
}

#[test]
fn files_on_a_disk_are_worth_a_thread_and_those_in_memory_are_not() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(&PosixFileSystem, &directory.path().join("file"));
    assert!(file.sync_takes_time());
    let statistics = Arc::new(Statistics::new());
    let in_memory = written(&MemFileSystem::new(), Path::new("/file"));
    let counted = CountedWritableFile::wrap(in_memory, Some(&statistics), CountedFileKind::Table);
    assert!(!counted.sync_takes_time());
}

#[test]
fn an_error_is_what_waiting_gives() {
    let base = Arc::new(MemFileSystem::new());
    let file_system = FaultInjectionFileSystem::new(base);
    for kind in [OperationKind::Sync, OperationKind::Close] {
        let file = written(&file_system, Path::new("/file"));
        file_system.plan().add(Fault {
            operations: Operations::of(&[kind]),
            when: When::Nth(0),
            effect: Effect::Error(FaultError::Io),
        });
        let file = Box::new(Slow { file, synced_by: Arc::default(), takes_time: true });
        let (result, _) = RunningSync::begin(file, false).wait();
        assert!(result.unwrap_err().message().contains("/file"));
        file_system.plan().clear();
    }
}

#[test]
fn it_counts_as_what_began_it() {
    let directory = tempfile::tempdir().unwrap();
    let statistics = Arc::new(Statistics::new());
    statistics.set_stats_level(StatsLevel::All);
    let file = written(&PosixFileSystem, &directory.path().join("file"));
    let file = CountedWritableFile::wrap(file, Some(&statistics), CountedFileKind::Table);
    let _activity = Activity::Compaction(CompactionCause::Other).begin();
    let level = perf_level();
    set_perf_level(PerfLevel::EnableTimeAndCpuTimeExceptForMutex);
    reset_io_stats_context();
    RunningSync::begin(file, true).wait().0.unwrap();
    let io = io_stats_context();
    set_perf_level(level);
    assert_eq!(io.get(IoMetric::BytesWritten), 7);
    assert!(io.get(IoMetric::FsyncNanos) > 0);
    assert_eq!(statistics.histogram_data(HistogramType::CompactionOutfileSyncMicros).count, 1);
}

#[test]
fn dropped_it_has_ended() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    drop(RunningSync::begin(written(&PosixFileSystem, &path), false));
    assert_eq!(std::fs::read(&path).unwrap(), b"content");
}
