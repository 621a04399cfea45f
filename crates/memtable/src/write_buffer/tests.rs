use super::*;

/// How many records of these sizes a memtable takes until it is full.
fn entries_until_full(options: &MemTableOptions, key_size: usize, value_size: usize) -> u64 {
    let mut account = ArenaAccount::new(options, 0);
    let buffer = WriteBuffer::new(options, &account);
    let size = encoded_size(&vec![0; key_size], &vec![0; value_size]);
    let mut entries = 0;
    while !buffer.is_full() {
        account.add(size, false);
        buffer.publish(&account);
        entries += 1;
    }
    entries
}

#[test]
fn a_record_larger_than_a_block_has_one_of_its_own() {
    let options = MemTableOptions { write_buffer_size: 1 << 20, ..MemTableOptions::default() };
    let mut account = ArenaAccount::new(&options, 0);
    let unused = account.unused;
    account.add(40 << 10, false);
    assert_eq!((account.unused, account.allocated), (unused, 2048 + (40 << 10) + 8));
    let buffer = WriteBuffer::new(&options, &account);
    assert!(!buffer.is_full());
    account.add(2 << 20, false);
    buffer.publish(&account);
    assert!(buffer.is_full());
}

#[test]
fn blocks_are_an_eighth_and_a_mebibyte_at_most() {
    let with = |write_buffer_size, arena_block_size| {
        block_size(&MemTableOptions { write_buffer_size, arena_block_size, ..Default::default() })
    };
    assert_eq!(with(64 << 20, 0), 1 << 20);
    assert_eq!(with(8_000_000, 0), 1_003_520);
    assert_eq!(with(64 << 10, 0), 8 << 10);
    assert_eq!(with(1, 0), 4 << 10);
    assert_eq!(with(64 << 20, 5000), 5008);
    assert_eq!(with(64 << 20, 1), 4 << 10);
}

#[test]
fn vectors_count_a_pointer_for_each_record() {
    let options = MemTableOptions {
        rep: MemTableRepKind::Vector { reserve: 0 },
        ..MemTableOptions::default()
    };
    let entries = entries_until_full(&options, 16, 100);
    // 126 bytes and a pointer each; the last block is filled to three quarters.
    let expected = ((64 << 20) - (256 << 10)) / 134;
    assert!(entries.abs_diff(expected) < expected / 100, "{entries}, not {expected}");
}
