use super::{Kept, Verdict, number_after, parse, perf_level_row, with_counts};

const TEXT: &str = "# what it is\nget\t1200\nseek\t900\n";

#[test]
fn the_table_is_read_and_written_with_its_comments() {
    let mut kept = parse(TEXT).unwrap();
    assert_eq!(kept[0], Kept { path: "get".to_owned(), instructions: 1200.0 });
    assert_eq!(with_counts(TEXT, &kept), TEXT);
    kept[1].instructions = 850.4;
    assert_eq!(with_counts(TEXT, &kept), "# what it is\nget\t1200\nseek\t850\n");
    assert!(parse("get 5").unwrap_err().contains("get 5"));
    assert!(parse("get\tmany").unwrap_err().contains("many"));
}

#[test]
fn a_path_may_take_three_of_a_hundred_more() {
    assert_eq!(Verdict::of(1000.0, 1029.0), Verdict::Same);
    assert_eq!(Verdict::of(1000.0, 1031.0), Verdict::More);
    assert_eq!(Verdict::of(1000.0, 969.0), Verdict::Less);
}

#[test]
fn numbers_are_found_in_reports() {
    let report = "==7== Events    : Ir\n==7== Collected : 4500000\n";
    assert_eq!(number_after(report, "Collected :"), Some(4_500_000.0));
    assert_eq!(number_after("operations 2000 found 3", "operations"), Some(2000.0));
    assert_eq!(number_after(report, "operations"), None);
}

#[test]
fn levels_of_the_perf_context_are_compared_with_the_first() {
    let row = perf_level_row("get", &[1000.0, 1020.4, 900.0]);
    assert_eq!(row, "| get | 1000 | 1020 (+2.0 %) | 900 (-10.0 %) |");
}
