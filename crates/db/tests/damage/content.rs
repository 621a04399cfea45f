//! What reading a whole database gives, in every way of reading, and whether it is what it was.

use base::{Result, SequenceNumber, Status};
use db::{ColumnFamilyHandle, Db, DbIterator, ReadOptions};
use testing::fixtures::Fixture;
use testing::hexes::hex;

/// The content of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) last_sequence: SequenceNumber,
    pub(crate) prepared: Vec<Vec<u8>>,
    pub(crate) views: Vec<View>,
}

/// A column family, as of a time if it has timestamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) family: String,
    pub(crate) timestamp: Option<Vec<u8>>,
    pub(crate) pairs: Vec<Pair>,
    /// Keys that are not there.
    pub(crate) absent: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) key: Vec<u8>,
    pub(crate) timestamp: Vec<u8>,
    pub(crate) value: Vec<u8>,
    pub(crate) columns: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What reading gave that was to give some content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// That content.
    Same,
    /// An error, the first of several, and nothing that is not in that content.
    Error(Status),
}

fn options(timestamp: Option<&Vec<u8>>) -> ReadOptions {
    ReadOptions { timestamp: timestamp.cloned(), total_order_seek: true, ..ReadOptions::default() }
}

fn current(iterator: &DbIterator) -> Pair {
    Pair {
        key: iterator.key().to_vec(),
        timestamp: iterator.timestamp().to_vec(),
        value: iterator.value().to_vec(),
        columns: iterator.columns().iter().map(|(n, v)| (n.to_vec(), v.to_vec())).collect(),
    }
}

impl Content {
    /// Reads all that is to be read of a fixture's database.
    pub(crate) fn read(db: &Db, fixture: &Fixture) -> Result<Self> {
        let mut views = Vec::new();
        for family in db.column_families() {
            let expected = fixture.case.expect.family(&family.name().to_string());
            let times: Vec<_> =
                expected.iter().flat_map(|expected| expected.timestamps()).collect();
            let mut timestamps: Vec<_> =
                times.iter().map(|(time, _)| Some(time.to_le_bytes().to_vec())).collect();
            if timestamps.is_empty() {
                timestamps.push(None);
            }
            let asked = expected.iter().flat_map(|expected| &expected.gets);
            let asked: Vec<_> = asked.map(|get| get.key.clone()).collect();
            for timestamp in timestamps {
                views.push(View::read(db, &family, timestamp, &asked)?);
            }
        }
        let prepared = db.prepared_transactions().keys().cloned().collect();
        Ok(Self { last_sequence: db.latest_sequence_number(), prepared, views })
    }

    /// Number of pairs in all families.
    pub(crate) fn pair_count(&self) -> usize {
        self.views.iter().map(|view| view.pairs.len()).sum()
    }

    /// Reads everything and compares it with this content.
    pub(crate) fn compare(&self, db: &Db) -> std::result::Result<Outcome, String> {
        if db.latest_sequence_number() != self.last_sequence {
            return Err(format!(
                "last sequence number {}, expected {}",
                db.latest_sequence_number(),
                self.last_sequence
            ));
        }
        if !db.prepared_transactions().keys().eq(&self.prepared) {
            return Err(format!("prepared transactions {:?}", db.prepared_transactions().keys()));
        }
        let mut errors = Vec::new();
        for view in &self.views {
            let family =
                db.column_family(&view.family).ok_or_else(|| format!("no {}", view.family))?;
            view.compare(db, &family, &mut errors)
                .map_err(|why| format!("family {}: {why}", view.family))?;
        }
        Ok(match errors.into_iter().next() {
            None => Outcome::Same,
            Some(error) => Outcome::Error(error),
        })
    }
}

