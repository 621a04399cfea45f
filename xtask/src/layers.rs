//! Dependencies between crates against what `ARCHITECTURE.md` declares.
//!
//! Two tables there are read, each between a pair of comments:
//!
//! ```text
//! <!-- layers -->                     <!-- dependencies -->
//! | Crate | Uses |                    | Library | Why |
//! | --- | --- |                       | --- | --- |
//! | `base` | |                        | `snap` | Snappy. |
//! | `env` | `base` |                  <!-- end -->
//! <!-- end -->
//! ```
//!
//! A crate may use only crates of earlier rows, which leaves no room for cycles, and its manifest
//! must name exactly the crates of its row. Tests may use `testing` besides, and benches `microbench`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::files::{self, File};
use crate::{ci, source};

#[cfg(test)]
mod tests;

const DOCUMENT: &str = "ARCHITECTURE.md";

/// What every crate may have as a dev-dependency.
const FOR_TESTS: [&str; 2] = ["testing", "microbench"];

/// A dependency in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dependency {
    /// The name used in code, with hyphens.
    name: String,
    /// Whether it is a crate of the workspace.
    ours: bool,
    /// Whether it is for tests only.
    dev: bool,
}

/// A crate of the workspace.
#[derive(Clone, Debug)]
struct Crate {
    name: String,
    directory: String,
    dependencies: Vec<Dependency>,
}

/// What the document declares.
#[derive(Debug, Default, PartialEq, Eq)]
struct Declared {
    layers: Vec<(String, BTreeSet<String>)>,
    libraries: BTreeSet<String>,
}

/// Compares manifests, code and document.
pub(crate) fn check() -> Result<(), String> {
    let document = fs::read_to_string(files::root().join(DOCUMENT))
        .map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let crates = crates(&metadata()?)?;
    let mut problems = compare(&declared(&document)?, &crates);
    problems.extend(unused(&crates, &files::read(&files::list()?)?));
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn metadata() -> Result<Value, String> {
    let output = ci::cargo_command(&["metadata", "--no-deps", "--locked", "--format-version", "1"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn crates(metadata: &Value) -> Result<Vec<Crate>, String> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let packages = metadata["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut crates = Vec::new();
    for package in packages {
        let manifest = text(&package["manifest_path"]);
        let directory = manifest.trim_start_matches(root).trim_start_matches('/');
        let directory = directory.trim_end_matches("Cargo.toml").to_owned();
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let dependencies = dependencies.map(|dependency| Dependency {
            name: match dependency["rename"].as_str() {
                Some(renamed) => renamed.to_owned(),
                None => text(&dependency["name"]),
            },
            ours: dependency["path"].is_string(),
            dev: dependency["kind"] == "dev",
        });
        crates.push(Crate {
            name: text(&package["name"]).trim_start_matches("touchstone-").replace('-', "_"),
            directory,
            dependencies: dependencies.collect(),
        });
    }
    Ok(crates)
}

fn declared(document: &str) -> Result<Declared, String> {
    let mut declared = Declared::default();
    for row in rows(document, "layers")? {
        let mut names = backticked(row).into_iter();
        let name = names.next().ok_or_else(|| format!("no crate is named in {row}"))?;
        declared.layers.push((name, names.collect()));
    }
    for row in rows(document, "dependencies")? {
        let name = backticked(row).into_iter().next();
        declared.libraries.insert(name.ok_or_else(|| format!("no library is named in {row}"))?);
    }
    Ok(declared)
}

/// The rows of the table between `<!-- name -->` and `<!-- end -->`, its head left out.
fn rows<'a>(document: &'a str, name: &str) -> Result<Vec<&'a str>, String> {
    let start = format!("<!-- {name} -->");
    let missing = || format!("{DOCUMENT} has no table between {start} and <!-- end -->");
    let (_, rest) = document.split_once(&start).ok_or_else(missing)?;
    let (table, _) = rest.split_once("<!-- end -->").ok_or_else(missing)?;
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    if rows.is_empty() { Err(missing()) } else { Ok(rows) }
}

fn backticked(row: &str) -> Vec<String> {
    row.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn compare(declared: &Declared, crates: &[Crate]) -> Vec<String> {
    let mut problems = order(&declared.layers);
    let layers: BTreeMap<&str, &BTreeSet<String>> =
        declared.layers.iter().map(|(name, uses)| (name.as_str(), uses)).collect();
    for name in layers.keys() {
        if !crates.iter().any(|found| found.name == *name) {
            problems.push(format!("{DOCUMENT} lists {name}, but there is no such crate"));
        }
    }
    let mut libraries = BTreeSet::new();
    for found in crates {
        let name = &found.name;
        let Some(uses) = layers.get(name.as_str()) else {
            problems.push(format!("{DOCUMENT} does not list the crate {name}"));
            continue;
        };
        let ours = |dev| {
            let dependencies = found.dependencies.iter();
            dependencies.filter(move |one| one.ours && one.dev == dev).map(|one| &one.name)
        };
        let used: BTreeSet<&String> = ours(false).collect();
        for other in &used {
            if !uses.contains(*other) {
                problems.push(format!("{name} uses {other}, which {DOCUMENT} does not allow"));
            }
        }
        for other in uses.iter().filter(|other| !used.contains(other)) {
            problems.push(format!("{DOCUMENT} says that {name} uses {other}, but it does not"));
        }
        let is_allowed =
            |other: &String| FOR_TESTS.contains(&other.as_str()) || uses.contains(other);
        for other in ours(true).filter(|other| !is_allowed(other)) {
            problems.push(format!("the tests of {name} use {other}, which {name} may not"));
        }
        let others = found.dependencies.iter().filter(|one| !one.ours);
        libraries.extend(others.map(|one| one.name.clone()));
    }
    for library in libraries.difference(&declared.libraries) {
        problems.push(format!("{DOCUMENT} does not say why {library} is there"));
    }
    for library in declared.libraries.difference(&libraries) {
        problems.push(format!("{DOCUMENT} lists the library {library}, but nothing uses it"));
    }
    problems
}

/// Rows that use a crate of a later row, or themselves.
fn order(layers: &[(String, BTreeSet<String>)]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, uses) in layers {
        for other in uses.iter().filter(|other| !seen.contains(*other)) {
            problems.push(format!("{DOCUMENT}: {name} uses {other}, which is no lower layer"));
        }
        if !seen.insert(name) {
            problems.push(format!("{DOCUMENT} lists {name} twice"));
        }
    }
    problems
}

/// Dependencies that a manifest has and no code of the crate names.
fn unused(crates: &[Crate], files: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    for found in crates {
        let sources: Vec<&File> = files
            .iter()
            .filter(|file| file.is_rust() && file.path.starts_with(&found.directory))
            .collect();
        let names: BTreeSet<&String> = found.dependencies.iter().map(|one| &one.name).collect();
        for name in names {
            let word = name.replace('-', "_");
            // In the text, for documentation tests use crates too.
            let is_used = |file: &&File| source::word_offsets(&file.text, &word).next().is_some();
            if !sources.iter().any(is_used) {
                problems.push(format!("{}Cargo.toml: {name} is never used", found.directory));
            }
        }
    }
    problems
}
