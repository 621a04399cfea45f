use super::*;
use record::LevelShape;

/// The first level below L0 of a tree with dynamic levels, as RocksDB computes it: levels below the last
/// one that has files are each `fanout` times smaller, until one fits `base`.
fn first_level(now: &FamilyShape, last: usize, base: f64, fanout: f64) -> (usize, f64) {
    let full = now.levels.iter().filter(|level| level.level > 0 && level.files > 0);
    let highest = full.map(|level| level.level).min().unwrap_or(last);
    let mut size = now.levels.iter().map(|level| level.bytes).max().unwrap_or(0) as f64;
    size /= fanout.powi((last - highest) as i32);
    let mut level = highest;
    if size <= base / fanout {
        return (level, base / fanout);
    }
    while level > 1 && size > base {
        (level, size) = (level - 1, size / fanout);
    }
    (level, size)
}

fn value(changes: &Changes, name: &str) -> f64 {
    let (_, text) = changes.iter().find(|(known, _)| *known == name).expect("it changes");
    text.parse().expect("a number")
}

#[test]
fn the_wanted_level_is_the_first_one_and_no_level_is_full() {
    let dynamic = ColumnFamilyOptions::default().level_compaction_dynamic_level_bytes(true);
    let level = |level, bytes| LevelShape { level, files: u64::from(bytes > 0), bytes };
    let trees = [
        (5, vec![level(0, 8 << 20), level(6, 454 << 20)]),
        (5, vec![level(0, 8 << 20), level(5, 40 << 20), level(6, 454 << 20)]),
        (4, vec![level(0, 8 << 20), level(5, 101 << 20), level(6, 820 << 20)]),
        (3, vec![level(4, 1 << 20), level(5, 8 << 20), level(6, 64 << 20)]),
    ];
    for (wanted, levels) in trees {
        let now = FamilyShape { levels, ..FamilyShape::default() };
        let changes = changes(&now, &dynamic, wanted).expect("it can be done");
        let base = value(&changes, "max_bytes_for_level_base");
        let fanout = value(&changes, "max_bytes_for_level_multiplier");
        let (first, size) = first_level(&now, 6, base, fanout);
        assert_eq!(first, wanted, "{now:?}");
        for level in now.levels.iter().filter(|level| (1..6).contains(&level.level)) {
            let room = size * fanout.powi((level.level - first) as i32);
            assert!((level.bytes as f64) < room / 2.0, "L{} has room for {room}", level.level);
        }
    }
}

#[test]
fn without_dynamic_levels_only_l1_can_be_filled() {
    let plain = ColumnFamilyOptions::default().level_compaction_dynamic_level_bytes(false);
    let now = FamilyShape::default();
    assert!(changes(&now, &plain, 1).is_ok());
    assert_eq!(changes(&now, &plain, 2).expect_err("it is below").code(), Code::NotSupported);
}
