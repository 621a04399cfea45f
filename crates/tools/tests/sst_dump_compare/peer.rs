//! Runs RocksDB's sst_dump and ours, and compares what they leave behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PEER: &str = "sst_dump";
const PEER_VERSION: &[u8] = b"sst_dump (RocksDB) 7.8.3\n";

/// Whether the peer is there. If not, says so, or fails where `CI` is `true`.
pub(crate) fn is_here() -> bool {
    let version = Command::new(PEER).arg("--version").output();
    if version.is_ok_and(|output| output.stdout == PEER_VERSION) {
        return true;
    }
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "{PEER} of RocksDB 7.8.3 is not in the path");
    println!("skipped: {PEER} of RocksDB 7.8.3 is not in the path");
    false
}

/// What a run left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// None if a signal killed it.
    pub(crate) status: Option<i32>,
    /// Without the address in the first line.
    pub(crate) stdout: Vec<u8>,
    /// The first lines.
    pub(crate) stderr: String,
    /// Dump files by path.
    pub(crate) dumps: BTreeMap<PathBuf, Vec<u8>>,
}

/// Either of the two tools.
pub(crate) type Tool = fn(&[String]) -> Run;

/// RocksDB's.
pub(crate) fn theirs(arguments: &[String]) -> Run {
    let output = Command::new(PEER).args(arguments).output().expect("run the peer");
    finished(output.status.code(), &output.stdout, &output.stderr)
}

/// Ours.
pub(crate) fn ours(arguments: &[String]) -> Run {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let status = tools::sst_dump::main(arguments, &mut stdout, &mut stderr);
    finished(Some(status), &stdout, &stderr)
}

fn finished(status: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Run {
    const ADDRESS: &[u8] = b"options.env is 0x";
    let stdout = match stdout.strip_prefix(ADDRESS) {
        Some(rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            [ADDRESS, &rest[digits..]].concat()
        }
        None => stdout.to_vec(),
    };
    let stderr: Vec<_> =
        String::from_utf8_lossy(stderr).lines().take(3).map(str::to_owned).collect();
    Run { status, stdout, stderr: stderr.join(" | "), dumps: BTreeMap::new() }
}

/// Runs, and takes away the dump files that were written into `directory`.
pub(crate) fn run_in(directory: &Path, tool: Tool, arguments: &[String]) -> Run {
    let mut run = tool(arguments);
    for path in files_of(directory) {
        if path.to_string_lossy().ends_with("_dump.txt") {
            let dump = fs::read(&path).expect("dump file");
            fs::remove_file(&path).expect("remove dump file");
            run.dumps.insert(path, dump);
        }
    }
    run
}

/// The files in a directory.
pub(crate) fn files_of(directory: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(directory).expect("directory");
    entries.map(|entry| entry.expect("entry").path()).filter(|path| path.is_file()).collect()
}

/// The first difference between two runs with the same arguments, in words.
pub(crate) fn compare(arguments: &[String], theirs: &Run, ours: &Run) -> Result<(), String> {
    let explain = |what: String| {
        format!(
            "{what}\n  by {}\n  their errors: {}\n  our errors: {}",
            arguments.join(" "),
            theirs.stderr,
            ours.stderr
        )
    };
    if theirs.status != ours.status {
        return Err(explain(format!("status: theirs {:?}, ours {:?}", theirs.status, ours.status)));
    }
    compare_text("stdout", &theirs.stdout, &ours.stdout).map_err(explain)?;
    if theirs.dumps.keys().ne(ours.dumps.keys()) {
        let (theirs, ours) = (theirs.dumps.keys(), ours.dumps.keys());
        return Err(explain(format!("dump files: theirs {theirs:?}, ours {ours:?}")));
    }
    for (path, dump) in &theirs.dumps {
        compare_text(&path.to_string_lossy(), dump, &ours.dumps[path]).map_err(explain)?;
    }
    Ok(())
}

fn compare_text(what: &str, theirs: &[u8], ours: &[u8]) -> Result<(), String> {
    if theirs == ours {
        return Ok(());
    }
    let lines =
        |text: &[u8]| text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (theirs, ours) = (lines(theirs), lines(ours));
    let number = theirs.iter().zip(&ours).position(|(a, b)| a != b);
    let number = number.unwrap_or(theirs.len().min(ours.len()));
    let show = |lines: &[Vec<u8>]| match lines.get(number) {
        Some(line) => format!("{:?}", String::from_utf8_lossy(&line[..line.len().min(200)])),
        None => "nothing".to_owned(),
    };
    Err(format!("{what}, line {}: theirs {}, ours {}", number + 1, show(&theirs), show(&ours)))
}
