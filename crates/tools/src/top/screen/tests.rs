use super::*;
use db::SecondaryProgress;
use std::path::Path;
use std::time::Duration;
use testing::datadriven::{self, Directive};
use version::{MemTableShape, TreeShape};

/// `testdata/top/screen` has lines of `key=value` as input, a line for each column family (`family`) and
/// for each of its levels (`level`).
#[test]
fn screens_are_made_from_snapshots() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/top/screen");
    datadriven::run(&path, |directive| {
        let snapshot = snapshot(directive);
        let rows = directive.parse_or("rows", 100);
        let lines = render(&snapshot, directive.parse_or("columns", 200), rows);
        assert!(lines.len() <= rows);
        lines.iter().map(|line| format!("{}|\n", line.trim_end())).collect()
    });
}

/// A terminal may get any size, also between two screens.
#[test]
fn screens_fit_into_terminals_of_every_size() {
    let mut snapshot = Snapshot { path: "/data/\u{e4}\ttab".to_owned(), ..Snapshot::default() };
    snapshot.problem = Some("IoError: a\nline and one more".to_owned());
    for name in ["default", "a rather long name of a column family"] {
        let level = |level| LevelShape {
            level,
            files: 12,
            bytes: 123_456_789,
            target_bytes: Some(1 << 40),
            score: Some(1.25),
            entries: None,
        };
        snapshot.families.push(FamilySnapshot {
            shape: TreeShape {
                column_family: name.to_owned(),
                levels: (0..7).map(level).collect(),
                ..TreeShape::default()
            },
            stall: None,
            reads: vec![Some(7); 7],
        });
    }
    let whole = render(&snapshot, usize::MAX, usize::MAX);
    assert!(whole.len() > 20 && whole.iter().any(|line| line.len() > 60), "{whole:?}");
    for columns in 0..150 {
        for rows in [0, 1, 2, 5, 24, whole.len() - 1, whole.len(), 1000] {
            let lines = render(&snapshot, columns, rows);
            assert_eq!(lines.len(), rows.min(whole.len()), "{columns} by {rows}");
            assert!(lines.iter().all(|line| line.chars().count() <= columns));
            assert!(lines.iter().all(|line| !line.chars().any(char::is_control)));
            let hides = rows < whole.len();
            let shown = &lines[..lines.len() - usize::from(hides && rows > 0)];
            assert!(shown.iter().zip(&whole).all(|(line, whole)| whole.starts_with(&**line)));
            let last_counts = lines.last().is_some_and(|line| line.starts_with('…'));
            assert_eq!(last_counts, hides && rows > 0 && columns > 0, "{columns} by {rows}");
        }
    }
}

fn snapshot(directive: &Directive) -> Snapshot {
    let mut snapshot = Snapshot { path: "/data/db".to_owned(), ..Snapshot::default() };
    for line in directive.input.lines() {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let value = |key: &str| {
            let prefix = format!("{key}=");
            rest.split(' ').find_map(|word| word.strip_prefix(&prefix))
        };
        let number = |key: &str| value(key).and_then(|text| text.parse::<u64>().ok());
        match kind {
            "progress" => snapshot.progress = progress(number),
            "before" => {
                let elapsed = Duration::from_millis(number("millis").unwrap());
                snapshot.before = Some((progress(number), elapsed));
            }
            "problem" => snapshot.problem = Some(rest.to_owned()),
            "log" => {
                let dump = Dump::parse(&rest.replace("\\n", "\n"));
                let dumped = &mut snapshot.dumped;
                dumped.before = dumped.newest.take();
                dumped.newest = dump;
                dumped.age = Duration::from_secs(7);
            }
            "family" => snapshot.families.push(FamilySnapshot {
                shape: TreeShape {
                    column_family: value("name").unwrap().to_owned(),
                    memtables: vec![MemTableShape {
                        entries: number("entries").unwrap_or(0),
                        bytes: number("memory").unwrap_or(0),
                    }],
                    pending_compaction_bytes: number("debt").unwrap_or(0),
                    blob_files: number("blobs").unwrap_or(0) as usize,
                    ..TreeShape::default()
                },
                stall: value("stall").map(|stall| stall.replace('_', " ")),
                reads: Vec::new(),
            }),
            "level" => {
                let family = snapshot.families.last_mut().unwrap();
                family.reads.push(number("reads"));
                family.shape.levels.push(LevelShape {
                    level: family.shape.levels.len(),
                    files: number("files").unwrap_or(0) as usize,
                    bytes: number("bytes").unwrap_or(0),
                    target_bytes: number("target"),
                    score: value("score").and_then(|score| score.parse().ok()),
                    entries: None,
                });
            }
            other => panic!("{}: {other}", directive.position),
        }
    }
    snapshot
}

fn progress(number: impl Fn(&str) -> Option<u64>) -> SecondaryProgress {
    let mut progress = SecondaryProgress {
        manifest_number: 5,
        wal_number: 12,
        wal_bytes: number("wal").unwrap_or(0),
        last_sequence: number("sequence").unwrap_or(0),
        ..SecondaryProgress::default()
    };
    progress.activity.flushes = number("flushes").unwrap_or(0);
    progress.activity.compactions = number("compactions").unwrap_or(0);
    progress
}
