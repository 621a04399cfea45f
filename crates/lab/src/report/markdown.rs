//! The results as a document that can be kept beside others: what was run, tables with engines as columns,
//! trees, what the harness costs, and the charts, which lie beside it.

use super::chart::Chart;
use super::numbers::{of_rounds, short, short_or_dash};
use super::terminal::notes;
use crate::plan::{Database, Tree, database_of};
use crate::summary::{Row, Summary};
use crate::trees::TreeRow;

/// A line of a table: its name, an option set and a benchmark.
type Line = (String, String, String);

/// The document.
pub fn render(summary: &Summary, charts: &[Chart]) -> String {
    let mut text = String::from("# Comparison of engines\n\n");
    if let Some(missing) = &summary.missing {
        text.push_str(&format!("**Incomplete**: {missing}\n\n"));
    }
    text.push_str(&command(summary));
    text.push_str(&host(summary));
    for set in summary.spec.sets.iter().filter(|set| set.tree == Tree::AsItComes) {
        text.push_str(&format!("## {}\n\n", set.name));
        let benchmarks = summary.spec.benchmark_names().into_iter();
        let lines: Vec<Line> =
            benchmarks.map(|name| (name.clone(), set.name.clone(), name)).collect();
        text.push_str(&tables(summary, "benchmark", &lines));
    }
    text.push_str(&by_tree(summary));
    text.push_str(&harness(summary));
    text.push_str("## Charts\n\n");
    for chart in charts {
        text.push_str(&format!("![{0}]({0}.svg)\n", chart.name));
    }
    text.push_str("\n## How it was measured\n\n");
    for note in notes(summary) {
        text.push_str(&format!("- {note}\n"));
    }
    text
}

