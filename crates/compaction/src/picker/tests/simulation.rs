//! Random flushes and the compactions that pickers want, carried out on metadata: sizes and the
//! newest version of some probe keys are all there is of the data.

use crate::compaction::Compaction;
use crate::in_progress::{CompactionId, RunningCompaction};
use crate::picker::options::CompactionPri;
use crate::picker::pick_compaction;
use crate::picker::test_tree::{MB, TestTree};
use crate::picker::tree::TreeState;
use base::{InternalKey, ValueType};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use version::{CompactionStyle, FileMetaData, NewFile, VersionEdit};

/// Keys are numbers below this; every 4096th is a probe.
const KEYS: u64 = 1 << 18;
const PROBE_DISTANCE: u64 = 4096;
/// Bytes of one version of a key.
const ENTRY_BYTES: u64 = 512;
const FLUSH_BYTES: u64 = 2 * MB;
/// Bytes that one job merges in a tick, in which one memtable is filled.
const JOB_BYTES_PER_TICK: u64 = 24 * MB;
const L0_STOP: usize = 20;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// What a file holds: the newest version of each probe key.
type Probes = BTreeMap<u64, u64>;

struct Job {
    id: CompactionId,
    compaction: Compaction,
    bytes_left: u64,
}

struct Simulation {
    tree: TestTree,
    random: Random,
    probes: HashMap<u64, Probes>,
    newest: Probes,
    jobs: Vec<Job>,
    max_jobs: usize,
    sequence: u64,
    epoch_number: u64,
    next_ascending_key: u64,
    stalled_ticks: usize,
}

fn encoded(key: u64) -> [u8; 8] {
    key.to_be_bytes()
}

fn decoded(key: &InternalKey) -> u64 {
    u64::from_be_bytes(key.user_key().try_into().unwrap())
}

fn keys_of(file: &FileMetaData) -> RangeInclusive<u64> {
    decoded(&file.smallest)..=decoded(&file.largest)
}

impl Simulation {
    fn new(seed: u64, max_jobs: usize) -> Self {
        let mut tree = TestTree::new();
        tree.options.target_file_size_base = 2 * MB;
        tree.options.levels.max_bytes_for_level_base = 8 * MB;
        tree.options.levels.max_bytes_for_level_multiplier = 4.0;
        Self {
            tree,
            random: Random(seed * 2 + 1),
            probes: HashMap::new(),
            newest: Probes::new(),
            jobs: Vec::new(),
            max_jobs,
            sequence: 0,
            epoch_number: 0,
            next_ascending_key: 0,
            stalled_ticks: 0,
        }
    }

    /// A memtable of keys from everywhere, from a small range, or in ascending order becomes a file.
    fn flush(&mut self) {
        let entries = FLUSH_BYTES / ENTRY_BYTES;
        let (first, last) = match self.random.below(4) {
            0 => {
                let first = self.random.below(KEYS - entries);
                (first, first + entries - 1)
            }
            1 => {
                let first = self.next_ascending_key;
                self.next_ascending_key = (first + entries) % (KEYS - entries);
                (first, first + entries - 1)
            }
            _ => (self.random.below(64), KEYS - 1 - self.random.below(64)),
        };
        self.sequence += 100;
        self.epoch_number += 1;
        let probes = first.next_multiple_of(PROBE_DISTANCE)..=last;
        let probes: Probes =
            probes.step_by(PROBE_DISTANCE as usize).map(|key| (key, self.sequence)).collect();
        self.newest.extend(probes.clone());
        let mut file = self.new_file(first..=last, FLUSH_BYTES, probes);
        file.epoch_number = self.epoch_number;
        (file.smallest_seqno, file.largest_seqno) = (self.sequence - 99, self.sequence);
        let mut edit = VersionEdit::default();
        edit.new_files.push(NewFile { level: 0, file });
        self.tree.apply(edit);
    }

    fn new_file(&mut self, keys: RangeInclusive<u64>, size: u64, probes: Probes) -> FileMetaData {
        let number = self.tree.next_file_number;
        self.tree.next_file_number += 1;
        self.probes.insert(number, probes);
        let boundary = |key| InternalKey::new(&encoded(key), self.sequence, ValueType::Value);
        FileMetaData::new(number, size, boundary(*keys.start()), boundary(*keys.end()))
    }

    /// Starts what can run.
    fn schedule(&mut self) {
        while self.jobs.len() < self.max_jobs
            && let Some(compaction) = pick_compaction(&self.tree.input())
        {
            let id = self.tree.in_progress.register(RunningCompaction::of(&compaction));
            let bytes = if compaction.is_trivial_move { 0 } else { compaction.total_input_size() };
            self.jobs.push(Job { id, compaction, bytes_left: bytes });
        }
    }

