//! What is done to files, for listeners that want to know.

use crate::event_listener::EventListener;
use env::{
    FileObserver, FileOperationInfo, FileOperationType, FileSystem, IoErrorInfo, ObservedFileSystem,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Tells listeners. They are called at once, in the middle of whatever is done to the file.
#[derive(Debug)]
struct Watchers(Vec<Arc<dyn EventListener>>);

impl Watchers {
    fn each(&self, call: impl Fn(&dyn EventListener)) {
        for listener in &self.0 {
            // What a listener does is no reason to fail an operation that succeeded.
            let _ = catch_unwind(AssertUnwindSafe(|| call(&**listener)));
        }
    }
}

impl FileObserver for Watchers {
    fn on_file_operation(&self, info: &FileOperationInfo<'_>) {
        self.each(|listener| match info.operation {
            FileOperationType::Read | FileOperationType::Verify => {
                listener.on_file_read_finish(info);
            }
            FileOperationType::Write
            | FileOperationType::Append
            | FileOperationType::PositionedAppend => listener.on_file_write_finish(info),
            FileOperationType::Flush => listener.on_file_flush_finish(info),
            FileOperationType::Sync | FileOperationType::Fsync => {
                listener.on_file_sync_finish(info);
            }
            FileOperationType::RangeSync => listener.on_file_range_sync_finish(info),
            FileOperationType::Truncate => listener.on_file_truncate_finish(info),
            FileOperationType::Close => listener.on_file_close_finish(info),
            // Told only as an error.
            FileOperationType::Open => {}
        });
    }

    fn on_io_error(&self, info: &IoErrorInfo<'_>) {
        self.each(|listener| listener.on_io_error(info));
    }
}

/// The file system, watched where a listener wants that.
pub(crate) fn watched(
    file_system: &Arc<dyn FileSystem>,
    listeners: &[Arc<dyn EventListener>],
) -> Arc<dyn FileSystem> {
    let wants = |listener: &&Arc<dyn EventListener>| listener.should_be_notified_on_file_io();
    let watchers: Vec<_> = listeners.iter().filter(wants).cloned().collect();
    match watchers.is_empty() {
        true => file_system.clone(),
        false => {
            Arc::new(ObservedFileSystem::new(file_system.clone(), Arc::new(Watchers(watchers))))
        }
    }
}
