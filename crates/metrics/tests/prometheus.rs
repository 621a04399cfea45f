//! A real Prometheus scrapes a database that is being used, and evaluates every expression of the board.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use db::{
    ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions, OpenContext, ReadOptions,
    WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions, FilterPolicy};
use serde_json::Value;
use statistics::Statistics;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Panels whose expressions have no value in this test.
const WITHOUT_DATA: &[&str] = &[
    "Caches: blob cache",
    "Read from the primary: WAL bytes",
    "Jobs of the primary",
    "Statistics of the primary",
];

fn board() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/grafana/touchstone.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Title of its panel with the legend, and each expression.
fn expressions() -> Vec<(String, String)> {
    let board = board();
    let panels = board["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| {
        let title = panel["title"].as_str().unwrap().to_owned();
        let targets = panel["targets"].as_array().cloned().unwrap_or_default();
        targets.into_iter().map(move |target| {
            let legend = target["legendFormat"].as_str().unwrap();
            (format!("{title}: {legend}"), target["expr"].as_str().unwrap().to_owned())
        })
    });
    targets.collect()
}

fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(found || !in_ci, "{program} is not installed: scripts/setup does that");
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

fn open(directory: &Path) -> Db {
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        ..DbOptions::default()
    };
    let mut family = ColumnFamilyOptions::default();
    family.write_buffer_size = 64 << 10;
    family.level0_file_num_compaction_trigger = 2;
    family.table.filter_policy = Some(FilterPolicy::Bloom { bits_per_key: 10.0 });
    let families =
        ["default", "other \"one\""].map(|name| ColumnFamilyDescriptor::new(name, family.clone()));
    let context =
        OpenContext { statistics: Some(Arc::new(Statistics::new())), ..OpenContext::default() };
    Db::open(&options, directory, &families, &context).unwrap()
}

/// Writes and reads all there is to count.
fn use_database(db: &Db, round: u64) {
    let family = db.column_family("default").unwrap();
    let (read, write) = (ReadOptions::default(), WriteOptions::default());
    let key = |number: u64| format!("key{number:05}").into_bytes();
    for number in 0..200 {
        db.put(&write, &family, &key((round * 37 + number * 2) % 4000), &[7; 300]).unwrap();
    }
    for number in 0..200 {
        db.get(&read, &family, &key((round * 41 + number) % 4000)).unwrap();
    }
    for value in db.multi_get(&read, &family, &[key(1), key(2)]) {
        value.unwrap();
    }
    let mut iterator = db.new_iterator(&read, &family).unwrap();
    iterator.seek(&key(round % 4000));
    for _ in 0..20 {
        if iterator.valid() {
            iterator.next();
        }
    }
    if round.is_multiple_of(20) {
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
    }
    if round.is_multiple_of(60) {
        db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    }
}

/// Status and body of an answer.
fn http(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "{request} HTTP/1.0\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// A Prometheus with a port of its own, gone with the test.
struct Prometheus {
    process: Child,
    address: SocketAddr,
}

impl Prometheus {
    fn start(directory: &Path, target: SocketAddr) -> Self {
        let config = directory.join("prometheus.yml");
        let text = format!(
            "global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: touchstone\n    \
             static_configs:\n      - targets: ['{target}']\n"
        );
        std::fs::write(&config, text).unwrap();
        // A port that was free a moment ago.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let process = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", directory.join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(directory.join("prometheus.log")).unwrap())
            .spawn()
            .unwrap();
        Self { process, address }
    }

    /// What an expression gives now.
    fn query(&self, expression: &str) -> Result<Vec<Value>, String> {
        let mut encoded = String::new();
        for byte in expression.bytes() {
            let _ = write!(encoded, "%{byte:02x}");
        }
        let request = format!("GET /api/v1/query?query={encoded}");
        let (_, body) = http(self.address, &request);
        let answer: Value =
            serde_json::from_str(&body).map_err(|error| format!("{error}: {body}"))?;
        match answer["status"].as_str() {
            Some("success") => Ok(answer["data"]["result"].as_array().cloned().unwrap_or_default()),
            _ => Err(body),
        }
    }

    fn is_up(&self) -> bool {
        TcpStream::connect(self.address).is_ok()
            && self.query("up{job=\"touchstone\"} == 1").is_ok_and(|found| !found.is_empty())
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It has ended already, or ends now.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(25);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(200));
    }
}

fn promtool_has_nothing_to_say_of(text: &str) {
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    promtool.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
}

