//! The text format of Prometheus, version 0.0.4.

use crate::metric::{Kind, Metric};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Names and values of labels, in their order.
pub(crate) type Labels = Vec<(&'static str, String)>;

/// Metrics as they are collected: samples of one metric stand together, whoever added them.
#[derive(Debug, Default)]
pub(crate) struct Exposition {
    blocks: BTreeMap<String, Block>,
}

#[derive(Debug)]
struct Block {
    help: String,
    kind: Kind,
    samples: String,
}

impl Exposition {
    /// Adds a value of `metric`.
    pub(crate) fn add(&mut self, metric: &Metric, labels: &Labels, value: f64) {
        self.add_part(metric, "", labels, value);
    }

    /// Adds a value of a part of a summary, which has a name of its own.
    pub(crate) fn add_part(&mut self, metric: &Metric, part: &str, labels: &Labels, value: f64) {
        let block = self.blocks.entry(metric.name.to_string()).or_insert_with(|| Block {
            help: metric.help.to_string(),
            kind: metric.kind,
            samples: String::new(),
        });
        let samples = &mut block.samples;
        samples.push_str(&metric.name);
        samples.push_str(part);
        write_labels(samples, labels);
        // Writing to a string cannot fail.
        let _ = match value {
            value if value.is_infinite() => {
                writeln!(samples, " {}Inf", if value > 0.0 { '+' } else { '-' })
            }
            value => writeln!(samples, " {value}"),
        };
    }

    /// All of it.
    pub(crate) fn into_text(self) -> String {
        let mut text = String::new();
        for (name, block) in self.blocks {
            let _ = writeln!(text, "# HELP {name} {}", escape(&block.help, false));
            let _ = writeln!(text, "# TYPE {name} {}", block.kind.name());
            text.push_str(&block.samples);
        }
        text
    }
}

fn write_labels(text: &mut String, labels: &Labels) {
    for (index, (name, value)) in labels.iter().enumerate() {
        text.push(if index == 0 { '{' } else { ',' });
        let _ = write!(text, "{name}=\"{}\"", escape(value, true));
    }
    if !labels.is_empty() {
        text.push('}');
    }
}

/// Backslashes and ends of lines, in values of labels quotes too.
fn escape(text: &str, is_label: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '"' if is_label => escaped.push_str("\\\""),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
