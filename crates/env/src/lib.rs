//! File systems behind one trait.
//!
//! Everything that touches a disk goes through [`FileSystem`], so that tests can run the engine in
//! memory, count its operations, fail the k-th, or drop what was not synced. Beside that there is
//! what else an engine has of its surroundings: clocks, the info log, the rate limiter, the
//! threads of background jobs, and memory in huge pages. This crate knows no file format.

#![deny(unsafe_code)]

mod aligned_buffer;
pub mod allocator;
pub mod batch_read;
pub mod clock;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod counted_file;
mod counted_rate_limiter;
pub mod device_limits;
pub mod event_logger;
pub mod fault_injection_fs;
pub mod file_system;
pub mod file_system_wrapper;
pub mod file_util;
pub mod host_name;
pub mod huge_pages;
mod io_ring;
pub mod logger;
pub mod mem_fs;
pub mod observed_fs;
pub mod posix;
mod random;
pub mod random_access_file_reader;
pub mod rate_limited_file;
pub mod rate_limiter;
pub mod read_gate;
pub mod read_latency;
pub mod readahead;
mod running_sync;
pub mod thread_pool;
pub mod thread_status;
pub mod tracked_file;

pub use allocator::allocator_idle_bytes;
pub use batch_read::{BatchRead, QueuedFile, read_batch};
pub use clock::{ManualClock, SystemClock, WallClock, thread_cpu_micros};
pub use counted_file::{
    CountedFileKind, CountedRandomAccessFile, CountedWritableFile, ReadCounting, ReadGroup,
};
pub use counted_rate_limiter::CountedRateLimiter;
pub use device_limits::{DeviceLimits, device_limits, effective_readahead};
pub use event_logger::{EventLogger, JsonObject, JsonValue};
pub use fault_injection_fs::{FaultInjectionFileSystem, FaultPlan};
pub use file_system::{
    AccessPattern, Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile,
    WritableFile,
};
pub use file_util::{create_dir_all, parent_directory, read_file_to_vec, write_file_atomically};
pub use host_name::{host_name, open_files_limit};
pub use io_ring::{allow_io_uring, has_io_uring};
pub use logger::{
    InfoLogLevel, InfoLogOptions, LogBuffer, Logger, NullLogger, create_logger_from_options,
    line_time_micros, time_text,
};
pub use mem_fs::MemFileSystem;
pub use observed_fs::{
    FileObserver, FileOperationInfo, FileOperationType, IoErrorInfo, ObservedFileSystem,
};
pub use posix::{
    PosixFileSystem, default_file_system, file_buffer_bytes, kept_buffer_bytes, mapped_file_bytes,
};
pub use random_access_file_reader::{read_exact_at, read_exact_into};
pub use rate_limited_file::RateLimitedWritableFile;
pub use rate_limiter::{GenericRateLimiter, IoPriority, RateLimiter, RateLimiterOptions};
pub use read_gate::{ReadGate, ReadLimit, ReadTerms};
pub use read_latency::ReadLatency;
pub use readahead::{Readahead, ReadaheadOptions, SequentialPrefetcher};
pub use running_sync::{RunningSync, sync_and_close};
pub use thread_pool::{BackgroundJobLimits, Priority, ThreadPool};
pub use thread_status::{ThreadStatus, thread_list};
pub use tracked_file::TrackedFile;