#[test]
fn prometheus_scrapes_and_the_board_has_data() {
    if !is_installed("prometheus") || !is_installed("promtool") {
        return;
    }
    let directory = TempDir::new().unwrap();
    let db = Arc::new(open(&directory.path().join("db")));
    let server = metrics::serve(db.clone(), "127.0.0.1:0").unwrap();
    let prometheus = Prometheus::start(directory.path(), server.address());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let rounds = (1..).take_while(|_| !done.load(Ordering::Acquire));
            rounds.for_each(|round| use_database(&db, round));
        });
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until("Prometheus does not scrape", || prometheus.is_up());
            until("no five samples", || {
                let count = "count_over_time(rocksdb_latest_sequence_number[1m]) >= 5";
                prometheus.query(count).is_ok_and(|found| !found.is_empty())
            });
            check_samples(&prometheus, &db);
            check_board(&prometheus);
        }));
        done.store(true, Ordering::Release);
        if let Err(panic) = failed {
            std::panic::resume_unwind(panic);
        }
    });
    promtool_has_nothing_to_say_of(&metrics::text(&db));
}

fn check_samples(prometheus: &Prometheus, db: &Db) {
    let path = db.path().display();
    let one = |expression: String| {
        let found = prometheus.query(&expression).unwrap();
        assert_eq!(found.len(), 1, "{expression}: {found:?}");
        found[0]["value"][1].as_str().unwrap().parse::<f64>().unwrap()
    };
    let sequence = one(format!("rocksdb_latest_sequence_number{{db=\"{path}\"}}"));
    assert!(sequence > 0.0 && sequence <= db.latest_sequence_number() as f64);
    // A label with quotes arrives as it is.
    one("rocksdb_num_files_at_level{cf=\"other \\\"one\\\"\",level=\"0\"}".to_owned());
    assert!(one("rocksdb_db_get_micros_count".to_owned()) > 0.0);
    assert!(one("rocksdb_db_get_micros{quantile=\"0.5\"}".to_owned()) > 0.0);
    assert_eq!(one("sum(rocksdb_write_condition)".to_owned()), 1.0);
}

fn check_board(prometheus: &Prometheus) {
    let mut problems = Vec::new();
    for (title, expression) in expressions() {
        let asked = expression
            .replace("$__rate_interval", "10s")
            .replace("\"$db\"", "\".*\"")
            .replace("\"$cf\"", "\".*\"");
        match prometheus.query(&asked) {
            Err(error) => problems.push(format!("{title}: {asked}: {error}")),
            Ok(found) => {
                let may_be_empty = WITHOUT_DATA.iter().any(|without| title.starts_with(without));
                if found.is_empty() && !may_be_empty {
                    problems.push(format!("{title}: {asked}: nothing"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Each name in the board is one that a database may give.
#[test]
fn the_board_knows_the_metrics() {
    let known: BTreeSet<String> =
        metrics::metrics().into_iter().map(|metric| metric.name.into_owned()).collect();
    for (title, expression) in expressions() {
        let words = expression
            .split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let names: Vec<&str> = words.filter(|word| word.starts_with("rocksdb_")).collect();
        assert!(!names.is_empty(), "{title}");
        for name in names {
            let summary = name.strip_suffix("_sum").or(name.strip_suffix("_count"));
            assert!(known.contains(summary.unwrap_or(name)), "{title}: {name}");
        }
    }
}

#[test]
fn names_do_not_repeat_and_help_is_given() {
    let all = metrics::metrics();
    let names: BTreeSet<_> = all.iter().map(|metric| &metric.name).collect();
    assert_eq!(names.len(), all.len());
    for metric in &all {
        assert!(metric.help.ends_with('.'), "{}: {}", metric.name, metric.help);
        let is_counter = metric.kind == metrics::Kind::Counter;
        assert_eq!(metric.name.ends_with("_total"), is_counter, "{}", metric.name);
    }
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let server = metrics::serve_text("127.0.0.1:0", || Ok("a 1\n".to_owned())).unwrap();
    let address = server.address();
    assert_eq!(server.url(), format!("http://{address}/metrics"));
    assert_eq!(http(address, "GET /metrics"), (200, "a 1\n".to_owned()));
    assert_eq!(http(address, "GET /metrics?x=1").0, 200);
    assert_eq!(http(address, "HEAD /metrics"), (200, String::new()));
    assert_eq!(http(address, "GET /").0, 200);
    assert_eq!(http(address, "GET /other").0, 404);
    assert_eq!(http(address, "POST /metrics").0, 405);
    assert_eq!(http(address, "no request at all").0, 400);
    let taken = metrics::serve_text(address.to_string(), || Ok(String::new())).unwrap_err();
    assert!(taken.to_string().contains(&address.to_string()), "{taken}");
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "it goes on listening");
    let failing = metrics::serve_text("127.0.0.1:0", || Err(base::Status::busy("later"))).unwrap();
    let (status, body) = http(failing.address(), "GET /metrics");
    assert!(status == 503 && body.contains("later"), "{status} {body}");
}

/// Panels are told apart by their ids.
#[test]
fn the_board_has_what_grafana_wants() {
    let board = board();
    assert_eq!(board["uid"], "touchstone");
    let ids: Vec<u64> = board["panels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|panel| panel["id"].as_u64().unwrap())
        .collect();
    let distinct: BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
}
