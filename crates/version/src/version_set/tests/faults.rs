//! A fixed series of changes while operations fail or the power goes: what was acknowledged is
//! there, what failed is there as a whole or not at all, and the set goes on after a failure.

use super::*;
use base::filename::{FileType, parse_file_name};
use env::fault_injection_fs::{DataSurvival, FaultError};
use env::fault_injection_fs::{DirectorySurvival, Effect, Fault, Operations, PowerLoss, When};
use std::fmt::Write;

/// The changes, each of which must succeed before the next is tried.
const STEPS: usize = 10;

fn step(set: &mut VersionSet, step: usize) -> Result<()> {
    let sequence = 10 * (step as u64 + 1);
    match step {
        1 => return set.create_column_family(b"one", &family_options(), 1).map(drop),
        // Rolls over: the options below make MANIFESTs short.
        0 | 2 | 7 | 9 => {
            let family = u32::from(step == 2);
            let edits = vec![flush(set, family, sequence)];
            set.log_and_apply(edits, &ApplyContext::default())?;
        }
        3 | 4 => {
            let edits = vec![flush(set, 0, sequence), flush(set, 1, sequence + 1)];
            let log = set.min_log_number_after(&edits, None);
            let min_log = VersionEdit {
                min_log_number_to_keep: Some(log),
                wal_deletion: Some(log),
                ..VersionEdit::default()
            };
            let edits = edits.into_iter().chain([(0, min_log)]).collect();
            set.log_and_apply(edits, &ApplyContext { atomic: true, last_sequence: sequence + 5 })?;
        }
        5 => {
            let edit = compaction(set, 0);
            set.log_and_apply(vec![(0, edit)], &ApplyContext::default())?;
        }
        6 => return set.write_new_manifest(),
        8 => return set.drop_column_family(1),
        _ => unreachable!("step {step}"),
    }
    Ok(())
}

/// All of L0 into one table of L1.
fn compaction(set: &VersionSet, family: u32) -> VersionEdit {
    let version = set.column_family(family).unwrap().version();
    let mut edit = VersionEdit::default();
    let (mut epoch, mut last) = (u64::MAX, 0);
    for file in version.level_files(0) {
        edit.deleted_files.insert((0, file.number));
        epoch = epoch.min(file.epoch_number);
        last = last.max(file.largest_seqno);
    }
    let file = table(set.file_numbers().next(), ("a", last), ("b", last), epoch);
    edit.new_files.push(NewFile { level: 1, file });
    edit
}

/// The state, without the numbers that failed attempts use up.
fn describe(set: &VersionSet) -> String {
    let mut text = format!("sequence {} max {}", set.last_sequence(), set.max_column_family());
    for family in set.column_families() {
        let state = family.state();
        write!(text, "; {} {}:", state.id, state.name.escape_ascii()).unwrap();
        for (level, file) in state.version.files() {
            write!(text, " L{level} #{}", file.largest_seqno).unwrap();
        }
    }
    text
}

fn options() -> VersionSetOptions {
    VersionSetOptions {
        max_manifest_file_size: 260,
        max_manifest_space_amp_pct: 0,
        ..VersionSetOptions::default()
    }
}

fn start(fs: &Arc<FaultInjectionFileSystem>) -> Result<VersionSet> {
    let fs = Arc::clone(fs) as Arc<dyn FileSystem>;
    VersionSet::create(fs, Path::new(DB), options(), b"the id", &family_options())
}

fn open(fs: &Arc<FaultInjectionFileSystem>) -> Result<VersionSet> {
    let fs = Arc::clone(fs) as Arc<dyn FileSystem>;
    VersionSet::recover(fs, Path::new(DB), options(), |_| Ok(Some(family_options())))
}

fn faulty_fs() -> Arc<FaultInjectionFileSystem> {
    let fs = MemFileSystem::new();
    fs.create_dir(Path::new(DB)).unwrap();
    Arc::new(FaultInjectionFileSystem::new(Arc::new(fs)))
}

/// Deletes the MANIFESTs that are obsolete, as a database does.
fn delete_obsolete_manifests(fs: &dyn FileSystem, set: &VersionSet) {
    for name in fs.get_children(Path::new(DB)).unwrap_or_default() {
        if let Some((number, FileType::Descriptor)) = parse_file_name(&name)
            && number != set.manifest_number()
            && !set.is_in_doubt(number)
        {
            // Without the power this fails, as it may.
            let _ = fs.delete_file(&Path::new(DB).join(name));
        }
    }
}

