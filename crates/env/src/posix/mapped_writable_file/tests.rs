use super::*;
use crate::file_system::FileSystem;
use crate::posix::PosixFileSystem;
use crate::posix::tests::mappable_directory;

#[test]
fn windows_take_thousands_of_appends() {
    let sizes = [0, 1, 130, 174, 175, 440, 699, 700, 1 << 20, u64::MAX];
    let kib = sizes.map(|size| window_bytes_max(size) >> 10);
    assert_eq!(kib, [512, 512, 512, 512, 768, 1536, 2048, 2048, 2048, 2048]);
}

#[test]
fn windows_grow_with_what_is_appended() {
    let Some(directory) = mappable_directory() else { return };
    let options = FileOptions { use_mapped_writes: true, ..FileOptions::DEFAULT };
    for (append_bytes, largest) in [(100, 512 << 10), (440, 1536 << 10)] {
        let path = directory.path().join(format!("{append_bytes}.log"));
        let mut file = PosixFileSystem.new_writable_file(&path, &options).unwrap();
        let mut end = file.mapped_size().unwrap();
        let mut windows = vec![end];
        while file.size() < 8 << 20 {
            file.append(&vec![7; append_bytes]).unwrap();
            let now = file.mapped_size().unwrap();
            if now > end {
                windows.push(now - end);
                end = now;
            }
        }
        assert!(windows.is_sorted(), "{windows:?}");
        assert_eq!(windows.first_chunk(), Some(&[64 << 10, 128 << 10, 256 << 10]));
        assert_eq!(windows.last(), Some(&largest), "{windows:?}");
    }
}
