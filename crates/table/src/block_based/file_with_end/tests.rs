use super::*;
use base::Status;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Byte `n` is `n`, modulo 251; counts reads.
#[derive(Debug)]
struct Numbered {
    size: u64,
    reads: AtomicUsize,
}

impl RandomAccessFile for Numbered {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let count = self.size.saturating_sub(offset).min(buffer.len() as u64);
        for (at, byte) in buffer.iter_mut().enumerate().take(count as usize) {
            *byte = ((offset + at as u64) % 251) as u8;
        }
        Ok(count as usize)
    }

    fn size(&self) -> Result<u64> {
        Err(Status::not_supported("nobody asks"))
    }

    fn path(&self) -> &Path {
        Path::new("/db/000009.sst")
    }
}

#[test]
fn reads_are_those_of_the_file_wherever_they_begin_and_end() {
    for (size, said) in [(10_000, 10_000), (100, 100), (9_000, 10_000), (0, 0)] {
        let file = Arc::new(Numbered { size, reads: AtomicUsize::new(0) });
        let with_end = FileWithEnd::read(file.clone(), said).unwrap();
        for offset in [0, 50, 5_900, 5_904, 8_000, 9_999, 10_000, u64::MAX] {
            for length in [0, 1, 96, 4_096, 9_000] {
                let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
                let found = RandomAccessFile::read_at(&with_end, offset, &mut ours).unwrap();
                let expected = file.read_at(offset, &mut theirs).unwrap();
                let mut appended = vec![7];
                let count = with_end.read_append(offset, length, &mut appended).unwrap();
                assert_eq!((count, appended.split_off(1)), (found, ours[..found].to_vec()));
                assert_eq!((found, ours), (expected, theirs), "{length} at {offset} of {size}");
            }
        }
    }
}

#[test]
fn the_end_is_read_once() {
    let file = Arc::new(Numbered { size: 10_000, reads: AtomicUsize::new(0) });
    let with_end = FileWithEnd::read(file.clone(), 10_000).unwrap();
    for offset in (10_000 - END_SIZE)..9_900 {
        assert_eq!(RandomAccessFile::read_at(&with_end, offset, &mut [0; 100]).unwrap(), 100);
    }
    assert_eq!(file.reads.load(Ordering::Relaxed), 1);
}
