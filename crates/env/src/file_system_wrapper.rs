//! File systems and files that pass on to another what they do not do themselves
//! (`FileSystemWrapper`, `FSWritableFileWrapper` and so on).
//!
//! Whoever wants to change one operation implements the wrapper's trait: it names the other file
//! system and the operations that differ. The rest follows, also operations that come later.

use crate::file_system::{
    AccessPattern, Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile,
    WritableFile,
};
use base::Result;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// From a list of operations: a trait of which each has a default that passes it on, and the wrapped
/// trait for all that implement it.
macro_rules! wrapper {
    (
        $(#[$doc:meta])*
        pub trait $wrapper:ident: $($bound:path)|+ => $wrapped:ident {
            $( @to { $($to:tt)* } )*
            $( fn $name:ident($this:ident: $self:ty $(, $argument:ident: $type:ty)*)
                $(-> $result:ty)? = $target:ident; )*
        }
    ) => {
        $(#[$doc])*
        pub trait $wrapper: fmt::Debug $(+ $bound)+ {
            $( $($to)* )*
            $(
                #[doc = concat!("As [`", stringify!($wrapped), "::", stringify!($name), "`].")]
                fn $name($this: $self $(, $argument: $type)*) $(-> $result)? {
                    $this.$target().$name($($argument),*)
                }
            )*
        }

        impl<T: $wrapper> $wrapped for T {
            $(
                fn $name($this: $self $(, $argument: $type)*) $(-> $result)? {
                    <T as $wrapper>::$name($this $(, $argument)*)
                }
            )*
        }
    };
}

wrapper! {
    /// A file system on top of another.
    pub trait FileSystemWrapper: Send | Sync => FileSystem {
        @to {
            /// The file system below.
            fn target(&self) -> &dyn FileSystem;
        }
        fn new_sequential_file(self: &Self, path: &Path, options: &FileOptions)
            -> Result<Box<dyn SequentialFile>> = target;
        fn new_random_access_file(self: &Self, path: &Path, options: &FileOptions)
            -> Result<Arc<dyn RandomAccessFile>> = target;
        fn new_writable_file(self: &Self, path: &Path, options: &FileOptions)
            -> Result<Box<dyn WritableFile>> = target;
        fn reopen_writable_file(self: &Self, path: &Path, options: &FileOptions)
            -> Result<Box<dyn WritableFile>> = target;
        fn reuse_writable_file(
            self: &Self, new_path: &Path, old_path: &Path, options: &FileOptions
        ) -> Result<Box<dyn WritableFile>> = target;
        fn new_directory(self: &Self, path: &Path) -> Result<Box<dyn Directory>> = target;
        fn file_exists(self: &Self, path: &Path) -> Result<bool> = target;
        fn is_directory(self: &Self, path: &Path) -> Result<bool> = target;
        fn free_space(self: &Self, path: &Path) -> Result<u64> = target;
        fn get_children(self: &Self, path: &Path) -> Result<Vec<String>> = target;
        fn delete_file(self: &Self, path: &Path) -> Result<()> = target;
        fn create_dir(self: &Self, path: &Path) -> Result<()> = target;
        fn create_dir_if_missing(self: &Self, path: &Path) -> Result<()> = target;
        fn delete_dir(self: &Self, path: &Path) -> Result<()> = target;
        fn get_file_size(self: &Self, path: &Path) -> Result<u64> = target;
        fn get_file_modification_time(self: &Self, path: &Path) -> Result<u64> = target;
        fn rename_file(self: &Self, source: &Path, target_path: &Path) -> Result<()> = target;
        fn link_file(self: &Self, source: &Path, target_path: &Path) -> Result<()> = target;
        fn truncate(self: &Self, path: &Path, size: u64) -> Result<()> = target;
        fn sync_file(self: &Self, path: &Path) -> Result<()> = target;
        fn lock_file(self: &Self, path: &Path) -> Result<Box<dyn FileLock>> = target;
        fn expect_open_files(self: &Self, count: usize) = target;
    }
}

wrapper! {
    /// A file read from start to end, on top of another.
    pub trait SequentialFileWrapper: Send => SequentialFile {
        @to {
            /// The file below.
            fn target(&self) -> &dyn SequentialFile;
        }
        @to {
            /// The file below, to be read.
            fn target_mut(&mut self) -> &mut dyn SequentialFile;
        }
        fn read(self: &mut Self, buffer: &mut [u8]) -> Result<usize> = target_mut;
        fn skip(self: &mut Self, count: u64) -> Result<()> = target_mut;
        fn path(self: &Self) -> &Path = target;
    }
}

wrapper! {
    /// A file read anywhere, on top of another.
    pub trait RandomAccessFileWrapper: Send | Sync => RandomAccessFile {
        @to {
            /// The file below.
            fn target(&self) -> &dyn RandomAccessFile;
        }
        fn read_at(self: &Self, offset: u64, buffer: &mut [u8]) -> Result<usize> = target;
        fn size(self: &Self) -> Result<u64> = target;
        fn size_when_opened(self: &Self) -> Result<u64> = target;
        fn prefetch(self: &Self, offset: u64, count: u64) = target;
        fn hint(self: &Self, pattern: AccessPattern) = target;
        fn readahead_max(self: &Self) -> u64 = target;
        fn use_direct_io(self: &Self) -> bool = target;
        fn path(self: &Self) -> &Path = target;
    }
}

wrapper! {
    /// A written file on top of another.
    pub trait WritableFileWrapper: Send => WritableFile {
        @to {
            /// The file below.
            fn target(&self) -> &dyn WritableFile;
        }
        @to {
            /// The file below, to be written.
            fn target_mut(&mut self) -> &mut dyn WritableFile;
        }
        @to {
            /// The file below alone, to be closed.
            fn into_target(self: Box<Self>) -> Box<dyn WritableFile>;
        }
        fn append(self: &mut Self, bytes: &[u8]) -> Result<()> = target_mut;
        fn flush(self: &mut Self) -> Result<()> = target_mut;
        fn sync(self: &mut Self) -> Result<()> = target_mut;
        fn fsync(self: &mut Self) -> Result<()> = target_mut;
        fn sync_takes_time(self: &Self) -> bool = target;
        fn range_sync(self: &mut Self, offset: u64, nbytes: u64) -> Result<()> = target_mut;
        fn allocate(self: &mut Self, offset: u64, nbytes: u64) -> Result<()> = target_mut;
        fn size(self: &Self) -> u64 = target;
        fn mapped_size(self: &Self) -> Option<u64> = target;
        fn cut(self: &mut Self) -> Result<()> = target_mut;
        fn close(self: Box<Self>) -> Result<()> = into_target;
        fn path(self: &Self) -> &Path = target;
    }
}

#[cfg(test)]
mod tests;
