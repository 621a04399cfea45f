use super::*;
use serde_json::Value;
use std::path::Path;
use testing::fixtures::{self, Fixture};
use testing::{parallel, peer};

/// Exit status, standard output and standard error.
fn shape(path: &Path, flags: &[&str]) -> (i32, String, String) {
    let mut arguments = vec![format!("--db={}", path.display())];
    arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
    run_main(&arguments)
}

fn run_main(arguments: &[String]) -> (i32, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = main(arguments, &mut out, &mut err);
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn text(fixture: &Fixture, flags: &[&str]) -> String {
    let unpacked = fixture.unpack_to_temp();
    let (status, out, err) = shape(&unpacked.path(), flags);
    assert_eq!((status, besides_warnings(&err)), (0, vec![]), "{fixture}");
    out.replace(&unpacked.path().display().to_string(), "DIR")
}

fn json(path: &Path, flags: &[&str]) -> Value {
    let (status, out, err) = shape(path, &[&["--json"], flags].concat());
    assert_eq!((status, besides_warnings(&err)), (0, vec![]));
    assert_eq!(out.lines().count(), 1);
    serde_json::from_str(&out).unwrap()
}

/// What the fixtures' OPTIONS files ask for may not be honoured yet.
fn besides_warnings(err: &str) -> Vec<&str> {
    err.lines().filter(|line| !line.starts_with("warning: ")).collect()
}

/// Memory depends on how vectors grow.
fn without_memory(text: &str) -> String {
    let line = |line: &str| match line.split_once("entries, ") {
        Some((before, _)) if line.contains(" memtable: ") => format!("{before}entries, N bytes\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn as_text() {
    let expected = "\
database DIR
options from OPTIONS-000039, by RocksDB 6.29.5

column family default: level compaction
active memtable: 65 entries, N bytes
sorted runs: 4 in L0, 7 on disk, 8 for a read; base level L1; pending compaction 24920 bytes
level   files           bytes          target    score      entries
L0          4            7602               -     1.33          122
L1          1            6664            7168     0.93          158
L2          1            7149           14336     0.50          155
L3          1            9185           28672     0.32          211
L4          0               0           57344     0.00            0
L5          0               0          114688     0.00            0
L6          0               0          229376        -            0
sum         7           30600               -        -          646
L0, newest first
        file           bytes      entries
          45            1066            7
          43            2644           48
          41            2656           47
          32            1236           20
";
    let fixture = fixtures::one("6.29.5", "a02");
    assert_eq!(without_memory(&text(&fixture, &[])), expected);
    let without_entries = text(&fixture, &["--no-entries"]);
    assert!(
        without_entries
            .contains("sum         7           30600               -        -            -")
    );
}

#[test]
fn as_json_of_all_families() {
    let unpacked = fixtures::one("6.29.5", "d01").unpack_to_temp();
    let value = json(&unpacked.path(), &["--all"]);
    assert_eq!(value["database"], unpacked.path().display().to_string());
    assert_eq!(value["rocksdb_version"], "6.29.5");
    assert!(value["options_file"].as_str().unwrap().starts_with("OPTIONS-"));
    assert_eq!(value["notes"], Value::Array(Vec::new()));
    let families = value["column_families"].as_array().unwrap();
    let names: Vec<_> = families.iter().map(|family| &family["column_family"]).collect();
    assert_eq!(names, ["default", "lz4", "bloom", "reverse", "empty"]);
    assert_eq!(families[0]["memtables"][0]["entries"], 56);
    assert_eq!(families[0]["compaction_style"], "level");
    assert_eq!(families[0]["levels"].as_array().unwrap().len(), 7);
    let one = json(&unpacked.path(), &["--column_family=lz4"]);
    assert_eq!(one["column_families"], Value::Array(vec![families[1].clone()]));
}

#[test]
fn options_on_the_command_line_go_first() {
    let unpacked = fixtures::one("6.29.5", "a02").unpack_to_temp();
    let family = |flags: &[&str]| json(&unpacked.path(), flags)["column_families"][0].clone();
    let changed = family(&[
        "--max_bytes_for_level_base=1000",
        "--max_bytes_for_level_multiplier=10",
        "--max_bytes_for_level_multiplier_additional=1:1:1:1:1:1:1",
        "--level0_file_num_compaction_trigger=8",
        "--level_compaction_dynamic_level_bytes=false",
        "--num_levels=5",
    ]);
    let targets: Vec<_> =
        changed["levels"].as_array().unwrap().iter().map(|level| &level["target_bytes"]).collect();
    assert_eq!(
        targets,
        [&Value::Null, &1000.into(), &10_000.into(), &100_000.into(), &1_000_000.into()]
    );
    assert_eq!(changed["levels"][1]["score"], 6.664);
    for style in ["1", "kCompactionStyleUniversal"] {
        let universal = family(&[&format!("--compaction_style={style}")]);
        assert_eq!(universal["compaction_style"], "universal");
        assert_eq!(universal["base_level"], Value::Null);
        assert_eq!(universal["levels"][0]["score"], 7.0 / 3.0);
    }
    for wrong in ["--num_levels=many", "--num_levels=2000000000"] {
        let (status, _, err) = shape(&unpacked.path(), &[wrong]);
        assert_eq!(status, 1);
        assert!(err.contains("num_levels"), "{err}");
    }
}

#[test]
fn command_lines_that_are_wrong() {
    for (arguments, expected) in [
        (&[][..], "expected --db=DIR"),
        (&["--db="], "expected --db=DIR"),
        (&["--db"], "--db: expected a value"),
        (&["--db=x", "y"], "y: expected flags only"),
        (&["--db=x", "--colour"], "--colour: unknown flag"),
        (&["--db=x", "--json=maybe"], "--json: expected true or false, found \"maybe\""),
        (&["--db=x", "--all", "--column_family=a"], "expected --column_family or --all"),
        (&["--db=x", "--column_family"], "--column_family: expected a value"),
        (&["--db=/nonexistent/database"], "/nonexistent/database/CURRENT"),
    ] {
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let (status, out, err) = run_main(&arguments);
        assert_eq!((status, &*out), (1, ""), "{arguments:?}");
        assert!(err.starts_with("shape: ") && err.contains(expected), "{arguments:?}: {err}");
    }
    let (status, help, err) = run_main(&["--help".to_owned()]);
    assert_eq!((status, &*err), (0, ""));
    assert!(help.contains("--num_levels=N") && help.contains("--no-entries\n"), "{help}");
}

#[test]
fn directories_that_have_no_shape_are_named() {
    let unpacked = fixtures::one("6.29.5", "a02").unpack_to_temp();
    let path = unpacked.path();
    let (status, _, err) = shape(&path, &["--column_family=users"]);
    assert_eq!(status, 1);
    assert!(err.contains("\"users\" is not in") && err.contains("which has default"), "{err}");
    std::fs::remove_file(path.join("000026.sst")).unwrap();
    let (status, _, err) = shape(&path, &[]);
    assert_eq!(status, 1);
    assert!(err.contains("000026.sst"), "{err}");
    std::fs::write(path.join("OPTIONS-000039"), "nonsense").unwrap();
    let (status, _, err) = shape(&path, &[]);
    assert_eq!(status, 1);
    assert!(err.contains("OPTIONS-000039") && err.contains("--try_load_options=false"), "{err}");
    std::fs::remove_file(path.join("CURRENT")).unwrap();
    let (status, _, err) = shape(&path, &[]);
    assert_eq!(status, 1);
    assert!(err.contains("CURRENT"), "{err}");
}

#[test]
fn what_is_not_registered_is_noted() {
    for (release, case, flags, expected) in [
        ("6.29.5", "i02", &[][..], "comparator golden.shortlex is not registered"),
        (
            "6.29.5",
            "i02",
            &["--try_load_options=false"],
            "comparator golden.shortlex is not registered",
        ),
        ("6.29.5", "p04", &["--try_load_options=false"], "num_levels is 7, but there are files on"),
        ("6.29.5", "q02", &[], "its tables are of PlainTable, which is not read"),
        ("3.13.1", "a02", &[], "there is no OPTIONS file"),
        ("6.29.5", "a02", &["--try_load_options=false"], "no OPTIONS file was read"),
        ("7.9.2", "n06", &[], "does not exist"),
    ] {
        let text = text(&fixtures::one(release, case), flags);
        assert!(text.contains("\nnote: ") && text.contains(expected), "{case}: {text}");
    }
    // A merge operator matters for no shape.
    assert!(!text(&fixtures::one("6.29.5", "e01"), &[]).contains("note"));
}

#[test]
fn tables_that_cannot_be_read_have_no_entries() {
    let unpacked = fixtures::one("6.29.5", "a02").unpack_to_temp();
    let table = unpacked.path().join("000027.sst");
    let size = std::fs::metadata(&table).unwrap().len();
    std::fs::write(&table, vec![0; size as usize]).unwrap();
    let value = json(&unpacked.path(), &[]);
    let note = value["notes"][0].as_str().unwrap();
    assert!(
        note.contains("entries of 1 tables are not known") && note.contains("000027.sst"),
        "{note}"
    );
    assert_eq!(value["column_families"][0]["levels"][2]["entries"], Value::Null);
    assert_eq!(value["column_families"][0]["levels"][3]["entries"], 211);
    assert_eq!(value["column_families"][0]["total"]["entries"], Value::Null);
    assert_eq!(json(&unpacked.path(), &["--no-entries"])["notes"], Value::Array(Vec::new()));
}

/// Files are those that RocksDB lists, and entries those that their properties tell.
fn check(fixture: &Fixture) -> Result<(), String> {
    let unpacked = fixture.unpack_to_temp();
    let (status, out, err) = shape(&unpacked.path(), &["--all", "--json"]);
    if status != 0 {
        // No OPTIONS file says where other directories are.
        let is_reason = fixture.case.changed.is_some() || fixture.name.starts_with("q05");
        return if is_reason && err.starts_with("shape: ") { Ok(()) } else { Err(err) };
    }
    // Where RocksDB could not open it for reading, there is nothing to compare with.
    let Some(files) = &fixture.case.live_files else { return Ok(()) };
    let value: Value = serde_json::from_str(&out).map_err(|error| error.to_string())?;
    let families = value["column_families"].as_array().ok_or("no families")?;
    let sum = |name: &str| -> u64 {
        families.iter().filter_map(|family| family["total"][name].as_u64()).sum()
    };
    let is_flushed = files.len() as u64 != sum("files");
    let bytes: u64 = files.iter().map(|file| file.size_bytes).sum();
    if !is_flushed && sum("bytes") != bytes {
        return Err(format!("{} bytes, expected {bytes}", sum("bytes")));
    }
    let facts = &fixture.case.facts;
    if let (Some(tables), true) = (&facts.table_facts, facts.tables == files.len() as u64)
        && tables.kind == ["block-based"]
        && sum("entries") != tables.entries
    {
        return Err(format!("{} entries, expected {}", sum("entries"), tables.entries));
    }
    Ok(())
}

#[test]
fn shapes_of_all_directories() {
    parallel::for_each(&fixtures::all(), check);
}

/// The scores of levels that have files are those in `rocksdb.cfstats`, by RocksDB of the rule's
/// release.
fn check_scores(ldb: peer::Peer, fixture: &Fixture) -> Result<(), String> {
    let unpacked = fixture.unpack_to_temp();
    let db = format!("--db={}", unpacked.path().display());
    let output = ldb.run(&["get_property", "rocksdb.cfstats", &db, "--ignore_unknown_options"]);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let stats = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = |level: u64| {
        let name = format!("rocksdb.cfstats.compaction.L{level}.Score: ");
        stats.lines().find_map(|line| line.strip_prefix(&name)?.parse::<f64>().ok())
    };
    let value = json(&unpacked.path(), &[]);
    for level in value["column_families"][0]["levels"].as_array().ok_or("no levels")? {
        let number = level["level"].as_u64().ok_or("no number")?;
        let score = level["score"].as_f64().unwrap_or(0.0);
        match expected(number) {
            Some(expected) if (score - expected).abs() > 1e-6 => {
                return Err(format!("L{number}: score {score}, expected {expected}"));
            }
            None if level["files"] != 0 => return Err(format!("L{number} is missing")),
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn scores_are_rocksdbs() {
    let Some(ldb) = peer::find("ldb") else { return };
    // Of other styles than leveled RocksDB shows no score; the others it does not open.
    let left_out = ["i", "j", "o", "q02", "q03", "q05"];
    let wanted = fixtures::matching(|release, name| {
        ["7.8.3", "7.9.2"].contains(&release) && !left_out.iter().any(|case| name.starts_with(case))
    });
    assert!(wanted.len() > 60, "{}", wanted.len());
    parallel::for_each(&wanted, |fixture| check_scores(ldb, fixture));
}
