//! What is asked of a judge about a directory. That it opens one without a complaint is no proof:
//! releases have opened families as empty, and deleted their files, where a MANIFEST was not what
//! they took it for. So each reading is compared by its files, and by count and hash of every
//! family.
//!
//! 1. Read-only: files and content are those expected, and nothing in the directory has changed.
//! 2. The same with the options of the directory's OPTIONS file.
//! 3. For writing, compactions off: the same content, and no file is gone.
//! 4. Everything compacted: the same content.
//! 5. More is written, some of it flushed and some only logged, and the judge's process is killed
//!    or closes the database: what it last read is what the caller reads from the directory then.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::expectation::Expectation;
use super::protocol::{
    Bytes, Comparator, Contents, FamilyOpening, LiveFile, MergeOperator, Mode, Opening, Operation,
};
use super::session::{Failure, Session};
use super::{Judge, all};
use crate::parallel;
use crate::random::Random;

/// Reads a directory as the engine under test does, for comparing with the judge's own reading.
pub type ReadBack<'a> = &'a (dyn Fn(&Path) -> Result<Contents, String> + Sync);

/// Asks every judge, each about a copy of the directory. Returns the names of those that could
/// open it and found all as expected; those that it is not for are not among them.
///
/// # Errors
/// What each judge found that was not expected.
pub fn judge_all(
    directory: &Path,
    expectation: &Expectation,
    read_back: ReadBack<'_>,
) -> Result<Vec<String>, String> {
    let judges = all();
    let accepted = std::sync::Mutex::new(BTreeSet::new());
    let failures = parallel::failures(&judges, |one| {
        if judge(one, directory, expectation, read_back)? {
            let mut accepted = accepted.lock().map_err(|error| error.to_string())?;
            accepted.insert(one.to_string());
        }
        Ok::<_, String>(())
    });
    if failures.is_empty() {
        let accepted = accepted.into_inner().map_err(|error| error.to_string())?;
        return Ok(accepted.into_iter().collect());
    }
    let lines: Vec<_> = failures.iter().map(|(judge, why)| format!("{judge}: {why}")).collect();
    Err(lines.join("\n"))
}

/// Asks one judge. Returns whether it could read the directory: a release older than the
/// expectation's is not asked, and one may lack a comparator, a merge operator or the like.
///
/// # Errors
/// What it found that was not expected.
pub fn judge(
    judge: &Judge,
    directory: &Path,
    expectation: &Expectation,
    read_back: ReadBack<'_>,
) -> Result<bool, String> {
    if !expectation.is_for(judge) {
        return Ok(false);
    }
    let mut trial = Trial { judge, expectation, from_options_file: false };
    let mut can = trial.run("read-only", directory, Trial::read_only)?;
    if expectation.has_options_file {
        trial.from_options_file = true;
        let can_too = trial.run("read-only, by the OPTIONS file", directory, Trial::read_only)?;
        // Later steps take whichever way the judge has.
        trial.from_options_file = !can;
        can |= can_too;
    }
    if !can {
        return Ok(false);
    }
    trial.run("for writing", directory, Trial::read_write)?;
    for crash in [false, true] {
        let what = if crash { "written, then killed" } else { "compacted and written" };
        trial.run(what, directory, |trial, copy| trial.write_more(copy, crash, read_back))?;
    }
    Ok(true)
}

/// Compares two readings, family by family.
///
/// # Errors
/// The families that differ, with what each reading found.
pub fn compare(expected: &Contents, found: &Contents) -> Result<(), String> {
    let mut differences = Vec::new();
    for (family, content) in expected {
        match found.get(family) {
            Some(other) if content.is_same(other) => {}
            Some(other) => differences.push(format!("{family}: {other}; expected {content}")),
            None => differences.push(format!("{family}: not there; expected {content}")),
        }
    }
    for (family, content) in found.iter().filter(|(family, _)| !expected.contains_key(family)) {
        differences.push(format!("{family}: {content}; not expected"));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}

/// A judge and what it should find.
struct Trial<'a> {
    judge: &'a Judge,
    expectation: &'a Expectation,
    from_options_file: bool,
}

/// Why a step ended early.
enum Stop {
    /// The judge lacks what the step needs.
    Cannot,
    /// Something was not as expected.
    Wrong(String),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unsupported(_) => Self::Cannot,
            other => Self::Wrong(other.to_string()),
        }
    }
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

type Step = Result<(), Stop>;

