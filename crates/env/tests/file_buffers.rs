//! What the buffers of open files take: alone in a process, for it is counted for all of that.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use env::{FileOptions, WritableFile, default_file_system, file_buffer_bytes, kept_buffer_bytes};

/// Three files that are written, each with so many bytes that are in its buffer.
fn files(directory: &std::path::Path, options: &FileOptions) -> Option<Vec<Box<dyn WritableFile>>> {
    let files = (0..3).map(|number| {
        let path = directory.join(format!("{number}-{}", options.use_direct_writes));
        let mut file = default_file_system().new_writable_file(&path, options).ok()?;
        file.append(&[1; 100 << 10]).unwrap();
        Some(file)
    });
    files.collect()
}

#[test]
fn buffers_count_as_long_as_their_file_is_open() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(file_buffer_bytes(), 0);
    for use_direct_writes in [false, true] {
        let options = FileOptions {
            use_direct_writes,
            writable_file_max_buffer_size: 256 << 10,
            ..FileOptions::default()
        };
        let Some(files) = files(directory.path(), &options) else {
            assert!(use_direct_writes);
            println!("skipped: no direct I/O here");
            return;
        };
        let open = file_buffer_bytes();
        assert!((300 << 10..=768 << 10).contains(&open), "{open}, direct: {use_direct_writes}");
        let idle = kept_buffer_bytes();
        files.into_iter().for_each(|file| file.close().unwrap());
        assert_eq!(file_buffer_bytes(), 0, "direct: {use_direct_writes}");
        // They are left for others.
        assert!(kept_buffer_bytes() > idle);
    }
}
