//! Where the output may differ from RocksDB's, and why.

use super::command_lines::{CommandLine, is_newer};
use super::golden;
use super::runs::Run;
use std::sync::atomic::{AtomicBool, Ordering};
use testing::fixtures::Fixture;

/// What to make of a difference.
pub(crate) enum Verdict {
    /// A rule allows it.
    Argued,
    /// No rule is about it.
    Unknown,
    /// A rule is about it, and it is not as the rule says; the rule's name.
    Violated(&'static str),
}

/// A difference with its reason.
struct Rule {
    name: &'static str,
    /// Why it is there.
    #[expect(dead_code, reason = "for whoever reads this table")]
    reason: &'static str,
    /// Whether it is about this command line on this directory.
    concerns: fn(&Fixture, &CommandLine, &Run) -> bool,
    /// Whether ours and theirs are as it says.
    holds: fn(&Fixture, &CommandLine, &Run, &Run) -> bool,
}

impl Rule {
    const fn new(
        name: &'static str,
        reason: &'static str,
        concerns: fn(&Fixture, &CommandLine, &Run) -> bool,
        holds: fn(&Fixture, &CommandLine, &Run, &Run) -> bool,
    ) -> Self {
        Self { name, reason, concerns, holds }
    }
}

const RULES: &[Rule] = &[
    Rule::new(
        "other kinds of tables",
        "Plain and cuckoo tables are not read.",
        |fixture, _, _| is_one_of(fixture, &["q02", "q03"]),
        |_, line, ours, _| match line.has("path") {
            true => ours.error_has("Error in reading SST file"),
            false => !ours.succeeded() && ours.error_has("Not implemented"),
        },
    ),
    Rule::new(
        "newer tables",
        "7.8.3 cannot read tables of format version 6 and 7. Ours finds what the fixture's record \
         says, or the damage that is in it.",
        |_, _, theirs| theirs.error_has("unsupported format_version"),
        |fixture, line, ours, _| golden::agrees(fixture, line, ours),
    ),
    Rule::new(
        "repaired",
        "RepairDB of these releases left tables in L0 whose sequence numbers overlap. 7.8.3 refuses \
         them, although their keys are in order; as later releases ours does not.",
        |fixture, _, theirs| {
            is_case(fixture, "q14") && shows(theirs, "force_consistency_checks(DEBUG)")
        },
        |fixture, line, ours, _| golden::agrees(fixture, line, ours),
    ),
    Rule::new(
        "newer options",
        "7.8.3 refuses options that came after it unless it is told to ignore them. Ours knows them.",
        |fixture, _, theirs| {
            is_newer(fixture)
                && (theirs.error_has("Could not find option")
                    || theirs.error_has("Unrecognized option"))
        },
        |fixture, line, ours, _| golden::agrees(fixture, line, ours),
    ),
    Rule::new(
        "several paths",
        "7.8.3 prints a MANIFEST whose tables are spread over several db_paths, then an assertion \
         of its own ends it. What reached its output is the start of ours.",
        |fixture, _, theirs| is_case(fixture, "q05") && theirs.error_has("Assertion `path_id <"),
        |_, _, ours, theirs| ours.succeeded() && starts_with(ours, theirs),
    ),
    Rule::new(
        "comparators of 4.x",
        "An assertion ends 7.8.3 on the name that tables of these releases have for their \
         comparator.",
        |_, _, theirs| theirs.error_has("Assertion `user_comparator'"),
        |_, _, ours, theirs| ours.succeeded() && starts_with(ours, theirs),
    ),
    Rule::new(
        "logs in the MANIFEST",
        "An assertion ends a read-only open of 7.8.3 where the MANIFEST keeps account of logs.",
        |_, _, theirs| theirs.error_has("Assertion `recovery_ctx != nullptr'"),
        |fixture, line, ours, _| line.has("ttl") || golden::agrees(fixture, line, ours),
    ),
    Rule::new(
        "prepared transactions",
        "An assertion ends 7.8.3 at a prepared transaction in a WAL. Ours says that it cannot be \
         read so.",
        |_, _, theirs| theirs.error_has("./db/write_batch.cc:"),
        |_, _, ours, _| ours.error_has("Not implemented"),
    ),
    Rule::new(
        "dump of nothing",
        "An assertion ends dump of 7.8.3 where the database cannot be opened and OPTIONS are not to \
         be read.",
        |_, line, theirs| line.command == "dump" && theirs.error_has("Assertion `!path_.empty()'"),
        |_, _, ours, _| fails_with_a_sentence(ours),
    ),
    Rule::new(
        "backward range",
        "An assertion ends 7.8.3 where approxsize is given a range that ends before it starts.",
        |_, line, theirs| line.command == "approxsize" && theirs.status.is_none(),
        |_, _, ours, _| ours.error_has("before its start"),
    ),
    Rule::new(
        "times in several families",
        "An assertion ends 7.8.3 where --ttl meets a database of several families.",
        |_, line, theirs| line.has("ttl") && theirs.error_has("`column_families_.empty()'"),
        |_, _, ours, _| ours.error_has("TTL DB with multiple column families"),
    ),
    Rule::new(
        "bounds without timestamps",
        "7.8.3 takes the end of a bound for its timestamp, or what is in memory before it. Ours \
         refuses one that is too short.",
        |fixture, line, _| {
            line.command == "idump" && line.has("from") && is_one_of(fixture, &["q01", "q08"])
        },
        |_, _, ours, _| ours.error_has("and so must bounds"),
    ),
    Rule::new(
        "values without times",
        "Where --ttl meets values too short for a time, 7.8.3 reads what is in memory before them, \
         and an assertion may end it.",
        |_, line, _| line.has("ttl"),
        |_, _, ours, _| ours.error_has("expected at least the 4 of a time"),
    ),
    Rule::new(
        "entities in a WAL",
        "dump_wal of 7.8.3 stops at the first entity, with an error. Ours prints it in the form of \
         later releases.",
        |_, _, theirs| theirs.error_has("PutEntityCF not implemented"),
        |_, _, ours, theirs| ours.succeeded() && starts_with(ours, theirs),
    ),
    Rule::new(
        "timestamp sizes in a WAL",
        "7.8.3 takes the record of timestamp sizes, which came with 8.1, for the end of the log. It \
         prints nothing of what follows, and does not have it in the database.",
        |fixture, line, theirs| {
            let reads_wal = ["dump_wal", "dump", "dump_live_files", "idump", "get_property"];
            line.is_one_of(&reads_wal)
                && !line.has_property_of(&["sstables"])
                && theirs.succeeded()
                && is_newer(fixture)
                && is_one_of(fixture, &["q01", "q08"])
        },
        |_, _, ours, theirs| ours.succeeded() && ours.stdout.len() >= theirs.stdout.len(),
    ),
    Rule::new(
        "single deletions",
        "7.8.3 does not count single deletions in memtables as deletions; later releases and ours do. \
         The estimate of keys takes each deletion off twice.",
        |_, line, theirs| {
            theirs.succeeded()
                && line.has_property_of(&["num-deletes-active-mem-table", "estimate-num-keys"])
        },
        |_, line, ours, theirs| match (last_number(ours), last_number(theirs)) {
            (Some(ours), Some(theirs)) if line.has_property_of(&["estimate-num-keys"]) => {
                ours < theirs && (theirs - ours) % 2 == 0
            }
            (Some(ours), Some(theirs)) => ours > theirs,
            _ => false,
        },
    ),
    Rule::new(
        "start by prefix",
        "idump of 7.8.3 seeks its start by prefix where there is a prefix extractor, and so may miss \
         keys of other prefixes. Ours prints all that are in the range.",
        |fixture, line, theirs| {
            line.command == "idump"
                && line.has("from")
                && theirs.succeeded()
                && is_case(fixture, "l")
        },
        |_, _, ours, theirs| ours.succeeded() && holds_lines(ours, theirs),
    ),
    Rule::new(
        "order of checksums",
        "7.8.3 prints the checksums in the order of a hash table.",
        |_, line, theirs| line.command == "file_checksum_dump" && theirs.succeeded(),
        |_, _, ours, theirs| ours.succeeded() && sorted(&ours.stdout) == sorted(&theirs.stdout),
    ),
    Rule::new(
        "short bound",
        "An assertion ends idump of 7.8.3 where the tables have a hash index and a bound is shorter \
         than the prefixes in it.",
        |_, line, theirs| line.command == "idump" && theirs.error_has("`InDomain(src)'"),
        |_, _, ours, _| ours.succeeded(),
    ),
    Rule::new(
        "stripped timestamps",
        "7.8.3 does not know that tables may lack the timestamps of their keys, and shows bounds \
         without any. Ours have those that reads see.",
        |fixture, line, _| is_case(fixture, "q08") && line.has_property_of(&["sstables"]),
        |_, _, ours, theirs| ours.succeeded() && line_count(ours) == line_count(theirs),
    ),
    Rule::new(
        "versions of dropped families",
        "7.8.3 numbers the versions that it made since the open, among them those of families that \
         the MANIFEST adds and drops. Ours numbers those of the families that are there.",
        |fixture, line, _| is_case(fixture, "d02") && line.has_property_of(&["sstables"]),
        |_, _, ours, theirs| {
            ours.succeeded() && without_version_numbers(ours) == without_version_numbers(theirs)
        },
    ),
    Rule::new(
        "time since the open",
        "Statistics have the time since the open, and what happened in a second of it. Ours have the \
         lines and keys of later releases besides. Damage behind them is passed over by 7.8.3, as \
         below.",
        |_, line, theirs| {
            (line.command == "get_property" || line.has("stats")) && theirs.succeeded()
        },
        |_, line, ours, theirs| {
            (ours.succeeded() || (line.has("stats") && fails_with_a_sentence(ours)))
                && without_uptime(&ours.stdout) == without_uptime(&theirs.stdout)
        },
    ),
    Rule::new(
        "timestamps in dump",
        "dump of 7.8.3 fails where keys have timestamps, but not before it has said that there are \
         no keys.",
        |_, line, theirs| line.command == "dump" && theirs.error_has("that enables timestamp"),
        |_, _, ours, theirs| {
            !ours.succeeded() && starts_with_lines(&theirs.stdout, &without_uptime(&ours.stdout))
        },
    ),
    Rule::new(
        "operands over entities",
        "7.8.3 cannot merge into entities. scan fails, dump ends without a word.",
        |fixture, line, _| is_case(fixture, "m03") && line.is_one_of(&["scan", "dump", "get"]),
        |_, _, ours, theirs| ours.succeeded() && ours.stdout.len() > theirs.stdout.len(),
    ),
    Rule::new(
        "operands without an operator",
        "7.8.3 ends the replay of a WAL at an operand where there is no merge operator, and so loses \
         what follows. Ours keeps it, and fails if the operand's value is asked for.",
        |fixture, line, _| {
            // Releases before 4.3 wrote no OPTIONS file to take an operator from.
            is_case(fixture, "z") && (line.has("try_load_options") || fixture.release == "3.13.1")
        },
        |_, _, ours, _| ours.succeeded() || ours.error_has("no merge_operator is set"),
    ),
    Rule::new(
        "damage passed over",
        "idump and dump of 7.8.3 end without a word where a block cannot be read. Ours print the \
         same, then fail.",
        |_, line, theirs| line.is_one_of(&["dump", "idump"]) && theirs.succeeded(),
        |_, _, ours, theirs| !ours.succeeded() && ours.stdout == theirs.stdout,
    ),
];

fn fails_with_a_sentence(run: &Run) -> bool {
    !run.succeeded() && run.first_error().len() > "Failed: ".len()
}

fn starts_with(ours: &Run, theirs: &Run) -> bool {
    ours.stdout.starts_with(&theirs.stdout)
}

/// Whether it says so, on whatever stream.
fn shows(run: &Run, text: &str) -> bool {
    run.error_has(text) || String::from_utf8_lossy(&run.stdout).contains(text)
}

/// Whether all lines of theirs are among ours, but for the last, which has their number.
fn holds_lines(ours: &Run, theirs: &Run) -> bool {
    let ours = sorted(&ours.stdout);
    let theirs = theirs.stdout.split(|byte| *byte == b'\n');
    theirs
        .filter(|line| !line.starts_with(b"Internal keys in range"))
        .all(|line| ours.binary_search(&line).is_ok())
}

fn line_count(run: &Run) -> usize {
    run.stdout.iter().filter(|byte| **byte == b'\n').count()
}

fn without_version_numbers(run: &Run) -> Vec<String> {
    let text = String::from_utf8_lossy(&run.stdout);
    let line = |line: &str| match line.split_once("version# ") {
        Some((start, rest)) => {
            start.to_owned() + rest.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        None => line.to_owned(),
    };
    text.lines().map(line).collect()
}

/// The number at the end of the output.
fn last_number(run: &Run) -> Option<u64> {
    String::from_utf8_lossy(&run.stdout).split_whitespace().last()?.parse().ok()
}

/// The lines but for those in which the time since the open counts, and those that came with a
/// later release.
fn without_uptime(output: &[u8]) -> Vec<&[u8]> {
    let counts_time = |line: &&[u8]| {
        let line = String::from_utf8_lossy(line).to_lowercase();
        let words = [
            "uptime",
            "interval",
            "mb/s",
            "estimated pending compaction bytes",
            "write stall (count)",
            ".wprecompgb: ",
            "-stops: ",
            "-delays: ",
            "-with-ongoing-compaction: ",
            ".num_data_blocks_compression_",
            ".num_uniform_blocks: ",
            ".uncompressed_data_size: ",
        ];
        words.iter().any(|word| line.contains(word))
    };
    output.split(|byte| *byte == b'\n').filter(|line| !counts_time(line)).collect()
}

/// Whether `output` starts with these lines, those left out in which time counts.
fn starts_with_lines(output: &[u8], lines: &[&[u8]]) -> bool {
    let lines = lines.strip_suffix(&[b"".as_slice()]).unwrap_or(lines);
    without_uptime(output).starts_with(lines)
}

fn sorted(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

fn is_case(fixture: &Fixture, prefix: &str) -> bool {
    fixture.name.starts_with(prefix)
}

fn is_one_of(fixture: &Fixture, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| is_case(fixture, prefix))
}

/// Which rules some difference needed.
static USED: [AtomicBool; RULES.len()] = [const { AtomicBool::new(false) }; RULES.len()];

/// What the rules say of a difference.
pub(crate) fn verdict(fixture: &Fixture, line: &CommandLine, ours: &Run, theirs: &Run) -> Verdict {
    let Some(at) = RULES.iter().position(|rule| (rule.concerns)(fixture, line, theirs)) else {
        return Verdict::Unknown;
    };
    if !(RULES[at].holds)(fixture, line, ours, theirs) {
        return Verdict::Violated(RULES[at].name);
    }
    // Relaxed: nothing else is published with it.
    USED[at].store(true, Ordering::Relaxed);
    Verdict::Argued
}

/// Names of the rules that were about no difference.
pub(crate) fn unused() -> Vec<&'static str> {
    let unused = RULES.iter().zip(&USED).filter(|(_, used)| !used.load(Ordering::Relaxed));
    unused.map(|(rule, _)| rule.name).collect()
}
