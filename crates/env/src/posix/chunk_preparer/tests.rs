use super::*;
use rustix::process::{Pid, getpriority_process};
use std::fs;

/// The niceness of the thread of this process that has a name.
fn niceness_of(name: &str) -> Option<i32> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let mut ids = tasks.map(|task| task.unwrap().file_name().into_string().unwrap());
    let id = ids.find(|id| {
        let comm = fs::read_to_string(format!("/proc/self/task/{id}/comm"));
        comm.is_ok_and(|comm| comm.trim_end() == name)
    })?;
    getpriority_process(Pid::from_raw(id.parse().unwrap())).ok()
}

/// One that no thread knows of.
fn order(file: &Arc<File>) -> Pending {
    Pending(Arc::new(Order::new(Vec::new(), file, 0..1 << 16, 1 << 14)))
}

#[test]
fn the_thread_is_as_nice_as_can_be() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    let pending = prepare(Vec::new(), &file, 0..1 << 16, 1 << 14);
    while let OrderState::Waiting(_) | OrderState::Begun = *pending.0.state.lock() {
        thread::yield_now();
    }
    // What it prepared, or why it could not.
    assert!(pending.wait().is_some());
    assert_eq!(niceness_of("ts-wal-prepare"), Some(NICENESS));
}

#[test]
fn an_order_that_nobody_began_is_taken_back() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    let pending = order(&file);
    let taken = pending.0.clone();
    assert!(pending.wait().is_none());
    // The thread comes to it late, and leaves the file alone.
    taken.work();
    assert_eq!(file.metadata().unwrap().len(), 0);
    assert!(matches!(*taken.state.lock(), OrderState::Over));
}

#[test]
fn an_order_that_was_begun_is_waited_for() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    for _ in 0..50 {
        let pending = order(&file);
        let begun = pending.0.clone();
        let worker = thread::spawn(move || begun.work());
        let order = pending.0.clone();
        let prepared = pending.wait();
        // Either it was taken back, and nothing is left to be done, or it was done when `wait` returned.
        assert!(matches!(*order.state.lock(), OrderState::Over));
        match prepared {
            None => {}
            Some(Ok(window)) => assert_eq!(window.end(), 1 << 16),
            Some(Err(error)) => assert_eq!(error.kind(), io::ErrorKind::Unsupported),
        }
        worker.join().unwrap();
        assert!(matches!(*order.state.lock(), OrderState::Over));
    }
}

#[test]
fn whoever_waits_hears_of_a_thread_that_ended() {
    let file = Arc::new(tempfile::tempfile().unwrap());
    let pending = order(&file);
    *pending.0.state.lock() = OrderState::Begun;
    let ended = pending.0.clone();
    let worker = thread::spawn(move || drop(OnUnwind(&ended)));
    assert!(pending.wait().is_none());
    worker.join().unwrap();
}
