//! What compactions make of times of sequence numbers.

use super::*;

/// Tables whose sequence numbers go on from each other, with samples of their times.
fn flush_with_times(
    environment: &TestEnvironment,
    words: &[(&str, u64)],
    times: &[(u64, u64)],
    epoch_number: u64,
) -> FileMetaData {
    let points: Vec<_> = words
        .iter()
        .map(|(key, sequence)| {
            let key = InternalKey::new(key.as_bytes(), *sequence, ValueType::Value);
            (key.as_bytes().to_vec(), b"value".to_vec())
        })
        .collect();
    let mut mapping = SeqnoToTimeMapping::default();
    times.iter().for_each(|(sequence, time)| mapping.append(*sequence, *time));
    let options = BuildTableOptions {
        tables: table_options(environment),
        blob_files: None,
        column_family_id: COLUMN_FAMILY_ID,
        merge_operator: None,
        enforce_single_del_contracts: true,
        cancellation: Cancellation::default(),
    };
    let input = BuildTableInput {
        expected_entries: None,
        iterators: vec![Box::new(VecIterator::new(environment.comparator.clone(), points))],
        slices: None,
        range_tombstones: Vec::new(),
        snapshots: SnapshotRules::new(Vec::new()),
        compaction_filter: None,
        full_history_ts_low: None,
        epoch_number,
        oldest_ancester_time: 1_600_000_000,
        oldest_key_time: 0,
        times: mapping,
        hint: OutputFileHint::default(),
    };
    build_table(environment, &options, input).unwrap().table.unwrap().metadata
}

type Pairs = Vec<(u64, u64)>;

fn times_of(environment: &TestEnvironment, file: &FileMetaData) -> Pairs {
    let table = environment.open_table(file, 0).unwrap();
    table.properties().seqno_to_time_mapping().unwrap().pairs().to_vec()
}

fn environment() -> TestEnvironment {
    TestEnvironment::new(InternalKeyComparator::new(
        base::comparator::builtin("leveldb.BytewiseComparator").unwrap(),
    ))
}

const NOW: u64 = 1_700_000_000;

/// Two tables with three samples each, compacted.
fn compact(
    preserve_seconds: u64,
    is_bottommost: bool,
) -> (Arc<TestEnvironment>, Vec<Pairs>, OutputFile) {
    let environment = Arc::new(environment());
    let samples = [(9, NOW - 900), (14, NOW - 500), (20, NOW - 100), (30, NOW - 50)];
    let older = flush_with_times(&environment, &[("a", 10), ("b", 12)], &samples, 1);
    let newer = flush_with_times(&environment, &[("c", 15), ("d", 21)], &samples, 2);
    let inputs = [&older, &newer].map(|file| times_of(&environment, file)).to_vec();
    let version = version(&environment.comparator, &[(0, older), (0, newer)], &[]);
    let compaction = compaction(version, &[0], 6, is_bottommost);
    let options = CompactionJobOptions { preserve_seconds, ..job_options(&environment, &[]) };
    let job = CompactionJob::new(Arc::new(compaction), options, environment.clone());
    let mut outcome = job.run(&[]).unwrap();
    assert_eq!(outcome.files.len(), 1);
    (environment, inputs, outcome.files.remove(0))
}

#[test]
fn a_table_has_the_times_of_its_own_sequence_numbers() {
    let (_, inputs, _) = compact(0, false);
    assert_eq!(inputs[0], [(9, NOW - 900)]);
    assert_eq!(inputs[1], [(14, NOW - 500), (20, NOW - 100)]);
}

#[test]
fn outputs_have_the_merged_times_of_their_inputs() {
    // Nobody asks for times to be preserved: what is known is handed on.
    let (environment, _, output) = compact(0, false);
    let expected = [(9, NOW - 900), (14, NOW - 500), (20, NOW - 100)];
    assert_eq!(times_of(&environment, &output.metadata), expected);
    assert_eq!((output.metadata.smallest_seqno, output.metadata.largest_seqno), (10, 21));
}

#[test]
fn sequence_numbers_of_preserved_times_do_not_become_zero() {
    let (environment, _, output) = compact(600, true);
    // What was written before the last 600 seconds has lost its number.
    assert_eq!((output.metadata.smallest_seqno, output.metadata.largest_seqno), (10, 21));
    assert_eq!(times_of(&environment, &output.metadata).len(), 3);
    let (environment, _, output) = compact(200, true);
    assert_eq!((output.metadata.smallest_seqno, output.metadata.largest_seqno), (0, 21));
    let expected = [(14, NOW - 500), (20, NOW - 100)];
    assert_eq!(times_of(&environment, &output.metadata), expected);
    let (environment, _, output) = compact(0, true);
    assert_eq!((output.metadata.smallest_seqno, output.metadata.largest_seqno), (0, 0));
    assert_eq!(times_of(&environment, &output.metadata), []);
}
