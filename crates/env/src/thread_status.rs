//! What the threads of this process are doing for databases (`rocksdb::ThreadStatus`).
//!
//! Threads of pools are known from their start to their end; others while they do something that is
//! tracked (`enable_thread_tracking`). An operation costs a few stores when it begins and ends, and
//! an addition now and then while it runs.

use base::ColumnFamilyName;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

/// Defines an enum with RocksDB's numbers and names.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$of])* $variant,)* }

        impl $name {
            /// All, by number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// RocksDB's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

named! {
    /// Which thread it is (`ThreadStatus::ThreadType`).
    ThreadType {
        /// Of the pool that flushes.
        HighPriority = "High Pri",
        /// Of the pool that compacts.
        LowPriority = "Low Pri",
        /// A thread of the program.
        #[default]
        User = "User",
        /// Of the pool for what is least urgent.
        BottomPriority = "Bottom Pri",
    }
}

named! {
    /// What it does (`ThreadStatus::OperationType`). Reads are not tracked.
    OperationType {
        /// Nothing that is tracked.
        #[default]
        Unknown = "",
        /// A compaction.
        Compaction = "Compaction",
        /// A flush.
        Flush = "Flush",
        /// Opening a database.
        DbOpen = "DBOpen",
    }
}

named! {
    /// How far it is (`ThreadStatus::OperationStage`).
    OperationStage {
        /// Not said.
        #[default]
        Unknown = "",
        /// A flush begins.
        FlushRun = "FlushJob::Run",
        /// It writes the table.
        FlushWriteL0 = "FlushJob::WriteLevel0Table",
        /// A compaction looks at its inputs.
        CompactionPrepare = "CompactionJob::Prepare",
        /// It begins.
        CompactionRun = "CompactionJob::Run",
        /// It goes over the entries.
        CompactionProcessKv = "CompactionJob::ProcessKeyValueCompaction",
        /// Its result is written to the MANIFEST.
        CompactionInstall = "CompactionJob::Install",
        /// An output is completed and synced.
        CompactionSyncFile = "CompactionJob::FinishCompactionOutputFile",
        /// A flush takes its memtables.
        PickMemtablesToFlush = "MemTableList::PickMemtablesToFlush",
        /// It failed and gives them back.
        MemtableRollback = "MemTableList::RollbackMemtableFlush",
        /// Its result is written to the MANIFEST.
        MemtableInstallFlushResults = "MemTableList::TryInstallMemtableFlushResults",
    }
}

named! {
    /// Whether it waits (`ThreadStatus::StateType`).
    StateType {
        /// It works, as far as is known.
        #[default]
        Unknown = "",
        /// It waits for a lock of the database.
        MutexWait = "Mutex Wait",
    }
}

/// Properties of an operation, at most.
pub const OPERATION_PROPERTIES_MAX: usize = 6;

/// Properties of a compaction (`ThreadStatus::CompactionPropertyType`), and their names.
pub mod compaction_property {
    /// The job's number.
    pub const JOB_ID: usize = 0;
    /// Uppermost input level, shifted left by 32, and output level.
    pub const INPUT_OUTPUT_LEVEL: usize = 1;
    /// 1 for a manual one, 2 for one that only deletes, 4 for one that only moves.
    pub const PROP_FLAGS: usize = 2;
    /// Bytes of input files.
    pub const TOTAL_INPUT_BYTES: usize = 3;
    /// Bytes of them that were read, by the share of entries that were gone over.
    pub const BYTES_READ: usize = 4;
    /// Bytes written.
    pub const BYTES_WRITTEN: usize = 5;
    /// RocksDB's names.
    pub const NAMES: [&str; 6] = [
        "JobID",
        "InputOutputLevel",
        "Manual/Deletion/Trivial",
        "TotalInputBytes",
        "BytesRead",
        "BytesWritten",
    ];
}

/// Properties of a flush (`ThreadStatus::FlushPropertyType`), and their names.
pub mod flush_property {
    /// The job's number.
    pub const JOB_ID: usize = 0;
    /// Bytes of the memtables.
    pub const BYTES_MEMTABLES: usize = 1;
    /// Bytes written.
    pub const BYTES_WRITTEN: usize = 2;
    /// RocksDB's names.
    pub const NAMES: [&str; 3] = ["JobID", "BytesMemtables", "BytesWritten"];
}

/// What a thread does (`rocksdb::ThreadStatus`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStatus {
    /// The operating system's number of the thread.
    pub thread_id: u64,
    /// Which thread it is.
    pub thread_type: ThreadType,
    /// The database that it works for; empty for none.
    pub db_name: PathBuf,
    /// The column family that it works for; empty for none.
    pub cf_name: ColumnFamilyName,
    /// What it does.
    pub operation_type: OperationType,
    /// For how long it has, in microseconds.
    pub op_elapsed_micros: u64,
    /// How far it is.
    pub operation_stage: OperationStage,
    /// Numbers that depend on the operation, see [`ThreadStatus::properties`].
    pub op_properties: [u64; OPERATION_PROPERTIES_MAX],
    /// Whether it waits.
    pub state_type: StateType,
}

