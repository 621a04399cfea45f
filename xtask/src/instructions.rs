//! Instructions of operations, counted by Valgrind and compared with what is kept.
//!
//! Times depend on who else works on the machine; instructions hardly do. Valgrind's processor has
//! AVX2 and no AVX-512, so it is those kernels that are counted on x86-64. Cache misses don't show.
//!
//! ```text
//! operations.tsv    # comments; then lines of: path TAB instructions of one operation
//! ```

use crate::{ci, files};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

mod external;
mod parts;
#[cfg(test)]
mod tests;

const TABLE: &str = "crates/db/benches/operations.tsv";
/// Keys in the database that is read.
const KEYS: &str = "20000";
/// By so much more than kept, of a hundred, a path may take.
const TOLERANCE_PERCENT: f64 = 3.0;
/// By so much more, of a hundred, an operation may take that is counted in statistics.
const STATISTICS_PERCENT_MAX: f64 = 3.0;
/// By so much more, of a hundred, an operation may take in a crate of a user's own.
const EXTERNAL_PERCENT_MAX: f64 = 5.0;
/// A read and a write: they show a function of another crate that cannot be inlined.
const EXTERNAL_SHORT_PATHS: [&str; 2] = ["get_pre_flush", "put_in_order"];
/// Only instructions of this function, and of what it calls, count.
const COUNTED_FUNCTION: &str = "*measured_operations*";
/// Of work in the background, those of the function that does it in its thread.
const JOB_FUNCTIONS: [(&str, &str); 2] =
    [("flush", "*::build_level0_table"), ("compact", "*Part::run_and_tell")];

/// What the environment leaves out is left out of what counts too.
const VARIABLE: &str = "TOUCHSTONE_PLAIN";
/// What is left out of it in any case: how much of a flush another thread does is another share each time.
const LEFT_OUT: &str = "flush_slices";

/// A path and what is kept of it.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    path: String,
    instructions: f64,
}

/// What became of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    Less,
    More,
}

impl Verdict {
    fn of(kept: f64, counted: f64) -> Self {
        let percent = 100.0 * (counted / kept - 1.0);
        if percent > TOLERANCE_PERCENT {
            Self::More
        } else if percent < -TOLERANCE_PERCENT {
            Self::Less
        } else {
            Self::Same
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::Less => "less: keep it with `cargo xtask instructions --keep`",
            Self::More => "MORE",
        }
    }
}

/// What is to be done with what is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Compares with what is kept.
    Compare,
    /// Keeps it.
    Keep,
    /// Compares with what the same takes where statistics count.
    Statistics,
    /// Compares levels of the perf context.
    PerfLevels,
    /// Compares what a crate of a user's own takes with what is kept.
    External,
    /// The same for [`EXTERNAL_SHORT_PATHS`] alone.
    ExternalShort,
}

/// What is counted or timed beside the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measuring {
    /// What a thread counts that says nothing.
    Default,
    Statistics,
    /// The level of the perf context has this number.
    PerfLevel(u8),
}

impl Measuring {
    /// The flag that the program has for it.
    fn flag(self) -> Option<String> {
        match self {
            Self::Default => None,
            Self::Statistics => Some("--statistics".to_owned()),
            Self::PerfLevel(number) => Some(format!("--perf-level={number}")),
        }
    }
}

/// Levels of the perf context, by RocksDB's numbers. From 5 on the system is asked for the time of the
/// processor, in a way that fails under Valgrind, and most of what that takes would not count.
const PERF_LEVELS: [u8; 4] = [1, 2, 3, 4];
/// A read, a seek and a write.
const PERF_LEVEL_PATHS: [&str; 3] = ["get", "seek", "put_scattered"];

/// The program that does operations.
struct Program {
    executable: PathBuf,
    /// Where it may have its database.
    directory: PathBuf,
}

