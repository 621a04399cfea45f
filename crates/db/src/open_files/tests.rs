use super::*;

#[test]
fn no_more_files_are_kept_open_than_the_process_may_have() {
    let of = |max_open_files, process_max| {
        limits(&DbOptions { max_open_files, ..DbOptions::default() }, process_max)
    };
    assert_eq!(of(5010, Some(1034)), (1024, 256));
    assert_eq!(of(110, Some(1034)), (100, 25));
    assert_eq!(of(5010, None), (5000, 1250));
    assert_eq!([0, 19, -2].map(|few| of(few, None)), [of(20, None); 3]);
    assert_eq!(of(-1, Some(1034)), (usize::MAX, usize::MAX), "as it was asked for");
}
