use super::*;

fn read(kind: BlockKind, file_number: u64, level: usize) {
    note(BlockRead { kind, file_number, level: Some(level) });
}

#[test]
fn files_of_level_0_are_levels_of_their_own() {
    let reads = BatchReads::begin();
    read(BlockKind::Data, 9, 0);
    read(BlockKind::Filter, 8, 0);
    read(BlockKind::Data, 8, 0);
    read(BlockKind::Data, 3, 2);
    read(BlockKind::Index, 3, 2);
    read(BlockKind::Filter, 3, 2);
    read(BlockKind::Data, 3, 2);
    read(BlockKind::Data, 4, 2);
    let level = |meta_blocks, files| LevelReads { meta_blocks, files };
    let mut levels = reads.by_level();
    assert_eq!(levels.pop(), Some(level(2, 2)));
    levels.sort_by_key(|level| level.meta_blocks);
    assert_eq!(levels, [level(0, 1), level(1, 1)]);
}

#[test]
fn dictionaries_and_what_nobody_asks_for_are_not_noted() {
    read(BlockKind::Data, 9, 0);
    let reads = BatchReads::begin();
    assert_eq!(reads.by_level(), []);
    read(BlockKind::CompressionDictionary, 9, 1);
    assert_eq!(reads.by_level(), [LevelReads::default()]);
    drop(reads);
    read(BlockKind::Data, 9, 1);
    assert_eq!(BatchReads::begin().by_level(), []);
}
