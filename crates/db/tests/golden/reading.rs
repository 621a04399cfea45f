//! Reading a family in every way and comparing it with the record.

use crate::case_options::CaseOptions;
use base::Status;
use base::status::Code;
use db::{ColumnFamilyHandle, Db, DbIterator, ReadOptions};
use testing::content::{ColumnsHash, ContentHash};
use testing::fixtures::{Family, Fixture};

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn total_order() -> ReadOptions {
    ReadOptions { total_order_seek: true, ..ReadOptions::default() }
}

/// Reads a family forward, backward, by key and by prefix.
pub(crate) fn check_family(
    db: &Db,
    family: &ColumnFamilyHandle,
    expected: &Family,
    options: &CaseOptions,
) -> Result<(), String> {
    for (time, expected) in expected.timestamps() {
        check_at_timestamp(db, family, expected, time)
            .map_err(|why| format!("at {time}: {why}"))?;
    }
    if expected.count.is_none() {
        return Ok(());
    }
    let plain = |value: &[u8]| value[..value.len() - options.ttl_suffix].to_vec();
    let iterator = new_iterator(db, family, &total_order())?;
    let (pairs, status) = forward(iterator, &plain);
    expected.check_pairs(&pairs)?;
    match (&expected.error, status) {
        (None, Ok(())) => {}
        (None, Err(error)) => return Err(format!("scan: {error}")),
        (Some(_), Err(error)) => return expect_corruption(&error),
        (Some(error), Ok(())) => return Err(format!("scan was to fail: {error}")),
    }
    check_backward(db, family, &pairs, &plain)?;
    check_seeks(db, family, &pairs)?;
    check_columns(db, family, expected)?;
    check_gets(db, family, expected, &plain)?;
    check_prefix_scans(db, family, expected, &plain)
}

fn new_iterator(
    db: &Db,
    family: &ColumnFamilyHandle,
    options: &ReadOptions,
) -> Result<DbIterator, String> {
    db.new_iterator(options, family).map_err(|error| format!("new iterator: {error}"))
}

fn forward(
    mut iterator: DbIterator,
    plain: &dyn Fn(&[u8]) -> Vec<u8>,
) -> (Pairs, base::Result<()>) {
    let mut pairs = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        pairs.push((iterator.key().to_vec(), plain(iterator.value())));
        iterator.next();
    }
    (pairs, iterator.status())
}

