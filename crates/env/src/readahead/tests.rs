use super::*;
use crate::{FileOptions, FileSystem, PosixFileSystem};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BLOCK: u64 = 4096;

#[test]
fn the_third_sequential_read_starts_it_and_windows_double() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    let windows: Vec<_> = (0..200)
        .filter_map(|i| readahead.next_window(i * BLOCK, BLOCK).map(|window| (i, window)))
        .collect();
    let kb = |start: u64, end: u64| (start << 10)..(end << 10);
    assert_eq!(windows[0], (2, kb(8, 20)), "block 2 and 8 KiB beyond");
    let sizes: Vec<u64> =
        windows.iter().map(|(_, window)| (window.end - window.start) >> 10).collect();
    // The later ones also make up for what was read since the last.
    assert_eq!(sizes[..6], [12, 16, 32, 64, 128, 256]);
    assert!(sizes[6..].iter().all(|&size| size == 256), "{sizes:?}");
    for ((_, before), (block, window)) in windows.iter().zip(&windows[1..]) {
        assert_eq!(window.start, before.end, "nothing twice, nothing left out");
        let left = before.end - (block + 1) * BLOCK;
        assert!(left > 0 && left < before.end - before.start, "asked for in time: {left} left");
    }
}

#[test]
fn a_scan_backward_has_its_windows_before_it() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    let windows: Vec<_> = (0..200)
        .rev()
        .filter_map(|i| readahead.next_window(i * BLOCK, BLOCK).map(|window| (i, window)))
        .collect();
    let kb = |start: u64, end: u64| (start << 10)..(end << 10);
    assert_eq!(windows[0], (197, kb(197 * 4 - 8, 198 * 4)), "block 197 and 8 KiB before");
    let sizes: Vec<u64> =
        windows.iter().map(|(_, window)| (window.end - window.start) >> 10).collect();
    assert_eq!(sizes, [12, 16, 32, 64, 128, 256, 256, 28], "as forward, up to the file's start");
    for ((_, before), (block, window)) in windows.iter().zip(&windows[1..]) {
        assert_eq!(window.end, before.start, "nothing twice, nothing left out");
        let left = block * BLOCK - before.start;
        assert!(left > 0 && left < before.end - before.start, "asked for in time: {left} left");
    }
}

#[test]
fn a_scan_that_turns_round_starts_over() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    let mut windows = |blocks: &mut dyn Iterator<Item = u64>| {
        let windows = blocks.filter_map(|i| readahead.next_window(i * BLOCK, BLOCK));
        windows.collect::<Vec<_>>()
    };
    assert_eq!(windows(&mut (0..20)).len(), 4);
    assert!(windows(&mut (18..19)).is_empty(), "the second of two");
    assert_eq!(windows(&mut (17..18)), vec![17 * BLOCK - (8 << 10)..18 * BLOCK]);
    assert_eq!(windows(&mut (0..17).rev()).len(), 3);
    assert!(windows(&mut [1, 0, 1, 0].into_iter()).is_empty(), "to and fro is no scan");
}

#[test]
fn cached_blocks_are_no_jump_backward() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    assert_eq!(readahead.next_window(9 * BLOCK, BLOCK), None);
    readahead.note_cached(8 * BLOCK, BLOCK);
    assert_eq!(readahead.next_window(7 * BLOCK, BLOCK), None);
    readahead.note_cached(6 * BLOCK, BLOCK);
    readahead.note_cached(999 * BLOCK, BLOCK);
    assert!(readahead.next_window(5 * BLOCK, BLOCK).is_some());
}

#[test]
fn a_jump_starts_over() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    let mut reads = |from: u64, count: u64| {
        let windows = (from..from + count).filter_map(|i| readahead.next_window(i * BLOCK, BLOCK));
        windows.collect::<Vec<_>>()
    };
    assert_eq!(reads(0, 20).len(), 4);
    assert!(reads(1000, 2).is_empty());
    assert_eq!(reads(1002, 1), vec![1002 * BLOCK..1003 * BLOCK + (8 << 10)]);
    assert!(reads(10, 1).is_empty(), "backwards too");
    for i in [7, 3, 900, 17] {
        assert!(reads(i, 2).is_empty(), "pairs are no scan");
    }
}

