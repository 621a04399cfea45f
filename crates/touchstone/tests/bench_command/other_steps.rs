//! Steps and flags beside the common ones: checks, comparisons, histories, secondaries, families in
//! parts, filters.

use crate::{COMMON, content, db_bench, fill, fill_flags, owned, results, text, touchstone};
use std::path::Path;
use std::process::Output;

fn run(path: &Path, flags: &[&str]) -> Output {
    touchstone(&[&fill_flags(path)[..], &owned(flags)].concat())
}

/// What a run printed that went well.
fn stdout_of(path: &Path, flags: &[&str]) -> String {
    let output = run(path, flags);
    assert!(output.status.success(), "{flags:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What a run said that did not.
fn error_of(path: &Path, flags: &[&str]) -> String {
    let output = run(path, flags);
    assert_eq!(output.status.code(), Some(1), "{flags:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

#[test]
fn compactions_are_waited_for_where_that_is_to_count() {
    let directory = tempfile::tempdir().expect("a directory");
    let json = format!("--json={}", directory.path().join("runs.json").display());
    let common = [
        "--benchmarks=fillrandom,readrandom,levelstats",
        "--write_buffer_size=65536",
        "--level0_file_num_compaction_trigger=2",
        "--reads=10",
        &json,
    ];
    let waits = stdout_of(
        &directory.path().join("waits"),
        &[&common[..], &["--wait_for_compactions"]].concat(),
    );
    // Forty memtables were flushed, and what is left of their files is due no more.
    let level0 = waits.lines().find_map(|line| line.trim_start().strip_prefix("0 "));
    let files = level0.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    assert!(files.is_some_and(|files| files < 2), "{waits}");
    stdout_of(&directory.path().join("waits_not"), &common);
    let runs = std::fs::read_to_string(directory.path().join("runs.json")).expect("records");
    let has_waited: Vec<bool> =
        runs.lines().map(|line| !line.contains(r#""wait_seconds":null"#)).collect();
    assert_eq!(has_waited, [true, false, false, false], "{runs}");
}

#[test]
fn what_a_background_thread_did_is_in_the_record() {
    let directory = tempfile::tempdir().expect("a directory");
    let json = directory.path().join("runs.json");
    let flag = format!("--json={}", json.display());
    let run = ["--benchmarks=fillseq,readwhilewriting", "--duration=1", &flag];
    stdout_of(&directory.path().join("db"), &run);
    let runs = std::fs::read_to_string(&json).expect("records");
    let count_of = |line: &str| {
        let (_, rest) = line.split_once(r#""background_operations":"#).expect("a field");
        rest.split([',', '}']).next().and_then(|count| count.parse::<u64>().ok())
    };
    let counts: Vec<_> = runs.lines().map(count_of).collect();
    assert!(matches!(counts[..], [None, Some(1..)]), "{counts:?}");
}

#[test]
fn blocks_and_files_are_verified() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let filled =
        ["--benchmarks=fillrandom,flush,verifychecksum,verifyfilechecksums", "--file_checksum"];
    let stdout = stdout_of(&db, &filled);
    for name in ["verifychecksum", "verifyfilechecksums"] {
        let line = stdout.lines().find(|line| line.starts_with(name));
        assert!(line.is_some_and(|line| line.contains(" 1 operations;")), "{stdout}");
    }
    let files = std::fs::read_dir(&db).expect("files").map(|file| file.expect("a file").path());
    let table = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "sst"));
    let table = table.expect("a table");
    let mut bytes = std::fs::read(&table).expect("bytes");
    bytes[1000] ^= 1;
    std::fs::write(&table, bytes).expect("written");
    let name = table.file_name().expect("a name").to_string_lossy().into_owned();
    for check in ["--benchmarks=verifychecksum", "--benchmarks=verifyfilechecksums"] {
        let said = error_of(&db, &[check, "--use_existing_db", "--file_checksum"]);
        assert!(said.contains("Corruption") && said.contains(&name), "{check}: {said}");
    }
}

#[test]
fn what_memtables_hold_of_a_range_is_estimated() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let estimate = ["--benchmarks=fillseq,approximatememtablestats", "--batch_size=1000"];
    let stdout = stdout_of(&db, &[&estimate[..], &["--reads=50"]].concat());
    let mut lines = stdout.lines().skip_while(|line| !line.starts_with("approximatememtablestats"));
    assert!(lines.next().is_some_and(|line| line.contains(" 50 operations;")), "{stdout}");
    assert_eq!(lines.next(), Some("Reported entry count stats (expected 1000):"));
    let average = lines.next().and_then(|line| line.strip_prefix("Count: 50 Average: "));
    let average: f64 =
        average.and_then(|rest| rest.split(' ').next()?.parse().ok()).expect(&stdout);
    assert!((500.0..2000.0).contains(&average), "{stdout}");
    let said = error_of(&db, &["--benchmarks=fillseq,approximatememtablestats", "--num=1"]);
    assert!(said.contains("--batch_size=1 keys in a row"), "{said}");
}

#[test]
fn what_was_counted_is_forgotten() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let steps = ["--benchmarks=fillseq,stats,resetstats,stats,cache_report_problems"];
    let stdout = stdout_of(&db, &steps);
    let writes: Vec<&str> =
        stdout.lines().filter(|line| line.starts_with("Cumulative writes: ")).collect();
    assert_eq!(writes.len(), 2, "{stdout}");
    assert!(!writes[0].starts_with("Cumulative writes: 0 writes"), "{stdout}");
    assert!(writes[1].starts_with("Cumulative writes: 0 writes, 0 keys"), "{stdout}");
    assert!(stdout.ends_with("cache_report_problems: none\n"), "{stdout}");
}

#[test]
fn databases_are_compared() {
    let directory = tempfile::tempdir().expect("a directory");
    let (truth, db) = (directory.path().join("truth"), directory.path().join("db"));
    let truth_flag = format!("--truth_db={}", truth.display());
    let fill = ["--benchmarks=fillrandom"];
    stdout_of(&truth, &fill);
    stdout_of(&db, &fill);
    let compare = ["--benchmarks=verify", "--use_existing_db", &truth_flag];
    let same = run(&db, &compare);
    assert!(same.status.success() && text(&same.stderr).contains("...Verified"));
    stdout_of(&db, &["--benchmarks=overwrite", "--use_existing_db", "--num=30000"]);
    let said = error_of(&db, &compare);
    assert!(said.contains("verify: key 0x"), "{said}");
}

#[test]
fn the_history_of_statistics_is_printed() {
    let directory = tempfile::tempdir().expect("a directory");
    let flags = [
        "--benchmarks=fillrandom,stats_history",
        "--statistics",
        "--stats_persist_period_sec=1",
        "--benchmark_write_rate_limit=700000",
    ];
    let stdout = stdout_of(&directory.path().join("db"), &flags);
    assert!(stdout.lines().any(|line| line.starts_with("------ ") && line.ends_with(" ------")));
    let is_row = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.len() == 3 && words[1] == "rocksdb.number.keys.written" && words[2] != "0"
    };
    assert!(stdout.lines().any(is_row), "{stdout}");
}

#[test]
fn ranges_are_scanned_by_several() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    stdout_of(&db, &["--benchmarks=fillseq"]);
    let read = |flags: &[&str]| {
        let output = touchstone(&[&fill_flags(&db)[..], &owned(COMMON), &owned(flags)].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        results(&output)
    };
    // Fifty keys in each of four ranges, until a thousand keys were read.
    let four = ["--benchmarks=multiscan", "--multiscan_size=4", "--reads=1000", "--histogram"];
    for more in [&[][..], &["--reverse_iterator"]] {
        assert_eq!(read(&[&four[..], more].concat()), ["multiscan 5  (multiscans:5)"]);
    }
    let both =
        ["--benchmarks=multiscanrandom", "--value_size=1000", "--reads=20000", "--num=15000"];
    let forward = read(&both);
    assert_eq!(read(&[&both[..], &["--reverse_iterator"]].concat()), forward);
    assert!(forward[0].contains("max_range_keys:1032)"), "{forward:?}");
    let said = error_of(&db, &["--benchmarks=multiscan", "--use_existing_db", "--num=1000"]);
    assert!(said.contains("need a larger --num"), "{said}");
}

#[test]
fn batches_of_counters_are_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    let flags = [
        "--benchmarks=fillseq,deleteseq,randomtransaction",
        "--transaction_sets=1",
        "--num=500",
        "--writes=3000",
        "--reads=3000",
    ];
    let Some(theirs_said) = fill(&theirs, &flags) else { return };
    let ours_said = run(&ours, &flags);
    assert!(ours_said.status.success(), "{}", text(&ours_said.stderr));
    assert_eq!(results(&ours_said), results(&theirs_said));
    let Some(expected) = content(&theirs, &[]) else { return };
    assert!(expected.len() > 1000 && content(&ours, &[]) == Some(expected));
    let said = error_of(&ours, &["--benchmarks=randomtransaction", "--transaction_sets=10000"]);
    assert!(said.contains("--transaction_sets=10000: expected 1 to 9999"), "{said}");
}

