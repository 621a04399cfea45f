//! The directories under `fixtures/golden/` that released versions of RocksDB wrote, each with
//! what the same release read from it. `fixtures/README.md` says what every field means.
//!
//! ```no_run
//! use testing::{fixtures, parallel};
//!
//! let with_ribbon = fixtures::of_case("c03");
//! parallel::for_each(&with_ribbon, |fixture| -> Result<(), String> {
//!     let unpacked = fixture.unpack_to_temp();
//!     let found = vec![(b"key".to_vec(), b"value".to_vec())]; // what a reader finds there
//!     assert!(unpacked.path().join("CURRENT").exists());
//!     fixture.case.expect.family("default").ok_or("not opened")?.check_pairs(&found)
//! });
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::long_mode::is_long;
use tempfile::TempDir;

mod case;
mod compare;
mod expect;
#[cfg(test)]
mod tests;

pub use crate::hexes::Bytes;
pub use case::{Case, Closed, Facts, LiveFile, OpenedAs, OptionMap, Options, TableFacts};
pub use expect::{Difference, Expect, ExpectedValue, Family, FamilyDifference, Get, PrefixScan};

/// One directory and its record.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The RocksDB release that wrote it, such as `7.8.3`.
    pub release: String,
    /// The case's name, such as `a01-l0-files`.
    pub name: String,
    /// The packed directory.
    pub archive: PathBuf,
    /// The record.
    pub case: Case,
}

/// An unpacked fixture; the files are removed when it is dropped.
#[derive(Debug)]
pub struct Unpacked {
    directory: TempDir,
    name: String,
}

impl Unpacked {
    /// The database's directory.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// The parent of the database's directory, which the paths in the record begin at. Nothing
    /// else is in it.
    #[must_use]
    pub fn parent(&self) -> &Path {
        self.directory.path()
    }
}

/// `fixtures/golden/` of this checkout.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/golden")
}

/// All golden fixtures, releases from the oldest to the newest, cases by name.
///
/// # Panics
/// When a record cannot be read or has a field this module does not know.
#[must_use]
pub fn all() -> Vec<Fixture> {
    matching(|_, _| true)
}

/// All fixtures in the [long mode](crate::long_mode), else about half of them: each case of every
/// second release that has it.
///
/// For what runs RocksDB's own programs several times over each directory.
///
/// # Panics
/// As [`all`].
#[must_use]
pub fn for_peers() -> Vec<Fixture> {
    let mut fixtures = all();
    if !is_long() {
        keep_half(&mut fixtures);
    }
    fixtures
}

/// Keeps of each case one release in two, of a case that has one release that one.
///
/// Cases begin with their oldest release or the one after it in turn, so that all releases are met.
fn keep_half(fixtures: &mut Vec<Fixture>) {
    let mut releases_of = BTreeMap::<String, usize>::new();
    for fixture in fixtures.iter() {
        *releases_of.entry(fixture.name.clone()).or_default() += 1;
    }
    let first = |(index, (name, releases))| (name, if releases > 1 { index % 2 } else { 0 });
    let mut places: BTreeMap<String, usize> =
        releases_of.into_iter().enumerate().map(first).collect();
    fixtures.retain(|fixture| {
        let place = places.get_mut(&fixture.name).expect("counted above");
        *place += 1;
        *place % 2 == 1
    });
}

/// All fixtures of one release.
#[must_use]
pub fn of_release(release: &str) -> Vec<Fixture> {
    matching(|found, _| found == release)
}

/// The fixtures of every release whose case begins with `prefix`: `c` is a group, `c03` a case.
///
/// # Panics
/// When there is none, so that a test cannot pass by checking nothing.
#[must_use]
pub fn of_case(prefix: &str) -> Vec<Fixture> {
    let found = matching(|_, name| name.starts_with(prefix));
    assert!(!found.is_empty(), "no fixture begins with {prefix}");
    found
}

/// The one fixture of `release` whose case begins with `prefix`.
///
/// # Panics
/// When there is not exactly one.
#[must_use]
pub fn one(release: &str, prefix: &str) -> Fixture {
    let mut found = matching(|other, name| other == release && name.starts_with(prefix));
    assert_eq!(found.len(), 1, "fixtures of {release} that begin with {prefix}");
    found.remove(0)
}

