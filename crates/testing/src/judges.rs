//! Releases of RocksDB that judge a directory: each opens it in a process of its own, and says
//! what it finds. `docs/judges.md` tells what is compared and why.
//!
//! ```no_run
//! use testing::judges::{self, protocol::Opening};
//!
//! for judge in judges::all() {
//!     let mut session = judge.session();
//!     session.open(&Opening { directory: "/tmp/database".into(), ..Opening::default() }).unwrap();
//!     for (family, content) in session.dump().unwrap() {
//!         println!("{judge}: {family}: {content}");
//!     }
//! }
//! ```

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::fixtures::version_numbers;

mod expectation;
pub mod protocol;
mod session;
#[cfg(test)]
mod tests;
mod tools;
mod verdict;

pub use expectation::{Expectation, ExpectedFamily};
pub use session::{Failure, Session};
pub use tools::judge_by_tools;
pub use verdict::{ReadBack, compare, judge, judge_all};

/// The releases that `scripts/peers` fetches.
const FETCHED: [&str; 4] = ["6.29.5", "8.11.4", "9.10.0", "11.8.1"];

/// The library that Debian packages.
const DEBIAN: (&str, &str) = ("7.8.3", "/usr/lib/x86_64-linux-gnu/librocksdb.so.7.8");

/// The Python package, and the release of RocksDB inside.
const ROCKSDICT: (&str, &str) = ("0.3.29", "10.4.2");

/// A release of RocksDB that answers [`protocol`]'s questions.
#[derive(Clone, Debug)]
pub struct Judge {
    name: String,
    release: String,
    program: PathBuf,
    argument: OsString,
}

/// All judges, from the oldest release to the newest. For each one that is not installed it says
/// `skipped: …`.
///
/// # Panics
/// When one is not installed and the environment has `CI=true`: there nothing may be skipped. And
/// when the driver does not build.
#[must_use]
pub fn all() -> Vec<Judge> {
    let mut judges: Vec<Judge> =
        FETCHED.iter().chain([&DEBIAN.0]).filter_map(|release| library(release)).collect();
    judges.extend(rocksdict());
    judges.sort_by_key(Judge::version);
    judges
}

/// The judge that is RocksDB's own library of a release, if it is installed. If not, as [`all`].
///
/// # Panics
/// As [`all`], and for a release that is none of the judges'.
#[must_use]
pub fn library(release: &str) -> Option<Judge> {
    let path = path_of(release);
    let name = format!("RocksDB {release}");
    if !is_installed(&name, &path) {
        return None;
    }
    let program = driver().to_owned();
    Some(Judge { name, release: release.to_owned(), program, argument: path.into() })
}

/// The files of RocksDB's own libraries that are installed, each with its release, for those who load
/// them by themselves. For each one that is not installed, as [`all`].
///
/// # Panics
/// As [`all`].
#[must_use]
pub fn library_files() -> Vec<(&'static str, PathBuf)> {
    let releases = FETCHED.iter().chain([&DEBIAN.0]).map(|release| (*release, path_of(release)));
    releases.filter(|(release, path)| is_installed(&format!("RocksDB {release}"), path)).collect()
}

fn path_of(release: &str) -> PathBuf {
    if release == DEBIAN.0 {
        PathBuf::from(DEBIAN.1)
    } else {
        assert!(FETCHED.contains(&release), "{release} is no judge");
        directory().join(release).join("librocksdb.so")
    }
}

/// The judge that is the Python package, if it is installed. If not, as [`all`]. Its family names
/// are text, it writes no merges, and it has comparators and merge operators only by the OPTIONS
/// file.
///
/// # Panics
/// As [`all`].
#[must_use]
pub fn rocksdict() -> Option<Judge> {
    let (version, release) = ROCKSDICT;
    let name = format!("rocksdict {version}");
    let program = directory().join(format!("rocksdict-{version}")).join("bin/python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/judges/rocksdict_judge.py");
    is_installed(&name, &program).then(|| Judge {
        name,
        release: release.to_owned(),
        program,
        argument: script.into(),
    })
}

fn is_installed(name: &str, path: &Path) -> bool {
    if path.exists() {
        return true;
    }
    let why = format!("{name} is not at {}; scripts/peers fetches it", path.display());
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "{why}");
    println!("skipped: {why}");
    false
}

/// Where `scripts/peers` puts them.
fn directory() -> PathBuf {
    if let Some(set) = env::var_os("TOUCHSTONE_PEERS") {
        return set.into();
    }
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(target).join("peers")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The driver's program, built when it is first asked for: tests of other crates do not build it.
fn driver() -> &'static Path {
    static DRIVER: OnceLock<PathBuf> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet", "--locked", "--package", "touchstone-peer"])
            .arg("--message-format=json-render-diagnostics")
            .current_dir(root())
            .output()
            .unwrap_or_else(|error| panic!("cargo build: {error}"));
        let messages = String::from_utf8_lossy(&output.stdout);
        let program = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)));
        let errors = String::from_utf8_lossy(&output.stderr);
        program.unwrap_or_else(|| panic!("touchstone-peer does not build: {errors}"))
    })
}

impl Judge {
    /// The release of RocksDB that it is, such as `9.10.0`.
    #[must_use]
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The numbers of that release, for comparing by age.
    #[must_use]
    pub fn version(&self) -> Vec<u32> {
        version_numbers(&self.release)
    }

    /// Whether it is of this release or a later one.
    #[must_use]
    pub fn is_since(&self, release: &str) -> bool {
        self.version() >= version_numbers(release)
    }

    /// Whether it was built without a codec, by RocksDB's name of that.
    #[must_use]
    pub fn lacks(&self, codec: &str) -> bool {
        codec == "Zlib" && self.name.starts_with("rocksdict")
    }

    /// A new process of it.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn session(&self) -> Session {
        let mut command = Command::new(&self.program);
        command.arg(&self.argument);
        Session::start(&self.name, command)
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(formatter)
    }
}
