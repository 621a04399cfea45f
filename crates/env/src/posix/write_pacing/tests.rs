use super::*;

const MIB: u64 = 1 << 20;

#[test]
fn the_newest_megabyte_is_left_alone() {
    let mut ranges = RangeSyncs::new(MIB, 0);
    assert_eq!(ranges.next(0), None);
    assert_eq!(ranges.next(MIB), None);
    assert_eq!(ranges.next(2 * MIB - 1), None);
    assert_eq!(ranges.next(2 * MIB), Some((0, MIB)));
    assert_eq!(ranges.next(2 * MIB), None);
    // Ends of ranges are ends of pages.
    assert_eq!(ranges.next(3 * MIB + 5000), Some((MIB, MIB + 4096)));
    assert_eq!(ranges.next(4 * MIB + 4095), None);
    assert_eq!(ranges.next(4 * MIB + 4096), Some((2 * MIB + 4096, MIB)));
}

#[test]
fn few_bytes_per_sync_hand_over_page_by_page() {
    let mut ranges = RangeSyncs::new(1, 0);
    assert_eq!(ranges.next(MIB + 4095), None);
    assert_eq!(ranges.next(MIB + 4096), Some((0, 4096)));
    assert_eq!(ranges.next(MIB + 4097), None);
}

#[test]
fn a_reopened_file_does_not_start_over() {
    let mut ranges = RangeSyncs::new(MIB, 10 * MIB + 100);
    assert_eq!(ranges.next(11 * MIB), None);
    assert_eq!(ranges.next(12 * MIB), Some((10 * MIB, MIB)));
}

#[test]
fn files_to_be_synced_are_handed_over_early_unless_the_user_says_when() {
    let next = |bytes_per_sync: u64, is_synced_when_complete: bool| {
        let options =
            FileOptions { bytes_per_sync, is_synced_when_complete, ..FileOptions::DEFAULT };
        RangeSyncs::for_file(&options, 0).next(5 * MIB)
    };
    assert_eq!(next(0, false), None);
    assert_eq!(next(0, true), Some((0, 4 * MIB)));
    assert_eq!(next(8 * MIB, true), None);
}

#[test]
fn zero_is_never() {
    assert_eq!(RangeSyncs::new(0, 0).next(u64::MAX), None);
    let mut blocks = Preallocations::new(0, 77);
    assert_eq!(blocks.next(u64::MAX), None);
    assert_eq!(blocks.reserved_end(), None);
}

#[test]
fn room_is_reserved_in_whole_blocks() {
    let mut blocks = Preallocations::new(100, 0);
    assert_eq!(blocks.next(0), None);
    assert_eq!(blocks.reserved_end(), None);
    assert_eq!(blocks.next(1), Some((0, 100)));
    assert_eq!(blocks.next(100), None);
    assert_eq!(blocks.next(350), Some((100, 300)));
    assert_eq!(blocks.reserved_end(), Some(400));
    assert_eq!(blocks.next(u64::MAX), None, "no such file");
    blocks.stop();
    assert_eq!(blocks.next(500), None);
    assert_eq!(blocks.reserved_end(), Some(400), "still to be given back");
}

#[test]
fn a_reopened_file_reserves_from_the_block_of_its_end() {
    assert_eq!(Preallocations::new(100, 250).next(251), Some((200, 100)));
    let mut blocks = Preallocations::new(100, 300);
    assert_eq!(blocks.next(300), None);
    assert_eq!(blocks.next(301), Some((300, 100)));
}
