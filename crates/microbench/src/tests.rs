use super::*;
use std::cell::Cell;

fn benches(arguments: &[&str]) -> Result<Benches, String> {
    Benches::new(arguments.iter().map(|&argument| argument.to_owned()))
}

#[test]
fn names_with_any_of_the_parts_are_wanted() {
    let both = benches(&["seek", "--bench", "next"]).unwrap();
    assert!(both.wants("block: seek") && both.wants("next of 6 runs"));
    assert!(!both.wants("block: prev"));
    assert!(benches(&[]).unwrap().wants("block: prev"));
}

#[test]
fn other_options_are_refused() {
    assert!(benches(&["--shrot"]).unwrap_err().contains("--shrot"));
}

#[test]
fn kernel_and_floor_run_in_turn() {
    let (kernel, floor) = (Cell::new(0), Cell::new(0));
    let count_kernel = |_| {
        assert_eq!(kernel.get() / 10, floor.get() / 5);
        kernel.set(kernel.get() + 1);
    };
    let count_floor = |_| floor.set(floor.get() + 1);
    let short = benches(&["--short", "counted"]).unwrap();
    short.compare("counted", each(10, count_kernel), "", each(5, count_floor));
    assert_eq!((kernel.get(), floor.get()), (30, 15));
    short.compare("other", each(10, count_kernel), "", each(5, count_floor));
    assert_eq!((kernel.get(), floor.get()), (30, 15));
}

#[test]
fn the_one_that_is_counted_runs_alone_and_without_its_floor() {
    let (kernel, floor) = (Cell::new(0), Cell::new(0));
    let counted = benches(&["--count=next"]).unwrap();
    assert!(counted.wants("next") && !counted.wants("next, its key"));
    for name in ["next", "next, its key"] {
        let count_kernel = |_| kernel.set(kernel.get() + 1);
        let count_floor = |_| floor.set(floor.get() + 1);
        counted.compare(name, each(10, count_kernel), "", each(5, count_floor));
    }
    assert_eq!((kernel.get(), floor.get()), (20, 0));
}

#[test]
fn each_round_is_prepared_anew() {
    let mut rounds = 0;
    let state = || {
        rounds += 1;
        vec![rounds]
    };
    let mut timed = prepared(1, state, |state| assert_eq!(state.len(), 1));
    timed.nanoseconds();
    timed.nanoseconds();
    drop(timed);
    assert_eq!(rounds, 2);
}

#[test]
fn rows_say_how_far_from_the_floor() {
    let row = Row { name: "seek", least: 30.0, floor_name: "a search", least_floor: 12.0 };
    let text = row.to_string();
    assert!(text.starts_with("seek  "), "{text}");
    assert!(text.ends_with(" 30.0 ns  floor    12.0 ns  ratio   2.5  a search"), "{text}");
}

#[test]
fn scattered_numbers_stay_below() {
    let numbers: Vec<u64> = (0..1000).map(|number| scatter(number, 10)).collect();
    assert!((0..10).all(|number| numbers.iter().filter(|&&one| one == number).count() > 50));
    assert!(numbers.iter().all(|&number| number < 10));
}
