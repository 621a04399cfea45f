//! Our output against the records of the fixtures, where RocksDB's program can give none.

use super::command_lines::CommandLine;
use super::runs::Run;
use testing::fixtures::{Fixture, OpenedAs};
use testing::hexes::try_unhex;

/// Whether our run found what the fixture's record says, or failed where the record has an error.
pub(crate) fn agrees(fixture: &Fixture, line: &CommandLine, ours: &Run) -> bool {
    if line.has("path") {
        return ours.succeeded();
    }
    let expect = &fixture.case.expect;
    let Some(family) = expect.family("default") else {
        return !ours.succeeded() && expect.open_error.is_some();
    };
    if let Some(error) = &family.error {
        // What is damaged need not be what the command reads.
        return ours.succeeded() || error.starts_with("Corruption");
    }
    let is_hex_scan = line.command == "scan" && line.has("hex") && !line.has("from");
    if !ours.succeeded() || !is_hex_scan || !is_seen_alike(fixture) {
        return ours.succeeded();
    }
    let Some(pairs) = pairs(&ours.stdout) else { return false };
    match fixture.case.options.merge_operator("default") {
        // An operator of the fixture's own, in whose place ldb has another.
        Some("append") => family.count == Some(pairs.len() as u64),
        _ => family.check_pairs(&pairs).is_ok(),
    }
}

/// Whether the record is of what ldb sees: values with their times, and all of the WAL although its
/// directory is not where the OPTIONS file says.
fn is_seen_alike(fixture: &Fixture) -> bool {
    fixture.case.opened_as != OpenedAs::DbWithTtl && fixture.case.options.wal_dir().is_none()
}

/// The pairs that `scan --hex` printed.
fn pairs(output: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let text = std::str::from_utf8(output).ok()?;
    let bytes = |text: &str| try_unhex(text.strip_prefix("0x")?).ok();
    let pair = |line: &str| {
        let (key, value) = line.split_once(" : ")?;
        Some((bytes(key)?, bytes(value)?))
    };
    text.lines().map(pair).collect()
}
