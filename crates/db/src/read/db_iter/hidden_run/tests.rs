use crate::read::db_iter::tests::passed;
use crate::set_options::tests::Setup;
use crate::{
    ColumnFamilyHandle, CompactRangeOptions, DbIterator, FlushOptions, ReadOptions, Snapshot,
    WriteOptions,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use table::TableFilter;

const KEYS: u16 = 40;

#[derive(Clone, Debug)]
enum Step {
    Put(u16),
    Delete(u16),
    /// All keys of a stretch, one by one.
    Consume(u16, u16),
    DeleteRange(u16, u16),
    Merge(u16),
    Flush,
    Compact,
    TakeSnapshot,
    /// A new iterator: sought and walked, of the snapshot or the newest, with bounds.
    Scan {
        target: Option<u16>,
        lower: Option<u16>,
        upper: Option<u16>,
        steps: usize,
        of_snapshot: bool,
    },
    /// The same with the iterator made last.
    Rescan {
        target: Option<u16>,
        steps: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || 0..KEYS;
    let maybe = || prop_oneof![2 => Just(None), 1 => (0..KEYS).prop_map(Some)];
    let scan = (maybe(), maybe(), maybe(), 0..20_usize, any::<bool>()).prop_map(
        |(target, lower, upper, steps, of_snapshot)| Step::Scan {
            target,
            lower,
            upper,
            steps,
            of_snapshot,
        },
    );
    let step = prop_oneof![
        6 => key().prop_map(Step::Put),
        3 => key().prop_map(Step::Delete),
        4 => (key(), 2..20_u16).prop_map(|(from, count)| Step::Consume(from, count)),
        1 => (key(), key()).prop_map(|(a, b)| Step::DeleteRange(a.min(b), a.max(b) + 1)),
        1 => key().prop_map(Step::Merge),
        2 => Just(Step::Flush),
        1 => Just(Step::Compact),
        1 => Just(Step::TakeSnapshot),
        8 => scan,
        4 => (maybe(), 0..20_usize).prop_map(|(target, steps)| Step::Rescan { target, steps }),
    ];
    prop::collection::vec(step, 0..80)
}

fn name(key: u16) -> Vec<u8> {
    format!("key{key:04}").into_bytes()
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// An iterator with what it shows.
struct Scan {
    iterator: DbIterator,
    model: Model,
}

impl Scan {
    /// Walks backward from `target` and compares.
    fn check_backward(&mut self, target: Option<u16>, steps: usize) {
        let to = target.map_or_else(|| vec![0xff], name);
        match target {
            Some(_) => self.iterator.seek_for_prev(&to),
            None => self.iterator.seek_to_last(),
        }
        let mut expected = self.model.range(..=to).rev().take(steps + 1);
        for step in 0..=steps {
            let shown = self.iterator.valid().then(|| (self.iterator.key(), self.iterator.value()));
            let wanted = expected.next().map(|(key, value)| (&key[..], &value[..]));
            assert_eq!(shown, wanted, "step {step} back from {target:?}");
            if shown.is_none() {
                break;
            }
            if step < steps {
                self.iterator.prev();
            }
        }
        self.iterator.status().unwrap();
    }

    /// Walks forward from `target` and compares, then a few steps back.
    fn check(&mut self, target: Option<u16>, steps: usize) {
        if steps % 2 == 1 {
            self.check_backward(target, steps);
        }
        let from = target.map(name).unwrap_or_default();
        match target {
            Some(_) => self.iterator.seek(&from),
            None => self.iterator.seek_to_first(),
        }
        let mut expected = self.model.range(from..).take(steps + 1);
        for step in 0..=steps {
            let shown = self.iterator.valid().then(|| (self.iterator.key(), self.iterator.value()));
            let wanted = expected.next().map(|(key, value)| (&key[..], &value[..]));
            assert_eq!(shown, wanted, "step {step} from {target:?}");
            if shown.is_none() {
                break;
            }
            if step < steps {
                self.iterator.next();
            }
        }
        self.iterator.status().unwrap();
        if self.iterator.valid() {
            let here = self.iterator.key().to_vec();
            self.iterator.prev();
            let shown = self.iterator.valid().then(|| self.iterator.key());
            assert_eq!(shown, self.model.range(..here).next_back().map(|(key, _)| &key[..]));
        }
    }
}

struct World {
    setup: Setup,
    family: ColumnFamilyHandle,
    model: Model,
    snapshot: Option<(Snapshot, Model)>,
    last: Option<Scan>,
    count: u64,
}

impl World {
    /// Of all keys, in a table.
    fn filled() -> Self {
        let mut world = Self::with_passes(0);
        (0..KEYS).for_each(|key| world.write(&Step::Put(key)));
        world.write(&Step::Flush);
        world
    }

    /// What a move of a new iterator passes.
    fn passed(&self, walk: impl FnOnce(&mut DbIterator)) -> u64 {
        passed(&self.setup.db, &self.family, walk)
    }

    /// The background passes deletions after so many; 0: never.
    fn with_passes(trigger: u32) -> Self {
        // Blocks of few entries, so that many have nothing but deletions.
        let family = format!(
            "merge_operator=stringappend;max_sequential_skip_in_iterations=2;\
             block_based_table_factory={{block_size=64}};deletion_pass_trigger={trigger}"
        );
        let setup = Setup::new("", &[("default", &family)]);
        let family = setup.family("default");
        Self { setup, family, model: Model::new(), snapshot: None, last: None, count: 0 }
    }

    fn value(&mut self) -> Vec<u8> {
        self.count += 1;
        self.count.to_string().into_bytes()
    }

    fn delete(&mut self, key: u16) {
        let options = WriteOptions::default();
        self.setup.db.delete(&options, &self.family, &name(key)).unwrap();
        self.model.remove(&name(key));
    }

    fn write(&mut self, step: &Step) {
        let options = WriteOptions::default();
        match *step {
            Step::Put(key) => {
                let value = self.value();
                self.setup.db.put(&options, &self.family, &name(key), &value).unwrap();
                self.model.insert(name(key), value);
            }
            Step::Merge(key) => {
                let value = self.value();
                self.setup.db.merge(&options, &self.family, &name(key), &value).unwrap();
                let old = self.model.remove(&name(key));
                let new = old.map_or(value.clone(), |old| [old, value].join(&b','));
                self.model.insert(name(key), new);
            }
            Step::Delete(key) => self.delete(key),
            Step::Consume(from, count) => {
                (from..(from + count).min(KEYS)).for_each(|key| self.delete(key));
            }
            Step::DeleteRange(from, to) => {
                let (from, to) = (name(from), name(to));
                self.setup.db.delete_range(&options, &self.family, &from, &to).unwrap();
                self.model.retain(|key, _| *key < from || *key >= to);
            }
            Step::Flush => {
                self.setup.db.flush(&FlushOptions::default(), &[&self.family]).unwrap();
            }
            Step::Compact => {
                let options = CompactRangeOptions::default();
                self.setup.db.compact_range(&options, &self.family, None, None).unwrap();
            }
            Step::TakeSnapshot => {
                self.snapshot = Some((self.setup.db.snapshot(), self.model.clone()));
            }
            Step::Scan { .. } | Step::Rescan { .. } => {}
        }
    }

    fn take(&mut self, step: &Step) {
        self.write(step);
        match *step {
            Step::Scan { target, lower, upper, steps, of_snapshot } => {
                let snapshot = self.snapshot.as_ref().filter(|_| of_snapshot);
                let model = snapshot.map_or(&self.model, |(_, model)| model);
                let (lower, upper) = (lower.map(name), upper.map(name));
                let is_within = |key: &Vec<u8>| {
                    lower.as_ref().is_none_or(|lower| key >= lower)
                        && upper.as_ref().is_none_or(|upper| key < upper)
                };
                let model = model.iter().filter(|(key, _)| is_within(key));
                let model = model.map(|(key, value)| (key.clone(), value.clone())).collect();
                let options = ReadOptions {
                    snapshot: snapshot.map(|(snapshot, _)| snapshot.sequence()),
                    iterate_lower_bound: lower.clone(),
                    iterate_upper_bound: upper.clone(),
                    ..ReadOptions::default()
                };
                let iterator = self.setup.db.new_iterator(&options, &self.family).unwrap();
                let mut scan = Scan { iterator, model };
                scan.check(target, steps);
                self.last = Some(scan);
            }
            Step::Rescan { target, steps } => {
                if let Some(last) = &mut self.last {
                    last.check(target, steps);
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn scans_show_what_a_map_has(steps in steps(), trigger in 0..3_u32) {
        let mut world = World::with_passes(trigger);
        for step in &steps {
            world.take(step);
        }
    }
}

#[test]
fn a_queue_is_passed_once() {
    let mut world = World::filled();
    world.write(&Step::Consume(0, 30));
    assert_eq!(world.passed(DbIterator::seek_to_first), 60, "the first scan has to");
    assert_eq!(world.passed(DbIterator::seek_to_first), 0);
    assert_eq!(world.passed(|iterator| iterator.seek(&name(7))), 0);
    // The next one consumed is passed once, too.
    world.write(&Step::Delete(30));
    assert_eq!(world.passed(DbIterator::seek_to_first), 2);
    assert_eq!(world.passed(DbIterator::seek_to_first), 0);
    // What is written into the run shows.
    world.write(&Step::Put(5));
    world.take(&Step::Scan {
        target: None,
        lower: None,
        upper: None,
        steps: 3,
        of_snapshot: false,
    });
    // What is written behind it changes nothing.
    world.write(&Step::Delete(5));
    world.passed(DbIterator::seek_to_first);
    world.write(&Step::Put(39));
    assert_eq!(world.passed(DbIterator::seek_to_first), 0);
}

#[test]
fn each_of_many_queues_is_passed_once() {
    let mut world = World::filled();
    world.write(&Step::Consume(0, 6));
    world.write(&Step::Consume(10, 6));
    world.write(&Step::Consume(20, 6));
    let to = |key: u16| move |iterator: &mut DbIterator| iterator.seek(&name(key));
    for first in [10, 0, 20] {
        assert_eq!(world.passed(to(first)), 12);
    }
    world.write(&Step::Delete(16));
    for (first, expected) in [(20, 0), (0, 0), (10, 2), (10, 0)] {
        assert_eq!(world.passed(to(first)), expected, "{first}");
    }
    assert_eq!(world.passed(|iterator| iterator.seek_for_prev(&name(25))), 2, "the key itself");
    // What shows between two of them goes: the scan goes over what is known, the keys between, and what is known.
    (6..10).for_each(|key| world.write(&Step::Delete(key)));
    assert_eq!(world.passed(to(0)), 2 * 4 + 1, "with the deletion that the second begins with");
    assert_eq!(world.passed(to(0)), 0);
    world.write(&Step::Put(12));
    assert_eq!(world.passed(to(20)), 0, "it was written elsewhere");
    assert_eq!(world.passed(to(0)), 24, "of deletions up to what was written");
}

#[test]
fn a_scan_that_may_give_up_passes_all() {
    let mut world = World::filled();
    world.write(&Step::Consume(0, 30));
    world.passed(DbIterator::seek_to_first);
    let options = ReadOptions { max_skippable_internal_keys: 10, ..ReadOptions::default() };
    let mut iterator = world.setup.db.new_iterator(&options, &world.family).unwrap();
    iterator.seek_to_first();
    assert!(!iterator.valid());
    assert!(iterator.status().unwrap_err().to_string().contains("Too many internal keys"));
}

/// What it leaves out may show to others.
#[test]
fn a_scan_that_leaves_out_tables_tells_nothing() {
    let mut world = World::filled();
    world.write(&Step::Consume(0, KEYS));
    world.write(&Step::Flush);
    world.write(&Step::Put(5));
    world.write(&Step::Flush);
    let filter = TableFilter::new(|properties| properties.num_entries > 1);
    let options = ReadOptions::default().table_filter(Some(filter));
    let mut iterator = world.setup.db.new_iterator(&options, &world.family).unwrap();
    iterator.seek_to_first();
    assert!(!iterator.valid(), "all that it sees is deleted");
    let model = world.model.clone();
    let iterator = world.setup.db.new_iterator(&ReadOptions::default(), &world.family).unwrap();
    Scan { iterator, model }.check(None, 3);
}
