//! Random steps, with a map beside: what scans add changes nothing for any reader.

use super::world::World;
use crate::{
    CompactRangeOptions, DbIterator, IngestExternalFileOptions, ReadOptions, Snapshot, WriteOptions,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use testing::random::Random;

const KEYS: u16 = 40;

#[derive(Clone, Debug)]
enum Step {
    Put(u16),
    Delete(u16),
    SingleDelete(u16),
    /// All keys of a stretch, one by one.
    Consume(u16, u16),
    DeleteRange(u16, u16),
    Merge(u16),
    Flush,
    Compact,
    Reopen,
    /// A table with every other key of a stretch, of sequence number 0 where nothing is in its way.
    Ingest(u16, u16),
    TakeSnapshot,
    DropSnapshot,
    SetMin(u32),
    /// A new iterator, kept, of the newest or a snapshot.
    Open {
        lower: Option<u16>,
        upper: Option<u16>,
        of_snapshot: Option<usize>,
    },
    /// Moves of an iterator that was kept.
    Walk {
        which: usize,
        target: Option<u16>,
        moves: Vec<bool>,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || 0..KEYS;
    let maybe = || prop_oneof![2 => Just(None), 1 => (0..KEYS).prop_map(Some)];
    let open = (maybe(), maybe(), prop::option::of(any::<usize>()))
        .prop_map(|(lower, upper, of_snapshot)| Step::Open { lower, upper, of_snapshot });
    let moves = prop_oneof![
        Just(vec![true; 20]),
        Just(vec![false; 20]),
        prop::collection::vec(any::<bool>(), 0..12),
    ];
    let walk = (0..3_usize, maybe(), moves).prop_map(|(which, target, moves)| Step::Walk {
        which,
        target,
        moves,
    });
    let step = prop_oneof![
        6 => key().prop_map(Step::Put),
        3 => key().prop_map(Step::Delete),
        1 => key().prop_map(Step::SingleDelete),
        6 => (key(), 2..20_u16).prop_map(|(from, count)| Step::Consume(from, count)),
        1 => (key(), key()).prop_map(|(a, b)| Step::DeleteRange(a.min(b), a.max(b) + 1)),
        1 => key().prop_map(Step::Merge),
        3 => Just(Step::Flush),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
        1 => (key(), 2..8_u16).prop_map(|(from, count)| Step::Ingest(from, count)),
        2 => Just(Step::TakeSnapshot),
        1 => Just(Step::DropSnapshot),
        1 => prop_oneof![Just(0), Just(1), Just(2), Just(6)].prop_map(Step::SetMin),
        6 => open,
        10 => walk,
    ];
    prop::collection::vec(step, 0..120)
}

fn name(key: u16) -> String {
    format!("key{key:04}")
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// An iterator with what it shows.
struct Scan {
    iterator: DbIterator,
    model: Model,
}

impl Scan {
    fn check(&self, wanted: Option<(&Vec<u8>, &Vec<u8>)>) {
        let Self { iterator, .. } = self;
        let shown = iterator.valid().then(|| (iterator.key(), iterator.value()));
        assert_eq!(shown, wanted.map(|(key, value)| (&key[..], &value[..])));
        iterator.status().unwrap();
    }

    fn walk(&mut self, target: Option<u16>, moves: &[bool]) {
        let forward = moves.first().is_none_or(|is_next| *is_next);
        let target = target.map(|key| name(key).into_bytes());
        let wanted = match (&target, forward) {
            (None, true) => {
                self.iterator.seek_to_first();
                self.model.first_key_value()
            }
            (None, false) => {
                self.iterator.seek_to_last();
                self.model.last_key_value()
            }
            (Some(target), true) => {
                self.iterator.seek(target);
                self.model.range(target.clone()..).next()
            }
            (Some(target), false) => {
                self.iterator.seek_for_prev(target);
                self.model.range(..=target.clone()).next_back()
            }
        };
        self.check(wanted);
        for is_next in moves {
            if !self.iterator.valid() {
                break;
            }
            let here = self.iterator.key().to_vec();
            let wanted = if *is_next {
                self.iterator.next();
                self.model.range(here.clone()..).find(|(key, _)| **key > here)
            } else {
                self.iterator.prev();
                self.model.range(..here).next_back()
            };
            self.check(wanted);
        }
    }
}

/// What holds on to the database comes first.
struct Run {
    snapshots: Vec<(Snapshot, Model)>,
    scans: Vec<Scan>,
    world: World,
    model: Model,
    count: u64,
    ingests: bool,
}

impl Run {
    fn new(min: u32, ingests: bool) -> Self {
        let world = World::new(&format!(
            "merge_operator=stringappend;max_sequential_skip_in_iterations=2;\
             min_tombstones_for_range_conversion={min};block_based_table_factory={{block_size=64}}"
        ));
        let (snapshots, scans) = (Vec::new(), Vec::new());
        Self { snapshots, scans, world, model: Model::new(), count: 0, ingests }
    }

    fn value(&mut self) -> Vec<u8> {
        self.count += 1;
        self.count.to_string().into_bytes()
    }

    fn delete(&mut self, key: u16) {
        self.world.write(&name(key), true);
        self.model.remove(name(key).as_bytes());
    }

    fn put(&mut self, key: u16) {
        let (value, key) = (self.value(), name(key));
        let options = WriteOptions::default();
        self.world.db().put(&options, &self.world.family(), key.as_bytes(), &value).unwrap();
        self.model.insert(key.into_bytes(), value);
    }

    fn write(&mut self, step: &Step) {
        let (options, family) = (WriteOptions::default(), self.world.family());
        match *step {
            Step::Put(key) => self.put(key),
            Step::Delete(key) => self.delete(key),
            Step::SingleDelete(key) => {
                // A key of its own, put once.
                self.count += 1;
                let key = format!("{}-{}", name(key), self.count).into_bytes();
                self.world.db().put(&options, &family, &key, b"once").unwrap();
                self.world.db().single_delete(&options, &family, &key).unwrap();
            }
            Step::Consume(from, count) => {
                (from..(from + count).min(KEYS)).for_each(|key| self.delete(key));
            }
            Step::DeleteRange(from, to) => {
                self.world.delete_range(&name(from), &name(to));
                let (from, to) = (name(from).into_bytes(), name(to).into_bytes());
                self.model.retain(|key, _| *key < from || *key >= to);
            }
            Step::Merge(key) => {
                let (value, key) = (self.value(), name(key).into_bytes());
                self.world.db().merge(&options, &family, &key, &value).unwrap();
                let old = self.model.remove(&key);
                let new = old.map_or(value.clone(), |old| [old, value].join(&b','));
                self.model.insert(key, new);
            }
            Step::Ingest(from, count) if self.ingests => {
                let keys = (from..from + count).step_by(2).map(|key| format!("{}+", name(key)));
                let keys: Vec<_> = keys.collect();
                let keys: Vec<_> = keys.iter().map(String::as_str).collect();
                self.world.ingest(&keys, &IngestExternalFileOptions::default());
                let new = keys.iter().map(|key| (key.as_bytes().to_vec(), b"value".to_vec()));
                self.model.extend(new);
            }
            _ => {}
        }
    }

    fn manage(&mut self, step: &Step) {
        let (db, family) = (self.world.db(), self.world.family());
        match *step {
            Step::Flush => self.world.flush(),
            Step::Compact => {
                db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
            }
            Step::Reopen => {
                self.snapshots.clear();
                self.scans.clear();
                drop(family);
                self.world.reopen();
            }
            Step::TakeSnapshot => self.snapshots.push((db.snapshot(), self.model.clone())),
            Step::DropSnapshot if !self.snapshots.is_empty() => {
                self.snapshots.remove(0);
            }
            Step::SetMin(min) => {
                let option = ("min_tombstones_for_range_conversion", &*min.to_string());
                db.set_options(&family, &[option]).unwrap();
            }
            _ => {}
        }
    }

    fn open(&mut self, lower: Option<u16>, upper: Option<u16>, of_snapshot: Option<usize>) {
        let count = self.snapshots.len();
        let snapshot =
            of_snapshot.filter(|_| count > 0).map(|which| &self.snapshots[which % count]);
        let model = snapshot.map_or(&self.model, |(_, model)| model);
        let bound = |key: Option<u16>| key.map(|key| name(key).into_bytes());
        let (lower, upper) = (bound(lower), bound(upper));
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
        let iterator = self.world.db().new_iterator(&options, &self.world.family()).unwrap();
        self.scans.insert(0, Scan { iterator, model });
        self.scans.truncate(3);
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Open { lower, upper, of_snapshot } => self.open(*lower, *upper, *of_snapshot),
            Step::Walk { which, target, moves } => {
                if let Some(scan) = self.scans.get_mut(*which) {
                    scan.walk(*target, moves);
                }
            }
            _ => {
                self.write(step);
                self.manage(step);
            }
        }
    }

    /// Everything, as of now and of the snapshots, by scans and by lookups.
    fn check_all(&mut self) {
        for which in 0..=self.snapshots.len() {
            self.open(None, None, which.checked_sub(1));
            let scan = &mut self.scans[0];
            scan.walk(None, &[true; 200]);
            scan.walk(None, &[false; 200]);
            let snapshot = which.checked_sub(1).map(|at| self.snapshots[at].0.sequence());
            let options = ReadOptions { snapshot, ..ReadOptions::default() };
            for key in (0..KEYS).map(name) {
                let found = self.world.db().get(&options, &self.world.family(), key.as_bytes());
                let wanted = scan.model.get(key.as_bytes()).map(Vec::as_slice);
                assert_eq!(found.unwrap().as_deref(), wanted, "{key}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn readers_see_what_a_map_has(
        steps in steps(),
        min in prop_oneof![Just(0_u32), Just(1), 2..6_u32],
        ingests in any::<bool>(),
    ) {
        let mut run = Run::new(min, ingests);
        for step in &steps {
            run.take(step);
        }
        run.check_all();
        run.manage(&Step::Flush);
        run.check_all();
        run.manage(&Step::Compact);
        run.check_all();
        run.manage(&Step::Reopen);
        run.check_all();
    }
}

/// Two who write each know what their own keys have; others scan everything, flush and compact.
#[test]
fn who_writes_meanwhile_finds_what_was_written() {
    let world = World::new("min_tombstones_for_range_conversion=2");
    let is_over = AtomicBool::new(false);
    let goes_on = || !is_over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let world = &world;
        let writers = [0, 1].map(|writer| scope.spawn(move || write_own(world, writer)));
        for way in super::BOTH {
            scope.spawn(move || {
                while goes_on() {
                    super::walk_all(world, way);
                }
            });
        }
        scope.spawn(move || {
            for round in (0..8).cycle().take_while(|_| goes_on()) {
                match round {
                    7 => {
                        let options = CompactRangeOptions::default();
                        world.db().compact_range(&options, &world.family(), None, None).unwrap();
                    }
                    _ => world.flush(),
                }
            }
        });
        let ends = writers.map(std::thread::ScopedJoinHandle::join);
        is_over.store(true, Ordering::Relaxed);
        ends.into_iter().for_each(|end| end.unwrap());
    });
    assert!(world.counted().0 > 0, "{:?}", world.counted());
}

fn write_own(world: &World, writer: u16) {
    let mut random = Random::new(u64::from(writer) + 1);
    let mut model = Model::new();
    let mut kept: Option<(Snapshot, Model)> = None;
    let family = world.family();
    for round in 0..400_u32 {
        let from = random.below(60) as u16;
        for key in from..from + random.below(20) as u16 {
            let key = name(2 * key + writer);
            if random.below(5) == 0 {
                let (options, value) = (WriteOptions::default(), round.to_string().into_bytes());
                world.db().put(&options, &family, key.as_bytes(), &value).unwrap();
                model.insert(key.into_bytes(), value);
            } else {
                world.write(&key, true);
                model.remove(key.as_bytes());
            }
        }
        check_own(world, writer, None, &model);
        if let Some((snapshot, model)) = &kept {
            check_own(world, writer, Some(snapshot), model);
        }
        if round % 16 == 0 {
            kept = Some((world.db().snapshot(), model.clone()));
        }
    }
}

fn check_own(world: &World, writer: u16, snapshot: Option<&Snapshot>, model: &Model) {
    let options =
        ReadOptions { snapshot: snapshot.map(Snapshot::sequence), ..ReadOptions::default() };
    let mut iterator = world.db().new_iterator(&options, &world.family()).unwrap();
    let mut found = Model::new();
    iterator.seek_to_first();
    while iterator.valid() {
        let number = std::str::from_utf8(&iterator.key()[3..]).unwrap().parse::<u16>().unwrap();
        if number % 2 == writer {
            found.insert(iterator.key().to_vec(), iterator.value().to_vec());
        }
        iterator.next();
    }
    iterator.status().unwrap();
    assert_eq!(&found, model);
}