#[test]
fn keys_that_are_numbers_are_in_their_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let order = ["--use_uint64_comparator", "--key_size=8"];
    if fill(&db, &[&["--benchmarks=fillrandom"][..], &order].concat()).is_none() {
        return;
    }
    let path = format!("--db={}", db.display());
    let mine = ["--benchmarks=readrandom,seekrandom,readseq", "--num=20000", "--seed=7", &path];
    let read = [COMMON, &mine, &order].concat();
    let Some(theirs) = db_bench(&read) else { return };
    assert_eq!(results(&touchstone(&read)), results(&theirs));
    let said = error_of(&db, &["--benchmarks=fillseq", "--use_uint64_comparator"]);
    assert!(said.contains("--key_size=8"), "{said}");
    // Under the order of bytes it does not open.
    let said = error_of(&db, &["--benchmarks=readseq", "--use_existing_db"]);
    assert!(said.contains("rocksdb.Uint64Comparator"), "{said}");
}

#[test]
fn families_are_filled_part_by_part_as_by_db_bench() {
    let directory = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    let flags = [
        "--benchmarks=fillrandom,overwrite",
        "--num_column_families=6",
        "--num_hot_column_families=2",
        "--batch_size=3",
    ];
    if fill(&theirs, &flags).is_none() {
        return;
    }
    stdout_of(&ours, &flags);
    for index in 0..6 {
        let name = match index {
            0 => "default".to_owned(),
            _ => format!("column_family_name_{index:06}"),
        };
        let family = format!("--column_family={name}");
        let Some(expected) = content(&theirs, &[&family]) else { return };
        assert!(!expected.is_empty() && content(&ours, &[&family]) == Some(expected), "{name}");
    }
}

