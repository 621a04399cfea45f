use super::*;
use std::path::Path;

#[test]
fn the_reference_in_the_tree_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/perf-context.md");
    if std::env::var_os("TOUCHSTONE_REWRITE").is_some() {
        std::fs::write(&path, reference()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == reference(),
        "{} is out of date: run this test with TOUCHSTONE_REWRITE=1",
        path.display()
    );
}

#[test]
fn every_metric_has_a_line() {
    let text = reference();
    let lines = text.lines().filter(|line| line.starts_with("| `"));
    let all = PerfMetric::ALL.len() + LevelMetric::ALL.len() + IoMetric::ALL.len();
    assert_eq!(lines.count(), all);
}
