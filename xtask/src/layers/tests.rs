use std::collections::BTreeSet;

use serde_json::json;

use super::{Crate, Declared, Dependency, compare, crates, declared, unused};
use crate::files::File;

const DOCUMENT: &str = "\
<!-- layers -->
| Crate | Uses |
| --- | --- |
| `testing` | |
| `base` | |
| `env` | `base` |
<!-- end -->
<!-- dependencies -->
| Library | Why |
| --- | --- |
| `serde` | To read records. |
<!-- end -->
";

fn found(name: &str, dependencies: &[(&str, bool, bool)]) -> Crate {
    let dependencies = dependencies
        .iter()
        .map(|&(name, ours, dev)| Dependency { name: name.to_owned(), ours, dev })
        .collect();
    Crate { name: name.to_owned(), directory: format!("crates/{name}/"), dependencies }
}

fn sound() -> Vec<Crate> {
    vec![
        found("testing", &[("serde", false, false)]),
        found("base", &[("testing", true, true)]),
        found("env", &[("base", true, false), ("testing", true, true)]),
    ]
}

#[test]
fn the_tables_are_read() {
    let declared = declared(DOCUMENT).unwrap();
    assert_eq!(declared.layers[2], ("env".to_owned(), BTreeSet::from(["base".to_owned()])));
    assert_eq!(declared.libraries, BTreeSet::from(["serde".to_owned()]));
    assert_eq!(compare(&declared, &sound()), [] as [String; 0]);
}

#[test]
fn a_document_without_tables_is_refused() {
    let error = declared("# Architecture\n").unwrap_err();
    assert!(error.contains("no table between <!-- layers -->"), "{error}");
}

fn problems(document: &str, change: impl FnOnce(&mut Vec<Crate>)) -> Vec<String> {
    let mut crates = sound();
    change(&mut crates);
    compare(&declared(document).unwrap(), &crates)
}

#[test]
fn a_dependency_that_is_not_declared_is_reported() {
    let upward = |crates: &mut Vec<Crate>| crates[1] = found("base", &[("env", true, false)]);
    assert_eq!(problems(DOCUMENT, upward), ["base uses env, which ARCHITECTURE.md does not allow"]);
    let in_tests = |crates: &mut Vec<Crate>| crates[1] = found("base", &[("env", true, true)]);
    assert_eq!(problems(DOCUMENT, in_tests), ["the tests of base use env, which base may not"]);
    let library = |crates: &mut Vec<Crate>| crates[1] = found("base", &[("libc", false, false)]);
    assert_eq!(problems(DOCUMENT, library), ["ARCHITECTURE.md does not say why libc is there"]);
}

#[test]
fn declaring_a_cycle_does_not_help() {
    let document = DOCUMENT.replace("| `base` | |", "| `base` | `env` |");
    let both = |crates: &mut Vec<Crate>| crates[1] = found("base", &[("env", true, false)]);
    assert_eq!(
        problems(&document, both),
        ["ARCHITECTURE.md: base uses env, which is no lower layer"]
    );
}

#[test]
fn a_stale_document_is_reported() {
    assert_eq!(
        problems(DOCUMENT, |crates| crates.truncate(2)),
        ["ARCHITECTURE.md lists env, but there is no such crate"]
    );
    assert_eq!(
        problems(DOCUMENT, |crates| crates.push(found("db", &[]))),
        ["ARCHITECTURE.md does not list the crate db"]
    );
    assert_eq!(
        problems(DOCUMENT, |crates| crates[2] = found("env", &[])),
        ["ARCHITECTURE.md says that env uses base, but it does not"]
    );
    assert_eq!(
        problems(DOCUMENT, |crates| crates[0] = found("testing", &[])),
        ["ARCHITECTURE.md lists the library serde, but nothing uses it"]
    );
}

#[test]
fn a_dependency_nobody_names_is_reported() {
    let crates = [found("env", &[("base", true, false), ("lz4-sys", false, false)])];
    let mut files = vec![
        File::new("crates/env/src/lib.rs", "use base::Status;\n"),
        File::new("crates/other/src/lib.rs", "use lz4_sys::x;\n"),
    ];
    assert_eq!(unused(&crates, &files), ["crates/env/Cargo.toml: lz4-sys is never used"]);
    files.push(File::new("crates/env/src/a.rs", "let x = lz4_sys::x();\n"));
    assert_eq!(unused(&crates, &files), [] as [String; 0]);
}

#[test]
fn metadata_becomes_crates() {
    let metadata = json!({
        "workspace_root": "/a/b",
        "packages": [{
            "name": "touchstone-env",
            "manifest_path": "/a/b/crates/env/Cargo.toml",
            "dependencies": [
                {"name": "touchstone-base", "rename": "base", "kind": null, "path": "/a/b/crates/base"},
                {"name": "tempfile", "rename": null, "kind": "dev"}
            ]
        }]
    });
    let crates = crates(&metadata).unwrap();
    assert_eq!((crates[0].name.as_str(), crates[0].directory.as_str()), ("env", "crates/env/"));
    let expected = found("env", &[("base", true, false), ("tempfile", false, true)]).dependencies;
    assert_eq!(crates[0].dependencies, expected);
    assert_ne!(Declared::default(), declared(DOCUMENT).unwrap());
}

#[test]
fn benches_alone_may_use_what_times_them() {
    let in_benches =
        |crates: &mut Vec<Crate>| crates[1] = found("base", &[("microbench", true, true)]);
    assert_eq!(problems(DOCUMENT, in_benches), [] as [String; 0]);
    let beside =
        |crates: &mut Vec<Crate>| crates[1] = found("base", &[("microbench", true, false)]);
    assert_eq!(
        problems(DOCUMENT, beside),
        ["base uses microbench, which ARCHITECTURE.md does not allow"]
    );
}
