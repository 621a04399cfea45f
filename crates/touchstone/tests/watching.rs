//! `touchstone top` and `touchstone serve-metrics`, on databases that are being written.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TOUCHSTONE: &str = env!("CARGO_BIN_EXE_touchstone");

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, or ends now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes to a database for longer than a test takes. Only `overwrite`: benchmarks that begin with
/// `fill` make the database anew, so that who has seen it might find none a moment later.
fn bench(program: &str, first: &[&str], db: &Path) -> Running {
    let child = Command::new(program)
        .args(first)
        .arg(format!("--db={}", db.display()))
        .args(["--benchmarks=overwrite", "--num=100000000", "--value_size=100"])
        .args(["--write_buffer_size=1000000", "--statistics=true", "--stats_dump_period_sec=1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(100));
    }
}

fn top(db: &Path, flags: &[&str]) -> Output {
    let db = format!("--db={}", db.display());
    Command::new(TOUCHSTONE).arg("top").arg(db).args(flags).output().unwrap()
}

/// The number before `word` in the line that begins with `start`.
fn number_before(text: &str, start: &str, word: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(start))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let wanted: Vec<&str> = word.split(' ').collect();
    let is_here = |at: &usize| words[*at..].iter().zip(&wanted).all(|(a, b)| a.starts_with(b));
    let place = (1..words.len()).find(is_here)?;
    words[place - 1].parse().ok()
}

fn check_top(db: &Path) {
    let text = until("no tables show", || {
        let output = top(db, &["--once"]);
        let text = String::from_utf8(output.stdout).unwrap();
        number_before(&text, "memtables", "entries").filter(|_| output.status.success())?;
        let files: u64 = text
            .lines()
            .find(|line| line.starts_with("sum"))?
            .split_whitespace()
            .nth(1)?
            .parse()
            .ok()?;
        (files > 0).then_some(text)
    });
    for expected in ["[default]", "level    files", "L0 ", "from LOG", "from files", "MANIFEST"] {
        assert!(text.contains(expected), "{text}");
    }
    let dumped = until("no statistics show", || {
        let text = String::from_utf8(top(db, &["--once"]).stdout).unwrap();
        (!text.contains("none dumped yet")).then_some(text)
    });
    assert!(dumped.contains("held back    00:00:"), "{dumped}");
    until("no rates show", || {
        let text = String::from_utf8(top(db, &["--once"]).stdout).unwrap();
        let written = number_before(&text, "operations", "keys written/s")?;
        (written > 0 && text.contains("write ") && text.contains("micros   ")).then_some(())
    });
}

#[test]
fn top_shows_what_rocksdb_is_writing() {
    if testing::peer::find("db_bench").is_none() {
        return;
    }
    let directory = TempDir::new().unwrap();
    let _running = bench("db_bench", &[], directory.path());
    check_top(directory.path());
}

#[test]
fn top_shows_what_touchstone_is_writing() {
    let directory = TempDir::new().unwrap();
    let _running = bench(TOUCHSTONE, &["bench"], directory.path());
    check_top(directory.path());
}

/// Where nobody looks at a terminal, one screen follows another, with rates from the second on.
#[test]
fn top_goes_on_until_it_is_told_to_end() {
    let directory = TempDir::new().unwrap();
    let _running = bench(TOUCHSTONE, &["bench"], directory.path());
    until("no database", || directory.path().join("CURRENT").exists().then_some(()));
    let child = Command::new(TOUCHSTONE)
        .args(["top", "--interval=0.2", &format!("--db={}", directory.path().display())])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = Running(child.unwrap());
    let lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    // Kept to the end: without a reader it would end by itself.
    let mut lines = lines.map_while(Result::ok).filter(|line| line.starts_with("writes "));
    let writes: Vec<String> = lines.by_ref().take(4).collect();
    assert!(writes[0].contains("- entries/s"), "{writes:?}");
    assert!(writes[1..].iter().any(|line| !line.contains("- entries/s")), "{writes:?}");
    end(&mut child);
    drop(lines);
}

/// In a terminal that `script` makes: `q` ends it, and the terminal is as it was before.
#[test]
fn top_leaves_the_terminal_clean() {
    let directory = TempDir::new().unwrap();
    let _running = bench(TOUCHSTONE, &["bench"], directory.path());
    until("no database", || directory.path().join("CURRENT").exists().then_some(()));
    let db = directory.path().display();
    let commands =
        format!("stty cols 60 rows 8; {TOUCHSTONE} top --db={db}; echo status $?; stty -a");
    let child = Command::new("script")
        .args(["-qec", &commands, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = Running(child.unwrap());
    let mut keys = child.0.stdin.take().unwrap();
    let mut output = child.0.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        text
    });
    thread::sleep(Duration::from_millis(1500));
    // Where it ended by itself, its screen tells why.
    let written = keys.write_all(b"q");
    until("it does not end", || child.0.try_wait().unwrap());
    let text = reader.join().unwrap();
    assert!(written.is_ok(), "{written:?}: {text}");
    assert!(text.contains("touchstone top") && text.contains("more lines"), "{text}");
    let (_, after) = text.split_once("\u{1b}[?1049l").unwrap();
    assert!(after.contains("\u{1b}[?25h") && after.contains("status 0"), "{after}");
    assert!(after.contains(" echo ") && after.contains(" icanon"), "{after}");
}

