use super::*;

#[test]
fn ticks_become_seconds() {
    let text = "cpu  100 20 30 500 50 4 6 7 99 9\ncpu0 1 1 1 1\n";
    let expected = ProcessorCounters { busy_seconds: 1.6, idle_seconds: 5.5, stolen_seconds: 0.07 };
    assert_eq!(parse(text, 100), Some(expected));
    let old = ProcessorCounters { busy_seconds: 6.0, idle_seconds: 4.0, stolen_seconds: 0.0 };
    assert_eq!(parse("cpu  1 2 3 4", 1), Some(old));
}

#[test]
fn what_is_no_processor_line_is_nothing() {
    for bad in ["", "cpu0 1 2 3 4", "cpu  1 2 3", "cpu  1 2 3 x", "intr 1 2 3 4"] {
        assert_eq!(parse(bad, 100), None, "{bad}");
    }
}

#[test]
fn the_real_one_runs() {
    let before = ProcessorCounters::now().unwrap();
    let passed = ProcessorCounters::now().unwrap().since(&before);
    assert!(before.busy_seconds > 0.0 && passed.busy_seconds >= 0.0, "{before:?} {passed:?}");
}
