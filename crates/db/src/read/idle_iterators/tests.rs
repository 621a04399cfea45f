use super::PLACES;
use crate::set_options::tests::Setup;
use crate::{DbIterator, FlushOptions, ReadOptions, WriteOptions};

struct World(Setup);

impl World {
    fn new(family: &str) -> Self {
        // As a vector asks for.
        let options = "allow_concurrent_memtable_write=false";
        Self(Setup::new(options, &[("default", family)]))
    }

    fn put(&self, key: &str) {
        self.0.put("default", key, 20);
    }

    fn flush(&self) {
        self.0.db.flush(&FlushOptions::default(), &[&self.0.family("default")]).unwrap();
    }

    fn iterator(&self, options: &ReadOptions) -> DbIterator {
        self.0.db.new_iterator(options, &self.0.family("default")).unwrap()
    }

    fn idle(&self) -> usize {
        let family = self.0.family("default");
        let super_version = family.0.super_version.load();
        let places = super_version.idle_iterators.places.iter();
        places.filter(|place| place.0.lock().is_some()).count()
    }

    /// All keys, by an iterator that must, or must not, have been another's.
    fn keys(&self, options: &ReadOptions, is_reused: bool) -> Vec<String> {
        let before = self.idle();
        let mut iterator = self.iterator(options);
        assert_eq!(before - self.idle(), usize::from(is_reused));
        let mut keys = Vec::new();
        iterator.seek_to_first();
        while iterator.valid() {
            keys.push(String::from_utf8(iterator.key().to_vec()).unwrap());
            iterator.next();
        }
        iterator.status().unwrap();
        keys
    }
}

#[test]
fn one_that_is_reused_sees_what_was_written_since() {
    let world = World::new("");
    let options = ReadOptions::default();
    world.put("b");
    world.flush();
    assert_eq!(world.keys(&options, false), ["b"]);
    assert_eq!(world.keys(&options, true), ["b"]);
    // The memtable that takes writes was empty, and left out.
    world.put("a");
    assert_eq!(world.keys(&options, false), ["a", "b"]);
    world.put("c");
    assert_eq!(world.keys(&options, true), ["a", "b", "c"]);
    world.flush();
    assert_eq!(world.keys(&options, false), ["a", "b", "c"]);
    world.put("d");
    world.keys(&options, false);
    let (write, family) = (WriteOptions::default(), world.0.family("default"));
    world.0.db.delete_range(&write, &family, b"a", b"c").unwrap();
    assert_eq!(world.keys(&options, false), ["c", "d"]);
    assert_eq!(world.keys(&options, false), ["c", "d"], "none with range tombstones is kept");
}

/// Whose iterators see what there is when they are made.
#[test]
fn none_is_reused_that_a_memtable_has_sorted_its_records_for() {
    let world = World::new("memtable=vector");
    let options = ReadOptions::default();
    world.put("a");
    assert_eq!(world.keys(&options, false), ["a"]);
    world.put("b");
    assert_eq!(world.keys(&options, false), ["a", "b"]);
    world.flush();
    assert_eq!(world.keys(&options, false), ["a", "b"]);
    assert_eq!(world.keys(&options, true), ["a", "b"], "the memtable is empty");
}

#[test]
fn one_is_reused_by_the_same_options_alone() {
    let world = World::new("");
    ["a", "b", "c"].iter().for_each(|key| world.put(key));
    let snapshot = world.0.db.snapshot();
    world.put("d");
    let all = ReadOptions::default();
    let some = ReadOptions { iterate_upper_bound: Some(b"c".to_vec()), ..ReadOptions::default() };
    let old = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    assert_eq!(world.keys(&all, false), ["a", "b", "c", "d"]);
    assert_eq!(world.keys(&some, false), ["a", "b"]);
    assert_eq!(world.keys(&old, false), ["a", "b", "c"]);
    for _ in 0..2 {
        assert_eq!(world.keys(&old, true), ["a", "b", "c"]);
        assert_eq!(world.keys(&some, true), ["a", "b"]);
        assert_eq!(world.keys(&all, true), ["a", "b", "c", "d"]);
    }
}

#[test]
fn what_is_idle_holds_no_block_and_ends_with_its_state() {
    let world = World::new("block_based_table_factory={block_cache=8M;no_block_cache=false}");
    (0..1000).for_each(|key| world.put(&format!("key{key:04}")));
    world.flush();
    let pinned = || {
        let family = world.0.family("default");
        world.0.db.property(&family, "rocksdb.block-cache-pinned-usage").unwrap()
    };
    let before = pinned();
    for key in ["key0100", "key0500"] {
        let mut iterator = world.iterator(&ReadOptions::default());
        iterator.seek(key.as_bytes());
        assert_eq!(iterator.key(), key.as_bytes());
        iterator.next();
        iterator.next();
        drop(iterator);
        assert_eq!(world.idle(), 1);
        assert_eq!(pinned(), before);
    }
    let held = world.iterator(&ReadOptions::default());
    world.put("key");
    world.flush();
    assert_eq!(world.idle(), 0);
    drop(held);
    assert_eq!(world.idle(), 0, "it is of another state");
}

#[test]
fn no_more_than_there_are_places_are_kept() {
    let world = World::new("");
    world.put("a");
    for _ in 0..2 {
        let iterators: Vec<_> =
            (0..2 * PLACES).map(|_| world.iterator(&ReadOptions::default())).collect();
        assert_eq!(world.idle(), 0);
        drop(iterators);
        assert_eq!(world.idle(), super::PLACES_LOOKED_AT);
    }
}
