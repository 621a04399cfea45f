use super::*;
use base::comparator::ReverseBytewiseComparator;
use base::{InternalKey, ValueType};

/// Files that end with these keys, each with sequence number 5.
fn files(largest: &[&str]) -> Vec<Arc<FileMetaData>> {
    let key = |user_key: &str| InternalKey::new(user_key.as_bytes(), 5, ValueType::Value);
    let file = |(number, end): (usize, &&str)| {
        Arc::new(FileMetaData::new(number as u64, 100, key(end), key(end)))
    };
    largest.iter().enumerate().map(file).collect()
}

/// Compares with what the files say, for each of `targets` with sequence numbers around the files'.
fn check(comparator: &InternalKeyComparator, largest: &[&str], targets: &[&str]) {
    let files = files(largest);
    let brief = LevelFilesBrief::new(&files);
    for (target, sequence) in targets.iter().flat_map(|key| [4, 5, 6].map(|at| (key, at))) {
        let target = InternalKey::new(target.as_bytes(), sequence, ValueType::Value);
        let expected = files.iter().position(|file| {
            comparator.compare(file.largest.as_bytes(), target.as_bytes()).is_ge()
        });
        let found = brief.first_at_or_after(&files, comparator, target.as_bytes());
        assert_eq!(found, expected.unwrap_or(files.len()), "{largest:?} {target:?}");
    }
}

const TARGETS: [&str; 14] = [
    "",
    "a",
    "commo",
    "common",
    "common\0",
    "common-aaaaaaaa",
    "common-aaaaaaaab",
    "common-aaaaaaaac",
    "common-b",
    "common-bbbbbbbbbb",
    "common-c",
    "common-zzzzzzzzzz",
    "commoo",
    "z",
];

#[test]
fn files_are_found_as_their_keys_say() {
    let bytewise = InternalKeyComparator::bytewise();
    let runs: [&[&str]; 8] = [
        &[],
        &["common"],
        &["common-aaaaaaaa"],
        &["common-aaaaaaaa", "common-aaaaaaaab", "common-aaaaaaaabb", "common-b"],
        &["common-b", "common-c", "common-d"],
        &["common", "common\0", "common\0\0", "common-"],
        &["", "a", "common-aaaaaaaaaa", "z"],
        // Neighbours may end alike.
        &["common-b", "common-b", "common-b", "common-c"],
    ];
    for largest in runs {
        check(&bytewise, largest, &TARGETS);
    }
}

#[test]
fn other_orders_ask_the_files() {
    let reverse = InternalKeyComparator::new(Arc::new(ReverseBytewiseComparator));
    check(&reverse, &["z", "common-b", "common-aaaaaaaab", "common-aaaaaaaa", "a"], &TARGETS);
}
