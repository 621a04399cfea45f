//! Options that `touchstone options explain` chose are taken by RocksDB.

use std::path::Path;
use std::process::Command;

/// The release of `db_bench` that tests compare with.
const RELEASE: &str = "7.8.3";

#[test]
fn rocksdb_runs_with_options_chosen_for_a_budget() {
    for profile in ["point-reads", "scans", "ingest", "mixed"] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("OPTIONS");
        let explained = Command::new(env!("CARGO_BIN_EXE_touchstone"))
            .args(["options", "explain", "--memory=64M", "--threads=4"])
            .arg(format!("--profile={profile}"))
            .arg(format!("--output={}", file.display()))
            .arg(format!("--release={RELEASE}"))
            .output()
            .expect("the binary runs");
        assert!(explained.status.success(), "{explained:?}");
        let chosen = String::from_utf8(explained.stdout).expect("UTF-8");
        match run_db_bench(directory.path(), &file) {
            Some(written) => compare(&chosen, &written, profile),
            None => return,
        }
    }
}

/// The OPTIONS file that RocksDB writes when it runs with `file`; none where it is not installed.
fn run_db_bench(directory: &Path, file: &Path) -> Option<String> {
    let db = directory.join("db");
    let output = Command::new("db_bench")
        .arg(format!("--db={}", db.display()))
        .arg(format!("--options_file={}", file.display()))
        .args(["--benchmarks=fillrandom,readrandom", "--num=10000"])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "db_bench must be installed: {error}");
            println!("skipped: db_bench: {error}");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("readrandom   :"), "{output:?}");
    let names = std::fs::read_dir(db).expect("the database").map(|entry| entry.expect("an entry"));
    let paths = names.map(|entry| entry.path());
    let newest = paths.filter(|path| path.to_string_lossy().contains("OPTIONS-")).max();
    Some(std::fs::read_to_string(newest.expect("an OPTIONS file")).expect("UTF-8"))
}

/// Every number that was chosen is in force.
fn compare(chosen: &str, written: &str, profile: &str) {
    let mut compared = 0;
    for line in chosen.lines().filter(|line| line.starts_with("  ") && line.contains('=')) {
        let Some((option, value)) = line.trim().split_once('=') else { continue };
        // OPTIONS files do not have it.
        if option == "block_cache" || option.contains(' ') {
            continue;
        }
        let expected = match value.strip_suffix(['K', 'M']) {
            Some(number) => {
                let shift = if value.ends_with('K') { 10 } else { 20 };
                (number.parse::<u64>().expect("a number") << shift).to_string()
            }
            None => value.to_owned(),
        };
        let prefix = format!("  {option}=");
        let found = written.lines().find_map(|line| line.strip_prefix(&prefix));
        let found = found.unwrap_or_else(|| panic!("{profile}: {option} is not in\n{written}"));
        // RocksDB prints fractions with six digits.
        let is_same = found == expected || found.trim_end_matches('0') == expected;
        assert!(is_same, "{profile}: {option}={found}, chosen {value}");
        compared += 1;
    }
    assert!(compared >= 18, "{profile}: {compared} options in\n{chosen}");
}