impl ThreadStatus {
    /// The operation's properties by their names (`InterpretOperationProperties`).
    pub fn properties(&self) -> Vec<(&'static str, u64)> {
        let mut properties = Vec::new();
        let mut add = |name, value| properties.push((name, value));
        let values = self.op_properties;
        match self.operation_type {
            OperationType::Compaction => {
                use compaction_property::{INPUT_OUTPUT_LEVEL, NAMES, PROP_FLAGS};
                for (index, name) in NAMES.into_iter().enumerate() {
                    let value = values[index];
                    match index {
                        INPUT_OUTPUT_LEVEL => {
                            add("BaseInputLevel", value >> 32);
                            add("OutputLevel", value & 0xffff_ffff);
                        }
                        PROP_FLAGS => {
                            add("IsManual", value & 1);
                            add("IsDeletion", (value >> 1) & 1);
                            add("IsTrivialMove", (value >> 2) & 1);
                        }
                        _ => add(name, value),
                    }
                }
            }
            OperationType::Flush => {
                for (name, value) in flush_property::NAMES.into_iter().zip(values) {
                    add(name, value);
                }
            }
            OperationType::Unknown | OperationType::DbOpen => {}
        }
        properties
    }
}

/// An operation that is under way. Other threads that work for it may count in it too.
#[derive(Debug)]
pub struct Operation {
    db_name: PathBuf,
    cf_name: ColumnFamilyName,
    operation_type: OperationType,
    start: Instant,
    stage: AtomicU8,
    is_waiting: AtomicBool,
    properties: [AtomicU64; OPERATION_PROPERTIES_MAX],
}

impl Operation {
    /// It is this far.
    pub fn set_stage(&self, stage: OperationStage) {
        self.stage.store(stage as u8, Ordering::Relaxed);
    }

    /// A property has this value.
    pub fn set_property(&self, index: usize, value: u64) {
        if let Some(property) = self.properties.get(index) {
            property.store(value, Ordering::Relaxed);
        }
    }

    /// A property has grown.
    pub fn increase_property(&self, index: usize, by: u64) {
        if let Some(property) = self.properties.get(index) {
            property.fetch_add(by, Ordering::Relaxed);
        }
    }

    /// Runs `wait`, which waits for a lock.
    pub fn while_waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.is_waiting.store(true, Ordering::Relaxed);
        let result = wait();
        self.is_waiting.store(false, Ordering::Relaxed);
        result
    }
}

#[derive(Debug)]
struct KnownThread {
    thread_id: u64,
    thread_type: ThreadType,
    operation: Mutex<Option<Arc<Operation>>>,
}

impl KnownThread {
    fn status(&self) -> ThreadStatus {
        let operation = self.operation.lock().clone();
        let mut status = ThreadStatus {
            thread_id: self.thread_id,
            thread_type: self.thread_type,
            db_name: PathBuf::new(),
            cf_name: ColumnFamilyName::default(),
            operation_type: OperationType::Unknown,
            op_elapsed_micros: 0,
            operation_stage: OperationStage::Unknown,
            op_properties: [0; OPERATION_PROPERTIES_MAX],
            state_type: StateType::Unknown,
        };
        if let Some(operation) = operation {
            status.db_name.clone_from(&operation.db_name);
            status.cf_name.clone_from(&operation.cf_name);
            status.operation_type = operation.operation_type;
            let elapsed = operation.start.elapsed().as_micros();
            status.op_elapsed_micros = u64::try_from(elapsed).unwrap_or(u64::MAX);
            let stage = usize::from(operation.stage.load(Ordering::Relaxed));
            status.operation_stage = OperationStage::ALL.get(stage).copied().unwrap_or_default();
            for (value, property) in status.op_properties.iter_mut().zip(&operation.properties) {
                *value = property.load(Ordering::Relaxed);
            }
            if operation.is_waiting.load(Ordering::Relaxed) {
                status.state_type = StateType::MutexWait;
            }
        }
        status
    }
}