impl View {
    fn read(
        db: &Db,
        family: &ColumnFamilyHandle,
        timestamp: Option<Vec<u8>>,
        asked: &[Vec<u8>],
    ) -> Result<Self> {
        let mut iterator = db.new_iterator(&options(timestamp.as_ref()), family)?;
        let mut pairs = Vec::new();
        iterator.seek_to_first();
        while iterator.valid() {
            pairs.push(current(&iterator));
            iterator.next();
        }
        iterator.status()?;
        let mut absent = asked.to_vec();
        for pair in pairs.iter().step_by(8) {
            absent.push([&pair.key[..], b"\0absent"].concat());
        }
        absent.retain(|key| pairs.iter().all(|pair| pair.key != *key));
        Ok(Self { family: family.name().to_string(), timestamp, pairs, absent })
    }

    fn compare(
        &self,
        db: &Db,
        family: &ColumnFamilyHandle,
        errors: &mut Vec<Status>,
    ) -> std::result::Result<(), String> {
        match db.new_iterator(&options(self.timestamp.as_ref()), family) {
            Err(error) => errors.push(error),
            Ok(mut iterator) => {
                iterator.seek_to_first();
                self.walk(&mut iterator, self.pairs.iter(), DbIterator::next, "forward", errors)?;
                iterator.seek_to_last();
                let backward = self.pairs.iter().rev();
                self.walk(&mut iterator, backward, DbIterator::prev, "backward", errors)?;
                self.seek(&mut iterator, errors)?;
            }
        }
        self.get(db, family, errors)
    }

    /// An error may end the walk early; what comes before it must be right.
    fn walk<'p>(
        &self,
        iterator: &mut DbIterator,
        mut expected: impl Iterator<Item = &'p Pair>,
        step: fn(&mut DbIterator),
        what: &str,
        errors: &mut Vec<Status>,
    ) -> std::result::Result<(), String> {
        while iterator.valid() {
            let (found, expected) = (current(iterator), expected.next());
            if Some(&found) != expected {
                return Err(format!("{what}: found {found:?}, expected {expected:?}"));
            }
            step(iterator);
        }
        match (iterator.status(), expected.next()) {
            (Err(error), _) => errors.push(error),
            (Ok(()), None) => {}
            (Ok(()), Some(missing)) => {
                return Err(format!("{what}: ends without an error before {missing:?}"));
            }
        }
        Ok(())
    }

    /// Seeks to some keys, from both sides.
    fn seek(
        &self,
        iterator: &mut DbIterator,
        errors: &mut Vec<Status>,
    ) -> std::result::Result<(), String> {
        let seeks: [fn(&mut DbIterator, &[u8]); 2] = [DbIterator::seek, DbIterator::seek_for_prev];
        for pair in self.pairs.iter().step_by(self.pairs.len() / 8 + 1) {
            for seek in seeks {
                seek(iterator, &pair.key);
                let found = iterator.valid().then(|| current(iterator));
                match iterator.status() {
                    Err(error) => errors.push(error),
                    Ok(()) if found.as_ref() == Some(pair) => {}
                    Ok(()) => return Err(format!("seek {}: found {found:?}", hex(&pair.key))),
                }
            }
        }
        Ok(())
    }

    fn get(
        &self,
        db: &Db,
        family: &ColumnFamilyHandle,
        errors: &mut Vec<Status>,
    ) -> std::result::Result<(), String> {
        let options = ReadOptions { total_order_seek: false, ..options(self.timestamp.as_ref()) };
        let present = self.pairs.iter().map(|pair| (&pair.key, Some(pair)));
        let absent = self.absent.iter().map(|key| (key, None));
        for (key, expected) in present.chain(absent) {
            match db.get(&options, family, key) {
                Err(error) => errors.push(error),
                Ok(found) if found.as_deref() == expected.map(|pair| &pair.value[..]) => {}
                Ok(found) => {
                    let found = found.as_deref().map(hex);
                    return Err(format!("get {}: found {found:?}", hex(key)));
                }
            }
        }
        Ok(())
    }
}