/// The directory that the read benchmark runs on when it is given no other: 100,000 operations of
/// `db_bench`, spread over two WAL files and three levels.
///
/// # Panics
/// As [`all`].
#[must_use]
pub fn bench() -> Fixture {
    read(&root().join("../bench"), "7.8.3", "db_bench-100k")
}

/// The fixtures whose release and name `wanted` accepts, in the order of [`all`].
///
/// # Panics
/// As [`all`].
#[must_use]
pub fn matching(wanted: impl Fn(&str, &str) -> bool) -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for release in releases() {
        let directory = root().join(&release);
        let mut names: Vec<String> = list(&directory)
            .iter()
            .filter_map(|file| file.strip_suffix(".json"))
            .filter(|name| wanted(&release, name))
            .map(str::to_owned)
            .collect();
        names.sort();
        fixtures.extend(names.iter().map(|name| read(&directory, &release, name)));
    }
    fixtures
}

/// The releases that fixtures are there of, from the oldest to the newest.
///
/// # Panics
/// When the fixtures are not there.
#[must_use]
pub fn releases() -> Vec<String> {
    let mut releases: Vec<String> = list(&root())
        .into_iter()
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    releases.sort_by_key(|release| version_numbers(release));
    assert!(!releases.is_empty(), "no releases in {}", root().display());
    releases
}

/// The numbers of a release, for comparing releases by age.
#[must_use]
pub fn version_numbers(release: &str) -> Vec<u32> {
    release.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn read(directory: &Path, release: &str, name: &str) -> Fixture {
    let archive = directory.join(format!("{name}.tar.zst"));
    let case = Case::read(&directory.join(format!("{name}.json")));
    Fixture { release: release.to_owned(), name: name.to_owned(), archive, case }
}

fn list(directory: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

impl Fixture {
    /// Unpacks the database into `parent`, as `parent/NAME`, and returns that path.
    ///
    /// # Panics
    /// When the archive cannot be read or the files not be written.
    pub fn unpack(&self, parent: &Path) -> PathBuf {
        self.archive().unpack(parent).unwrap_or_else(|error| panic!("{self}: {error}"));
        parent.join(&self.name)
    }

    /// Unpacks the database into a new temporary directory.
    ///
    /// # Panics
    /// When the archive cannot be read or the files not be written.
    #[must_use]
    pub fn unpack_to_temp(&self) -> Unpacked {
        let directory = tempfile::Builder::new()
            .prefix("touchstone-")
            .tempdir()
            .unwrap_or_else(|error| panic!("{self}: {error}"));
        self.unpack(directory.path());
        Unpacked { directory, name: self.name.clone() }
    }

    /// The database's files by their path inside its directory, without touching the disk. Empty
    /// directories are left out.
    ///
    /// # Panics
    /// When the archive cannot be read.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.read_files().unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    /// One file of [`Fixture::files`].
    ///
    /// # Panics
    /// When the database has no such file.
    #[must_use]
    pub fn file(&self, path: &str) -> Vec<u8> {
        self.files().remove(path).unwrap_or_else(|| panic!("{self} has no file {path}"))
    }

    fn archive(&self) -> tar::Archive<impl Read> {
        let file = File::open(&self.archive).unwrap_or_else(|error| panic!("{self}: {error}"));
        let decoder = zstd::Decoder::with_buffer(BufReader::new(file))
            .unwrap_or_else(|error| panic!("{self}: {error}"));
        let mut archive = tar::Archive::new(decoder);
        archive.set_preserve_mtime(false);
        archive
    }

    fn read_files(&self) -> io::Result<BTreeMap<String, Vec<u8>>> {
        let mut files = BTreeMap::new();
        for entry in self.archive().entries()? {
            let mut entry = entry?;
            let path = entry.path()?.to_string_lossy().into_owned();
            let inside = path.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix('/'));
            if let Some(inside) = inside.filter(|_| entry.header().entry_type().is_file()) {
                let inside = inside.to_owned();
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes)?;
                files.insert(inside, bytes);
            }
        }
        Ok(files)
    }
}

impl fmt::Display for Fixture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.release, self.name)
    }
}
