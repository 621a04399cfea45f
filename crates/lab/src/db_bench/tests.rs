use super::*;

/// As 7.8.3 prints it, for `readrandom[X2-W1],readseq`.
const OUTPUT: &str = "\
RocksDB:    version 7.8.3
DB path: [/db]
Warming up benchmark by running 1 times
readrandom   :     494.780 micros/op 2020 ops/sec 0.495 seconds 1000 operations;    0.1 MB/s (626 of 1000 found)

Running benchmark for 2 times
readrandom   :     142.317 micros/op 7022 ops/sec 0.142 seconds 1000 operations;    0.5 MB/s (643 of 1000 found)

readrandom   :      69.167 micros/op 14441 ops/sec 0.069 seconds 1000 operations;    1.0 MB/s (638 of 1000 found)

readrandom [AVG 2 runs] : 10731 (± 7270) ops/sec;    0.8 (± 0.5) MB/sec
readrandom [AVG    2 runs] : 10731 (± 7270) ops/sec;    0.8 (± 0.5) MB/sec
readrandom [MEDIAN 2 runs] : 10731 ops/sec;    0.8 MB/sec
DB path: [/db]
readseq      :       3.734 micros/op 261164 ops/sec;   28.9 MB/s
";

fn run(benchmark: &str, ops_per_second: f64) -> Run {
    Run { benchmark: benchmark.to_owned(), ops_per_second }
}

#[test]
fn runs_are_result_lines_without_warm_ups_and_averages() {
    let runs = parse(OUTPUT, "readrandom[X2-W1],readseq", "7.8.3").expect("runs");
    let expected =
        [run("readrandom", 7022.0), run("readrandom", 14_441.0), run("readseq", 261_164.0)];
    assert_eq!(runs, expected);
}

#[test]
fn a_tool_of_another_release_is_refused() {
    let why = parse(OUTPUT, "readseq", "9.3.1").expect_err("of 7.8.3");
    assert!(why.contains("7.8.3") && why.contains("9.3.1"), "{why}");
    assert!(parse("", "readseq", "9.3.1").expect_err("nothing").contains("unknown"));
}

#[test]
fn a_benchmark_without_a_result_is_named() {
    let why = parse(OUTPUT, "readseq,seekrandom", "7.8.3").expect_err("not there");
    assert!(why.contains("seekrandom"), "{why}");
    let only_warm = parse(OUTPUT, "readrandom[X1-W3]", "7.8.3");
    assert!(only_warm.expect_err("three lines").contains("readrandom"));
}
