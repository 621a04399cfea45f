//! Which options are chosen.

use super::*;
use std::collections::BTreeSet;

/// A row that is never chosen would only look as if it were exercised.
#[test]
fn every_option_is_chosen() {
    let mut texts = BTreeSet::new();
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let style = style(&mut random);
        let family = family(&mut random, style);
        texts.insert(db(&mut random, &family, false));
        texts.insert(family);
    }
    let rows = FAMILY.iter().chain(TABLE).copied().flatten();
    let rows = rows.chain(DB).chain(WRITE_MODE).chain(STYLE).chain(MEMTABLES).chain(OWN);
    for option in rows {
        assert!(texts.iter().any(|text| text.contains(option)), "{option}");
    }
}

#[test]
fn rocksdb_is_told_of_nothing_that_it_does_not_know() {
    for (text, without) in [
        ("wal_io=mapped", ""),
        ("use_fsync=true;wal_io=write", "use_fsync=true"),
        ("wal_io=write;use_fsync=true", "use_fsync=true"),
        ("ttl=0;block_based_table_factory={keep_blocks_warm=false}", "ttl=0"),
        (
            "block_based_table_factory={block_size=64;keep_blocks_warm=false};ttl=0",
            "block_based_table_factory={block_size=64};ttl=0",
        ),
        ("block_based_table_factory={keep_blocks_warm=false}", ""),
        ("memtable_factory=vector", "memtable_factory=vector"),
    ] {
        assert_eq!(without_own(text), without);
    }
}
