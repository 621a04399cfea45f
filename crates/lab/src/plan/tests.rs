use super::*;

fn spec() -> Spec {
    let set = |name: &str| OptionSet {
        name: name.to_owned(),
        flags: vec![format!("--cache_size={}", name.len())],
        arrival_rate: None,
        tree: Tree::AsItComes,
    };
    Spec {
        engines: vec!["touchstone".to_owned(), "debian".to_owned()],
        benchmarks: vec!["fillrandom".to_owned(), "readrandom[X2-W1]".to_owned()],
        sets: vec![set("small"), set("large one")],
        flags: vec!["--num=1000".to_owned(), "--cache_size=0".to_owned()],
        benchmark_flags: Vec::new(),
        load: "fillseq".to_owned(),
        rounds: 2,
        cache: Cache::Warm,
        control_tolerance: 0.05,
        retries: 2,
        retries_total: None,
        db_bench: vec![("debian".to_owned(), "db_bench".into())],
    }
}

#[test]
fn databases_are_loaded_first_then_rounds_follow_each_other() {
    let load = |set, engine| Step::Load { set, engine };
    let measure = |round, set, benchmark| Step::Measure(Group { round, set, benchmark });
    let expected = [
        load(0, 0),
        load(0, 1),
        load(1, 0),
        load(1, 1),
        measure(0, 0, 0),
        measure(0, 0, 1),
        measure(0, 1, 0),
        measure(0, 1, 1),
        measure(1, 0, 0),
        measure(1, 0, 1),
        measure(1, 1, 0),
        measure(1, 1, 1),
    ];
    assert_eq!(plan(&spec()), expected);
}

#[test]
fn nothing_is_loaded_for_benchmarks_that_fill() {
    let fills = Spec { benchmarks: vec!["fillseq".to_owned()], ..spec() };
    assert!(plan(&fills).iter().all(|step| matches!(step, Step::Measure(_))));
}

#[test]
fn what_benchmarks_begin_with() {
    assert_eq!(database_of("fillseq"), Database::Fresh);
    assert_eq!(database_of("readrandom[X5-W1]"), Database::Shared);
    assert_eq!(database_of("readwhilewriting"), Database::Copy);
    assert_eq!(database_of("something new"), Database::Copy);
}

#[test]
fn flags_of_a_set_come_last() {
    assert_eq!(spec().flags_of(0), ["--num=1000", "--cache_size=0", "--cache_size=5"]);
    let mut open = spec();
    open.sets[0].arrival_rate = Some(500);
    assert!(open.flags_of(0).contains(&"--arrival_rate=500".to_owned()));
    assert!(open.flags_of(0).contains(&"--histogram=1".to_owned()));
}

#[test]
fn rates_share_a_database_that_was_filled_without_them() {
    let mut open = spec();
    open.sets[1] = OptionSet { arrival_rate: Some(500), ..open.sets[0].clone() };
    assert_eq!(open.loaded_by(1), 0);
    let loads = plan(&open).into_iter().filter(|step| matches!(step, Step::Load { .. }));
    assert_eq!(loads.count(), 2);
    assert!(!open.load_flags(1).iter().any(|flag| flag.contains("arrival_rate")));
    assert!(open.load_flags(1).contains(&"--duration=0".to_owned()));
}

#[test]
fn an_engine_beside_itself_has_another_name() {
    let twice = Spec { engines: vec!["debian".to_owned(); 2], ..spec() };
    assert_eq!(twice.engine_names(), ["debian", "debian#2"]);
}

#[test]
fn disk_space_follows_the_flags() {
    // Two sets of two engines, and twice one of them.
    assert_eq!(spec().disk_bytes(), 116_000 * 6);
    let fills = Spec { benchmarks: vec!["fillseq".to_owned()], ..spec() };
    assert_eq!(fills.disk_bytes(), 116_000 * 2);
    let huge = Spec { flags: vec![format!("--num={}", u64::MAX)], ..spec() };
    assert_eq!(huge.disk_bytes(), u64::MAX);
}

#[test]
fn more_rounds_go_on_and_fewer_or_other_flags_do_not() {
    let before = spec();
    assert!(before.is_resumed_by(&spec()));
    assert!(before.is_resumed_by(&Spec { rounds: 3, ..spec() }));
    assert!(!before.is_resumed_by(&Spec { rounds: 1, ..spec() }));
    assert!(!before.is_resumed_by(&Spec { flags: Vec::new(), ..spec() }));
}
