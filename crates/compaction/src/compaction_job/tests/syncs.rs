//! Outputs that are synced while the next one is written.

use super::errors::{entries, job};
use super::*;
use base::status::Code;
use env::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use env::file_system_wrapper::{FileSystemWrapper, WritableFileWrapper};
use env::{FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, WritableFile};
use parking_lot::{Condvar, Mutex};
use std::path::{Path, PathBuf};
use std::thread::{ThreadId, current};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// One sync of a table.
#[derive(Clone, Debug)]
struct Seen {
    name: String,
    thread: ThreadId,
    /// Whether a later file was begun while it went on.
    later_begun: bool,
    /// How many went on when it began, itself included.
    at_once: usize,
}

#[derive(Debug, Default)]
struct Log {
    /// Files created so far.
    created: Vec<PathBuf>,
    going_on: usize,
    syncs: Vec<Seen>,
}

type SharedLog = Arc<(Mutex<Log>, Condvar)>;

/// Syncs in other threads than the one that created the file take until a later file is begun, or for
/// [`PATIENCE`].
#[derive(Debug)]
struct SlowSyncs {
    target: Arc<dyn FileSystem>,
    shared: SharedLog,
}

#[derive(Debug)]
struct SlowFile {
    target: Box<dyn WritableFile>,
    creator: ThreadId,
    shared: SharedLog,
}

impl FileSystemWrapper for SlowSyncs {
    fn target(&self) -> &dyn FileSystem {
        &*self.target
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let target = self.target.new_writable_file(path, options)?;
        let (log, changed) = &*self.shared;
        log.lock().created.push(path.to_owned());
        changed.notify_all();
        let (creator, shared) = (current().id(), Arc::clone(&self.shared));
        Ok(Box::new(SlowFile { target, creator, shared }))
    }
}

impl WritableFileWrapper for SlowFile {
    fn target(&self) -> &dyn WritableFile {
        &*self.target
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.target
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.target
    }

    fn sync_takes_time(&self) -> bool {
        true
    }

    fn sync(&mut self) -> Result<()> {
        let path = self.target.path().to_owned();
        let is_last = |log: &mut Log| log.created.last() == Some(&path);
        let (log, changed) = &*self.shared;
        let mut log = log.lock();
        log.going_on += 1;
        let at_once = log.going_on;
        if current().id() != self.creator {
            changed.wait_while_for(&mut log, is_last, PATIENCE);
        }
        let later_begun = !is_last(&mut log);
        log.going_on -= 1;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        log.syncs.push(Seen { name, thread: current().id(), later_begun, at_once });
        drop(log);
        self.target.sync()
    }
}

/// An environment with two tables of L0 whose files are synced as if a disk did it, and its log.
fn slow_environment(target: Arc<dyn FileSystem>) -> (Arc<TestEnvironment>, Compaction, SharedLog) {
    let comparator = InternalKeyComparator::bytewise();
    let shared = Arc::default();
    let file_system = Arc::new(SlowSyncs { target, shared: Arc::clone(&shared) });
    let environment = TestEnvironment::over(file_system, PathBuf::from("/db"), comparator.clone());
    let environment = Arc::new(environment);
    let older = flush(&environment, &entries(0..1000, 5), &[], 1, None).unwrap();
    let newer = flush(&environment, &entries(500..1500, 9), &[], 2, None).unwrap();
    let version = version(&comparator, &[(0, older), (0, newer)], &[]);
    *shared.0.lock() = Log::default();
    let mut compaction = compaction(version, &[0], 1, true);
    compaction.target_output_file_size = 40_000;
    compaction.max_output_file_size = 40_000;
    (environment, compaction, shared)
}

fn table_name(output: &OutputFile) -> String {
    format!("{:06}.sst", output.metadata.number)
}

#[test]
fn an_output_is_synced_while_the_next_is_written() {
    let memory = Arc::new(MemFileSystem::new());
    let (environment, mut compaction, shared) = slow_environment(memory);
    compaction.output_level = 1;
    let outcome = job(&environment, compaction).run(&[]).unwrap();
    assert!(outcome.files.len() > 3, "{}", outcome.files.len());
    let names: Vec<_> = outcome.files.iter().map(table_name).collect();
    let syncs = std::mem::take(&mut shared.0.lock().syncs);
    let mut synced: Vec<_> = syncs.iter().map(|sync| sync.name.clone()).collect();
    synced.sort();
    assert_eq!(synced, names, "each once");
    for sync in &syncs {
        let is_last = Some(&sync.name) == names.last();
        assert_eq!(sync.thread == current().id(), is_last, "{sync:?}");
        assert_eq!(sync.later_begun, !is_last, "{sync:?}");
        assert!(sync.at_once <= 2, "{sync:?}");
    }
}

#[test]
fn a_single_output_is_synced_by_the_job() {
    let memory = Arc::new(MemFileSystem::new());
    let (environment, mut compaction, shared) = slow_environment(memory);
    compaction.target_output_file_size = 64 << 20;
    compaction.max_output_file_size = 64 << 20;
    let outcome = job(&environment, compaction).run(&[]).unwrap();
    assert_eq!(outcome.files.len(), 1);
    let syncs = std::mem::take(&mut shared.0.lock().syncs);
    let threads: Vec<_> = syncs.iter().map(|sync| sync.thread).collect();
    assert_eq!(threads, [current().id()]);
}

#[test]
fn a_sync_that_fails_fails_the_job_and_names_its_file() {
    let count = {
        let memory = Arc::new(MemFileSystem::new());
        let (environment, compaction, _) = slow_environment(memory);
        job(&environment, compaction).run(&[]).unwrap().files.len() as u64
    };
    assert!(count > 3);
    for index in 0..count {
        let faults = Arc::new(FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new())));
        let (environment, compaction, _) = slow_environment(Arc::clone(&faults) as _);
        // The inputs have the numbers 10 and 11.
        let name = format!("{:06}.sst", 12 + index);
        faults.plan().add(Fault {
            operations: Operations::of(&[OperationKind::Sync]).on(&name),
            when: When::Nth(0),
            effect: Effect::Error(FaultError::Io),
        });
        let status = job(&environment, compaction).run(&[]).unwrap_err();
        assert!(status.code() == Code::IoError && status.message().contains(&name), "{status}");
        assert_eq!(environment.file_names(), ["000010.sst", "000011.sst"]);
        assert!(environment.discarded.lock().unwrap().contains(&(12 + index)));
        assert_eq!(faults.plan().injected_count(), 1);
    }
}

#[test]
fn nothing_goes_on_when_a_job_has_failed() {
    let faults = Arc::new(FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new())));
    let (environment, compaction, shared) = slow_environment(Arc::clone(&faults) as _);
    faults.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Append]).on("000013.sst"),
        when: When::Nth(0),
        effect: Effect::Error(FaultError::NoSpace),
    });
    let status = job(&environment, compaction).run(&[]).unwrap_err();
    assert!(status.message().contains("000013.sst"), "{status}");
    let log = shared.0.lock();
    assert_eq!((log.going_on, log.syncs.len()), (0, 1), "that of the first output has ended");
    assert_eq!(environment.file_names(), ["000010.sst", "000011.sst"]);
}
