use super::*;
use crate::huge_pages::collapse::{Refusal, collapse, is_possible};
use crate::huge_pages::regions::{Region, SIZE};
use host::HugePages;
use memmap2::MmapMut;
use parking_lot::Mutex;
use std::iter::repeat_with;
use std::time::Duration;

/// Only one counts huge pages of the process at a time, while no other has some.
static ALONE: Mutex<()> = Mutex::new(());

/// As much memory as two whole regions are in, touched, and the first of them.
fn two_regions() -> (MmapMut, Region) {
    let mut memory = MmapMut::map_anon(3 * SIZE).unwrap();
    memory.iter_mut().zip((0..251u8).cycle()).for_each(|(byte, value)| *byte = value);
    let first = Region(memory.as_ptr().addr().div_ceil(SIZE));
    (memory, first)
}

/// Kilobytes of huge pages that the process has.
fn huge_kilobytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Joins a region; tried again while others are at its pages. A kernel that is emulated may say yes to everything.
fn join(region: Region) -> bool {
    let before = huge_kilobytes();
    let tried_again = repeat_with(|| collapse(region)).take(20).any(|outcome| {
        thread::sleep(Duration::from_millis(if outcome.is_ok() { 0 } else { 10 }));
        outcome.is_ok()
    });
    tried_again && huge_kilobytes() > before
}

/// Whether this system joins a region at all; says that it is left if not.
fn joins() -> bool {
    // Where all get them memory is in huge pages before anybody asks.
    let joins = is_possible() && HugePages::of_system() == Some(HugePages::Madvise) && {
        let (_memory, region) = two_regions();
        join(region)
    };
    if !joins {
        eprintln!("skipped: no huge pages here, or none for the asking");
    }
    joins
}

#[test]
#[cfg_attr(miri, ignore = "the system is asked")]
fn a_region_is_joined_with_what_is_in_it() {
    let _alone = ALONE.lock();
    if !joins() {
        return;
    }
    let (memory, first) = two_regions();
    assert!(join(first));
    assert_eq!(collapse(first), Ok(()), "it is in one page already");
    assert!(memory.iter().zip((0..251u8).cycle()).all(|(byte, value)| *byte == value));
    // Where nothing is there is nothing to join, and where nothing was touched yet neither.
    assert_eq!(collapse(Region(1)), Err(Refusal::ThisRegion));
    let mut untouched = MmapMut::map_anon(3 * SIZE).unwrap();
    let region = Region(untouched.as_ptr().addr().div_ceil(SIZE));
    let start = region.start() - untouched.as_ptr().addr();
    untouched[start..start + SIZE / 4 * 3].fill(1);
    assert_eq!(collapse(region), Err(Refusal::ThisRegion));
    // The end tells that it is the end of something.
    untouched[start..start + SIZE - 4096].fill(1);
    assert_eq!(collapse(region), Err(Refusal::ThisRegion));
    untouched[start..start + SIZE].fill(1);
    assert!(join(region));
}

#[test]
#[cfg_attr(miri, ignore = "the system is asked")]
fn memory_that_stays_is_joined_while_it_is_read_and_written() {
    const PIECES: usize = 8000;
    const PIECE_BYTES: usize = 4200;
    let _alone = ALONE.lock();
    if !joins() {
        return;
    }
    let mut pieces: Vec<Vec<u8>> = (0..PIECES).map(|n| vec![n as u8; PIECE_BYTES]).collect();
    let huge = huge_kilobytes().unwrap();
    pieces.iter().for_each(|piece| begin_lasting(piece.as_ptr(), piece.len()));
    if FastPath::HugePages.is_on() {
        // Each byte is one more after each round.
        let rounds = repeat_with(|| {
            pieces.iter_mut().flatten().for_each(|byte| *byte = byte.wrapping_add(1));
            joined_bytes()
        });
        // A quarter, where others leave few huge pages.
        let (began, most) = (Instant::now(), PIECES * PIECE_BYTES / 4);
        let waits = |joined: &usize| *joined < most && began.elapsed() < Duration::from_secs(60);
        let rounds = 1 + rounds.take_while(waits).count();
        assert!(joined_bytes() >= most, "{} of {most} are joined", joined_bytes());
        let more = huge_kilobytes().unwrap().saturating_sub(huge);
        assert!(more >= most / 1024, "{more} more");
        for (n, piece) in pieces.iter().enumerate() {
            assert!(piece.iter().all(|byte| *byte == (n + rounds) as u8), "piece {n}");
        }
    }
    assert_eq!(has_thread(), FastPath::HugePages.is_on());
    pieces.iter().for_each(|piece| end_lasting(piece.as_ptr(), piece.len()));
    assert_eq!((joined_bytes(), REGIONS.bytes()), (0, 0));
}

/// Whether the thread is there.
fn has_thread() -> bool {
    let names = std::fs::read_dir("/proc/self/task").unwrap().map(|entry| {
        std::fs::read_to_string(entry.unwrap().path().join("comm")).unwrap_or_default()
    });
    names.into_iter().any(|name| name.trim() == THREAD_NAME)
}