fn check_backward(
    db: &Db,
    family: &ColumnFamilyHandle,
    pairs: &Pairs,
    plain: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Result<(), String> {
    let mut iterator = new_iterator(db, family, &total_order())?;
    let mut expected = pairs.iter().rev();
    iterator.seek_to_last();
    while iterator.valid() {
        let found = (iterator.key().to_vec(), plain(iterator.value()));
        let wanted = expected.next();
        if wanted != Some(&found) {
            return Err(format!("backward: found {found:02x?}, expected {wanted:02x?}"));
        }
        iterator.prev();
    }
    iterator.status().map_err(|error| format!("backward: {error}"))?;
    match expected.next() {
        Some(missing) => Err(format!("backward ends before {missing:02x?}")),
        None => Ok(()),
    }
}

/// Seeks to keys and between them, turning around each time.
fn check_seeks(db: &Db, family: &ColumnFamilyHandle, pairs: &Pairs) -> Result<(), String> {
    let mut iterator = new_iterator(db, family, &total_order())?;
    let step = (pairs.len() / 50).max(1);
    for index in (0..pairs.len()).step_by(step) {
        let key = &pairs[index].0;
        let at = |position: Option<usize>| position.and_then(|i| pairs.get(i)).map(|pair| &pair.0);
        let expect = |iterator: &DbIterator, wanted: Option<&Vec<u8>>, what: &str| {
            let found = iterator.valid().then(|| iterator.key().to_vec());
            match found.as_ref() == wanted {
                true => Ok(()),
                false => {
                    Err(format!("{what} {key:02x?}: found {found:02x?}, expected {wanted:02x?}"))
                }
            }
        };
        iterator.seek(key);
        expect(&iterator, Some(key), "seek")?;
        iterator.prev();
        expect(&iterator, at(index.checked_sub(1)), "seek, prev")?;
        iterator.seek_for_prev(key);
        expect(&iterator, Some(key), "seek for prev")?;
        iterator.next();
        expect(&iterator, at(Some(index + 1)), "seek for prev, next")?;
        if iterator.valid() {
            iterator.prev();
            expect(&iterator, Some(key), "seek for prev, next, prev")?;
            iterator.next();
            expect(&iterator, at(Some(index + 1)), "seek for prev, next, prev, next")?;
        }
    }
    iterator.status().map_err(|error| format!("seeks: {error}"))
}

fn check_columns(db: &Db, family: &ColumnFamilyHandle, expected: &Family) -> Result<(), String> {
    if expected.columns_sha256.is_none() {
        return Ok(());
    }
    let mut iterator = new_iterator(db, family, &total_order())?;
    let mut hash = ColumnsHash::new();
    iterator.seek_to_first();
    while iterator.valid() {
        hash.push(iterator.key(), &iterator.columns());
        let entity = db
            .get_entity(&ReadOptions::default(), family, iterator.key())
            .map_err(|error| format!("get entity: {error}"))?
            .ok_or("get entity: not found")?;
        let columns: Vec<_> =
            iterator.columns().iter().map(|(n, v)| (n.to_vec(), v.to_vec())).collect();
        if entity != columns {
            return Err(format!("entity {entity:02x?}, iterator has {columns:02x?}"));
        }
        iterator.next();
    }
    expected.check_columns(&hash)
}

/// `get_into` finds the same, and leaves the buffer alone where there is nothing.
fn check_copy(
    db: &Db,
    family: &ColumnFamilyHandle,
    key: &[u8],
    found: Option<&[u8]>,
) -> Result<(), String> {
    let mut copy = b"before".to_vec();
    let is_found = db
        .get_into(&ReadOptions::default(), family, key, &mut copy)
        .map_err(|error| format!("get {key:02x?} into a buffer: {error}"))?;
    if is_found == found.is_some() && copy == found.unwrap_or(b"before") {
        return Ok(());
    }
    Err(format!("{key:02x?}: get into a buffer gave {is_found} {copy:02x?}, get {found:02x?}"))
}

fn check_gets(
    db: &Db,
    family: &ColumnFamilyHandle,
    expected: &Family,
    plain: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Result<(), String> {
    let keys: Vec<_> = expected.gets.iter().map(|get| get.key.clone()).collect();
    // The first time blocks come from files, the second time the index leads to them.
    let several = db.multi_get(&ReadOptions::default(), family, &keys);
    let again = db.multi_get(&ReadOptions::default(), family, &keys);
    for (get, also) in expected.gets.iter().zip(several.into_iter().zip(again)) {
        match db.get(&ReadOptions::default(), family, &get.key) {
            Ok(found) => {
                get.check(found.as_deref().map(plain).as_deref())?;
                if (&also.0, &also.1) != (&Ok(found.clone()), &Ok(found.clone())) {
                    return Err(format!("multi get found {also:?}, get {found:?}"));
                }
                check_copy(db, family, &get.key, found.as_deref())?;
            }
            Err(error) if get.error.is_some() => expect_corruption(&error)?,
            Err(error) => return Err(format!("get {:02x?}: {error}", get.key)),
        }
    }
    Ok(())
}

fn check_prefix_scans(
    db: &Db,
    family: &ColumnFamilyHandle,
    expected: &Family,
    plain: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Result<(), String> {
    let options = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
    for scan in &expected.prefix_scans {
        let mut iterator = new_iterator(db, family, &options)?;
        let mut hash = ContentHash::new();
        iterator.seek(&scan.seek);
        while iterator.valid() {
            hash.push(iterator.key(), &plain(iterator.value()));
            iterator.next();
        }
        iterator.status().map_err(|error| format!("prefix scan: {error}"))?;
        scan.check(&hash)?;
    }
    Ok(())
}

fn check_at_timestamp(
    db: &Db,
    family: &ColumnFamilyHandle,
    expected: &Family,
    time: u64,
) -> Result<(), String> {
    let timestamp = Some(time.to_le_bytes().to_vec());
    let options = ReadOptions { timestamp, ..total_order() };
    let mut iterator = new_iterator(db, family, &options)?;
    let mut hash = ContentHash::new();
    let mut forward = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        hash.push_with_timestamp(iterator.key(), iterator.timestamp(), iterator.value());
        let found = db
            .get_with_timestamp(&options, family, iterator.key())
            .map_err(|error| format!("get: {error}"))?
            .ok_or("get: not found")?;
        if (&*found.0, &*found.1) != (iterator.value(), iterator.timestamp()) {
            return Err(format!("get {:02x?} differs from the scan", iterator.key()));
        }
        forward.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.next();
    }
    iterator.status().map_err(|error| format!("scan: {error}"))?;
    expected.check_hash(&hash)?;
    let mut backward = Vec::new();
    iterator.seek_to_last();
    while iterator.valid() {
        backward.push((iterator.key().to_vec(), iterator.value().to_vec()));
        iterator.prev();
    }
    iterator.status().map_err(|error| format!("backward: {error}"))?;
    backward.reverse();
    if forward == backward { Ok(()) } else { Err("backward differs".to_owned()) }
}

fn expect_corruption(error: &Status) -> Result<(), String> {
    let names_a_file = error.message().contains("0000") && error.message().contains("offset");
    match error.code() {
        Code::Corruption if names_a_file => Ok(()),
        _ => Err(format!("expected a Corruption that names file and offset, found {error}")),
    }
}

/// A database that its release refused to open opens here, because tables are opened when first
/// read: then reading everything must fail.
pub(crate) fn check_fails_on_read(db: &Db, fixture: &Fixture) -> Result<(), String> {
    for family in db.column_families() {
        let iterator = new_iterator(db, &family, &total_order())?;
        if let (_, Err(error)) = forward(iterator, &<[u8]>::to_vec) {
            return check_names_a_file(&error, fixture);
        }
    }
    Err(format!("was to fail: {:?}", fixture.case.expect.open_error))
}

/// Opening or reading everything must fail, with a `Corruption` that names file and offset.
pub(crate) fn check_fails(options: &CaseOptions) -> Result<(), String> {
    let db = match options.open() {
        Ok(db) => db,
        Err(error) => return expect_corruption(&error),
    };
    for family in db.column_families() {
        let iterator = new_iterator(&db, &family, &total_order())?;
        if let (_, Err(error)) = forward(iterator, &<[u8]>::to_vec) {
            return expect_corruption(&error);
        }
    }
    Err("was to fail".to_owned())
}

/// The error is of the kind that RocksDB gave, and says which file is at fault.
pub(crate) fn check_names_a_file(error: &Status, fixture: &Fixture) -> Result<(), String> {
    let expected = fixture.case.expect.open_error.as_deref().unwrap_or_default();
    let is_same_kind = expected.starts_with(error.code().label());
    let names_a_file = error.message().contains(&fixture.name);
    match is_same_kind && names_a_file {
        true => Ok(()),
        false => Err(format!("expected {expected:?}, found {error}")),
    }
}

/// Opening or reading must fail with `Not implemented` and name the feature.
#[allow(dead_code, reason = "also part of a test that has its own")]
pub(crate) fn check_refused(options: &CaseOptions, feature: &str) -> Result<(), String> {
    let refusal = match options.open() {
        Err(error) => error,
        Ok(db) => {
            let family = db.column_family("default").ok_or("no default family")?;
            match forward(new_iterator(&db, &family, &total_order())?, &<[u8]>::to_vec) {
                (_, Err(error)) => error,
                (_, Ok(())) => return Err("was to be refused".to_owned()),
            }
        }
    };
    let message = refusal.message().to_lowercase();
    let words = feature.split(' ').all(|word| message.contains(word));
    match refusal.code() == Code::NotSupported && words {
        true => Ok(()),
        false => Err(format!("expected a refusal that names the {feature}, found {refusal}")),
    }
}
