use super::*;

#[test]
fn a_thread_keeps_a_buffer_of_usual_size() {
    let start = with(|buffer| {
        buffer.reserve_exact(4096);
        buffer.as_ptr()
    });
    with(|buffer| {
        assert_eq!((buffer.as_ptr(), buffer.capacity()), (start, 4096));
        // One within another has its own.
        with(|inner| assert_eq!(inner.capacity(), 0));
        buffer.reserve_exact(KEPT_MAX_BYTES + 1);
    });
    with(|buffer| assert!(buffer.capacity() <= KEPT_MAX_BYTES));
}