#[test]
fn cached_blocks_are_no_jump() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    assert_eq!(readahead.next_window(0, BLOCK), None);
    readahead.note_cached(BLOCK, BLOCK);
    assert_eq!(readahead.next_window(2 * BLOCK, BLOCK), None);
    readahead.note_cached(3 * BLOCK, BLOCK);
    readahead.note_cached(999 * BLOCK, BLOCK);
    assert!(readahead.next_window(4 * BLOCK, BLOCK).is_some());
}

#[test]
fn nothing_is_wanted_beyond_the_end() {
    let mut readahead = Readahead::new(&ReadaheadOptions::default());
    readahead.set_end(5 * BLOCK);
    let windows: Vec<_> = (0..5).filter_map(|i| readahead.next_window(i * BLOCK, BLOCK)).collect();
    assert_eq!(windows, vec![2 * BLOCK..5 * BLOCK]);
    let mut readahead = Readahead::new(&ReadaheadOptions::fixed(1 << 20));
    readahead.set_end(100);
    assert_eq!(readahead.next_window(0, 10), Some(0..100));
    assert_eq!(readahead.next_window(10, 90), None);
    assert_eq!(readahead.next_window(100, 50), None, "past the end");
}

#[test]
fn fixed_sizes_and_none() {
    let mut readahead = Readahead::new(&ReadaheadOptions::fixed(100));
    assert_eq!(readahead.next_window(5000, 10), Some(5000..5110));
    assert_eq!(readahead.next_window(5010, 10), None);
    assert_eq!(readahead.next_window(5020, 60), Some(5110..5210));
    assert_eq!(readahead.next_window(0, 10), Some(0..110));

    let off = [
        ReadaheadOptions::none(),
        ReadaheadOptions { initial_size: 0, ..Default::default() },
        ReadaheadOptions { max_size: 0, ..Default::default() },
    ];
    for options in off {
        let mut readahead = Readahead::new(&options);
        assert!((0..100).all(|i| readahead.next_window(i * BLOCK, BLOCK).is_none()));
    }
    let small = ReadaheadOptions { max_size: 1000, ..Default::default() };
    let mut readahead = Readahead::new(&small);
    let window = (0..3).find_map(|i| readahead.next_window(i * BLOCK, BLOCK)).unwrap();
    assert_eq!(window.end - window.start, BLOCK + 1000);
}

#[test]
fn offsets_at_the_limit_of_numbers() {
    let mut readahead = Readahead::new(&ReadaheadOptions::fixed(u64::MAX));
    assert_eq!(readahead.next_window(u64::MAX - 10, 5), Some(u64::MAX - 10..u64::MAX));
    assert_eq!(readahead.next_window(u64::MAX - 5, 500), None);
    assert_eq!(readahead.next_window(u64::MAX, u64::MAX), None);
}

/// Counts what reaches the file.
#[derive(Debug)]
struct Recorder {
    file: Arc<dyn RandomAccessFile>,
    direct: bool,
    readahead_max: u64,
    reads: Mutex<Vec<(u64, usize)>>,
    prefetches: Mutex<Vec<(u64, u64)>>,
}

impl Recorder {
    fn new(path: &Path, direct: bool) -> Self {
        // The page cache serves both: what counts is what is asked of the file.
        let file = PosixFileSystem.new_random_access_file(path, &FileOptions::default()).unwrap();
        let (reads, prefetches) = (Mutex::default(), Mutex::default());
        Self { file, direct, readahead_max: u64::MAX, reads, prefetches }
    }

    /// On a device that takes so many bytes at once.
    fn on_device(path: &Path, direct: bool, readahead_max: u64) -> Self {
        Self { readahead_max, ..Self::new(path, direct) }
    }
}

