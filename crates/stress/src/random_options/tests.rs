//! Tests of options by a seed.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use super::*;
use std::collections::BTreeSet;

/// A row that is never drawn would only look as if it were exercised.
#[test]
fn every_option_is_drawn_and_understood() {
    let (base, family_base) = (DbOptions::default(), ColumnFamilyOptions::default());
    let (mut texts, mut places) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let traits = Traits::new(&mut random);
        places.insert(format!("{:?} {}", traits.places, traits.has_wal_directory));
        let drawn = draw(&mut random, traits, Path::new("/db"), &base, &family_base).unwrap();
        texts.insert(drawn.text);
    }
    assert_eq!(places.len(), 6);
    let rows = DB.iter().chain(FAMILY).chain(TABLE).copied();
    let rows =
        rows.chain([WRITE_MODE, WRITE_BUFFER_SIZES, MODERN_FORMATS, STYLES, STALLS, MEMTABLES]);
    for option in rows.flatten() {
        assert!(texts.iter().any(|text| text.contains(option)), "{option}");
    }
}

#[test]
fn what_stays_is_the_same_in_every_draw() {
    let mut random = Random::new(3);
    let traits = Traits::new(&mut random);
    let (base, family_base) = (DbOptions::default(), ColumnFamilyOptions::default());
    let mut draw = || draw(&mut random, traits, Path::new("/db"), &base, &family_base).unwrap();
    let (first, second) = (draw(), draw());
    let names = |paths: &[DbPath]| paths.iter().map(|path| path.path.clone()).collect::<Vec<_>>();
    assert_eq!(first.options.wal_dir, second.options.wal_dir);
    assert_eq!(names(&first.options.db_paths), names(&second.options.db_paths));
    for (first, second) in first.families.iter().zip(&second.families) {
        assert_eq!(first.compaction_style, second.compaction_style);
        assert_eq!(first.num_levels, second.num_levels);
        assert_eq!(names(&first.cf_paths), names(&second.cf_paths));
    }
}
