use super::*;
use db::ColumnFamilyDescriptor;
use options::budget::Budget;
use options::{Options, WorkloadProfile};
use testing::fixtures;

/// Exit status, standard output and standard error.
fn options(arguments: &[&str]) -> (i32, String, String) {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = main(&arguments, &mut out, &mut err);
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn said(arguments: &[&str]) -> (i32, String) {
    let (status, out, err) = options(arguments);
    assert_eq!(err, "", "{arguments:?}");
    (status, out)
}

fn refused(arguments: &[&str]) -> String {
    let (status, out, err) = options(arguments);
    assert_eq!((status, out.as_str()), (TROUBLE, ""), "{arguments:?}");
    err
}

const BUDGET: [&str; 4] = ["explain", "--memory=1G", "--threads=4", "--profile=ingest"];

#[test]
fn a_budget_is_explained() {
    let (status, out) = said(&BUDGET);
    assert_eq!(status, SUCCESS);
    let begins = "\
Memory:
      460M  memtables
      409M  block cache, with indexes and filters
      155M  open tables, iterators, buffers of flushes and compactions, the allocator

[DBOptions]
  db_write_buffer_size=460M
      45 % of the memory, for the memtables of all column families together
";
    assert!(out.starts_with(begins), "{out}");
    for option in ["write_buffer_size=76M", "block_cache=409M", "max_background_jobs=4"] {
        assert!(out.contains(&format!("\n  {option}\n      ")), "{option}: {out}");
    }
}

#[test]
fn the_file_of_a_budget_is_the_budget() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("OPTIONS");
    let output = format!("--output={}", path.display());
    said(&[&BUDGET[..], &[&output]].concat());
    let (_, file) = read(&path).map_err(|_| "unreadable").unwrap();
    let chosen = Options::for_budget(1 << 30, 4, WorkloadProfile::Ingest).unwrap();
    assert_eq!(file.db.listing(), chosen.db.listing());
    let family = file.column_family("default").unwrap();
    assert_eq!(family.listing(), chosen.column_family.listing());
    assert_eq!(family.table.listing(), chosen.column_family.table.listing());
    assert!(family.table.block_cache.is_some());
    let (status, out) = said(&["check", path.to_str().unwrap()]);
    assert_eq!(status, SUCCESS);
    assert!(
        out.ends_with("\nhonoured: all that differs from the defaults\n\ndangerous: nothing\n")
    );
}

#[test]
fn the_file_is_there_for_those_who_do_not_read_the_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("OPTIONS");
    let output = format!("--output={}", path.display());
    let arguments: Vec<String> =
        [&BUDGET[..], &[&output]].concat().iter().map(ToString::to_string).collect();
    let mut closed: &mut [u8] = &mut [];
    assert_eq!(main(&arguments, &mut closed, &mut Vec::new()), TROUBLE);
    assert!(read(&path).is_ok());
}

#[test]
fn every_budget_opens_a_database() {
    for profile in WorkloadProfile::ALL {
        for (memory, threads) in [(Budget::MEMORY_MIN_BYTES, 1), (1 << 40, 1024)] {
            let Options { db, column_family } =
                Options::for_budget(memory, threads, profile).unwrap();
            let family = ColumnFamilyDescriptor { name: "default".into(), options: column_family };
            db::validate_options(&db, &[family]).unwrap();
        }
    }
}

#[test]
fn options_are_explained_by_name() {
    let (status, out) = said(&["explain", "write_buffer_size", "block_size"]);
    assert_eq!(status, SUCCESS);
    let begins = "write_buffer_size [CFOptions]\n  Memtable bytes before it becomes immutable.\n  \
                  type u64, default 67108864, since ";
    assert!(out.starts_with(begins), "{out}");
    assert!(out.contains("\nblock_size [TableOptions/BlockBasedTable]\n"), "{out}");
    assert!(out.contains("  can be changed while the database is open; honoured\n"), "{out}");
    let (_, out) = said(&["explain", "allow_mmap_reads"]);
    assert!(out.ends_with("is fixed while the database is open; accepted and not honoured yet\n"));
}