    /// One tick of all jobs; those that are done are installed.
    fn work(&mut self) {
        for job in &mut self.jobs {
            job.bytes_left = job.bytes_left.saturating_sub(JOB_BYTES_PER_TICK);
        }
        while let Some(done) = self.jobs.iter().position(|job| job.bytes_left == 0) {
            let job = self.jobs.swap_remove(done);
            self.install(&job.compaction);
            self.tree.in_progress.unregister(job.id);
            self.check_probes();
        }
    }

    fn install(&mut self, compaction: &Compaction) {
        let mut edit = VersionEdit::default();
        if compaction.is_trivial_move {
            compaction.move_inputs(&self.tree.comparator, &mut edit);
        } else {
            compaction.delete_inputs(&mut edit);
            let level = compaction.output_level as u32;
            let outputs = self.merge(compaction).into_iter();
            edit.new_files = outputs.map(|file| NewFile { level, file }).collect();
        }
        // Refuses levels with files that overlap.
        self.tree.apply(edit);
    }

    /// The inputs merged: entries are spread evenly over each file's keys, and at the bottom there is
    /// one version of each key.
    fn merge(&mut self, compaction: &Compaction) -> Vec<FileMetaData> {
        let inputs: Vec<_> = compaction.input_files().map(|(_, file)| file.clone()).collect();
        let mut cuts: Vec<u64> = inputs
            .iter()
            .flat_map(|file| [*keys_of(file).start(), *keys_of(file).end() + 1])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut outputs = Vec::new();
        let mut open: Option<(u64, u64, u64)> = None;
        for pair in cuts.windows(2) {
            let keys = pair[1] - pair[0];
            let share = |file: &FileMetaData| {
                let (first, last) = (*keys_of(file).start(), *keys_of(file).end());
                let is_in = first <= pair[0] && pair[0] <= last;
                if is_in {
                    file.file_size as f64 * keys as f64 / (last - first + 1) as f64
                } else {
                    0.0
                }
            };
            let mut bytes = inputs.iter().map(|file| share(file)).sum::<f64>() as u64;
            if compaction.is_bottommost_level {
                bytes = bytes.min(keys * ENTRY_BYTES);
            }
            if bytes == 0 {
                continue;
            }
            let (first, _, so_far) = open.take().unwrap_or((pair[0], pair[0], 0));
            let is_l0 = compaction.output_level == 0;
            if !is_l0 && so_far > 0 && so_far + bytes > compaction.max_output_file_size {
                outputs.extend(self.split(first..=pair[0] - 1, so_far, compaction));
                open = Some((pair[0], pair[1] - 1, bytes));
            } else {
                open = Some((first, pair[1] - 1, so_far + bytes));
            }
        }
        if let Some((first, last, bytes)) = open {
            outputs.extend(self.split(first..=last, bytes, compaction));
        }
        outputs
    }

    /// Files of at most the size wanted over these keys.
    fn split(
        &mut self,
        keys: RangeInclusive<u64>,
        bytes: u64,
        compaction: &Compaction,
    ) -> Vec<FileMetaData> {
        let (first, last) = (*keys.start(), *keys.end());
        let is_l0 = compaction.output_level == 0;
        let count = if is_l0 { 1 } else { bytes.div_ceil(compaction.max_output_file_size) };
        let count = count.clamp(1, last - first + 1);
        let start = |part: u64| first + (last - first + 1) * part / count;
        let inputs: Vec<_> = compaction.input_files().map(|(_, file)| file.number).collect();
        (0..count)
            .map(|part| {
                let keys = start(part)..=start(part + 1) - 1;
                let mut probes = Probes::new();
                for (key, version) in inputs.iter().flat_map(|number| &self.probes[number]) {
                    if keys.contains(key) {
                        let newest = probes.entry(*key).or_insert(0);
                        *newest = (*newest).max(*version);
                    }
                }
                let mut file = self.new_file(keys, (bytes / count).max(1), probes);
                file.epoch_number = compaction.min_input_file_epoch_number();
                let files = || compaction.input_files().map(|(_, file)| file);
                file.smallest_seqno = files().map(|f| f.smallest_seqno).min().unwrap();
                file.largest_seqno = files().map(|f| f.largest_seqno).max().unwrap();
                file
            })
            .collect()
    }

    /// A read that goes from the newest run to the oldest finds the newest version first.
    fn check_probes(&self) {
        for (key, newest) in &self.newest {
            let found = self.tree.version.files().find_map(|(level, file)| {
                self.probes[&file.number].get(key).map(|version| (level, file.number, *version))
            });
            let version = found.map(|(_, _, version)| version);
            assert_eq!(version, Some(*newest), "key {key} is found as {found:?}");
        }
    }

    fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            if self.tree.version.level_files(0).len() < L0_STOP {
                self.flush();
            } else {
                self.stalled_ticks += 1;
            }
            self.schedule();
            self.work();
        }
        self.settle();
    }

    /// Without more flushes everything comes to rest, and soon.
    fn settle(&mut self) {
        for _ in 0..2000 {
            self.schedule();
            if self.jobs.is_empty() {
                break;
            }
            self.work();
        }
        assert!(self.jobs.is_empty(), "compactions without end\n{}", self.tree.levels());
        assert!(self.tree.in_progress.is_empty());
        let tree = TreeState::new(&self.tree.input());
        if self.tree.options.style() == CompactionStyle::Level {
            let is_done = tree.scores.iter().all(|score| *score < 1.0);
            assert!(is_done, "at rest with scores {:?}\n{}", tree.scores, self.tree.levels());
        }
        self.check_probes();
    }
}

fn leveled(pri: CompactionPri, is_dynamic: bool, max_jobs: usize, seed: u64) -> Simulation {
    let mut simulation = Simulation::new(seed, max_jobs);
    simulation.tree.options.compaction_pri = pri;
    simulation.tree.options.levels.level_compaction_dynamic_level_bytes = is_dynamic;
    simulation
}

#[test]
fn leveled_trees_stay_in_shape_whatever_the_priority() {
    let priorities = [
        CompactionPri::ByCompensatedSize,
        CompactionPri::OldestLargestSeqFirst,
        CompactionPri::OldestSmallestSeqFirst,
        CompactionPri::MinOverlappingRatio,
        CompactionPri::RoundRobin,
    ];
    for (pri, is_dynamic, max_jobs) in priorities
        .into_iter()
        .flat_map(|pri| [(pri, true, 1), (pri, true, 4), (pri, false, 1), (pri, false, 4)])
    {
        let mut simulation = leveled(pri, is_dynamic, max_jobs, pri as u64 + 1);
        simulation.run(400);
        let stalled = simulation.stalled_ticks;
        assert!(stalled < 100, "{pri:?} dynamic {is_dynamic} jobs {max_jobs}: {stalled}");
    }
}

#[test]
fn a_dynamic_tree_has_little_above_its_last_level() {
    let mut simulation = leveled(CompactionPri::MinOverlappingRatio, true, 2, 7);
    simulation.run(600);
    let version = &simulation.tree.version;
    let total: u64 = version.files().map(|(_, file)| file.file_size).sum();
    let last = version.level_size_bytes(version.num_levels() - 1);
    // With a multiplier of 4 a third is above the last level, and some files of L0.
    assert!(total * 100 < last * 150, "{total} {last}\n{}", simulation.tree.levels());
}

#[test]
fn universal_trees_stay_in_shape() {
    for (num_levels, allow_trivial_move, max_jobs) in
        [(7, false, 1), (7, false, 3), (7, true, 3), (1, false, 2), (3, true, 2)]
    {
        for seed in 1..3 {
            let mut simulation = Simulation::new(seed, max_jobs);
            let options = &mut simulation.tree.options;
            options.levels.compaction_style = CompactionStyle::Universal;
            options.levels.num_levels = num_levels;
            options.universal.allow_trivial_move = allow_trivial_move;
            simulation.tree.version = std::sync::Arc::new(version::Version::new(num_levels));
            simulation.run(400);
            let l0_files = simulation.tree.version.level_files(0).len();
            assert!(l0_files <= 4, "{l0_files} files of L0 at rest");
        }
    }
}

#[test]
fn old_files_all_reach_the_bottom_and_stay_there() {
    let mut simulation = leveled(CompactionPri::MinOverlappingRatio, true, 2, 3);
    simulation.tree.options.ttl_seconds = 100;
    simulation.run(100);
    // Everything is of unknown age up to here.
    let mut edit = VersionEdit::default();
    for (level, file) in simulation.tree.version.files() {
        let mut file = FileMetaData::clone(file);
        file.oldest_ancester_time = 1;
        edit.deleted_files.insert((level as u32, file.number));
        file.number += 1_000_000;
        edit.new_files.push(NewFile { level: level as u32, file });
    }
    simulation.probes =
        simulation.probes.drain().map(|(number, probes)| (number + 1_000_000, probes)).collect();
    simulation.tree.next_file_number += 2_000_000;
    simulation.tree.apply(edit);
    simulation.settle();
    let above: Vec<_> = simulation
        .tree
        .version
        .files()
        .filter(|(level, file)| *level < 6 && file.oldest_ancester_time == 1)
        .collect();
    assert!(above.is_empty(), "{}", simulation.tree.levels());
}
