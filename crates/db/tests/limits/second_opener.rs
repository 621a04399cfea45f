//! Two processes that want to write to one database.

use crate::child;
use crate::place::{Place, expect_error, name_in};
use base::status::Code;
use std::time::Duration;
use tempfile::TempDir;
use testing::wait::until;

#[test]
fn the_process_that_has_the_lock_is_named_until_it_is_gone() {
    let test = "second_opener::the_process_that_has_the_lock_is_named_until_it_is_gone";
    if let Some(directory) = child::directory(test) {
        let mut place = Place::new(&directory.join("db"));
        let db = place.open();
        place.try_put(&db, &db.column_family("default").unwrap(), b"a", b"1").unwrap();
        std::fs::write(directory.join("ready"), b"").unwrap();
        // Until it is killed.
        std::thread::sleep(Duration::from_secs(120));
        return;
    }
    let directory = TempDir::new().unwrap();
    let mut first = child::spawn(test, directory.path());
    until("the first has it", || directory.path().join("ready").exists());
    let mut place = Place::new(&directory.path().join("db"));
    place.written.insert(("default".to_owned(), b"a".to_vec()), b"1".to_vec());
    let (lock, holder) = (name_in(&place, "LOCK"), format!("process {} holds it", first.id()));
    let before = place.files();
    expect_error(place.try_open(), Code::IoError, &[&lock, &holder]);
    // That does not even begin another info log.
    assert!(place.files() == before);
    place.check(&place.try_open_for_reading().unwrap());
    first.kill().unwrap();
    first.wait().unwrap();
    place.check(&place.open());
}
