//! RocksDB's command lines as judges: what `ldb` scans, and whether `ldb` and `sst_dump` find
//! anything wrong.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use super::expectation::Expectation;
use super::protocol::{Comparator, Content, Contents, MergeOperator};
use super::verdict::{compare, copy_directory};
use crate::content::ContentHash;
use crate::fixtures::version_numbers;
use crate::hexes::try_unhex;
use crate::peer::{self, Peer};

/// Asks Debian's `ldb` and `sst_dump` about a copy of a directory that has an OPTIONS file. Returns
/// whether they could be asked: that they are not installed `peer::find` says, they may be older
/// than the directory, and they know no comparator or merge operator that is not RocksDB's.
///
/// # Errors
/// What they found that was not expected.
pub fn judge_by_tools(directory: &Path, expectation: &Expectation) -> Result<bool, String> {
    let (Some(ldb), Some(sst_dump)) = (peer::find("ldb"), peer::find("sst_dump")) else {
        return Ok(false);
    };
    let is_old = version_numbers(peer::RELEASE) < version_numbers(&expectation.since);
    let needs_ours = expectation.families.iter().any(|family| {
        family.opening.comparator == Some(Comparator::ShortLex)
            || family.opening.merge_operator == Some(MergeOperator::Append)
    });
    if is_old || needs_ours || !expectation.has_options_file {
        return Ok(false);
    }
    let scratch = TempDir::new().map_err(|error| error.to_string())?;
    let copy = scratch.path().join("copy");
    copy_directory(directory, &copy).map_err(|error| format!("copying: {error}"))?;

    let mut found = Contents::new();
    for family in &expectation.families {
        let name = &family.opening.name;
        let output =
            run(ldb, &copy, &[&format!("--column_family={}", name.to_text()), "scan", "--hex"])?;
        found.insert(name.clone(), scanned(&output)?);
    }
    let families = expectation.families.iter();
    let expected =
        families.map(|family| (family.opening.name.clone(), family.content.clone())).collect();
    compare(&expected, &found).map_err(|why| format!("ldb scan: {why}"))?;

    let consistent = run(ldb, &copy, &["checkconsistency"])?;
    if consistent.trim() != "OK" {
        return Err(format!("ldb checkconsistency: {consistent}"));
    }
    let tables = expectation.live_files.as_ref().map_or(0, Vec::len);
    if tables > 0 {
        let file = format!("--file={}", copy.display());
        let report = text(&sst_dump.run(&[&file, "--command=verify"]));
        let sound = report.matches("The file is ok").count();
        if sound < tables {
            return Err(format!("sst_dump verify: {sound} of {tables} tables: {report}"));
        }
    }
    Ok(true)
}

/// Standard output of `ldb` with the directory's own options.
fn run(ldb: Peer, directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let db = format!("--db={}", directory.display());
    let own_options = [db.as_str(), "--try_load_options", "--ignore_unknown_options"];
    let arguments: Vec<&str> = own_options.iter().chain(arguments).copied().collect();
    let output = ldb.run(&arguments);
    if output.status.success() && output.stderr.is_empty() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("ldb {}: {}: {}", arguments.join(" "), output.status, text(&output)))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// The content of lines `0xKEY : 0xVALUE`.
fn scanned(output: &str) -> Result<Content, String> {
    let mut pairs = ContentHash::new();
    for line in output.lines() {
        let pair = line
            .split_once(" : ")
            .and_then(|(key, value)| Some((key.strip_prefix("0x")?, value.strip_prefix("0x")?)));
        let (key, value) = pair.ok_or_else(|| format!("ldb scan says {line:?}"))?;
        pairs.push(&try_unhex(key)?, &try_unhex(value)?);
    }
    Ok(Content { count: pairs.count(), sha256: pairs.sha256(), ..Content::default() })
}
