use super::*;

fn moment(busy_seconds: f64, idle_seconds: f64) -> Moment {
    let processors =
        Some(ProcessorCounters { busy_seconds, idle_seconds, ..ProcessorCounters::default() });
    Moment {
        unix_seconds: 0.0,
        shape: None,
        stalls: None,
        devices: BTreeMap::new(),
        processors,
        process: ProcessCounters::default(),
    }
}

#[test]
fn others_are_warned_of_when_they_take_much() {
    let process = ProcessCounters { user_seconds: 4.0, ..ProcessCounters::default() };
    let before = moment(100.0, 100.0);
    assert_eq!(others(&before, &moment(104.5, 105.5), &process), None);
    let warning = others(&before, &moment(109.0, 101.0), &process).unwrap();
    assert!(warning.starts_with("others took 50 % of the processors' time"), "{warning}");
    let unknown = Moment { processors: None, ..moment(0.0, 0.0) };
    assert_eq!(others(&unknown, &before, &process), None);
}

#[test]
fn facts_are_those_of_the_nearest_directory_that_exists() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(existing(&directory.path().join("not/there")), directory.path());
    assert_eq!(existing(directory.path()), directory.path());
    assert_eq!(existing(Path::new("relative/and/missing")), std::env::current_dir().unwrap());
}
