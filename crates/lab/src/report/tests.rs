use super::chart::Chart;
use super::*;
use crate::journal::Entry;
use crate::statistics::Bootstrap;
use crate::summary::{summarize, tests::campaign};

fn summary(rounds_measured: usize) -> Summary {
    let (spec, entries) = campaign(rounds_measured);
    summarize(&spec, &entries, None, &Bootstrap::default())
}

fn file<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    let file = files.iter().find(|(file, _)| file == name);
    &file.unwrap_or_else(|| panic!("no {name}")).1
}

#[test]
fn the_terminal_has_ratios_intervals_and_verdicts() {
    let text = terminal::render(&summary(5));
    let line = text.lines().find(|line| line.contains("debian")).expect("its line");
    for part in ["readrandom", "debian", "50.0k", "0.50", "0.50 to 0.50", " - "] {
        assert!(line.contains(part), "{part} is not in\n{text}");
    }
    assert!(text.starts_with("default: --num=1000\n"), "{text}");
    assert!(!text.contains("INCOMPLETE"), "{text}");
    assert!(text.contains("debian is rocksdb 7.8.3"), "{text}");
    assert!(text.contains("built with assertions"), "{text}");
}

#[test]
fn what_is_incomplete_says_so_everywhere() {
    let files = files(&summary(2)).expect("drawn");
    assert!(terminal::render(&summary(2)).starts_with("INCOMPLETE: 2 of 5"));
    assert!(file(&files, "results.csv").starts_with("# INCOMPLETE"));
    assert!(file(&files, "page.html").contains("<b>Incomplete:</b>"));
    assert!(file(&files, "ratio-1.svg").contains("(incomplete)"));
    assert!(file(&files, "results.json").contains("\"complete\": false"));
}

#[test]
fn json_is_read_back() {
    let summary = summary(5);
    let files = files(&summary).expect("drawn");
    let read: Summary = serde_json::from_str(file(&files, "results.json")).expect("JSON");
    assert_eq!(read, summary);
}

#[test]
fn csv_has_a_line_for_each_row_and_quotes_what_it_must() {
    let mut summary = summary(5);
    summary.rows[0].set = "a, \"b\"".to_owned();
    let text = csv::render(&summary);
    assert_eq!(text.lines().count(), 1 + summary.rows.len());
    assert!(text.lines().nth(1).expect("a row").starts_with("\"a, \"\"b\"\"\",readrandom,touch"));
    let samples = text.lines().nth(2).expect("a row").rsplit(',').next();
    assert_eq!(samples, Some("50000 50000 50000 50000 50000"));
}

#[test]
fn engines_are_columns_in_the_tables_of_versions() {
    let text = versions::render(&summary(5));
    for part in [
        "# default: microseconds for each operation\ntouchstone\tdebian\ttest\n10.0\t20.0\treadrandom\n",
        "# default: operations in a second\ntouchstone\tdebian\ttest\n100000\t50000\treadrandom\n",
        "relative to the first\ntouchstone\tdebian\ttest\n1.00\t0.50\treadrandom\n",
        "0.50\t0.50\t0.50\t0.50\tdebian\n",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(versions::render(&summary(2)).starts_with("# INCOMPLETE"));
}

#[test]
fn the_page_needs_nothing_else_and_escapes_text() {
    let mut summary = summary(5);
    summary.rows[1].skipped = Some("<script>".to_owned());
    let charts = vec![Chart { name: "x".to_owned(), svg: "<?xml?><svg>it</svg>".to_owned() }];
    let page = page::render(&summary, &charts);
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"), "{page}");
    assert!(page.contains("<div class=\"wide\"><svg>it</svg></div>"), "{page}");
    for outside in ["http://", "https://", "src=", "href=", "@import"] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
    assert!(page.contains("class=\"worse\""));
}

#[test]
fn charts_have_bars_for_ratios_and_lines_for_rates() {
    let charts = chart::all(&summary(5)).expect("drawn");
    let names: Vec<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
    assert_eq!(names, ["ratio-1"]);
    let svg = &charts[0].svg;
    assert!(svg.contains("<svg") && svg.contains("readrandom") && svg.contains("debian"), "{svg}");
    // Two bars, beside the legend and the background.
    assert!(svg.matches("<rect").count() >= 4, "{svg}");

    let (mut spec, entries) = campaign(5);
    spec.sets[0].arrival_rate = Some(100);
    spec.sets.push(crate::plan::OptionSet {
        name: "faster".to_owned(),
        arrival_rate: Some(200),
        ..spec.sets[0].clone()
    });
    let more: Vec<Entry> = entries
        .iter()
        .cloned()
        .map(|mut entry| {
            if let Entry::Cell { group, .. } | Entry::Control { group, .. } = &mut entry {
                group.set = 1;
            }
            entry
        })
        .collect();
    let all: Vec<Entry> = entries.into_iter().chain(more).collect();
    let charts = chart::all(&summarize(&spec, &all, None, &Bootstrap::default())).expect("drawn");
    let latency = charts.iter().find(|chart| chart.name == "latency-1").expect("a chart");
    assert!(latency.svg.contains("p99 over rate"));
}

#[test]
fn numbers_are_short() {
    let shown =
        [(0.5, "0.50"), (12.34, "12.3"), (999.0, "999"), (1234.0, "1234"), (12_345.0, "12.3k")];
    let large = [(123_456.0, "123k"), (1_234_567.0, "1.23M"), (99_999_999.0, "100.0M")];
    for (value, text) in shown.into_iter().chain(large) {
        assert_eq!(numbers::short(value), text);
    }
    assert_eq!(numbers::short_or_dash(None), "-");
}

/// Fails unless `text` is well-formed XML, which a page of HTML is here as well, and nothing in it is to be
/// fetched from elsewhere.
fn assert_stands_alone(name: &str, text: &str) {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options);
    let document = document.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    for element in document.descendants().filter(roxmltree::Node::is_element) {
        let tag = element.tag_name().name();
        assert!(
            !["script", "link", "iframe", "image", "use", "base"].contains(&tag),
            "{name}: {tag}"
        );
        for attribute in element.attributes() {
            let is_reference = ["src", "href", "data", "srcset"].contains(&attribute.name());
            let is_outside = is_reference && !attribute.value().starts_with('#');
            assert!(!is_outside, "{name}: {tag} has {attribute:?}");
        }
    }
    for word in ["url(", "@import"] {
        assert!(!text.contains(word), "{name}: {word}");
    }
}

#[test]
fn pages_and_charts_are_well_formed_and_stand_alone() {
    let mut summary = summary(5);
    // Names that would end a tag or begin an entity.
    let name = "a <b> & \"c\" 'd' ]]>";
    summary.spec.sets[0].name = name.to_owned();
    summary.rows.iter_mut().for_each(|row| row.set = name.to_owned());
    summary.rows[1].skipped = Some("<nothing> & none".to_owned());
    summary.host.cpu = "R&D <cpu>".to_owned();
    for (summary, what) in [(summary, "odd names"), (self::summary(2), "incomplete")] {
        let files = files(&summary).expect("drawn");
        let drawn = files.iter().filter(|(file, _)| file.ends_with(".svg")).count();
        assert!(drawn > 0, "{what}: no chart");
        for (file, text) in &files {
            if file.ends_with(".svg") || file == "page.html" {
                assert_stands_alone(&format!("{what}: {file}"), text);
            }
        }
    }
}
