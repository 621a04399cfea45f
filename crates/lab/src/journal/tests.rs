use super::*;
use crate::plan::Cache;

fn header() -> Entry {
    let spec = Spec {
        engines: vec!["touchstone".to_owned()],
        benchmarks: vec!["fillseq".to_owned()],
        sets: Vec::new(),
        flags: Vec::new(),
        benchmark_flags: Vec::new(),
        load: "fillseq".to_owned(),
        rounds: 1,
        cache: Cache::Cold,
        control_tolerance: 0.05,
        retries: 1,
        retries_total: None,
        db_bench: Vec::new(),
    };
    Entry::Header { schema: SCHEMA, spec: Box::new(spec), host: Box::default() }
}

fn cell(attempt: usize) -> Entry {
    let group = Group { round: 0, set: 0, benchmark: 0 };
    let records = vec![Record { ops_per_second: Some(12.5), ..Record::default() }];
    Entry::Cell { group, attempt, engine: 0, cache: "empty".to_owned(), records }
}

#[test]
fn what_was_written_is_found_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("journal");
    let mut journal = Journal::create(&path, header()).expect("made");
    journal.append(cell(0)).expect("written");
    let mut again = Journal::resume(&path).expect("opened");
    assert_eq!(again.entries(), [header(), cell(0)]);
    again.append(cell(1)).expect("written");
    assert_eq!(Journal::resume(&path).expect("opened").entries(), [header(), cell(0), cell(1)]);
}

#[test]
fn a_line_that_was_cut_short_is_dropped_wherever_it_ends() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("journal");
    let mut journal = Journal::create(&path, header()).expect("made");
    let header_bytes = fs::metadata(&path).expect("it is there").len() as usize;
    journal.append(cell(0)).expect("written");
    let text = fs::read(&path).expect("it is there");
    for length in header_bytes..text.len() {
        fs::write(&path, &text[..length]).expect("written");
        let mut again = Journal::resume(&path).expect("opened");
        assert_eq!(again.entries(), [header()], "{length} bytes");
        again.append(cell(1)).expect("written");
        let entries = Journal::resume(&path).expect("opened");
        assert_eq!(entries.entries(), [header(), cell(1)], "{length} bytes");
    }
}

#[test]
fn results_are_not_written_over() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("journal");
    Journal::create(&path, header()).expect("made");
    let error = Journal::create(&path, header()).expect_err("it is there");
    assert!(error.contains("--resume"), "{error}");
}

#[test]
fn what_is_no_journal_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("journal");
    let error = |text: &str| {
        fs::write(&path, text).expect("written");
        Journal::resume(&path).expect_err("it is none")
    };
    assert!(error("").contains("header"));
    assert!(error("{\"kind\":\"baseline\",\"nanos\":1}\n").contains("header"));
    assert!(error("{}\n{}\n").contains("line 1"));
    fs::remove_file(&path).expect("it is there");
    assert!(Journal::resume(&path).expect_err("it is not there").contains("nothing to resume"));
}
