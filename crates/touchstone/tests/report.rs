//! `touchstone report` over what `touchstone bench` and RocksDB's `db_bench` really print.

use std::path::Path;
use std::process::{Command, Output};

fn touchstone() -> Command {
    Command::new(env!("CARGO_BIN_EXE_touchstone"))
}

/// Flags of a run that has all that a report asks for.
fn flags(db: &Path) -> Vec<String> {
    let db = format!("--db={}", db.display());
    let fixed = [
        db.as_str(),
        "--benchmarks=overwrite,waitforcompaction,stats",
        "--num=200000",
        "--value_size=400",
        "--write_buffer_size=4000000",
        "--compression_type=none",
        "--histogram=1",
        "--progress_reports=0",
    ];
    fixed.map(str::to_owned).to_vec()
}

/// Writes what a run printed to the log of a build.
fn keep(directory: &Path, build: &str, output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let directory = directory.join(build);
    std::fs::create_dir(&directory).expect("a directory");
    let log = directory.join("benchmark_overwrite.t1.s0.log");
    std::fs::write(log, [&output.stderr[..], &output.stdout[..]].concat()).expect("a log");
}

#[test]
fn outputs_of_both_programs_are_read_alike() {
    let directory = tempfile::tempdir().expect("a directory");
    let (path, db) = (directory.path(), directory.path().join("db"));
    let ours = touchstone().arg("bench").args(flags(&db)).output().expect("the binary runs");
    keep(path, "ours", &ours);
    let mut builds = vec!["ours"];
    if let Some(db_bench) = testing::peer::find("db_bench") {
        keep(path, "theirs", &db_bench.run(&flags(&db)));
        builds.push("theirs");
    }
    for build in &builds {
        let output = touchstone().arg("report").arg(path.join(build)).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("text");
        let [head, line] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        let fields: Vec<_> = head.split('\t').zip(line.split('\t')).collect();
        let unknown: Vec<_> =
            fields.iter().filter(|(_, value)| *value == "NA").map(|(name, _)| *name).collect();
        // The process was not timed, and the info log says which build it was.
        assert_eq!(unknown, ["u_cpu", "s_cpu", "rss", "githash"], "{build}: {text}");
        let number = |wanted: &str| {
            let field = fields.iter().find(|(name, _)| *name == wanted);
            field.and_then(|(_, value)| value.parse::<f64>().ok()).expect("a number")
        };
        assert!(number("ops_sec") > 0.0 && number("p50") <= number("p99"), "{text}");
        assert!(number("w_amp2") >= 1.0 && number("w_amp") >= 1.0, "{text}");
    }
    let arguments = builds.iter().map(|build| path.join(build));
    let output = touchstone().args(["report", "--relative"]).args(arguments).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    let last = text.lines().last().expect("a row");
    assert!(last.starts_with("1.00\t") && last.ends_with("\toverwrite.t1.s0"), "{text}");
    assert_eq!(last.split('\t').count(), builds.len() + 1);
}