impl RandomAccessFile for Recorder {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.reads.lock().push((offset, buffer.len()));
        self.file.read_at(offset, buffer)
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn prefetch(&self, offset: u64, count: u64) {
        self.prefetches.lock().push((offset, count));
        self.file.prefetch(offset, count);
    }

    fn readahead_max(&self) -> u64 {
        self.readahead_max
    }

    fn use_direct_io(&self) -> bool {
        self.direct
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

/// A file whose bytes differ, and these.
fn sample_file(directory: &Path) -> (PathBuf, Vec<u8>) {
    let path = directory.join("000009.sst");
    let content: Vec<u8> = (0..1_500_001_u32).map(|i| (i / 5 + i * 31) as u8).collect();
    std::fs::write(&path, &content).unwrap();
    (path, content)
}

/// Reads the whole file in odd pieces and compares.
fn scan(prefetcher: &mut SequentialPrefetcher, file: &Recorder, content: &[u8]) {
    let mut offset = 0;
    for length in [4101, 1, 3999, 8000, 77].into_iter().cycle() {
        let mut buffer = b"before".to_vec();
        let count = prefetcher.read_append(file, offset as u64, length, &mut buffer).unwrap();
        assert!(buffer[..6] == *b"before" && buffer.len() == 6 + count, "at {offset}");
        assert!(buffer[6..] == content[offset..offset + count], "at {offset}");
        offset += count;
        if count < length {
            break;
        }
    }
    assert_eq!(offset, content.len());
}

#[test]
fn a_scan_reads_the_same_and_asks_less_often() {
    let directory = tempfile::tempdir().unwrap();
    let (path, content) = sample_file(directory.path());

    let buffered = Recorder::new(&path, false);
    scan(&mut SequentialPrefetcher::new(&ReadaheadOptions::default()), &buffered, &content);
    assert!(buffered.reads.lock().len() > 400, "every read goes to the page cache");
    assert!((5..15).contains(&buffered.prefetches.lock().len()));

    let direct = Recorder::new(&path, true);
    scan(&mut SequentialPrefetcher::new(&ReadaheadOptions::default()), &direct, &content);
    assert!(direct.prefetches.lock().is_empty());
    let reads = direct.reads.lock();
    assert!((5..20).contains(&reads.len()), "{reads:?}");
    assert!(reads.iter().skip(2).all(|(offset, _)| offset % BLOCK == 0 || *offset > 1_490_000));
}

/// As [`scan`], from the end to the start.
fn scan_backward(prefetcher: &mut SequentialPrefetcher, file: &Recorder, content: &[u8]) {
    let mut end = content.len();
    for length in [4101, 1, 3999, 8000, 77].into_iter().cycle() {
        let start = end.saturating_sub(length);
        let mut buffer = b"before".to_vec();
        let count = prefetcher.read_append(file, start as u64, end - start, &mut buffer).unwrap();
        assert!(buffer[..6] == *b"before" && count == end - start, "at {start}");
        assert!(buffer[6..] == content[start..end], "at {start}");
        if start == 0 {
            break;
        }
        end = start;
    }
}

#[test]
fn a_scan_backward_reads_the_same_and_asks_less_often() {
    let directory = tempfile::tempdir().unwrap();
    let (path, content) = sample_file(directory.path());
    for limit in [u64::MAX, 128 << 10, (64 << 10) + 100] {
        let buffered = Recorder::on_device(&path, false, limit);
        let mut prefetcher = SequentialPrefetcher::new(&ReadaheadOptions::default());
        scan_backward(&mut prefetcher, &buffered, &content);
        assert!(buffered.reads.lock().len() > 400, "every read goes to the page cache");
        let windows = buffered.prefetches.into_inner();
        assert!((5..30).contains(&windows.len()), "{limit} {windows:?}");
        for (before, window) in windows.iter().zip(&windows[1..]) {
            assert_eq!(window.0 + window.1, before.0, "nothing twice, nothing left out");
        }
        assert!(windows.iter().all(|window| window.1 <= limit), "{limit} {windows:?}");

        for options in [ReadaheadOptions::default(), ReadaheadOptions::fixed(100_000)] {
            let direct = Recorder::on_device(&path, true, limit);
            scan_backward(&mut SequentialPrefetcher::new(&options), &direct, &content);
            assert!(direct.prefetches.lock().is_empty());
            let reads = direct.reads.into_inner();
            assert!((5..40).contains(&reads.len()), "{limit} {reads:?}");
            assert!(reads.iter().all(|read| read.1 as u64 <= limit), "{limit} {reads:?}");
            let whole = reads.iter().skip(2).all(|(offset, length)| {
                offset.is_multiple_of(BLOCK) && (*length as u64).is_multiple_of(BLOCK)
            });
            assert!(whole, "{limit} {reads:?}");
        }
    }
}

#[test]
fn direct_point_reads_fetch_nothing_more() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000009.sst");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    let file = Recorder::new(&path, true);
    let mut prefetcher = SequentialPrefetcher::new(&ReadaheadOptions::default());
    for offset in [500_000, 1000, 900_000, 30_000] {
        assert_eq!(prefetcher.read_append(&file, offset, 100, &mut Vec::new()).unwrap(), 100);
    }
    assert_eq!(*file.reads.lock(), [(500_000, 100), (1000, 100), (900_000, 100), (30_000, 100)]);
}

#[test]
fn a_large_readahead_takes_no_more_than_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000009.sst");
    std::fs::write(&path, vec![7; 10_000]).unwrap();
    let file = Recorder::new(&path, true);
    let mut prefetcher = SequentialPrefetcher::new(&ReadaheadOptions::fixed(1 << 40));
    assert_eq!(prefetcher.read_append(&file, 0, 100, &mut Vec::new()).unwrap(), 100);
    assert_eq!(*file.reads.lock(), [(0, 12_288)]);
    assert_eq!(prefetcher.read_append(&file, 9_990, 100, &mut Vec::new()).unwrap(), 10);
}