/// Ends it as a user or a supervisor would.
fn end(running: &mut Running) {
    let pid = running.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let status = until("it does not end", || running.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

fn scrape(url: &str) -> String {
    let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/metrics"));
    let mut stream = TcpStream::connect(address.unwrap()).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    answer
}

fn sequence(answer: &str) -> f64 {
    let line = answer.lines().find(|line| line.starts_with("rocksdb_latest_sequence_number{"));
    line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
}

fn serve(db: &Path, flags: &[&str]) -> (Running, String) {
    let child = Command::new(TOUCHSTONE)
        .args(["serve-metrics", "--listen=127.0.0.1:0", &format!("--db={}", db.display())])
        .args(flags)
        .stdout(Stdio::piped())
        .spawn();
    let mut running = Running(child.unwrap());
    let mut url = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    (running, url.trim().to_owned())
}

#[test]
fn metrics_of_a_database_that_is_written_are_served() {
    let directory = TempDir::new().unwrap();
    let db = directory.path().join("db");
    let _writing = bench(TOUCHSTONE, &["bench"], &db);
    until("no writes", || {
        let shown = top(&db, &["--once"]);
        number_before(&String::from_utf8(shown.stdout).unwrap(), "memtables", "entries")
    });
    for flags in [&["--interval-secs=0"][..], &["--interval-secs=0", "--mode=read-only"]] {
        let (mut running, url) = serve(&db, flags);
        let first = sequence(&scrape(&url));
        until("nothing new", || (sequence(&scrape(&url)) > first).then_some(()));
        let taken = Command::new(TOUCHSTONE)
            .args(["serve-metrics", &format!("--db={}", db.display())])
            .arg(format!(
                "--listen={}",
                url.trim_start_matches("http://").trim_end_matches("/metrics")
            ))
            .output()
            .unwrap();
        assert_eq!(taken.status.code(), Some(1));
        let error = String::from_utf8(taken.stderr).unwrap();
        assert!(error.contains("--listen") && error.contains("in use"), "{error}");
        end(&mut running);
    }
}

/// The values of a metric, by its labels.
fn samples<'a>(answer: &'a str, name: &str) -> Vec<(&'a str, f64)> {
    let is_of = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('{'));
    let lines = answer.lines().filter(is_of);
    lines.filter_map(|line| line.rsplit_once(' ')).map(|(a, b)| (a, b.parse().unwrap())).collect()
}

/// What only the writing process knows comes out of its LOG.
fn check_metrics_of_primary(db: &Path) {
    until("no database", || db.join("CURRENT").exists().then_some(()));
    let (mut running, url) = serve(db, &["--interval-secs=0"]);
    let found =
        |answer: &str, name: &str| samples(answer, name).iter().any(|(_, value)| *value > 0.0);
    let wanted = [
        "rocksdb_dumped_statistics_age_seconds",
        "rocksdb_number_keys_written_total",
        "rocksdb_db_user_keys_written_total",
        "rocksdb_db_uptime_seconds",
        "rocksdb_db_write_micros",
        "rocksdb_db_write_micros_count",
        "rocksdb_compaction_jobs_total",
        "rocksdb_compaction_keys_read_total",
        "rocksdb_table_reads_total",
    ];
    let answer = until("not all is told", || {
        let answer = scrape(&url);
        wanted.iter().all(|name| found(&answer, name)).then_some(answer)
    });
    assert!(!samples(&answer, "rocksdb_write_stalls_total").is_empty(), "{answer}");
    assert!(!samples(&answer, "rocksdb_block_cache_hit_total").is_empty(), "{answer}");
    let mut series: Vec<&str> = answer
        .lines()
        .filter(|line| line.starts_with("rocksdb_"))
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect();
    let count = series.len();
    series.sort_unstable();
    series.dedup();
    assert_eq!(series.len(), count, "something is told twice");
    let time = |answer: &str| samples(answer, "rocksdb_dumped_statistics_timestamp_seconds")[0].1;
    let first = time(&answer);
    until("no dump after it is told", || (time(&scrape(&url)) > first).then_some(()));
    end(&mut running);
}

#[test]
fn metrics_of_what_rocksdb_counts_are_served() {
    if testing::peer::find("db_bench").is_none() {
        return;
    }
    let directory = TempDir::new().unwrap();
    let _running = bench("db_bench", &[], directory.path());
    check_metrics_of_primary(directory.path());
}

#[test]
fn metrics_of_what_touchstone_counts_are_served() {
    let directory = TempDir::new().unwrap();
    let _running = bench(TOUCHSTONE, &["bench"], directory.path());
    check_metrics_of_primary(directory.path());
}
