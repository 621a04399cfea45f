//! What RocksDB reads from a directory: `ldb` (7.8.3), and the newest release's library.

use super::Tally;
use crate::model::{Content, plain};
use crate::operation::FAMILIES;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::judges::protocol::{Move, Opening};
use testing::judges::{self, Failure, Judge};

/// The newest release that is asked.
const NEWEST: &str = "11.8.1";

/// Who of RocksDB is here to read.
#[derive(Debug)]
pub struct Readers {
    has_ldb: bool,
    library: Option<Judge>,
}

impl Readers {
    /// Those that are installed; says `skipped: ...` for others.
    ///
    /// # Panics
    /// With `CI=true` in the environment, if one is not installed.
    pub fn installed() -> Self {
        let has_ldb = Command::new("ldb").arg("--version").output().is_ok();
        if !has_ldb {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "ldb is not installed");
            println!("skipped: RocksDB's ldb is not installed");
        }
        Self { has_ldb, library: judges::library(NEWEST) }
    }

    /// Whether there is an `ldb`.
    pub fn has_ldb(&self) -> bool {
        self.has_ldb
    }

    /// Whether there is a library.
    pub fn has_library(&self) -> bool {
        self.library.is_some()
    }

    /// Compares what they read with what we found.
    pub(super) fn compare(
        &self,
        directory: &Path,
        found: &Content,
        can_ask_ldb: bool,
        tally: &mut Tally,
    ) -> Result<(), String> {
        // Without an OPTIONS file nobody knows what the families need.
        if !has_options(directory)? {
            return Ok(());
        }
        let found = found.of_default_columns();
        let view = View::of(directory).map_err(|error| format!("linking files: {error}"))?;
        let directory = view.0.as_path();
        let compare = |who: &str, theirs: &Content| match found.difference(theirs) {
            None => Ok(()),
            Some(difference) => Err(format!("{who} reads something else: {difference}")),
        };
        if self.has_ldb && can_ask_ldb {
            tally.ldb_readings += 1;
            compare("ldb", &read_by_ldb(directory)?)?;
        }
        if let Some(judge) = &self.library {
            tally.library_readings += 1;
            let theirs = read_by(judge, directory).map_err(|why| format!("{judge}: {why}"))?;
            compare(&judge.to_string(), &theirs)?;
        }
        Ok(())
    }
}

/// A directory with every file of a database, those of its `db_paths` and `cf_paths` too: they are
/// in no OPTIONS file. What RocksDB makes there, such as its LOG, is not left behind.
struct View(PathBuf);

impl View {
    fn of(directory: &Path) -> io::Result<Self> {
        let mut name = directory.as_os_str().to_owned();
        name.push("-view");
        let view = Self(name.into());
        fs::create_dir(&view.0)?;
        link_all(directory, &view.0)?;
        Ok(view)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // What is left of it is in nobody's way.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            fs::hard_link(entry.path(), to.join(entry.file_name()))?;
        } else if entry.file_name() != "wals" && entry.file_name() != "archive" {
            // The OPTIONS file says where the WALs are.
            link_all(&entry.path(), to)?;
        }
    }
    Ok(())
}

fn has_options(directory: &Path) -> Result<bool, String> {
    let names = fs::read_dir(directory).map_err(|error| error.to_string())?;
    let is_options = |name: &str| name.starts_with("OPTIONS-") && !name.ends_with("dbtmp");
    Ok(names.filter_map(Result::ok).any(|entry| entry.file_name().to_str().is_some_and(is_options)))
}

fn read_by(judge: &Judge, directory: &Path) -> Result<Content, Failure> {
    let mut session = judge.session();
    let opening = Opening { directory: directory.to_owned(), latest: true, ..Opening::default() };
    session.open(&opening)?;
    let there = session.list_families(directory)?;
    let mut content = Content::new();
    for (name, map) in FAMILIES.iter().zip(&mut content.0) {
        if !there.iter().any(|family| family.0 == name.as_bytes()) {
            continue;
        }
        let iterator = session.iterator(name.as_bytes(), None)?;
        let mut to = Move::SeekToFirst;
        while let Some((key, value)) = session.go(iterator, to)? {
            map.insert(key, plain(value));
            to = Move::Next;
        }
    }
    // Not closed, but killed: a close would look up directories of tables that it was not told of.
    session.kill();
    Ok(content)
}

fn read_by_ldb(directory: &Path) -> Result<Content, String> {
    let mut content = Content::new();
    for (name, map) in FAMILIES.iter().zip(&mut content.0) {
        for line in scan(directory, name)?.lines() {
            let pair = line.split_once(" : ");
            let pair = pair.and_then(|(key, value)| Some((bytes(key)?, bytes(value)?)));
            let (key, value) = pair.ok_or_else(|| format!("ldb scan says {line:?}"))?;
            map.insert(key, plain(value));
        }
    }
    Ok(content)
}

fn scan(directory: &Path, family: &str) -> Result<String, String> {
    let output = Command::new("timeout")
        .args(["100", "ldb"])
        .arg(format!("--db={}", directory.display()))
        .args(["--try_load_options", "--ignore_unknown_options"])
        .arg(format!("--column_family={family}"))
        .args(["scan", "--hex"])
        .output()
        .map_err(|error| format!("ldb: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        let pairs = text(&output.stdout).lines().count();
        Err(format!("ldb: {}, after {pairs} lines: {}", output.status, text(&output.stderr)))
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().strip_prefix("0x")?;
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}