#[test]
fn no_window_is_larger_than_what_the_devices_take() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000010.sst");
    let content: Vec<u8> = (0..3_000_001_u32).map(|i| (i / 7 + i * 29) as u8).collect();
    std::fs::write(&path, &content).unwrap();
    for limit in [128_u64 << 10, 512 << 10, 1280 << 10, 4096 << 10] {
        for option in [96_u64 << 10, 512 << 10, 1 << 20, 2 << 20] {
            let (most, least) = (limit.min(option + 8000), limit.min(option) / 2);
            let buffered = Recorder::on_device(&path, false, limit);
            scan(
                &mut SequentialPrefetcher::new(&ReadaheadOptions::fixed(option)),
                &buffered,
                &content,
            );
            let windows = buffered.prefetches.into_inner();
            assert!(windows.iter().all(|window| window.1 <= most), "{limit} {option} {windows:?}");
            let (full, _) = windows.split_at(windows.len() - 1);
            assert!(full.iter().all(|window| window.1 >= least), "{limit} {option} {windows:?}");
            for (before, window) in windows.iter().zip(&windows[1..]) {
                assert_eq!(window.0, before.0 + before.1, "nothing twice, nothing left out");
            }

            let direct = Recorder::on_device(&path, true, limit);
            scan(
                &mut SequentialPrefetcher::new(&ReadaheadOptions::fixed(option)),
                &direct,
                &content,
            );
            let reads = direct.reads.into_inner();
            assert!(reads.iter().all(|read| read.1 as u64 <= limit), "{limit} {option} {reads:?}");
            let mean = reads.iter().map(|read| read.1 as u64).sum::<u64>() / reads.len() as u64;
            assert!(mean >= 64 << 10, "{limit} {option}: {mean} bytes at once");
        }
    }
}
