use crate::set_options::tests::Setup;
use crate::{
    ColumnFamilyHandle, CompactRangeOptions, DbIterator, FlushOptions, ReadOptions, Snapshot,
    WriteOptions,
};
use base::PinnableSlice;
use proptest::prelude::*;
use std::collections::BTreeMap;

const KEYS: u16 = 150;
/// Some ten entries each.
const FAMILY: &str = "merge_operator=stringappend;max_sequential_skip_in_iterations=2;\
    disable_auto_compactions=true;block_based_table_factory={block_size=250}";

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Clone, Debug)]
enum Write {
    /// Every so many keys.
    Put {
        from: u16,
        step: u16,
        count: u16,
    },
    Delete(u16),
    DeleteRange(u16, u16),
    Merge(u16),
    Flush,
    Compact,
    TakeSnapshot,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    First,
    Last,
    Seek(u16),
    SeekForPrev(u16),
    /// So many steps.
    Next(u8),
    Prev(u8),
    /// Keeps the value here, to be looked at when all is done.
    Pin,
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let key = || 0..KEYS;
    let put = (key(), 1..4_u16, 1..60_u16);
    let write = prop_oneof![
        8 => put.prop_map(|(from, step, count)| Write::Put { from, step, count }),
        2 => key().prop_map(Write::Delete),
        1 => (key(), 0..9_u16).prop_map(|(from, count)| Write::DeleteRange(from, from + count)),
        1 => key().prop_map(Write::Merge),
        4 => Just(Write::Flush),
        2 => Just(Write::Compact),
        1 => Just(Write::TakeSnapshot),
    ];
    prop::collection::vec(write, 0..25)
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = prop_oneof![
        1 => Just(Move::First),
        1 => Just(Move::Last),
        2 => (0..KEYS).prop_map(Move::Seek),
        2 => (0..KEYS).prop_map(Move::SeekForPrev),
        6 => (1..30_u8).prop_map(Move::Next),
        6 => (1..30_u8).prop_map(Move::Prev),
        2 => Just(Move::Pin),
    ];
    prop::collection::vec(step, 0..40)
}

struct World {
    setup: Setup,
    family: ColumnFamilyHandle,
    /// Whether ten keys each have their first bytes in common.
    has_long_keys: bool,
    model: Model,
    snapshot: Option<(Snapshot, Model)>,
    count: u64,
}

impl World {
    fn new(has_long_keys: bool) -> Self {
        let setup = Setup::new("", &[("default", FAMILY)]);
        let family = setup.family("default");
        Self { setup, family, has_long_keys, model: Model::new(), snapshot: None, count: 0 }
    }

    fn name(&self, key: u16) -> Vec<u8> {
        let between = if self.has_long_keys { "a key of more than some bytes" } else { "" };
        format!("{:03}{between}{}", key / 10, key % 10).into_bytes()
    }

    fn value(&mut self) -> Vec<u8> {
        self.count += 1;
        format!("{}", self.count).into_bytes()
    }

    fn write(&mut self, write: &Write) {
        let options = WriteOptions::default();
        match *write {
            Write::Put { from, step, count } => {
                for key in (0..count).map(|number| (from + number * step) % KEYS) {
                    let (name, value) = (self.name(key), self.value());
                    self.setup.db.put(&options, &self.family, &name, &value).unwrap();
                    self.model.insert(name, value);
                }
            }
            Write::Delete(key) => {
                self.setup.db.delete(&options, &self.family, &self.name(key)).unwrap();
                self.model.remove(&self.name(key));
            }
            Write::DeleteRange(from, to) => {
                let (from, to) = (self.name(from), self.name(to));
                self.setup.db.delete_range(&options, &self.family, &from, &to).unwrap();
                self.model.retain(|key, _| *key < from || *key >= to);
            }
            Write::Merge(key) => {
                let (name, value) = (self.name(key), self.value());
                self.setup.db.merge(&options, &self.family, &name, &value).unwrap();
                let old = self.model.remove(&name);
                let new = old.map_or(value.clone(), |old| [old, value].join(&b','));
                self.model.insert(name, new);
            }
            Write::Flush => {
                self.setup.db.flush(&FlushOptions::default(), &[&self.family]).unwrap();
            }
            Write::Compact => {
                let options = CompactRangeOptions::default();
                self.setup.db.compact_range(&options, &self.family, None, None).unwrap();
            }
            Write::TakeSnapshot => {
                self.snapshot = Some((self.setup.db.snapshot(), self.model.clone()));
            }
        }
    }

    fn iterator(&self, options: &ReadOptions) -> DbIterator {
        self.setup.db.new_iterator(options, &self.family).unwrap()
    }
}

/// An iterator, and where it has to be.
struct Walk<'w> {
    world: &'w World,
    iterator: DbIterator,
    model: Model,
    at: Option<Vec<u8>>,
    pinned: Vec<(PinnableSlice, Vec<u8>)>,
    /// Steps that were taken within runs.
    steps_in_runs: u64,
}

