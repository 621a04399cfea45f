//! Files whose last bytes are being written.

use crate::place::{Place, family, scan};
use db::{WriteBatch, WriteOptions};
use std::fs;

/// The copy of a primary's directory grows byte by byte, as if a machine were slow: each catch-up shows
/// the batches that are there as a whole, and no part of one that is not.
fn grow(place: &Place, growing: &str, step: usize) {
    let copy = place.primary().with_file_name("copy");
    fs::create_dir(&copy).unwrap();
    for name in place.primary_files().keys() {
        fs::copy(place.primary().join(name), copy.join(name)).unwrap();
    }
    let whole = fs::read(copy.join(growing)).unwrap();
    fs::write(copy.join(growing), b"").unwrap();
    let secondary = place.try_open_secondary_of(&copy).unwrap();
    let mut seen = 0;
    let mut lengths = Vec::new();
    for end in (step..whole.len()).step_by(step).chain([whole.len()]) {
        let mut file = fs::OpenOptions::new().append(true).open(copy.join(growing)).unwrap();
        let begin = fs::metadata(copy.join(growing)).unwrap().len() as usize;
        std::io::Write::write_all(&mut file, &whole[begin..end]).unwrap();
        secondary.try_catch_up_with_primary().unwrap_or_else(|status| panic!("{end}: {status}"));
        let pairs = scan(&secondary, "default");
        let sequence = secondary.latest_sequence_number();
        assert!(
            pairs.len().is_multiple_of(2) && pairs.len() as u64 == sequence,
            "{end}: {sequence}"
        );
        assert!(pairs.len() >= seen, "{end}");
        seen = pairs.len();
        lengths.push(seen);
    }
    lengths.dedup();
    assert_eq!(seen, 200, "all of it in the end");
    assert!(lengths.len() > 50, "{lengths:?}");
}

fn write_pairs(place: &Place) {
    let primary = place.open_primary();
    let handle = family(&primary, "default");
    for number in 0..100 {
        let mut batch = WriteBatch::new();
        let value = vec![b'v'; number * 13];
        batch.put(handle.id(), format!("left{number:03}").as_bytes(), &value).unwrap();
        batch.put(handle.id(), format!("right{number:03}").as_bytes(), &value).unwrap();
        primary.write(&WriteOptions::default(), batch).unwrap();
    }
    // As it is when the process is killed.
    std::mem::forget(primary);
}

#[test]
fn a_wal_that_grows_byte_by_byte_shows_whole_batches() {
    let mut place = Place::new();
    place.options.avoid_flush_during_recovery = true;
    write_pairs(&place);
    let wal = place.primary_files().into_keys().rfind(|name| name.ends_with(".log")).unwrap();
    grow(&place, &wal, 331);
}

#[test]
fn a_new_wal_may_be_there_before_the_end_of_the_one_before_it() {
    let place = Place::new();
    write_pairs(&place);
    let files = place.primary_files();
    let wal = files.keys().rfind(|name| name.ends_with(".log")).unwrap().clone();
    let number: u64 = wal.trim_end_matches(".log").parse().unwrap();
    fs::write(place.primary().join(format!("{:06}.log", number + 7)), b"").unwrap();
    grow(&place, &wal, 997);
}
