//! Instructions of parts of operations, which benches of single crates measure by themselves.
//!
//! ```text
//! parts.tsv    # comments; then lines of: package TAB bench TAB name TAB instructions of one operation
//! ```

use super::{Mode, Verdict, build_bench, counted_operations};
use crate::files;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

#[cfg(test)]
mod tests;

const TABLE: &str = "crates/microbench/parts.tsv";
/// Only instructions of this function of `microbench`, and of what it calls, count.
const COUNTED_FUNCTION: &str = "*measured_round*";

/// A part and what is kept of it.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    package: String,
    bench: String,
    name: String,
    instructions: f64,
}

/// Counts every part of the table, and compares it with what is kept, or keeps it.
///
/// # Errors
/// A sentence for each that takes more than is kept.
pub(super) fn run(mode: Mode) -> Result<(), String> {
    let table = files::root().join(TABLE);
    let text = std::fs::read_to_string(&table).map_err(|error| format!("{TABLE}: {error}"))?;
    let mut parts = parse(&text)?;
    let (mut programs, mut failed) = (BTreeMap::<_, PathBuf>::new(), Vec::new());
    for part in &mut parts {
        let bench = (part.package.clone(), part.bench.clone());
        let program = match programs.get(&bench) {
            Some(program) => program,
            None => {
                let program = build_bench(&part.package, &part.bench)?;
                programs.entry(bench).or_insert(program)
            }
        };
        let counts = format!("--count={}", part.name);
        let counted =
            counted_operations(COUNTED_FUNCTION, Command::new(program).arg(counts), &part.name);
        // A bench may leave one out, as that of mapped logs does where there are none.
        let counted = match counted {
            Ok(counted) => counted,
            Err(why) => {
                failed.push(why);
                continue;
            }
        };
        let (kept, verdict) = (part.instructions, Verdict::of(part.instructions, counted));
        println!("{:<44} kept {kept:>8.1} counted {counted:>8.1}  {}", part.name, verdict.text());
        if verdict == Verdict::More && mode != Mode::Keep {
            failed
                .push(format!("{} takes {counted:.1} instructions, {kept:.1} are kept", part.name));
        }
        part.instructions = counted;
    }
    if mode == Mode::Keep {
        let text = with_counts(&text, &parts);
        std::fs::write(&table, text).map_err(|error| format!("{TABLE}: {error}"))?;
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

fn parse(text: &str) -> Result<Vec<Part>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let bad =
                || format!("{TABLE}: {line:?} is not a package, a bench, a name and a number");
            let fields: Vec<&str> = line.split('\t').collect();
            let [package, bench, name, number] = fields[..] else { return Err(bad()) };
            let instructions = number.trim().parse().map_err(|_| bad())?;
            let [package, bench, name] = [package, bench, name].map(str::to_owned);
            Ok(Part { package, bench, name, instructions })
        })
        .collect()
}

/// The table's text with other numbers.
fn with_counts(text: &str, parts: &[Part]) -> String {
    let comments = text.lines().filter(|line| line.starts_with('#')).map(str::to_owned);
    let lines = parts.iter().map(|Part { package, bench, name, instructions }| {
        format!("{package}\t{bench}\t{name}\t{instructions:.1}")
    });
    comments.chain(lines).map(|line| line + "\n").collect()
}
