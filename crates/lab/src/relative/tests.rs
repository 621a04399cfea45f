//! Numbers that campaigns over RocksDB's releases published.

use super::*;

fn two_decimals(value: f64) -> String {
    format!("{value:.2}")
}

#[test]
fn published_ratios() {
    // Processor time and context switches for each operation, of two builds.
    assert_eq!(two_decimals(relative_to(0.002979, 0.002615)), "1.14");
    assert_eq!(two_decimals(relative_to(12.258, 10.726)), "1.14");
    // Queries in a second.
    assert_eq!(two_decimals(relative_to(456_762.0, 315_960.0)), "1.45");
    assert_eq!(two_decimals(relative_to(315_960.0, 456_762.0)), "0.69");
    // Where the processor limits, 0.70 of the throughput is 1.43 times the work.
    assert_eq!(two_decimals(relative_to(1.0, 0.70)), "1.43");
}

#[test]
fn nothing_of_nothing_is_one_and_something_is_infinite() {
    assert_eq!(relative_to(0.0, 0.0), 1.0);
    assert_eq!(relative_to(2.0, 0.0), f64::INFINITY);
    assert_eq!(relative_to(0.0, 2.0), 0.0);
}

#[test]
fn what_is_counted_by_the_second_is_told_by_the_operation() {
    assert_eq!(per_operation(845_000.0, 456_762.0).map(two_decimals).as_deref(), Some("1.85"));
    assert_eq!(per_operation(845_000.0, 0.0), None);
}

/// Range queries in a second with eight nexts and a fanout of 8, by the shape of the tree.
fn range_queries() -> Table {
    let row = |test: &str, results: [u32; 6]| {
        (test.to_owned(), results.iter().map(|value| Some(f64::from(*value))).collect())
    };
    let shapes =
        ["pre_flush", "post_flush", "compact_l0", "compact_l1", "compact_all", "l0_and_lmax"];
    Table {
        builds: shapes.map(str::to_owned).to_vec(),
        rows: vec![
            row("1M", [53_577, 53_764, 175_534, 176_405, 227_982, 58_002]),
            row("10M", [43_942, 44_027, 107_978, 159_316, 198_112, 55_603]),
            row("100M", [33_809, 34_021, 62_228, 72_093, 170_179, 49_019]),
            row("200M", [33_361, 33_340, 58_798, 69_194, 156_372, 48_473]),
        ],
    }
}

#[test]
fn the_published_tables_have_their_relative_forms() {
    let relative = range_queries().relative();
    let expected = "\
pre_flush\tpost_flush\tcompact_l0\tcompact_l1\tcompact_all\tl0_and_lmax\ttest
1.00\t1.00\t3.28\t3.29\t4.26\t1.08\t1M
1.00\t1.00\t2.46\t3.63\t4.51\t1.27\t10M
1.00\t1.01\t1.84\t2.13\t5.03\t1.45\t100M
1.00\t1.00\t1.76\t2.07\t4.69\t1.45\t200M
";
    assert_eq!(relative.render(2), expected);
    assert!(range_queries().render(0).contains("\n53577\t53764\t175534\t"));
}

#[test]
fn groups_are_in_order() {
    let relative = range_queries().relative();
    for build in 0..6 {
        let group = relative.group(build).expect("there are results");
        assert!(group.min <= group.median && group.median <= group.max, "{group:?}");
        assert!(group.min <= group.mean && group.mean <= group.max, "{group:?}");
    }
    let last = relative.group(4).expect("there are results");
    let told = [last.min, last.max, last.mean, last.median].map(two_decimals);
    assert_eq!(told, ["4.26", "5.03", "4.62", "4.60"]);
    assert_eq!(Table::default().group(0), None);
}

#[test]
fn what_is_missing_is_a_hyphen() {
    let table = Table {
        builds: vec!["a".to_owned(), "b".to_owned()],
        rows: vec![
            ("one".to_owned(), vec![None, Some(2.0)]),
            ("two".to_owned(), vec![Some(4.0), None]),
        ],
    };
    assert_eq!(table.relative().render(2), "a\tb\ttest\n-\t-\tone\n1.00\t-\ttwo\n");
}
