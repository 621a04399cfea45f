use super::*;

#[test]
fn averages_medians_and_confidence() {
    let combined =
        CombinedStats { operations: vec![100.0, 110.0, 120.0], megabytes: vec![1.0, 2.0, 3.0] };
    // Standard deviations 10 and 1; 1.959964 / sqrt(3) = 1.1316.
    assert_eq!(
        combined.line("readseq", false).unwrap(),
        "readseq [AVG 3 runs] : 110 (± 11) ops/sec;    2.0 (± 1.1) MB/sec"
    );
    assert_eq!(
        combined.line("readseq", true).unwrap(),
        "readseq [CI95 3 runs] : (99, 121) ops/sec; (0.9, 3.1) MB/sec"
    );
    assert_eq!(
        combined.final_lines("readseq").unwrap(),
        "readseq [AVG    3 runs] : 110 (± 11) ops/sec;    2.0 (± 1.1) MB/sec\n\
         readseq [MEDIAN 3 runs] : 110 ops/sec;    2.0 MB/sec"
    );
}

#[test]
fn one_run_says_nothing_and_an_even_count_has_a_median() {
    let mut combined = CombinedStats { operations: vec![100.0], megabytes: vec![] };
    assert_eq!(combined.line("x", false), None);
    assert_eq!(combined.final_lines("x"), None);
    combined.operations.push(200.0);
    assert!(combined.final_lines("x").unwrap().ends_with("x [MEDIAN 2 runs] : 150 ops/sec"));
}
