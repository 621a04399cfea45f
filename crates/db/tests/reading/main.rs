//! Options of reads, on directories that RocksDB wrote.

#![allow(clippy::unwrap_used, reason = "these are tests")]

mod caches;
#[allow(dead_code, reason = "shared with the tests of all directories, which use all of it")]
#[path = "../golden/case_options.rs"]
mod case_options;
mod iterators;
mod many_keys;
mod objects;
mod places;
mod snapshots;
mod tiers;
mod timestamps;

use case_options::CaseOptions;
use db::{ColumnFamilyHandle, Db, DbIterator, ReadOptions};
use testing::fixtures::{self, Fixture, Unpacked};

/// Keys and values.
pub(crate) type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// A fixture with the options to open it.
pub(crate) struct Opened {
    pub(crate) fixture: Fixture,
    pub(crate) unpacked: Unpacked,
    pub(crate) options: CaseOptions,
}

/// The fixture of a release that begins with `case`.
pub(crate) fn unpack(release: &str, case: &str) -> Opened {
    unpack_fixture(fixtures::one(release, case))
}

pub(crate) fn unpack_fixture(fixture: Fixture) -> Opened {
    let unpacked = fixture.unpack_to_temp();
    let options = CaseOptions::of(&fixture, unpacked.parent()).expect("options");
    Opened { fixture, unpacked, options }
}

impl Opened {
    pub(crate) fn db(&self) -> Db {
        self.options.open().expect("open")
    }
}

pub(crate) fn default_family(db: &Db) -> ColumnFamilyHandle {
    db.column_family("default").expect("default family")
}

pub(crate) fn total_order() -> ReadOptions {
    ReadOptions { total_order_seek: true, ..ReadOptions::default() }
}

/// All pairs from first to last, and how the scan ended.
pub(crate) fn forward(mut iterator: DbIterator) -> (Pairs, base::Result<()>) {
    let mut pairs = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        pairs.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next();
    }
    (pairs, iterator.status())
}

/// All pairs from last to first, turned round.
pub(crate) fn backward(mut iterator: DbIterator) -> (Pairs, base::Result<()>) {
    let mut pairs = Vec::new();
    iterator.seek_to_last();
    while iterator.valid() {
        pairs.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.prev();
    }
    pairs.reverse();
    (pairs, iterator.status())
}

/// Everything in a family.
pub(crate) fn scan(db: &Db, options: &ReadOptions, family: &ColumnFamilyHandle) -> Pairs {
    let (pairs, status) = forward(db.new_iterator(options, family).expect("iterator"));
    status.expect("scan");
    pairs
}
