use super::*;
use crate::compaction_input::{EntrySource, KeyRange};
use crate::created_files::CreatedFiles;
use crate::range_tombstones::JobRangeTombstonesBuilder;
use crate::test_environment::{
    TestEnvironment, iteration_context, parse_entry, type_name, vec_iterator,
};
use base::compaction_filter::{Decision, FilterValue};
use base::comparator::U64TimestampComparator;
use base::{InternalKey, RangeTombstone};
use iterator::FragmentedRangeTombstoneList;
use std::path::Path;
use testing::datadriven::{self, Directive};

/// Drops values that are `drop`, purges `purge`, changes `change`, and skips up to `x` from `skip`.
#[derive(Debug)]
struct TestFilter;

impl CompactionFilter for TestFilter {
    fn name(&self) -> &str {
        "TestFilter"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], value: FilterValue<'_>) -> Decision {
        match value {
            FilterValue::Value(b"drop") | FilterValue::MergeOperand(b"drop") => Decision::Remove,
            FilterValue::Value(b"purge") => Decision::Purge,
            FilterValue::Value(b"change") => Decision::ChangeValue(b"changed".to_vec()),
            FilterValue::Value(b"skip") | FilterValue::MergeOperand(b"skip") => {
                Decision::RemoveAndSkipUntil(b"x".to_vec())
            }
            _ => Decision::Keep,
        }
    }
}

fn numbers(directive: &Directive, key: &str) -> Vec<u64> {
    let argument = directive.arguments.iter().find(|argument| argument.key == key);
    argument.map_or(Vec::new(), |argument| {
        argument.values.iter().map(|number| number.parse().unwrap()).collect()
    })
}

/// `a.3` stands for the user key `a` with the timestamp 3.
fn with_timestamp(key: &InternalKey) -> InternalKey {
    let text = std::str::from_utf8(key.user_key()).unwrap();
    let (user_key, timestamp) = text.split_once('.').unwrap();
    let timestamp: u64 = timestamp.parse().unwrap();
    let bytes = [user_key.as_bytes(), &timestamp.to_le_bytes(), &key.trailer().to_le_bytes()];
    InternalKey::from_encoded(bytes.concat()).unwrap()
}

/// Entries in, entries out.
fn iterate(directive: &Directive) -> String {
    assert_eq!(directive.command, "iterate", "{}", directive.position);
    let [text, without_shortcuts] =
        [true, false].map(|takes_shortcuts| iterate_by(directive, takes_shortcuts));
    assert_eq!(text, without_shortcuts, "{}", directive.position);
    text
}

/// Range tombstones among the input are those of the job.
fn iterate_by(directive: &Directive, takes_shortcuts: bool) -> String {
    let comparator = match directive.has("timestamps") {
        true => InternalKeyComparator::new(Arc::new(U64TimestampComparator::BYTEWISE)),
        false => InternalKeyComparator::bytewise(),
    };
    let environment = TestEnvironment::new(comparator.clone());
    let files = CreatedFiles::new(&environment);
    let (tombstones, entries): (Vec<_>, Vec<_>) = directive
        .input
        .split_whitespace()
        .map(parse_entry)
        .map(|(key, value)| match directive.has("timestamps") {
            true => (with_timestamp(&key), value),
            false => (key, value),
        })
        .partition(|(key, _)| key.trailer() as u8 == ValueType::RangeDeletion as u8);
    let mut snapshots = SnapshotRules::new(numbers(directive, "snapshots"))
        .with_uncommitted(numbers(directive, "uncommitted"));
    if let Some(sequence) = directive.value("conflict") {
        snapshots = snapshots.with_write_conflict_snapshot(sequence.parse().unwrap());
    }
    let mut builder = JobRangeTombstonesBuilder::new(comparator.clone(), snapshots.clone());
    let tombstones = tombstones.into_iter().map(|(key, end_key)| RangeTombstone {
        start_key: key.user_key().to_vec(),
        end_key,
        sequence: key.trailer() >> 8,
    });
    builder.add(&FragmentedRangeTombstoneList::new(tombstones.collect(), &comparator));
    let is_bottommost = directive.has("bottommost");
    let deeper_levels = match is_bottommost || directive.has("nothing-below") {
        true => {
            let version = Arc::new(version::Version::new(7));
            let style = version::CompactionStyle::Level;
            DeeperLevels::new(comparator.clone(), &version, style, 1, is_bottommost)
        }
        false => DeeperLevels::unknown(comparator.clone()),
    };
    let history_low = directive.value("history-low");
    let history_low = history_low.map(|low| low.parse::<u64>().unwrap().to_le_bytes().to_vec());
    let cover = builder.build().cover(&snapshots, history_low.as_deref());
    let zeroes_sequences_up_to = directive.parse_or("zero-up-to", snapshots.earliest());
    let context = IterationContext {
        zeroes_sequences_up_to,
        merge_operator: base::merge_operator::builtin(
            directive.value("operator").unwrap_or("stringappend"),
        ),
        filter: directive.has("filter").then(|| Box::new(TestFilter) as _),
        full_history_ts_low: history_low,
        enforce_single_del_contracts: !directive.has("lenient"),
        is_bottommost,
        deeper_levels,
        takes_shortcuts,
        ..iteration_context(&environment, cover, snapshots)
    };
    let inner = Box::new(vec_iterator(&comparator, &entries));
    let source = EntrySource::Iterator(inner);
    let input = CompactionInput::new(source, comparator, &KeyRange::all(), false);
    let mut iterator = CompactionIterator::new(input, context);
    let result = collect(&mut iterator);
    drop(iterator);
    drop(files);
    result.unwrap_or_else(|status| format!("{status}\n"))
}

fn collect(iterator: &mut CompactionIterator<'_>) -> Result<String> {
    let mut text = String::new();
    iterator.seek_to_first()?;
    while iterator.valid() {
        let key = iterator.parsed_key();
        debug_assert_eq!(ParsedInternalKey::parse(iterator.key())?, key);
        text.push_str(&format!(
            "{}@{}:{}={}\n",
            key.user_key.escape_ascii(),
            key.sequence,
            type_name(key.value_type),
            iterator.value().escape_ascii()
        ));
        iterator.next()?;
    }
    Ok(text)
}

#[test]
fn what_goes_in_and_what_comes_out() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/compaction_iterator");
    datadriven::run_directory(&directory, || (), |(), directive| iterate(directive));
}
