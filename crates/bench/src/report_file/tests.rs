use super::*;

#[test]
fn rows_round_seconds_and_count_operations() {
    let at = Duration::from_secs(1_700_000_000);
    let row = |millis, count, column| row(Duration::from_millis(millis), count, column, at);
    assert_eq!(row(1_499, 12, WallClockColumn::Absent), "1,12");
    assert_eq!(row(1_500, 0, WallClockColumn::Absent), "2,0");
    assert_eq!(row(5_001, 7, WallClockColumn::Present), "5,7,1700000000");
}

#[test]
fn each_interval_has_a_row_and_what_is_left_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.csv");
    let interval = Duration::from_millis(20);
    let report = ReportFile::start(&path, interval, WallClockColumn::Absent).unwrap();
    report.operations().fetch_add(5, Ordering::Relaxed);
    let rows = || std::fs::read_to_string(&path).unwrap();
    while rows().lines().count() < 3 {
        thread::sleep(interval);
    }
    drop(report);
    let text = rows();
    let (header, rows) = text.split_once('\n').unwrap();
    assert_eq!(header, "secs_elapsed,interval_qps");
    let counts: Vec<u64> =
        rows.lines().map(|row| row.split_once(',').unwrap().1.parse().unwrap()).collect();
    assert_eq!(counts.iter().sum::<u64>(), 5);
    assert!(counts[1..].iter().all(|count| *count == 0), "{text}");
}

#[test]
fn a_file_that_cannot_be_made_is_named() {
    let interval = Duration::from_secs(1);
    let report = ReportFile::start(Path::new("/nowhere/r"), interval, WallClockColumn::Absent);
    assert!(report.unwrap_err().message().contains("/nowhere/r"));
}