/// All threads that are known.
static THREADS: Mutex<Vec<Arc<KnownThread>>> = Mutex::new(Vec::new());

thread_local! {
    static THIS_THREAD: RefCell<Option<Registration>> = const { RefCell::new(None) };
}

/// Makes a thread known, until dropped.
#[derive(Debug)]
struct Registration(Arc<KnownThread>);

impl Registration {
    fn new(thread_type: ThreadType) -> Self {
        let operation = Mutex::new(None);
        let thread = Arc::new(KnownThread { thread_id: thread_id(), thread_type, operation });
        THREADS.lock().push(thread.clone());
        Self(thread)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        THREADS.lock().retain(|thread| !Arc::ptr_eq(thread, &self.0));
    }
}

/// The operating system's number of this thread.
pub fn thread_id() -> u64 {
    u64::try_from(rustix::thread::gettid().as_raw_nonzero().get()).unwrap_or(0)
}

/// Makes this thread known until it ends, as one of a pool.
pub(crate) fn register_thread(thread_type: ThreadType) {
    let registration = Registration::new(thread_type);
    THIS_THREAD.with_borrow_mut(|this| *this = Some(registration));
}

/// An operation of this thread, until dropped; then the thread does again what it did before.
#[derive(Debug)]
pub struct OperationGuard {
    operation: Arc<Operation>,
    before: Option<Arc<Operation>>,
    thread: Arc<KnownThread>,
    /// A thread that is of no pool is known only meanwhile.
    _registration: Option<Registration>,
}

impl OperationGuard {
    /// This thread begins something.
    pub fn begin(
        operation_type: OperationType,
        db_name: &Path,
        cf_name: Option<&ColumnFamilyName>,
    ) -> Self {
        let known = THIS_THREAD.with_borrow(|this| this.as_ref().map(|this| this.0.clone()));
        let registration = known.is_none().then(|| Registration::new(ThreadType::User));
        let of_registration = registration.as_ref().map(|registration| registration.0.clone());
        let thread = known.or(of_registration).unwrap_or_else(|| {
            unreachable!("a thread that was not known has just been registered")
        });
        let operation = Arc::new(Operation {
            db_name: db_name.to_owned(),
            cf_name: cf_name.cloned().unwrap_or_default(),
            operation_type,
            start: Instant::now(),
            stage: AtomicU8::default(),
            is_waiting: AtomicBool::default(),
            properties: Default::default(),
        });
        let before = thread.operation.lock().replace(operation.clone());
        Self { operation, before, thread, _registration: registration }
    }

    /// The operation, to be counted in.
    pub fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }
}

impl Drop for OperationGuard {
    fn drop(&mut self) {
        *self.thread.operation.lock() = self.before.take();
    }
}

/// Runs `wait`, which waits for a lock: so it is said of this thread, if it is one of a pool and does
/// something that is tracked.
pub fn while_waiting<T>(wait: impl FnOnce() -> T) -> T {
    let known = THIS_THREAD.with_borrow(|this| this.as_ref().map(|this| this.0.clone()));
    let operation = known.and_then(|thread| thread.operation.lock().clone());
    match operation {
        Some(operation) => operation.while_waiting(wait),
        None => wait(),
    }
}

/// What all threads that are known do (`GetThreadList`), by number.
pub fn thread_list() -> Vec<ThreadStatus> {
    let threads = THREADS.lock().clone();
    let mut list: Vec<_> = threads.iter().map(|thread| thread.status()).collect();
    list.sort_by_key(|status| status.thread_id);
    list
}

#[cfg(test)]
mod tests;
