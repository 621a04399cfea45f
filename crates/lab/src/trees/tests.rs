use super::*;
use crate::plan::Group;
use crate::summary::tests::campaign;
use record::LevelShape;
use std::collections::BTreeMap;

fn shape(memtable_entries: u64, levels: &[(usize, u64, u64)]) -> FamilyShape {
    let level = |&(level, files, bytes): &(usize, u64, u64)| LevelShape { level, files, bytes };
    FamilyShape {
        memtable_entries,
        levels: levels.iter().map(level).collect(),
        ..FamilyShape::default()
    }
}

#[test]
fn a_file_or_two_percent_is_the_same_tree_and_more_is_not() {
    let tree = shape(38_200, &[(0, 6, 3000), (6, 12, 90_000)]);
    assert!(is_like(&tree, &shape(38_000, &[(0, 6, 3000), (6, 13, 91_000)])));
    for other in [
        shape(37_900, &[(0, 6, 3000), (6, 12, 90_000)]),
        shape(38_200, &[(0, 4, 3000), (6, 12, 90_000)]),
        shape(38_200, &[(0, 6, 3000), (6, 12, 95_000)]),
        shape(38_200, &[(0, 6, 3000), (5, 1, 10), (6, 12, 90_000)]),
    ] {
        assert!(!is_like(&tree, &other), "{other:?}");
        assert!(!is_like(&other, &tree), "{other:?}");
    }
}

#[test]
fn processes_are_compared_with_the_first() {
    let (mut spec, _) = campaign(0);
    spec.sets[0].tree = Tree::Shape("pre_flush".to_owned());
    let cell = |round: usize, entries: u64| {
        let warm = Record { warmup: true, ..Record::default() };
        let mut counted = Record::default();
        let tree = shape(entries, &[(6, 12, 90 << 20)]);
        counted.shape.before = Some(BTreeMap::from([("default".to_owned(), tree)]));
        let group = Group { round, set: 0, benchmark: 0 };
        Entry::Cell {
            group,
            attempt: 0,
            engine: 1,
            cache: String::new(),
            records: vec![warm, counted],
        }
    };
    let rows = trees(&spec, &[cell(0, 1000), cell(1, 1100), cell(2, 2000)]);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.engine.as_str(), row.processes, row.unlike), ("debian", 3, 1));
    assert_eq!(row.tree, "memtable 1000 entries, L6 12 files 90 MiB");
    spec.sets[0].tree = Tree::AsItComes;
    assert!(trees(&spec, &[cell(0, 1000)]).is_empty());
}
