//! One page of HTML that needs nothing else: tables, charts, and what one has to know to believe them.

use super::chart::Chart;
use super::terminal::{HEAD, NUMBERS, cells, notes, set_title};
use crate::machine::constants::CONSTANTS;
use crate::summary::Summary;
use crate::verdict::Verdict;

const STYLE: &str = "\
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}
table{border-collapse:collapse;font-size:13px}td,th{padding:.2em .6em;border-bottom:1px solid #ddd;
text-align:left;white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}
.better{color:#00714f}.worse{color:#b03a00}.equal,.disturbed{color:#777}
.incomplete{background:#fff3cd;border:1px solid #e0c060;padding:.6em 1em}
.wide{overflow-x:auto}svg{max-width:100%;height:auto}code{font-size:12px}
";

/// The page.
pub fn render(summary: &Summary, charts: &[Chart]) -> String {
    let mut body = String::from("<h1>Comparison of engines</h1>\n");
    if let Some(missing) = &summary.missing {
        body.push_str(&format!(
            "<p class=\"incomplete\"><b>Incomplete:</b> {}</p>\n",
            escaped(missing)
        ));
    }
    for set in &summary.spec.sets {
        body.push_str(&format!("<h2>{}</h2>\n", escaped(&set_title(summary, &set.name))));
        body.push_str(&table(summary, &set.name));
    }
    body.push_str("<h2>Charts</h2>\n");
    // An SVG stands in a page without anything before its first element.
    for chart in charts {
        let start = chart.svg.find("<svg").unwrap_or_default();
        body.push_str(&format!("<div class=\"wide\">{}</div>\n", &chart.svg[start..]));
    }
    body.push_str("<h2>How it was measured</h2>\n<ul>\n");
    for note in notes(summary) {
        body.push_str(&format!("<li>{}</li>\n", escaped(&note)));
    }
    body.push_str("</ul>\n");
    body.push_str(&host(summary));
    body.push_str(&machine(summary));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <title>Comparison of engines</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n\
         </html>\n"
    )
}

fn table(summary: &Summary, set: &str) -> String {
    let class = |index: usize| if NUMBERS.contains(&index) { " class=\"n\"" } else { "" };
    let head = HEAD.iter().enumerate();
    let head: String =
        head.map(|(index, name)| format!("<th{}>{}</th>", class(index), escaped(name))).collect();
    let mut text = format!("<div class=\"wide\"><table>\n<tr>{head}</tr>\n");
    for row in summary.rows.iter().filter(|row| row.set == set) {
        let verdict = match row.verdict {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Equal | Verdict::Unknown => "equal",
            Verdict::Reference => "",
        };
        let kind = if row.disturbed_rounds > 0 { "disturbed" } else { verdict };
        let row = cells(row);
        let row = row.iter().enumerate();
        let row: String = row
            .map(|(index, cell)| format!("<td{}>{}</td>", class(index), escaped(cell)))
            .collect();
        text.push_str(&format!("<tr class=\"{kind}\">{row}</tr>\n"));
    }
    text + "</table></div>\n"
}

fn host(summary: &Summary) -> String {
    let host = &summary.host;
    let facts = [
        ("processors", format!("{}, {} of them", host.cpu, host.cores)),
        ("governor", host.governor.clone().unwrap_or_else(|| "not known".to_owned())),
        ("instruction sets", host.isa.clone()),
        ("huge pages", host.huge_pages.clone().unwrap_or_else(|| "none".to_owned())),
        ("file system", host.filesystem.clone().unwrap_or_else(|| "not known".to_owned())),
        ("kernel", host.kernel.clone()),
    ];
    let rows: String = facts
        .iter()
        .map(|(name, value)| format!("<tr><td>{name}</td><td>{}</td></tr>\n", escaped(value)))
        .collect();
    format!("<h2>Where</h2>\n<table>\n{rows}</table>\n")
}

fn machine(summary: &Summary) -> String {
    let Some(report) = &summary.machine else {
        return String::new();
    };
    let row = |constant: &crate::machine::constants::Constant| {
        let value = report.constants.get(constant.name)?;
        Some(format!(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{value:.2}</td><td>{}</td></tr>\n",
            constant.symbol, constant.what, constant.unit
        ))
    };
    let rows: String = CONSTANTS.iter().filter_map(row).collect();
    let how = if report.quick { ", measured quickly" } else { "" };
    format!("<h2>Constants of the machine{how}</h2>\n<table>\n{rows}</table>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
