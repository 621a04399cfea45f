use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn what_another_thread_does_is_waited_for() {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            is_done.store(true, Ordering::Release);
        });
        until("it is done", || is_done.load(Ordering::Acquire));
    });
    assert!(is_done.load(Ordering::Acquire));
}

#[test]
fn what_never_comes_is_asked_for_as_long_as_was_said() {
    let (begin, time) = (Instant::now(), Duration::from_millis(30));
    let mut asked = 0;
    let is_so = is_so_within(time, || {
        asked += 1;
        false
    });
    assert!(!is_so && asked > 0 && begin.elapsed() >= time, "asked {asked} times");
}

#[test]
fn what_is_so_already_is_not_waited_for() {
    assert!(is_so_within(Duration::ZERO, || true));
}