impl Walk<'_> {
    fn check(&self, what: &str) {
        let shown = self.iterator.valid().then(|| (self.iterator.key(), self.iterator.value()));
        let wanted = self.at.as_ref().map(|at| (&at[..], &self.model[at][..]));
        assert_eq!(shown, wanted, "{what}");
        if let Some((key, value)) = wanted {
            assert_eq!(self.iterator.columns(), [(&b""[..], value)], "{what}");
            assert_eq!(self.iterator.property("rocksdb.iterator.internal-key").unwrap(), key);
        }
        self.iterator.status().unwrap();
    }

    fn first_after(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.model.keys().find(|found| &found[..] > key).cloned()
    }

    fn last_before(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.model.keys().rev().find(|found| &found[..] < key).cloned()
    }

    fn step(&mut self, is_forward: bool) -> bool {
        let Some(at) = self.at.take() else { return false };
        match is_forward {
            true => self.iterator.next(),
            false => self.iterator.prev(),
        }
        self.at = if is_forward { self.first_after(&at) } else { self.last_before(&at) };
        self.steps_in_runs += u64::from(self.iterator.scan().internal.in_block().is_some());
        self.check(if is_forward { "next" } else { "prev" });
        true
    }

    fn take(&mut self, step: Move) {
        match step {
            Move::First => {
                self.iterator.seek_to_first();
                self.at = self.model.keys().next().cloned();
            }
            Move::Last => {
                self.iterator.seek_to_last();
                self.at = self.model.keys().next_back().cloned();
            }
            Move::Seek(key) => {
                let name = self.world.name(key);
                self.iterator.seek(&name);
                self.at = self.model.range(name..).next().map(|(key, _)| key.clone());
            }
            Move::SeekForPrev(key) => {
                let name = self.world.name(key);
                self.iterator.seek_for_prev(&name);
                self.at = self.model.range(..=name).next_back().map(|(key, _)| key.clone());
            }
            Move::Next(count) => {
                let _ = (0..count).all(|_| self.step(true));
            }
            Move::Prev(count) => {
                let _ = (0..count).all(|_| self.step(false));
            }
            Move::Pin => {
                if let Some(at) = &self.at {
                    self.pinned.push((self.iterator.pinned_value(), self.model[at].clone()));
                }
            }
        }
        self.check("a move");
    }

    fn end(self) -> u64 {
        let (pinned, steps_in_runs) = (self.pinned, self.steps_in_runs);
        drop(self.iterator);
        pinned.iter().for_each(|(value, wanted)| assert_eq!(&value[..], wanted));
        steps_in_runs
    }
}

/// Steps within runs of a walk over what the newest state, or the snapshot, has within bounds.
fn walk(
    world: &World,
    of_snapshot: bool,
    (lower, upper): (Option<u16>, Option<u16>),
    moves: &[Move],
) -> u64 {
    let snapshot = world.snapshot.as_ref().filter(|_| of_snapshot);
    let model = snapshot.map_or(&world.model, |(_, model)| model);
    let [lower, upper] = [lower, upper].map(|bound| bound.map(|key| world.name(key)));
    let options = ReadOptions {
        snapshot: snapshot.map(|(snapshot, _)| snapshot.sequence()),
        iterate_lower_bound: lower.clone(),
        iterate_upper_bound: upper.clone(),
        ..ReadOptions::default()
    };
    let mut model = model.clone();
    model.retain(|key, _| {
        lower.as_ref().is_none_or(|lower| key >= lower)
            && upper.as_ref().is_none_or(|upper| key < upper)
    });
    let iterator = world.iterator(&options);
    let (at, pinned) = (None, Vec::new());
    let mut walk = Walk { world, iterator, model, at, pinned, steps_in_runs: 0 };
    moves.iter().for_each(|&step| walk.take(step));
    walk.end()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn walks_over_tables_agree_with_a_map(
        writes in writes(),
        moves in moves(),
        has_long_keys in any::<bool>(),
        of_snapshot in any::<bool>(),
        lower in prop::option::of(0..KEYS),
        upper in prop::option::of(0..KEYS),
    ) {
        let mut world = World::new(has_long_keys);
        writes.iter().for_each(|write| world.write(write));
        walk(&world, false, (None, None), &moves);
        walk(&world, of_snapshot, (lower, upper), &moves);
    }
}

const PUT_ALL: Write = Write::Put { from: 0, step: 1, count: KEYS };
const THERE_AND_BACK: [Move; 4] =
    [Move::First, Move::Next(KEYS as u8), Move::Last, Move::Prev(149)];

#[test]
fn values_of_a_block_are_stepped_over_in_a_run() {
    let mut world = World::new(false);
    [PUT_ALL, Write::Compact].iter().for_each(|write| world.write(write));
    let steps = walk(&world, false, (None, None), &THERE_AND_BACK);
    assert!(steps > u64::from(KEYS), "{steps} of {} steps", 2 * KEYS);
    // A bound ends a run, and does not keep it from beginning.
    let bounds = (Some(20), Some(120));
    let steps = walk(&world, false, bounds, &THERE_AND_BACK);
    assert!((100..200).contains(&steps), "{steps} of 200 steps");
}

#[test]
fn between_newer_keys_of_other_files_there_are_runs() {
    let mut world = World::new(false);
    let every_tenth = Write::Put { from: 5, step: 15, count: 10 };
    [PUT_ALL, Write::Compact, every_tenth.clone(), Write::Flush, every_tenth]
        .iter()
        .for_each(|write| world.write(write));
    let steps = walk(&world, false, (None, None), &THERE_AND_BACK);
    assert!(steps > u64::from(KEYS) / 2, "{steps} of {} steps", 2 * KEYS);
}

#[test]
fn a_block_with_anything_else_has_no_runs() {
    for write in [Write::Delete(73), Write::Merge(73), Write::TakeSnapshot] {
        let mut world = World::new(false);
        if matches!(write, Write::TakeSnapshot) {
            // Without this the older state would have nothing, and no step.
            world.write(&Write::Put { from: 70, step: 1, count: 8 });
        }
        world.write(&write);
        world.write(&Write::Put { from: 70, step: 1, count: 3 });
        world.write(&Write::Put { from: 74, step: 1, count: 4 });
        world.write(&Write::Flush);
        let of_snapshot = matches!(write, Write::TakeSnapshot);
        let steps = walk(&world, of_snapshot, (None, None), &THERE_AND_BACK);
        assert_eq!(steps, 0, "{write:?}");
    }
}