#[test]
fn a_secondary_follows() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    stdout_of(&db, &["--benchmarks=fillseq"]);
    let own = format!("--secondary_path={}", directory.path().join("own").display());
    let read =
        ["--benchmarks=readrandom", "--use_secondary_db", "--secondary_update_interval=1", &own];
    let stdout = stdout_of(&db, &read);
    assert!(stdout.contains("(20000 of 20000 found)"), "{stdout}");
    let told = stdout.lines().find_map(|line| line.strip_prefix("Secondary instance updated  "));
    let count = told.and_then(|rest| rest.strip_suffix(" times.")?.parse::<u64>().ok());
    assert!(count.is_some_and(|count| count > 0), "{stdout}");
    assert!(directory.path().join("own").join("LOG").exists());
    let said = error_of(&db, &["--benchmarks=overwrite", "--use_secondary_db", &own]);
    assert!(said.contains("'overwrite' writes, and --use_secondary_db was given"), "{said}");
}

#[test]
fn compactions_let_old_entries_go() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let flags =
        ["--benchmarks=timeseries,flush,compact,readseq", "--threads=1", "--time_range=500"];
    let left = |style: &str| {
        let stdout = stdout_of(&db, &[&flags[..], &[style]].concat());
        let line = stdout.lines().find(|line| line.starts_with("readseq")).expect("a result");
        let (_, after) = line.split_once(" seconds ").expect("operations");
        after.split(' ').next().and_then(|count| count.parse::<u64>().ok()).expect("a count")
    };
    assert_eq!(left("--expire_style=none"), 20_000);
    // So old the youngest entries are that stay.
    assert_eq!(left("--expire_style=compaction_filter"), 500);
}