/// The command line, as a shell takes it.
fn command(summary: &Summary) -> String {
    if summary.command.is_empty() {
        return String::new();
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=,./:+".contains(c);
    let quoted = |argument: &String| match argument.chars().all(is_plain) {
        true => argument.clone(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    };
    let words: Vec<String> = summary.command.iter().map(quoted).collect();
    let (start, rest) = words.split_at(words.len().min(2));
    format!("```sh\n{} \\\n    {}\n```\n\n", start.join(" "), rest.join(" \\\n    "))
}

fn host(summary: &Summary) -> String {
    let host = &summary.host;
    let or_unknown = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    format!(
        "{} processors ({}), kernel {}, file system {}, governor {}. Operations in a second. {}; \
         in brackets how much better than {}, with +, - or = where it is better, \
         worse or the same.\n\n",
        host.cores,
        host.cpu,
        host.kernel,
        or_unknown(&host.filesystem),
        or_unknown(&host.governor),
        of_rounds(summary.spec.rounds),
        summary.spec.engines[0]
    )
}

/// Reads by tree: a table for each benchmark.
fn by_tree(summary: &Summary) -> String {
    let sets: Vec<&str> = summary
        .spec
        .sets
        .iter()
        .filter(|set| set.tree != Tree::AsItComes)
        .map(|set| set.name.as_str())
        .collect();
    if sets.is_empty() {
        return String::new();
    }
    let mut text = String::from("## Trees\n\n");
    text.push_str(&table(
        &["tree", "engine", "what it was before", "processes", "unlike the first"],
        summary.trees.iter().map(tree_cells).collect(),
        3,
    ));
    let names = summary.spec.benchmark_names().into_iter().zip(&summary.spec.benchmarks);
    for (name, _) in names.filter(|(_, full)| database_of(full) == Database::Shared) {
        text.push_str(&format!("## {name}\n\n"));
        let line = |set: &&str| ((*set).to_owned(), (*set).to_owned(), name.clone());
        text.push_str(&tables(summary, "tree", &sets.iter().map(line).collect::<Vec<Line>>()));
    }
    text
}

fn tree_cells(row: &TreeRow) -> Vec<String> {
    let counts = [row.processes.to_string(), row.unlike.to_string()];
    [vec![row.set.clone(), row.engine.clone(), row.tree.clone()], counts.to_vec()].concat()
}

/// Rates and percents of the limit, a line for each name, option set and benchmark.
fn tables(summary: &Summary, head: &str, lines: &[Line]) -> String {
    let engines = summary.measured_engines();
    let heads: Vec<&str> =
        std::iter::once(head).chain(engines.iter().map(String::as_str)).collect();
    let cells = |cell: &dyn Fn(&Row) -> String| -> Vec<Vec<String>> {
        let of_line = |(name, set, benchmark): &Line| {
            let rows = engines.iter().map(|engine| summary.row(set, benchmark, engine));
            let rows: Vec<Option<&Row>> = rows.collect();
            let cells = rows.iter().map(|row| row.map(cell).unwrap_or_default());
            rows.iter()
                .any(Option::is_some)
                .then(|| std::iter::once(name.clone()).chain(cells).collect())
        };
        lines.iter().filter_map(of_line).collect()
    };
    let mut text = table(&heads, cells(&rate), 1);
    let limits = cells(&|row: &Row| {
        let by = row.limited_by.map_or("", |by| by.name());
        row.limit_percent.map(|percent| format!("{percent:.0} % ({by})")).unwrap_or_default()
    });
    if limits.iter().any(|line| line[1..].iter().any(|cell| !cell.is_empty())) {
        text.push_str("Percent of what the machine allows, and what limits it:\n\n");
        text.push_str(&table(&heads, limits, 1));
    }
    let skipped = skipped(summary, &engines, lines);
    if !skipped.is_empty() {
        text.push_str(&format!("Skipped:\n\n{skipped}\n"));
    }
    text
}

/// Why engines skipped what, each reason once with all that it holds for.
fn skipped(summary: &Summary, engines: &[String], lines: &[Line]) -> String {
    let mut reasons: Vec<((&String, &String), Vec<&str>)> = Vec::new();
    for engine in engines {
        for (name, set, benchmark) in lines {
            let row = summary.row(set, benchmark, engine);
            let Some(why) = row.and_then(|row| row.skipped.as_ref()) else { continue };
            match reasons.iter_mut().find(|(reason, _)| *reason == (engine, why)) {
                Some((_, names)) => names.push(name),
                None => reasons.push(((engine, why), vec![name])),
            }
        }
    }
    let line = |((engine, why), names): ((&String, &String), Vec<&str>)| {
        format!("- {engine}: {}: {why}\n", names.join(", "))
    };
    reasons.into_iter().map(line).collect()
}

fn rate(row: &Row) -> String {
    if row.skipped.is_some() {
        return "skipped".to_owned();
    }
    let by = if row.is_of_db_bench() { " by db_bench" } else { "" };
    let unsteady = if row.disturbed_rounds > 0 { " unsteady" } else { "" };
    let unsteady = format!("{by}{unsteady}");
    let rate = short_or_dash(row.ops_per_second);
    match row.ratio {
        Some(ratio) if row.verdict.sign().is_empty() => {
            // The first engine's own ratio says nothing.
            debug_assert!((ratio - 1.0).abs() < 1e-9);
            format!("{rate}{unsteady}")
        }
        Some(ratio) => format!("{rate} ({ratio:.2} {}){unsteady}", row.verdict.sign()),
        None => format!("{rate}{unsteady}"),
    }
}

/// What the harness costs, and how much of the fastest engine's time that is.
fn harness(summary: &Summary) -> String {
    let engines = summary.spec.engine_names();
    let Some(harness) = engines.iter().find(|name| summary.is_harness(name)) else {
        return String::new();
    };
    let line = |row: &Row| {
        let nanos =
            |row: &Row| row.ops_per_second.filter(|rate| *rate > 0.0).map(|rate| 1e9 / rate);
        let own = nanos(row)?;
        let others = summary.measured_engines().into_iter().filter_map(|engine| {
            nanos(summary.row(&row.set, &row.benchmark, &engine)?).map(|nanos| (nanos, engine))
        });
        let (least, engine) = others.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let share = format!("{:.0} % of {engine}'s {} ns", own / least * 100.0, short(least));
        Some(vec![row.set.clone(), row.benchmark.clone(), short(own), share])
    };
    let rows = summary.rows.iter().filter(|row| row.engine == *harness).filter_map(line).collect();
    let table = table(&["set", "benchmark", "ns/op", "share of the fastest"], rows, 2);
    format!(
        "## What the harness costs\n\nThe same benchmarks with an engine that does nothing: keys, values, \
         random numbers, clocks.\n\n{table}"
    )
}

/// A table whose columns from `numbers` on are set to the right.
fn table(heads: &[&str], rows: Vec<Vec<String>>, numbers: usize) -> String {
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = |(index, _): (usize, &&str)| if index < numbers { "---" } else { "---:" }.to_owned();
    let mut text = line(heads.iter().map(|head| (*head).to_owned()).collect());
    text.push_str(&line(heads.iter().enumerate().map(rule).collect()));
    rows.into_iter().for_each(|row| text.push_str(&line(row)));
    text + "\n"
}
