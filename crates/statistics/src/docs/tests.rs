use super::*;
use std::path::Path;

#[test]
fn the_reference_in_the_tree_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/statistics.md");
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
    let lines = text.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let present = Ticker::ALL.len() + HistogramType::ALL.len();
    assert_eq!(lines.count(), present + GONE_TICKERS.len() + GONE_HISTOGRAMS.len());
}

#[test]
fn what_is_gone_is_there_under_no_name() {
    let is_ticker = |name: &str| Ticker::ALL.iter().any(|ticker| ticker.name() == name);
    let is_histogram = |name: &str| HistogramType::ALL.iter().any(|kind| kind.name() == name);
    for (_, name) in GONE_TICKERS.iter().chain(GONE_HISTOGRAMS) {
        assert!(!is_ticker(name) && !is_histogram(name), "{name}");
    }
}