#[test]
fn options_may_come_from_a_file_of_rocksdbs() {
    let directory = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    let flags = ["--benchmarks=fillrandom", "--write_buffer_size=300000", "--num_levels=5"];
    if fill(&theirs, &flags).is_none() {
        return;
    }
    let files = std::fs::read_dir(&theirs).expect("files").map(|file| file.expect("a file").path());
    let options = files.into_iter().find(|path| path.to_string_lossy().contains("/OPTIONS-"));
    let options = format!("--options_file={}", options.expect("a file of options").display());
    let output = run(&ours, &["--benchmarks=fillrandom,flush,levelstats", &options]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    // Five levels, and what is given beside the file does not count.
    assert!(stdout.contains("\n  4 ") && !stdout.contains("\n  5 "), "{stdout}");
    let note = "note: --compression_type changes nothing: options come from --options_file";
    assert!(stderr.contains(note), "{stderr}");
    assert!(!stdout.contains("from command-line flags"), "{stdout}");
}

#[test]
fn tables_are_taken_in_and_read_with_their_columns() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let flags = [
        "--benchmarks=fillseq,ingestexternalfile,readrandomentity,multireadentity",
        "--num=1000",
        "--batch_size=4",
        "--ingest_external_file_num_batches=2",
        "--ingest_external_file_batch_size=3",
    ];
    let output = touchstone(&[&fill_flags(&db)[..], &owned(&flags)].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let expected = [
        "fillseq 1000 MB/s ",
        "ingestexternalfile 2 MB/s (2 batches x 3 files, 1000 keys/file, 1 threads)",
        "readrandomentity 1000 MB/s (1000 of 1000 found)",
        "multireadentity 1000 MB/s (1000 of 1000 found)",
    ];
    assert_eq!(results(&output), expected);
    assert!(!db.join("ingest_tmp").exists());
    let Some(keys) = content(&db, &[]) else { return };
    assert_eq!(keys.iter().filter(|byte| **byte == b'\n').count(), 1000);
}

/// Whoever is told of an error is told of no result.
#[test]
fn what_goes_wrong_is_one_sentence_and_no_result() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let json = format!("--json={}", directory.path().join("nowhere/run.json").display());
    let report = format!("--report_file={}", directory.path().join("nowhere/r.csv").display());
    for (flags, said) in [
        (&["--benchmarks=readrandom", "--use_existing_db"][..], "there is none at"),
        (&["--benchmarks=fillsek"], "unknown benchmark 'fillsek'"),
        (&["--benchmarks=fillseq", "--nosuch=1"], "unknown command line flag 'nosuch'"),
        (&["--benchmarks=fillseq", &json], "nowhere/run.json"),
        (&["--benchmarks=fillseq", "--report_interval_seconds=1", &report], "nowhere/r.csv"),
        (&["--benchmarks=fillseq", "--db=/proc/nowhere"], "/proc/nowhere"),
    ] {
        let output = run(&db, flags);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{flags:?}: {stdout}");
        assert!(!stdout.contains("micros/op"), "{flags:?}: {stdout}");
        assert_eq!(stderr.lines().filter(|line| line.contains(said)).count(), 1, "{stderr}");
        // What cannot run has not begun.
        assert!(!db.exists(), "{flags:?}");
    }
}

#[test]
fn operations_on_files_are_told_by_the_names_of_db_bench() {
    let directory = tempfile::tempdir().expect("a directory");
    let flags = ["--benchmarks=fillseq,readrandom", "--report_file_operations", "--sync"];
    let names = |stdout: &[u8]| -> Vec<String> {
        let stdout = text(stdout);
        let lines = stdout.lines().filter(|line| line.starts_with("Num "));
        lines.filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect()
    };
    let ours = run(&directory.path().join("ours"), &flags);
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    let stdout = text(&ours.stdout);
    let syncs = stdout.lines().find_map(|line| line.strip_prefix("Num Sync(): "));
    let syncs: u64 = syncs.and_then(|count| count.parse().ok()).expect("a count");
    // Each write is synced, and some files of the database that is made for them.
    assert!((20_000..20_100).contains(&syncs), "{stdout}");
    let Some(theirs) = fill(&directory.path().join("theirs"), &flags) else { return };
    assert_eq!(names(&ours.stdout), names(&theirs.stdout));
}
