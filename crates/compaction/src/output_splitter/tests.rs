use super::*;
use base::ValueType;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::sst_partitioner::SstPartitionerContext;

fn key(user_key: &str) -> InternalKey {
    InternalKey::new(user_key.as_bytes(), 5, ValueType::Value)
}

fn file(smallest: &str, largest: &str, file_size: u64) -> Arc<FileMetaData> {
    Arc::new(FileMetaData::new(1, file_size, key(smallest), key(largest)))
}

fn rules() -> SplitRules {
    SplitRules {
        style: CompactionStyle::Level,
        output_level: 1,
        target_file_size: 1000,
        max_file_size: 2000,
        max_compaction_bytes: 5000,
    }
}

/// Keys, each of them `size` bytes; returns the ones that files begin with.
fn starts(mut splitter: OutputSplitter<'_>, keys: &[&str], size: u64) -> Vec<String> {
    let (mut starts, mut open, mut last) = (Vec::new(), None, Vec::new());
    for user_key in keys {
        let key = key(user_key);
        let file = open.map(|bytes| OpenFile { size: bytes, full_size: bytes });
        let is_end = splitter.should_stop_before(key.as_bytes(), file, &last);
        if is_end {
            splitter.start_file(key.as_bytes());
            open = None;
        }
        if open.is_none() {
            starts.push((*user_key).to_owned());
        }
        open = Some(open.unwrap_or(0) + size);
        last = key.as_bytes().to_vec();
    }
    starts
}

fn splitter<'a>(
    rules: SplitRules,
    grandparents: &'a [Arc<FileMetaData>],
    split_key: Option<&'a InternalKey>,
    old_files: Vec<Arc<FileMetaData>>,
) -> OutputSplitter<'a> {
    let comparator = InternalKeyComparator::bytewise();
    OutputSplitter::new(comparator, rules, grandparents, split_key, old_files)
}

#[test]
fn a_full_file_ends_but_not_within_a_user_key() {
    let keys = ["a", "b", "c", "c", "d", "e"];
    assert_eq!(starts(splitter(rules(), &[], None, Vec::new()), &keys, 700), ["a", "d"]);
    let to_l0 = SplitRules { output_level: 0, ..rules() };
    assert_eq!(starts(splitter(to_l0, &[], None, Vec::new()), &keys, 700), ["a"]);
}

#[test]
fn the_round_robin_cursor_ends_one_file() {
    let cursor = key("c");
    let keys = ["a", "b", "c", "d", "e"];
    let splitter = splitter(rules(), &[], Some(&cursor), Vec::new());
    assert_eq!(starts(splitter, &keys, 10), ["a", "c"]);
}

#[test]
fn a_file_does_not_overlap_too_much_below() {
    let grandparents = [file("a", "b", 3000), file("c", "d", 3000), file("e", "f", 3000)];
    let keys = ["a", "b", "c", "d", "e", "f"];
    let splitter = splitter(rules(), &grandparents, None, Vec::new());
    assert_eq!(starts(splitter, &keys, 10), ["a", "c", "e"]);
}

#[test]
fn a_gap_over_a_grandparent_ends_a_file() {
    let grandparents = [file("b", "c", 10), file("k", "m", 500), file("y", "z", 10)];
    let keys = ["a", "c", "x", "xx"];
    let splitter = splitter(rules(), &grandparents, None, Vec::new());
    assert_eq!(starts(splitter, &keys, 10), ["a", "x"]);
}

#[test]
fn a_fair_size_is_enough_at_a_border() {
    let grandparents = [file("b", "c", 10), file("d", "e", 10)];
    let keys = ["a", "b", "c", "d", "e"];
    let splitter = splitter(rules(), &grandparents, None, Vec::new());
    assert_eq!(starts(splitter, &keys, 300), ["a", "d"]);
}