impl Trial<'_> {
    /// Runs a step on a copy of the directory. Returns whether the judge could.
    fn run(
        &self,
        what: &str,
        directory: &Path,
        step: impl Fn(&Self, &Path) -> Step,
    ) -> Result<bool, String> {
        let scratch = TempDir::new().map_err(|error| error.to_string())?;
        let copy = scratch.path().join("copy");
        copy_directory(directory, &copy).map_err(|error| format!("copying: {error}"))?;
        match step(self, &copy) {
            Ok(()) => Ok(true),
            Err(Stop::Cannot) => Ok(false),
            Err(Stop::Wrong(why)) => Err(format!("{what}: {why}")),
        }
    }

    fn opening(&self, copy: &Path, mode: Mode) -> Opening {
        let mut families: Vec<FamilyOpening> =
            self.expectation.families.iter().map(|family| family.opening.clone()).collect();
        for family in &mut families {
            if self.from_options_file {
                // The file must do without: but for what no file can hold.
                let ours = family.comparator == Some(Comparator::ShortLex);
                family.comparator = family.comparator.filter(|_| ours);
                let ours = family.merge_operator == Some(MergeOperator::Append);
                family.merge_operator = family.merge_operator.filter(|_| ours);
                family.options.clear();
            }
            if mode == Mode::ReadWrite {
                let separator = if family.options.is_empty() { "" } else { ";" };
                family.options += &format!("{separator}disable_auto_compactions=true");
            }
        }
        let options = match self.from_options_file {
            true => String::new(),
            false => self.expectation.options.clone(),
        };
        let latest = self.from_options_file;
        Opening { directory: copy.to_owned(), mode, options, latest, families, transactions: None }
    }

    fn open(&self, copy: &Path, mode: Mode) -> Result<(Session, Contents), Stop> {
        let mut session = self.judge.session();
        session.open(&self.opening(copy, mode))?;
        let contents = session.dump()?;
        Ok((session, contents))
    }

    fn expected(&self) -> Contents {
        let families = self.expectation.families.iter();
        families.map(|family| (family.opening.name.clone(), family.content.clone())).collect()
    }

    fn read_only(&self, copy: &Path) -> Step {
        let before = all_files(copy)?;
        let mut session = self.judge.session();
        let mut names = session.list_families(copy)?;
        names.sort();
        let expected: Vec<Bytes> = self.expected().into_keys().collect();
        if names != expected {
            return Err(format!("families {names:?}, expected {expected:?}").into());
        }
        drop(session);
        let (mut session, contents) = self.open(copy, Mode::ReadOnly)?;
        compare(&self.expected(), &contents)?;
        if let Some(expected) = &self.expectation.live_files {
            compare_files(expected, session.live_files()?)?;
        }
        if let Some(expected) = self.expectation.latest_sequence {
            let latest = session.latest_sequence()?;
            if latest != expected {
                return Err(format!("sequence number {latest}, expected {expected}").into());
            }
        }
        session.close()?;
        let after = all_files(copy)?;
        if before == after { Ok(()) } else { Err(format!("{before:?} became {after:?}").into()) }
    }

    fn read_write(&self, copy: &Path) -> Step {
        let before = all_files(copy)?;
        let listed = {
            let (mut session, _) = self.open(copy, Mode::ReadOnly)?;
            session.live_files()?
        };
        let (mut session, contents) = self.open(copy, Mode::ReadWrite)?;
        compare(&self.expected(), &contents)?;
        let live = session.live_files()?;
        session.close()?;
        let after = all_files(copy)?;
        for file in &listed {
            if !live.contains(file) {
                return Err(format!("after the open, {file:?} is no longer in a level").into());
            }
        }
        let of_value = |name: &&String| listed.iter().any(|file| file.name == **name);
        let is_blob = |name: &&String| name.ends_with(".blob");
        for name in before.keys().filter(|name| of_value(name) || is_blob(name)) {
            if after.get(name) != before.get(name) {
                return Err(format!("the open changed or deleted {name}").into());
            }
        }
        Ok(())
    }

    fn write_more(&self, copy: &Path, crash: bool, read_back: ReadBack<'_>) -> Step {
        let (mut session, contents) = self.open(copy, Mode::ReadWrite)?;
        compare(&self.expected(), &contents)?;
        if !crash {
            for family in &self.expectation.families {
                session.compact(&family.opening.name.0)?;
            }
            let compacted = session.dump()?;
            compare(&self.expected(), &compacted)
                .map_err(|why| format!("after its compaction: {why}"))?;
        }
        for flushed in [true, false] {
            for family in &self.expectation.families {
                let operations = operations(&family.opening, flushed);
                match session.write(operations) {
                    Err(Failure::Unsupported(_)) => {
                        session.write(puts(&family.opening, flushed))?;
                    }
                    other => other?,
                }
            }
            if flushed {
                session.flush(&[])?;
            }
        }
        let written = session.dump()?;
        if crash {
            session.kill();
        } else {
            session.close()?;
            drop(session);
        }
        let read = read_back(copy)?;
        compare(&written, &read).map_err(|why| format!("reading it back: {why}"))?;
        Ok(())
    }
}

