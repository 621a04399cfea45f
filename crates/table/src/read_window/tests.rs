#![expect(clippy::panic_in_result_fn, reason = "checks pass on errors of setting up")]

use super::ReadWindow;
use base::Result;
use env::readahead::SequentialPrefetcher;
use env::{RandomAccessFile, ReadaheadOptions};
use std::path::Path;
use std::sync::Mutex;

/// A file that notes what is read of it.
#[derive(Debug)]
struct Noted {
    content: Vec<u8>,
    reads: Mutex<Vec<(u64, usize)>>,
}

impl Noted {
    fn new() -> Self {
        let content = (0..200_000_u32).map(|number| (number * 31 / 8) as u8).collect();
        Self { content, reads: Mutex::default() }
    }
}

impl RandomAccessFile for Noted {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.reads.lock().unwrap().push((offset, buffer.len()));
        let rest = self.content.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.content.len() as u64)
    }

    fn path(&self) -> &Path {
        Path::new("/db/000009.sst")
    }
}

fn prefetcher() -> SequentialPrefetcher {
    SequentialPrefetcher::new(&ReadaheadOptions::none())
}

/// Has the window hold a range as a scan does, and compares.
fn hold(window: &mut ReadWindow, file: &Noted, offset: u64, length: usize) -> Result<()> {
    if window.range_of(offset, length).end > window.bytes().len() {
        window.move_to(file, offset, length, &mut prefetcher())?;
    }
    let range = window.range_of(offset, length);
    let expected = &file.content[offset as usize..][..length];
    assert!(window.bytes()[range] == *expected, "{length} bytes at {offset}");
    Ok(())
}

#[test]
fn blocks_one_after_another_are_read_once_and_many_together() -> Result<()> {
    let file = Noted::new();
    let mut window = ReadWindow::new(190_000);
    let mut offset = 0;
    for length in [4101, 3000, 5, 70_000, 4099].into_iter().cycle() {
        if offset + length as u64 > 190_000 {
            break;
        }
        hold(&mut window, &file, offset, length)?;
        offset += length as u64;
    }
    let reads = file.reads.into_inner().unwrap();
    let mut next = 0;
    for &(offset, length) in &reads {
        assert_eq!(offset, next, "{reads:?}");
        next += length as u64;
    }
    assert_eq!(next, 190_000, "{reads:?}");
    assert!(reads.len() <= 6, "{reads:?}");
    Ok(())
}

#[test]
fn a_jump_leaves_what_is_between_unread() -> Result<()> {
    let file = Noted::new();
    let mut window = ReadWindow::new(200_000);
    hold(&mut window, &file, 1000, 10)?;
    hold(&mut window, &file, 150_000, 10)?;
    hold(&mut window, &file, 500, 10)?;
    let mut window = window.renew(600);
    hold(&mut window, &file, 500, 10)?;
    hold(&mut window, &file, 595, 20)?;
    let reads = [(1000, 65_536), (150_000, 50_000), (500, 65_536), (500, 100), (600, 15)];
    assert_eq!(*file.reads.lock().unwrap(), reads);
    Ok(())
}

#[test]
fn behind_the_end_of_the_file_there_is_nothing() -> Result<()> {
    let file = Noted::new();
    let mut window = ReadWindow::new(u64::MAX);
    window.move_to(&file, 199_990, 20, &mut prefetcher())?;
    assert_eq!(window.bytes(), &file.content[199_990..]);
    assert_eq!(window.range_of(199_990, 20), 0..20);
    window.move_to(&file, 300_000, 20, &mut prefetcher())?;
    assert_eq!(window.bytes(), b"");
    Ok(())
}