#[test]
fn an_exclusive_end_is_before_its_key() {
    let end = InternalKey::new(b"c", MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
    let ends_before_c = Arc::new(FileMetaData::new(1, 6000, key("a"), end));
    let grandparents = [ends_before_c, file("c", "d", 10)];
    let mut splitter = splitter(rules(), &grandparents, None, Vec::new());
    splitter.should_stop_before(key("b").as_bytes(), None, b"");
    assert_eq!(splitter.bytes_overlapped_by(key("b").as_bytes()), 6000);
    splitter.should_stop_before(key("c").as_bytes(), None, b"");
    assert_eq!(splitter.bytes_overlapped_by(key("c").as_bytes()), 10);
}

#[test]
fn old_files_get_outputs_of_their_own() {
    let old = vec![file("c", "d", 10)];
    let keys = ["a", "b", "c", "d", "e", "f"];
    assert_eq!(starts(splitter(rules(), &[], None, old), &keys, 10), ["a", "c", "e"]);
}

/// Those of `keys` up to which nothing is crossed from `last` on.
fn uncrossed<'k>(mut splitter: OutputSplitter<'_>, last: &str, keys: &[&'k str]) -> Vec<&'k str> {
    splitter.should_stop_before(key(last).as_bytes(), None, b"");
    let crosses_nothing = |user_key: &&&str| splitter.crosses_nothing(key(user_key).as_bytes());
    keys.iter().filter(crosses_nothing).copied().collect()
}

#[test]
fn what_ends_files_before_their_time_is_crossed() {
    let grandparents = [file("c", "f", 10), file("k", "m", 10)];
    let between = |last, keys: &[&'static str]| {
        uncrossed(splitter(rules(), &grandparents, None, Vec::new()), last, keys)
    };
    assert_eq!(between("a", &["b", "c", "d", "g", "l", "z"]), ["b"]);
    assert_eq!(between("c", &["d", "e", "g", "l"]), ["d", "e"]);
    assert_eq!(between("g", &["h", "j", "k", "n"]), ["h", "j"]);
    assert_eq!(between("n", &["o", "z"]), ["o", "z"]);

    let cursor = key("c");
    let by_cursor = splitter(rules(), &[], Some(&cursor), Vec::new());
    assert_eq!(uncrossed(by_cursor, "a", &["b", "c", "d"]), ["b"]);
    let old = || splitter(rules(), &[], None, vec![file("c", "e", 10), file("k", "m", 10)]);
    assert_eq!(uncrossed(old(), "a", &["b", "c", "f"]), ["b"]);
    assert_eq!(uncrossed(old(), "d", &["e", "f", "l"]), ["e"]);
    assert_eq!(uncrossed(old(), "f", &["g", "k"]), ["g"]);

    let name = "SstPartitionerFixedPrefixFactory";
    let factory = base::sst_partitioner::builtin(name, &[("length", "1")]);
    let context = SstPartitionerContext {
        is_full_compaction: false,
        is_manual_compaction: false,
        output_level: 1,
        smallest_user_key: b"a",
        largest_user_key: b"z",
    };
    let partitioner = factory.and_then(|factory| factory.create(&context));
    let divided = splitter(rules(), &[], None, Vec::new()).with_partitioner(partitioner);
    assert!(uncrossed(divided, "a", &["aa", "b"]).is_empty());
    // Files of L0 are never divided.
    let to_l0 = SplitRules { output_level: 0, ..rules() };
    let to_l0 = splitter(to_l0, &grandparents, None, Vec::new());
    assert_eq!(uncrossed(to_l0, "a", &["b", "z"]), ["b", "z"]);
}

#[test]
fn where_a_size_does_not_matter_a_smaller_one_has_the_same_effect() {
    const LAG: u64 = 200;
    let name = |number: u32| format!("key{number:04}");
    let grandparents: Vec<_> = (0..120)
        .map(|index| file(&name(index * 25 + 3), &name(index * 25 + 20), u64::from(index) * 20))
        .collect();
    let no_grandparents: Vec<Arc<FileMetaData>> = Vec::new();
    for (grandparents, output_level) in
        [(&grandparents, 1), (&no_grandparents, 1), (&grandparents, 0)]
    {
        let rules = SplitRules { output_level, ..rules() };
        let mut exact = splitter(rules, grandparents, None, Vec::new());
        let mut lagging = splitter(rules, grandparents, None, Vec::new());
        let (mut size, mut last, mut ends, mut settled) = (None, Vec::new(), 0, 0);
        for number in 0..3000 {
            let key = key(&name(number));
            let open = |bytes: u64| Some(OpenFile { size: bytes, full_size: bytes });
            let known: u64 = size.unwrap_or(0);
            let depends = lagging.depends_on_size(key.as_bytes(), known);
            settled += u32::from(depends);
            let seen = if depends { known } else { known.saturating_sub(LAG) };
            let has_file = size.is_some();
            let of_exact = open(known).filter(|_| has_file);
            let of_lagging = open(seen).filter(|_| has_file);
            let is_end = exact.should_stop_before(key.as_bytes(), of_exact, &last);
            let is_seen = lagging.should_stop_before(key.as_bytes(), of_lagging, &last);
            assert_eq!(is_end, is_seen, "{number}");
            if is_end {
                exact.start_file(key.as_bytes());
                lagging.start_file(key.as_bytes());
                ends += 1;
            }
            size = Some(if is_end { 10 } else { known + 10 });
            last = key.as_bytes().to_vec();
        }
        assert_eq!(ends > 10, output_level > 0, "{ends}");
        assert!(settled < 500, "{settled}");
    }
}
