use super::*;

#[test]
fn flushes_wait_where_more_are_due_than_threads_are_free() {
    // Due, threads, busy threads, without a thread.
    let table = [
        (0, 1, 0, 0),
        (0, 1, 1, 0),
        (1, 1, 0, 0),
        (1, 1, 1, 1),
        (3, 1, 0, 2),
        (3, 1, 1, 3),
        (2, 4, 3, 1),
        (2, 4, 2, 0),
        // The limit was lowered, and threads have not ended yet.
        (2, 1, 3, 2),
        (1, 0, 0, 1),
    ];
    for (due, threads, busy, expected) in table {
        let case = format!("{due} due, {busy} of {threads} threads busy");
        assert_eq!(without_thread(due, threads, busy), expected, "{case}");
    }
}

#[test]
fn jobs_go_aside_for_what_waits_and_work_in_between() {
    // Waiting, worked and was aside in milliseconds, waited for, goes aside.
    let table = [
        // Nothing waits.
        (0, 1000, 0, false, false),
        // The first time, at once.
        (1, 0, 0, false, true),
        (1, 0, 0, true, true),
        // After a short flush, as long as that took.
        (1, 1, 2, false, false),
        (1, 2, 2, false, true),
        (5, 1, 2, false, false),
        // After a long one, a little.
        (1, 3, 500, false, false),
        (1, 4, 500, false, true),
        // What writes wait for gets its share.
        (1, 4, 500, true, false),
        (1, 499, 500, true, false),
        (1, 500, 500, true, true),
    ];
    for (waiting, worked, was_aside, is_waited_for, expected) in table {
        let (worked, was_aside) = (Duration::from_millis(worked), Duration::from_millis(was_aside));
        let standing = Standing { waiting, worked, was_aside, is_waited_for };
        assert_eq!(standing.goes_aside(), expected, "{standing:?}");
    }
}
