//! A WAL that another program cuts while the database appends to it through a mapping, against the database's
//! lock: the process ends by a signal, and nothing is lost but what was cut off.

use crate::child;
use crate::mapped_places::can_map;
use crate::place::Place;
use db::{Db, FlushOptions, WaitForCompactOptions, WriteOptions};
use options::WalIo;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::time::Duration;
use testing::scratch;
use testing::wait::until;

const TEST: &str = "cut_wals::a_cut_wal_ends_the_process_and_keeps_what_it_holds";
const SIGBUS: i32 = 7;

/// Keys that are in a table, and those that a WAL has, each in a record as long as the others'.
const IN_TABLE: usize = 50;
const IN_WAL: usize = 200;

fn place(directory: &Path) -> Place {
    let mut place = Place::new(&directory.join("db"));
    place.options.wal_io = WalIo::Mapped;
    place.options.avoid_flush_during_recovery = true;
    place
}

fn put(db: &Db, number: usize) {
    let family = db.column_family("default").unwrap();
    let key = format!("key{number:06}");
    db.put(&WriteOptions::default(), &family, key.as_bytes(), &[b'v'; 100]).unwrap();
}

/// Where one process tells the other how far it is.
fn sign(directory: &Path, name: &str) -> PathBuf {
    directory.join(name)
}

/// Writes, has the WAL cut, and writes on until that ends it.
fn write_to_a_wal_that_is_cut(directory: &Path) {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).unwrap();
    let db = place(directory).open();
    (0..IN_TABLE).for_each(|number| put(&db, number));
    let family = db.column_family("default").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    // The WAL of before is gone then.
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    (IN_TABLE..IN_TABLE + IN_WAL).for_each(|number| put(&db, number));
    fs::write(sign(directory, "written"), "").unwrap();
    until("the WAL is cut", || sign(directory, "cut").exists());
    (IN_TABLE + IN_WAL..100_000).for_each(|number| put(&db, number));
}

fn end(child: &mut Child) -> ExitStatus {
    let mut ended = None;
    until("the process has ended", || {
        ended = child.try_wait().unwrap();
        std::thread::sleep(Duration::from_millis(1));
        ended.is_some()
    });
    ended.unwrap()
}

/// Files of the database, but for its log.
fn files(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut files = place.files();
    files.retain(|name, _| name != "LOG");
    files
}

/// Bytes of the records of the mapped WAL: behind them there are zeros.
fn bytes_of_records(wal: &[u8]) -> usize {
    wal.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

#[test]
fn a_cut_wal_ends_the_process_and_keeps_what_it_holds() {
    if let Some(directory) = child::directory(TEST) {
        return write_to_a_wal_that_is_cut(&directory);
    }
    let Some(directory) = scratch::directory("mapped WALs", can_map) else { return };
    let directory = directory.path();
    let mut child = child::spawn(TEST, directory);
    until("all is written", || sign(directory, "written").exists());
    let mut place = place(directory);
    let mut before = files(&place);
    let (name, wal) = before.iter().rfind(|(name, _)| name.ends_with(".log")).unwrap();
    let (name, size) = (name.clone(), bytes_of_records(wal));
    assert!(wal.len() > size, "it is mapped");
    // In the middle of a record, and before the page that the next one goes to.
    let (record, left) = (size / IN_WAL, size / 3);
    let cut = OpenOptions::new().write(true).open(place.path.join(&name)).unwrap();
    cut.set_len(left as u64).unwrap();
    fs::write(sign(directory, "cut"), "").unwrap();
    let status = end(&mut child);
    assert_eq!(status.signal(), Some(SIGBUS), "{status}");

    let mut after = files(&place);
    let (kept, whole) = (after.remove(&name).unwrap(), before.remove(&name).unwrap());
    assert!(kept == whole[..left], "nothing comes behind the cut");
    assert_eq!(after, before, "other files are as they were");
    let in_wal = left / record;
    assert!((1..IN_WAL).contains(&in_wal), "{in_wal}");
    for number in 0..IN_TABLE + in_wal {
        let key = format!("key{number:06}").into_bytes();
        place.written.insert(("default".to_owned(), key), vec![b'v'; 100]);
    }
    place.check(&place.try_open_for_reading().unwrap());
    let db = place.open();
    place.check(&db);
    let family = db.column_family("default").unwrap();
    place.try_put(&db, &family, b"later", b"1").unwrap();
    drop(family);
    db.close().unwrap();
    place.check(&place.open());
}