/// Counts every path of the table, and every part of operations.
pub(crate) fn run(mode: Mode) -> Result<(), String> {
    if let Ok(left_out) = std::env::var(VARIABLE) {
        println!("{VARIABLE} is {left_out:?}, which was not so when what is kept was counted");
    }
    let table = files::root().join(TABLE);
    let text = std::fs::read_to_string(&table).map_err(|error| format!("{TABLE}: {error}"))?;
    let mut paths = parse(&text)?;
    let directory = files::root().join("target/instructions");
    if mode == Mode::ExternalShort {
        paths.retain(|kept| EXTERNAL_SHORT_PATHS.contains(&kept.path.as_str()));
    }
    if matches!(mode, Mode::External | Mode::ExternalShort) {
        return compare_external(&Program { executable: external::build()?, directory }, &paths);
    }
    let program = Program { executable: build_bench("touchstone-db", "operations")?, directory };
    match mode {
        Mode::Statistics => return compare_statistics(&program, &paths),
        Mode::PerfLevels => return compare_perf_levels(&program),
        Mode::Compare | Mode::Keep | Mode::External | Mode::ExternalShort => {}
    }
    let (counted, mut failed) = compare(&program, &paths)?;
    if mode == Mode::Keep {
        let text = with_counts(&text, &counted);
        std::fs::write(&table, text).map_err(|error| format!("{TABLE}: {error}"))?;
        return parts::run(mode);
    }
    failed.extend(parts::run(mode).err());
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// What is counted now, and a sentence for each path that takes more than is kept.
fn compare(program: &Program, paths: &[Kept]) -> Result<(Vec<Kept>, Vec<String>), String> {
    let (mut counted, mut failed) = (Vec::new(), Vec::new());
    for Kept { path, instructions: before } in paths {
        let instructions = program.count(path, Measuring::Default)?;
        let verdict = Verdict::of(*before, instructions);
        println!("{path:<24} kept {before:>8.0} counted {instructions:>8.0}  {}", verdict.text());
        if verdict == Verdict::More {
            failed
                .push(format!("{path} takes {instructions:.0} instructions, {before:.0} are kept"));
        }
        counted.push(Kept { instructions, path: path.clone() });
    }
    Ok((counted, failed))
}

/// Prints what each path takes more than is kept of a build of the workspace.
///
/// # Errors
/// A sentence for each that takes too much more.
fn compare_external(program: &Program, paths: &[Kept]) -> Result<(), String> {
    let mut failed = Vec::new();
    for Kept { path, instructions: kept } in paths {
        let counted = program.count(path, Measuring::Default)?;
        let percent = 100.0 * (counted / kept - 1.0);
        println!("{path:<24} kept {kept:>8.0} external {counted:>8.0}  {percent:+.1} %");
        if percent > EXTERNAL_PERCENT_MAX {
            failed.push(format!("{path} takes {percent:.1} % more in a crate of a user's own"));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Builds the crate of a user's own and does some operations with it.
pub(crate) fn run_external() -> Result<(), String> {
    let executable = external::build()?;
    for path in EXTERNAL_SHORT_PATHS {
        let output = output_of(Command::new(&executable).args([path, KEYS]))?;
        let said = String::from_utf8_lossy(&output.stdout);
        match number_after(&said, path) {
            Some(nanoseconds) if nanoseconds > 0.0 => print!("{said}"),
            _ => return Err(format!("{}: no time for {path}: {said}", executable.display())),
        }
    }
    Ok(())
}

/// Prints what each path takes more with statistics.
///
/// # Errors
/// A sentence for each that takes too much more.
fn compare_statistics(program: &Program, paths: &[Kept]) -> Result<(), String> {
    let mut failed = Vec::new();
    for Kept { path, .. } in paths {
        let without = program.count(path, Measuring::Default)?;
        let with = program.count(path, Measuring::Statistics)?;
        let percent = 100.0 * (with / without - 1.0);
        println!("{path:<24} without {without:>8.0} with {with:>8.0}  {percent:+.1} %");
        if percent > STATISTICS_PERCENT_MAX {
            failed.push(format!("{path} takes {percent:.1} % more with statistics"));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Prints what operations take at each level, as a row of a table, and what more than at the first.
fn compare_perf_levels(program: &Program) -> Result<(), String> {
    for path in PERF_LEVEL_PATHS {
        let counts: Result<Vec<_>, _> = PERF_LEVELS
            .map(|number| program.count(path, Measuring::PerfLevel(number)))
            .into_iter()
            .collect();
        println!("{}", perf_level_row(path, &counts?));
    }
    Ok(())
}

/// The first count, and the others with what they are more than that.
fn perf_level_row(path: &str, counts: &[f64]) -> String {
    let first = counts.first().copied().unwrap_or(f64::NAN);
    let cells = counts.iter().enumerate().map(|(place, count)| match place {
        0 => format!(" {count:.0} |"),
        _ => format!(" {count:.0} ({:+.1} %) |", 100.0 * (count / first - 1.0)),
    });
    format!("| {path} |{}", cells.collect::<String>())
}

fn parse(text: &str) -> Result<Vec<Kept>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let bad = || format!("{TABLE}: {line:?} is not a path, a tab and a number");
            let (path, number) = line.split_once('\t').ok_or_else(bad)?;
            let instructions = number.trim().parse().map_err(|_| bad())?;
            Ok(Kept { path: path.to_owned(), instructions })
        })
        .collect()
}

/// The table's text with other numbers.
fn with_counts(text: &str, counted: &[Kept]) -> String {
    let comments = text.lines().filter(|line| line.starts_with('#')).map(str::to_owned);
    let lines = counted.iter().map(|one| format!("{}\t{:.0}", one.path, one.instructions));
    comments.chain(lines).map(|line| line + "\n").collect()
}

/// Builds a benchmark; the program's path.
fn build_bench(package: &str, bench: &str) -> Result<PathBuf, String> {
    let arguments =
        ["bench", "--locked", "-p", package, "--bench", bench, "--no-run", "--message-format=json"];
    let output = output_of(ci::cargo_command(&arguments).stderr(Stdio::inherit()))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let executable = |line: &str| -> Option<PathBuf> {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == bench)
            .then(|| message["executable"].as_str().map(PathBuf::from))?
    };
    messages
        .lines()
        .find_map(executable)
        .ok_or_else(|| "cargo does not name the program that it built".to_owned())
}

impl Program {
    /// Instructions of one operation of a path.
    fn count(&self, path: &str, measuring: Measuring) -> Result<f64, String> {
        let Self { executable, directory } = self;
        match std::fs::remove_dir_all(directory) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", directory.display()));
            }
            _ => {}
        }
        let at = directory.display();
        output_of(Command::new(executable).args([&format!("--prepare={at}"), path, KEYS]))?;
        let mut counts = Command::new(executable);
        counts.args([&format!("--count={at}"), path, KEYS]).args(measuring.flag());
        counted_operations(counted_function(path), &counts, path)
    }
}

/// Has Valgrind count what `program` does in functions of that name; instructions of one of the operations that it
/// says it made. `what` it does is for errors.
fn counted_operations(function: &str, program: &Command, what: &str) -> Result<f64, String> {
    let left_out = format!("{},{LEFT_OUT}", std::env::var(VARIABLE).unwrap_or_default());
    let output = output_of(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(format!("--toggle-collect={function}"))
            .env(VARIABLE, left_out)
            .arg(program.get_program())
            .args(program.get_args()),
    )?;
    let report = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout);
    match (number_after(&report, "Collected :"), number_after(&said, "operations")) {
        (Some(collected), Some(operations)) if collected > 0.0 => Ok(collected / operations),
        _ => Err(format!("{what}: Valgrind counted nothing:\n{report}{said}")),
    }
}

/// The function whose instructions count, as a pattern.
fn counted_function(path: &str) -> &'static str {
    let job = JOB_FUNCTIONS.iter().find(|(job, _)| *job == path);
    job.map_or(COUNTED_FUNCTION, |(_, function)| *function)
}

/// The number behind the first occurrence of `name`.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let (_, rest) = text.split_once(name)?;
    rest.split_whitespace().next()?.parse().ok()
}

fn output_of(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{text}", output.status))
}