/// The states after 0, 1, … steps without faults, and the operations that this takes.
fn expected_states() -> (Vec<String>, u64) {
    let fs = faulty_fs();
    let mut set = start(&fs).unwrap();
    let mut states = vec![describe(&set)];
    let mut manifests = BTreeSet::new();
    for number in 0..STEPS {
        step(&mut set, number).unwrap();
        delete_obsolete_manifests(&*fs, &set);
        states.push(describe(&set));
        manifests.insert(set.manifest_number());
        assert_eq!(describe(&open(&fs).unwrap()), states[number + 1]);
    }
    assert!(manifests.len() >= 4, "{manifests:?}: rolled over, and not each time");
    assert!(manifests.len() < STEPS);
    (states, fs.plan().operation_count())
}

/// Runs the steps up to the first failure. The number of those done, with the set, if there is
/// one.
fn run_until_failure(fs: &Arc<FaultInjectionFileSystem>) -> (Option<usize>, Option<VersionSet>) {
    let Ok(mut set) = start(fs) else { return (None, None) };
    for number in 0..STEPS {
        if step(&mut set, number).is_err() {
            return (Some(number), Some(set));
        }
        delete_obsolete_manifests(&**fs, &set);
    }
    (Some(STEPS), Some(set))
}

/// What may be found after `done` steps were acknowledged and the next was tried.
fn check_reopened(
    fs: &Arc<FaultInjectionFileSystem>,
    states: &[String],
    done: Option<usize>,
    what: &str,
) {
    let (done, reopened) = match (done, open(fs)) {
        (Some(done), Ok(set)) => (done, describe(&set)),
        (None, Ok(set)) => (0, describe(&set)),
        // The database was never said to be there.
        (None, Err(_)) => return,
        (Some(done), Err(status)) => panic!("{what}: {done} steps, then {status}"),
    };
    let allowed = &states[done..states.len().min(done + 2)];
    assert!(allowed.contains(&reopened), "{what}: {done} steps\n{reopened}\n{allowed:#?}");
}

fn fail_each_operation(effect: impl Fn() -> Effect) {
    let (states, operations) = expected_states();
    let mut failures = 0;
    for k in 0..operations {
        let fs = faulty_fs();
        fs.plan().add(Fault {
            operations: Operations::all(),
            when: When::Nth(k),
            effect: effect(),
        });
        let (done, set) = run_until_failure(&fs);
        let what = format!("operation {k}");
        let Some(mut set) = set else {
            check_reopened(&fs, &states, done, &what);
            continue;
        };
        let done = done.unwrap();
        assert_eq!(describe(&set), states[done], "{what}: nothing changed in memory");
        if done == STEPS {
            continue;
        }
        failures += 1;
        assert!(set.needs_new_manifest(), "{what}");
        // Two things may come next: the process ends, or it tries again.
        delete_obsolete_manifests(&*fs, &set);
        check_reopened(&fs, &states, Some(done), &what);
        for number in done..STEPS {
            step(&mut set, number).unwrap_or_else(|status| panic!("{what}: again: {status}"));
            delete_obsolete_manifests(&*fs, &set);
        }
        assert_eq!(describe(&set), states[STEPS], "{what}");
        assert_eq!(describe(&open(&fs).unwrap()), states[STEPS], "{what}");
    }
    assert!(failures > 30, "only {failures} steps failed");
}

#[test]
fn each_operation_may_fail() {
    fail_each_operation(|| Effect::Error(FaultError::Io));
}

#[test]
fn each_operation_may_fail_after_it_was_done() {
    fail_each_operation(|| Effect::ErrorAfter(FaultError::NoSpace));
}

#[test]
fn each_write_may_be_cut() {
    for bytes in [0, 1, 5, 20] {
        fail_each_operation(|| Effect::ShortWrite(bytes, FaultError::Io));
    }
}

#[test]
fn the_power_may_go_at_each_operation() {
    let (states, operations) = expected_states();
    let mixed = |data, directories| PowerLoss { data, directories };
    let mut losses = vec![
        PowerLoss::strict(),
        PowerLoss::process_crash(),
        mixed(DataSurvival::None, DirectorySurvival::All),
        mixed(DataSurvival::All, DirectorySurvival::None),
    ];
    losses.extend((0..12).map(PowerLoss::subset));
    for k in 0..operations {
        for loss in &losses {
            let fs = faulty_fs();
            fs.plan().power_off_at(k, Operations::all());
            let (done, set) = run_until_failure(&fs);
            drop(set);
            fs.drop_unsynced_data(loss).unwrap();
            fs.plan().clear();
            fs.set_filesystem_active(true);
            check_reopened(&fs, &states, done, &format!("operation {k}, {loss:?}"));
        }
    }
}
