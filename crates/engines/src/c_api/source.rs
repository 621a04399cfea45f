//! Where libraries of RocksDB come from.

use base::{Result, Status};
use options::Release;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where distributions put libraries.
const DIRECTORIES: [&str; 4] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// What their names begin with.
const LIBRARY: &str = "librocksdb.so";

/// The library in the Java package, by processor.
const IN_PACKAGE: &str = match cfg!(target_arch = "aarch64") {
    true => "librocksdbjni-linux-aarch64.so",
    false => "librocksdbjni-linux64.so",
};

/// The library that the distribution installed.
///
/// # Errors
/// `InvalidArgument` if there is none.
pub fn debian_library() -> Result<PathBuf> {
    let found = DIRECTORIES.iter().find_map(|directory| {
        let entries = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
        let is_library = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LIBRARY))
        };
        entries.filter(is_library).max()
    });
    found.ok_or_else(|| {
        Status::invalid_argument(format!(
            "no {LIBRARY} in {}: install Debian's package librocksdb7.8",
            DIRECTORIES.join(", ")
        ))
    })
}

/// The library of a release, out of the Java package that RocksDB publishes; fetched by Maven when
/// it is first asked for, and kept in the user's cache directory.
///
/// # Errors
/// `InvalidArgument` for what is no release; `IoError` if Maven is missing or cannot fetch it, or
/// the cache directory cannot be written.
pub fn fetched_library(release: &str) -> Result<PathBuf> {
    let number = Release::parse(release).map_err(|status| status.context("--engine=rocksdb:"))?;
    let release = number.to_string();
    let directory = cache_directory()?.join(&release);
    let library = directory.join(LIBRARY);
    if library.exists() {
        return Ok(library);
    }
    let io = |doing: &str, error: &io::Error| Status::from_io(error, doing, &directory);
    fs::create_dir_all(&directory).map_err(|error| io("create", &error))?;
    eprintln!("Fetching RocksDB {release} into {}", directory.display());
    fetch(&release, &directory, &library).inspect_err(|_| {
        // Only if it is empty: others may be fetching, too.
        let _ = fs::remove_dir(&directory);
    })?;
    Ok(library)
}

/// Has Maven fetch a release and keeps its library.
fn fetch(release: &str, directory: &Path, library: &Path) -> Result<()> {
    let io = |doing: &str, error: &io::Error| Status::from_io(error, doing, directory);
    // Next to where it goes, so that it can be renamed: others never see half a library.
    let scratch =
        tempfile::tempdir_in(directory).map_err(|error| io("create a directory in", &error))?;
    let package = fetch_package(release, scratch.path())?;
    let unpacked = scratch.path().join(LIBRARY);
    unpack(&package, &unpacked)?;
    fs::rename(&unpacked, library).map_err(|error| io("rename a library in", &error))
}

/// `$XDG_CACHE_HOME/touchstone/rocksdb`, or in `~/.cache`.
fn cache_directory() -> Result<PathBuf> {
    let given = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = given("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| given("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("touchstone/rocksdb")).ok_or_else(|| {
        Status::invalid_argument(
            "no place to keep a fetched library: neither XDG_CACHE_HOME nor HOME is set",
        )
    })
}

/// Has Maven copy the package of a release into a directory.
fn fetch_package(release: &str, into: &Path) -> Result<PathBuf> {
    let output = Command::new("mvn")
        .args(["--batch-mode", "--quiet", "-Dstyle.color=never", "dependency:copy"])
        .arg(format!("-Dartifact=org.rocksdb:rocksdbjni:{release}"))
        .arg(format!("-DoutputDirectory={}", into.display()))
        // Not where it would find a project.
        .current_dir(into)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            return Err(Status::io_error(format!(
                "cannot fetch RocksDB {release}: mvn does not run ({error}); install Maven, or give \
                 the path of a library to --engine"
            )));
        }
    };
    let package = into.join(format!("rocksdbjni-{release}.jar"));
    if output.status.success() && package.exists() {
        return Ok(package);
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    // There may be colours before it.
    let reason = said.lines().find_map(|line| line.split_once("[ERROR]"));
    let reason = reason.map_or("it said nothing", |(_, reason)| reason.trim());
    Err(Status::io_error(format!(
        "cannot fetch RocksDB {release}: is there such a release, and a network? Maven: {}",
        reason
    )))
}

/// Unpacks the library out of a package.
fn unpack(package: &Path, library: &Path) -> Result<()> {
    let wrong = |error: &dyn std::fmt::Display| {
        Status::io_error(format!("{}: {IN_PACKAGE}: {error}", package.display()))
    };
    let file = File::open(package).map_err(|error| wrong(&error))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| wrong(&error))?;
    let mut source = archive.by_name(IN_PACKAGE).map_err(|error| wrong(&error))?;
    let mut target = File::create(library).map_err(|error| wrong(&error))?;
    io::copy(&mut source, &mut target).map_err(|error| wrong(&error))?;
    target.sync_all().map_err(|error| wrong(&error))
}

#[cfg(test)]
mod tests;
