use super::*;

#[test]
fn it_takes_time() {
    assert!(ControlLoop::default().run() > 0.0);
}

#[test]
fn the_larger_difference_counts() {
    assert!((moved(102.0, 90.0, 100.0) - 0.10).abs() < 1e-9);
    assert!((moved(107.0, 101.0, 100.0) - 0.07).abs() < 1e-9);
    assert!(moved(100.0, 100.0, 100.0).abs() < 1e-9);
}
