use super::*;
use crate::arena::BLOCK_SIZE_MIN;
use crate::block_source::BlockSource;

const TRAILER: u64 = 0x1122_3344_5566_7788;

/// Sizes around those where a header has no room for lengths any more.
const KEY_SIZES: [usize; 7] = [0, 1, 16, 254, 255, 256, LARGE.0];
const VALUE_SIZES: [usize; 7] = [0, 1, 100, 255, 65_535, 65_536, LARGE.1];
/// Miri takes minutes for larger ones, and they are nothing new to it.
const LARGE: (usize, usize) = if cfg!(miri) { (300, 65_537) } else { (70_000, 300_000) };

fn bytes(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|index| (index * 7 + seed) as u8).collect()
}

#[test]
fn what_was_written_is_read_whatever_the_sizes_and_the_address() {
    let mut arena = ArenaWriter::new(BLOCK_SIZE_MIN, Record::ALIGNMENT, BlockSource::default());
    let held = arena.arena().clone();
    let mut records = Vec::new();
    for (index, key_size) in KEY_SIZES.into_iter().enumerate() {
        for value_size in VALUE_SIZES {
            let (user_key, value) = (bytes(key_size, index), bytes(value_size, index + 1));
            let record = Record::new(&mut arena, &user_key, TRAILER, &value);
            records.push((record, user_key, value));
        }
    }
    drop(arena);
    assert!(records.iter().any(|(record, ..)| !record.address().addr().is_multiple_of(4)));
    for (record, user_key, value) in &records {
        // SAFETY: the arena is held, and the records were made by this thread.
        let (key, read, size) = unsafe { (record.key(), record.value(), record.whole_size()) };
        assert_eq!(key, [&**user_key, &TRAILER.to_le_bytes()].concat());
        assert_eq!(read, value);
        assert_eq!(size, Record::size(user_key, value));
    }
    drop(held);
}

#[test]
fn three_bytes_are_added_to_short_keys_and_values_and_nine_to_long_ones() {
    let added = |key_size: usize, value_size: usize| {
        let size = Record::size(&vec![0; key_size], &vec![0; value_size]);
        size - key_size - TRAILER_SIZE - value_size
    };
    assert_eq!([added(0, 0), added(16, 100), added(254, 65_535)], [3; 3]);
    assert_eq!([added(255, 0), added(0, 65_536), added(255, 65_536)], [9; 3]);
}