fn compare_files(expected: &[LiveFile], mut found: Vec<LiveFile>) -> Result<(), String> {
    let mut expected = expected.to_vec();
    for file in &mut expected {
        if found.iter().any(|other| other.family.is_none()) {
            file.family = None;
        }
    }
    for file in found.iter_mut().filter(|_| expected.iter().any(|other| other.family.is_none())) {
        file.family = None;
    }
    expected.sort();
    found.sort();
    if expected == found {
        return Ok(());
    }
    let only = |these: &[LiveFile], others: &[LiveFile]| {
        let lines = these.iter().filter(|file| !others.contains(file));
        lines.map(|file| format!("\n  {file:?}")).collect::<String>()
    };
    Err(format!(
        "files that were not expected:{}\nfiles that are missing:{}",
        only(&found, &expected),
        only(&expected, &found)
    ))
}

/// Some hundred operations on a family; others for each part.
fn operations(family: &FamilyOpening, first: bool) -> Vec<Operation> {
    let mut random = Random::new(if first { 1 } else { 2 });
    let name = &family.name;
    let mut operations = puts(family, first);
    if family.comparator == Some(Comparator::U64Ts) {
        return operations;
    }
    for _ in 0..100 {
        let key = random_key(&mut random);
        let value = Bytes(random.next().to_le_bytes().to_vec());
        operations.push(match random.next() % 8 {
            0 => Operation::Delete { family: name.clone(), key },
            1 if first => {
                let mut ends = [key, random_key(&mut random)];
                ends.sort_by(|left, right| order(family, left, right));
                let [begin, end] = ends;
                Operation::DeleteRange { family: name.clone(), begin, end }
            }
            2..5 if family.merge_operator.is_some() => {
                Operation::Merge { family: name.clone(), key, value }
            }
            _ => Operation::Put { family: name.clone(), key, value },
        });
    }
    operations
}

/// Puts alone, which every judge has.
fn puts(family: &FamilyOpening, first: bool) -> Vec<Operation> {
    let mut random = Random::new(if first { 3 } else { 4 });
    let timestamp: &[u8] = match family.comparator {
        Some(Comparator::U64Ts) => &[0xff; 8],
        _ => &[],
    };
    let put = |_| {
        let mut key = random_key(&mut random);
        key.0.extend_from_slice(timestamp);
        let value = Bytes(random.next().to_le_bytes().to_vec());
        Operation::Put { family: family.name.clone(), key, value }
    };
    (0..100).map(put).collect()
}

fn order(family: &FamilyOpening, left: &Bytes, right: &Bytes) -> std::cmp::Ordering {
    match family.comparator {
        Some(Comparator::Reverse) => right.cmp(left),
        Some(Comparator::ShortLex) => left.0.len().cmp(&right.0.len()).then(left.cmp(right)),
        None | Some(Comparator::U64Ts) => left.cmp(right),
    }
}

fn random_key(random: &mut Random) -> Bytes {
    Bytes(format!("key{:05}", random.below(3000)).into_bytes())
}

/// The files that hold data, by name, with their sizes. Reading may leave a text log or the like.
fn all_files(directory: &Path) -> Result<BTreeMap<String, u64>, String> {
    let list = || -> io::Result<BTreeMap<String, u64>> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let holds_data = name == "CURRENT"
                || name.starts_with("MANIFEST-")
                || [".sst", ".log", ".blob"].iter().any(|end| name.ends_with(end));
            if holds_data {
                files.insert(name, entry.metadata()?.len());
            }
        }
        Ok(files)
    };
    list().map_err(|error| format!("{}: {error}", directory.display()))
}

pub(super) fn copy_directory(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target: PathBuf = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
