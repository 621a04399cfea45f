use super::*;
use rustix::process::Pid;
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

#[test]
fn the_thread_is_nicer_than_who_starts_it() {
    let own = getpriority_process(None).unwrap();
    let file = Arc::new(tempfile::tempfile().unwrap());
    // What it prepared, or why it could not.
    assert!(prepare(&file, 0..1 << 16, 1 << 14).wait().is_some());
    assert_eq!(niceness_of("ts-wal-prepare"), Some((own + ADDED_NICENESS).min(19)));
}