fn write(directory: &tempfile::TempDir, name: &str, db: &str, family: &str) -> String {
    let path = directory.path().join(name);
    let text = format!(
        "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n{db}\n\
         [CFOptions \"default\"]\n{family}\n[TableOptions/BlockBasedTable \"default\"]\n"
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn files_that_differ() {
    let directory = tempfile::tempdir().unwrap();
    let old = write(&directory, "old", "max_open_files=10", "");
    let new = write(&directory, "new", "", "num_levels=5");
    assert_eq!(said(&["diff", &old, &old]), (SUCCESS, String::new()));
    let expected = format!(
        "\
--- {old}, by RocksDB 7.8.3
+++ {new}, by RocksDB 7.8.3
[DBOptions]
-  max_open_files=10
+  max_open_files=-1
[CFOptions \"default\"]
-  num_levels=7
+  num_levels=5
"
    );
    assert_eq!(said(&["diff", &old, &new]), (COMPLAINT, expected));
}

#[test]
fn what_has_no_effect_and_what_is_dangerous_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let db = "  allow_mmap_reads=true\n  skip_log_error_on_recovery=true\n  paranoid_checks=false";
    let path = write(&directory, "OPTIONS", db, "  disable_auto_compactions=true");
    let (status, out) = said(&["check", &path]);
    assert_eq!(status, SUCCESS);
    assert!(out.starts_with(&format!("{path}: by RocksDB 7.8.3, column families: 1\n")), "{out}");
    let remarks = "\nnot honoured (2):\n  line 5, [DBOptions]: allow_mmap_reads=true: accepted, not \
                   honoured yet\n  line 6, [DBOptions]: skip_log_error_on_recovery=true: no longer \
                   has an effect\n";
    assert!(out.contains(remarks), "{out}");
    let first = "\n  data: [DBOptions] paranoid_checks=false\n      writes go on after damage was \
                 found; leave it true\n  stalls: ";
    assert!(out.contains(first), "{out}");
    assert!(out.contains("  stalls: [CFOptions \"default\"] disable_auto_compactions=true\n"));
}

#[test]
fn what_is_refused_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let db = "  allow_mmap_reads=true\n  use_direct_reads=true\n  keep_log_file_num=0";
    let family = "  max_write_buffer_number=1";
    let (status, out) = said(&["check", &write(&directory, "OPTIONS", db, family)]);
    assert_eq!(status, COMPLAINT);
    for sentence in [
        "\nrefused: Invalid argument: keep_log_file_num=0 is outside its range: set it to at least 1\n",
        "\nrefused: Not implemented: allow_mmap_reads=true contradicts use_direct_reads=true: ",
        "\ncorrected: max_write_buffer_number=1 is outside its range, so that the nearest value is \
         used: set it to at least 2 (column family default)\n",
    ] {
        assert!(out.contains(sentence), "{sentence}: {out}");
    }
}

#[test]
fn every_fixture_is_checked() {
    let mut checked = 0;
    for fixture in fixtures::all() {
        let unpacked = fixture.unpack_to_temp();
        let path = unpacked.path().display().to_string();
        let (status, out, err) = options(&["check", &path]);
        match err.contains("no OPTIONS file in") {
            true => assert_eq!((status, out.as_str()), (TROUBLE, ""), "{fixture}"),
            false => {
                checked += 1;
                assert!(status != TROUBLE, "{fixture}: {err}");
                assert!(out.contains("dangerous"), "{fixture}: {out}");
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn wrong_arguments_are_refused() {
    let cases = [
        (&[][..], "expected explain, diff or check"),
        (&["other"], "other: expected explain, diff or check"),
        (&["explain"], "expected --memory=SIZE"),
        (&["explain", "--memory=1G"], "expected --threads=N"),
        (&["explain", "--memory=1X"], "--memory=1X: expected a size, as in 512M or 4G"),
        (&["explain", "--memory=99999999T"], "--memory=99999999T: expected a size"),
        (&["explain", "--memory"], "--memory: expected a value"),
        (&["explain", "--threads=x"], "--threads=x: expected a number"),
        (&["explain", "--profile=x"], "expected one of point-reads, scans, ingest, mixed"),
        (&["explain", "--unknown=1"], "--unknown: unknown flag"),
        (&["explain", "ttl", "--threads=1"], "ttl: expected flags or names, not both"),
        (&["explain", "no_such_option"], "no_such_option: there is no such option"),
        (&["diff", "one"], "expected two OPTIONS files or directories"),
        (&["check"], "expected an OPTIONS file or the directory of a database"),
        (&["check", "--all", "x"], "--all: unknown flag"),
        (&["check", "/no/such/file"], "/no/such/file"),
    ];
    for (arguments, expected) in cases {
        let err = refused(arguments);
        assert!(err.starts_with("options: ") && err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn help_is_told() {
    assert_eq!(said(&["--help"]), (SUCCESS, HELP.to_owned()));
    assert_eq!(said(&["explain", "--help"]), (SUCCESS, HELP.to_owned()));
}
