use super::*;
use crate::fault_injection_fs::{FaultInjectionFileSystem, OperationKind, Operations};
use crate::file_system::WritableFile;
use crate::{MemFileSystem, PosixFileSystem, read_file_to_vec, write_file_atomically};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

/// Buffers small enough that some appends get through before a flush.
const OPTIONS: FileOptions =
    FileOptions { writable_file_max_buffer_size: 64 << 10, ..FileOptions::DEFAULT };

struct Machine {
    fs: FaultInjectionFileSystem,
    root: PathBuf,
    /// Keeps the directory of a POSIX machine.
    _directory: Option<tempfile::TempDir>,
}

impl Machine {
    fn memory() -> Self {
        let fs = FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new()));
        Self { fs, root: PathBuf::from("/"), _directory: None }
    }

    fn posix() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let fs = FaultInjectionFileSystem::new(PosixFileSystem::shared());
        Self { fs, root: directory.path().to_path_buf(), _directory: Some(directory) }
    }

    fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.root.clone() } else { self.root.join(name) }
    }

    fn create(&self, name: &str) -> Box<dyn WritableFile> {
        self.fs.new_writable_file(&self.path(name), &OPTIONS).unwrap()
    }

    fn reopen(&self, name: &str) -> Box<dyn WritableFile> {
        self.fs.reopen_writable_file(&self.path(name), &OPTIONS).unwrap()
    }

    fn write_synced(&self, name: &str, content: &[u8]) {
        let mut file = self.create(name);
        file.append(content).unwrap();
        file.sync().unwrap();
        file.close().unwrap();
    }

    fn write_unsynced(&self, name: &str, content: &[u8]) {
        let mut file = self.create(name);
        file.append(content).unwrap();
        file.close().unwrap();
    }

    fn sync_directory(&self, name: &str) {
        self.fs.new_directory(&self.path(name)).unwrap().fsync().unwrap();
    }

    fn mkdir(&self, name: &str) {
        self.fs.create_dir(&self.path(name)).unwrap();
    }

    fn rename(&self, source: &str, target: &str) {
        self.fs.rename_file(&self.path(source), &self.path(target)).unwrap();
    }

    fn link(&self, source: &str, target: &str) {
        self.fs.link_file(&self.path(source), &self.path(target)).unwrap();
    }

    fn delete(&self, name: &str) {
        self.fs.delete_file(&self.path(name)).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        read_file_to_vec(&self.fs, &self.path(name), 1 << 30).unwrap()
    }

    fn lose(&self, loss: &PowerLoss) -> PowerLossReport {
        self.fs.drop_unsynced_data(loss).unwrap()
    }

    /// All files with content and all directories, by path from the root.
    fn tree(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        let mut tree = BTreeMap::new();
        self.collect("", &mut tree);
        tree
    }

    fn collect(&self, below: &str, tree: &mut BTreeMap<String, Option<Vec<u8>>>) {
        for name in self.fs.get_children(&self.path(below)).unwrap() {
            let name = if below.is_empty() { name } else { format!("{below}/{name}") };
            if self.fs.get_file_size(&self.path(&name)).is_ok() {
                tree.insert(name.clone(), Some(self.read(&name)));
            } else {
                self.collect(&name, tree);
                tree.insert(name, None);
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.tree().into_keys().collect()
    }
}

fn only(operations: &[usize]) -> PowerLoss {
    let directories = DirectorySurvival::Only(operations.to_vec());
    PowerLoss { data: DataSurvival::All, directories }
}

fn data(data: DataSurvival) -> PowerLoss {
    PowerLoss { data, directories: DirectorySurvival::All }
}

#[test]
fn what_was_synced_survives_and_nothing_else() {
    for machine in [Machine::memory(), Machine::posix()] {
        let mut file = machine.create("f");
        file.append(b"synced").unwrap();
        file.sync().unwrap();
        machine.sync_directory("");
        file.append(b" flushed").unwrap();
        file.flush().unwrap();
        file.append(b" appended").unwrap();
        machine.write_synced("g", b"content without a name");
        let report = machine.lose(&PowerLoss::strict());
        assert_eq!(machine.tree(), [("f".to_string(), Some(b"synced".to_vec()))].into());
        assert_eq!(report.operations_lost.len(), 1);
        assert!(report.operations_lost[0].ends_with("/g"), "{report:?}");
        assert_eq!(report.files_changed, [machine.path("f")]);
    }
}

#[test]
fn a_process_crash_loses_only_what_was_not_flushed() {
    for machine in [Machine::memory(), Machine::posix()] {
        let mut file = machine.create("f");
        file.append(b"flushed").unwrap();
        file.flush().unwrap();
        file.append(&vec![b'x'; 200_000]).unwrap();
        assert!(machine.fs.get_file_size(&machine.path("f")).unwrap() > 7, "some got through");
        machine.fs.set_filesystem_active(false);
        drop(file);
        machine.lose(&PowerLoss::process_crash());
        machine.fs.set_filesystem_active(true);
        assert_eq!(machine.read("f"), b"flushed");
    }
}

#[test]
fn what_was_there_before_is_safe() {
    let base: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    let mut file = base.new_writable_file(Path::new("/old"), &OPTIONS).unwrap();
    file.append(b"old content").unwrap();
    file.close().unwrap();
    for change in 0..4 {
        let root = PathBuf::from("/");
        let fs = FaultInjectionFileSystem::new(Arc::clone(&base));
        let machine = Machine { fs, root, _directory: None };
        match change {
            0 => machine.delete("old"),
            1 => machine.write_unsynced("old", b"new"),
            2 => machine.rename("old", "other"),
            _ => machine.reopen("old").append(b" and more").unwrap(),
        }
        machine.lose(&PowerLoss::strict());
        assert_eq!(machine.names(), ["old"], "change {change}");
        assert_eq!(machine.read("old"), b"old content", "change {change}");
    }
}

#[test]
fn old_handles_are_dead_and_locks_free() {
    for machine in [Machine::memory(), Machine::posix()] {
        machine.write_synced("f", b"content");
        machine.sync_directory("");
        let path = machine.path("f");
        let mut writer = machine.reopen("f");
        let reader = machine.fs.new_random_access_file(&path, &OPTIONS).unwrap();
        let mut sequential = machine.fs.new_sequential_file(&path, &OPTIONS).unwrap();
        let directory = machine.fs.new_directory(&machine.root).unwrap();
        let lock = machine.fs.lock_file(&machine.path("LOCK")).unwrap();
        writer.append(b"in the buffer").unwrap();
        machine.lose(&PowerLoss::strict());
        for status in [
            writer.append(b"x").unwrap_err(),
            reader.read_at(0, &mut [0]).unwrap_err(),
            sequential.read(&mut [0]).unwrap_err(),
            sequential.skip(1).unwrap_err(),
            directory.fsync().unwrap_err(),
        ] {
            assert!(status.message().contains("open when the power was lost"), "{status}");
        }
        let again = machine.fs.lock_file(&machine.path("LOCK")).unwrap();
        drop(lock);
        assert!(machine.fs.lock_file(&machine.path("LOCK")).is_err(), "the old lock is dead");
        drop(again);
        drop(writer);
        assert_eq!(machine.read("f"), b"content");
    }
}

#[test]
fn any_pages_may_survive() {
    let content: Vec<u8> = (0..40_000_u32).map(|i| (i % 251) as u8 + 1).collect();
    let synced = 5000;
    let mut outcomes = BTreeSet::new();
    let mut lengths = BTreeSet::new();
    for seed in 0..300 {
        let machine = Machine::memory();
        let mut file = machine.create("f");
        file.append(&content[..synced]).unwrap();
        file.sync().unwrap();
        let mut boundaries = BTreeSet::new();
        for piece in content[synced..].chunks(700) {
            file.append(piece).unwrap();
            boundaries.insert(file.size() as usize);
        }
        file.flush().unwrap();
        machine.lose(&data(DataSurvival::Subset(seed)));
        let found = machine.read("f");
        assert!(found[..synced] == content[..synced], "seed {seed}: synced bytes");
        let mut survived = Vec::new();
        for page in 1..10 {
            let range = (page * 4096).max(synced)..((page + 1) * 4096).min(content.len());
            let bytes = &found[range.start.min(found.len())..range.end.min(found.len())];
            let kept = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            assert!(bytes[..kept] == content[range.start..][..kept], "seed {seed}: page {page}");
            assert!(bytes[kept..].iter().all(|&byte| byte == 0), "seed {seed}: page {page}");
            let end = range.start + kept;
            let whole = kept == 0 || end == range.end || boundaries.contains(&end);
            assert!(whole, "seed {seed}: page {page} ends at {end}");
            survived.push(kept == range.len());
        }
        assert!(outcomes.insert((survived, found.len())) || seed > 0);
        lengths.insert(found.len());
    }
    let all = outcomes.iter().any(|(pages, _)| pages.iter().all(|&kept| kept));
    let none = outcomes.iter().any(|(_, length)| *length == synced);
    let hole = outcomes.iter().any(|(pages, _)| pages.windows(2).any(|pair| pair == [false, true]));
    let zeros = outcomes.iter().any(|(pages, length)| !pages[8] && *length == content.len());
    assert!(all && none && hole && zeros, "{all} {none} {hole} {zeros}");
    assert!(outcomes.len() > 100 && lengths.len() > 10, "{} outcomes", outcomes.len());
}

#[test]
fn the_same_seed_loses_the_same() {
    let run = |seed| {
        let machine = Machine::memory();
        for name in ["a", "b", "c", "d"] {
            machine.write_unsynced(name, &[name.as_bytes()[0]; 30_000]);
        }
        machine.rename("a", "e");
        machine.delete("b");
        machine.lose(&PowerLoss::subset(seed));
        machine.tree()
    };
    for seed in 0..20 {
        assert!(run(seed) == run(seed));
    }
    assert!((0..20).any(|seed| run(seed) != run(seed + 1)));
}

#[test]
fn a_cut_survives_or_is_undone() {
    let old: Vec<u8> = vec![b'o'; 10_000];
    let new: Vec<u8> = vec![b'n'; 6_000];
    let mut undone = 0;
    for seed in 0..100 {
        let machine = Machine::memory();
        machine.write_synced("f", &old);
        machine.sync_directory("");
        machine.write_unsynced("f", &new);
        machine.lose(&data(DataSurvival::Subset(seed)));
        let found = machine.read("f");
        if found == old {
            undone += 1;
        } else {
            assert!(found.len() <= new.len() && !found.contains(&b'o'), "seed {seed}");
        }
    }
    assert!((20..80).contains(&undone), "{undone}");

    let machine = Machine::memory();
    machine.write_synced("f", &old);
    machine.sync_directory("");
    let path = machine.path("f");
    machine.fs.truncate(&path, 100).unwrap();
    machine.fs.truncate(&path, 5000).unwrap();
    machine.lose(&PowerLoss::strict());
    assert!(machine.read("f") == old);
    machine.fs.truncate(&path, 100).unwrap();
    machine.reopen("f").sync().unwrap();
    machine.fs.truncate(&path, 300).unwrap();
    machine.lose(&PowerLoss::strict());
    assert!(machine.read("f") == old[..100]);
}

#[test]
fn each_independent_operation_survives_alone() {
    for choice in 0..16_u32 {
        let machine = Machine::memory();
        machine.write_synced("deleted", b"d");
        machine.write_synced("moved", b"m");
        machine.write_synced("linked", b"l");
        machine.sync_directory("");
        machine.write_synced("created", b"c");
        machine.delete("deleted");
        machine.rename("moved", "target");
        machine.link("linked", "link");
        assert_eq!(machine.fs.pending_directory_operations().len(), 4);
        let kept: Vec<usize> = (0..4).filter(|bit| choice >> bit & 1 == 1).collect();
        let report = machine.lose(&only(&kept));
        assert_eq!(report.operations_kept.len(), kept.len());
        let survived = |index| kept.contains(&index);
        let mut expected = BTreeMap::from([("linked", b"l")]);
        if survived(0) {
            expected.insert("created", b"c");
        }
        if !survived(1) {
            expected.insert("deleted", b"d");
        }
        expected.insert(if survived(2) { "target" } else { "moved" }, b"m");
        if survived(3) {
            expected.insert("link", b"l");
        }
        let found = machine.tree();
        assert_eq!(found.len(), expected.len(), "{choice:b}: {found:?}");
        for (name, content) in expected {
            assert_eq!(found[name].as_deref(), Some(&content[..]), "{choice:b}: {name}");
        }
    }
}

#[test]
fn operations_on_one_name_survive_in_order() {
    for (kept, expected) in [
        (vec![], "one"),
        (vec![0], "one"),
        (vec![0, 1], "two"),
        (vec![0, 1, 2, 3], "three"),
        // The later ones need the earlier.
        (vec![1, 2, 3], "one"),
        (vec![0, 2, 3], "one"),
        (vec![3], "one"),
    ] {
        let machine = Machine::memory();
        machine.write_synced("CURRENT", b"one");
        machine.sync_directory("");
        for content in [b"two".as_slice(), b"three"] {
            machine.write_synced("tmp", content);
            machine.rename("tmp", "CURRENT");
        }
        machine.lose(&only(&kept));
        assert_eq!(machine.read("CURRENT"), expected.as_bytes(), "{kept:?}");
    }
}

#[test]
fn syncing_one_directory_saves_only_its_names() {
    let machine = Machine::memory();
    for name in ["a", "b", "c"] {
        machine.mkdir(name);
    }
    machine.sync_directory("");
    machine.write_synced("a/f", b"1");
    machine.write_synced("b/f", b"2");
    // Between directories: safe when either is synced, with what came before.
    machine.rename("a/f", "c/f");
    machine.write_synced("a/g", b"3");
    machine.sync_directory("c");
    machine.lose(&PowerLoss::strict());
    assert_eq!(machine.names(), ["a", "b", "c", "c/f"]);
}

#[test]
fn a_directory_is_a_name_in_its_parent() {
    for machine in [Machine::memory(), Machine::posix()] {
        machine.mkdir("d");
        machine.write_synced("d/f", b"1");
        machine.sync_directory("d");
        machine.lose(&PowerLoss::strict());
        assert!(machine.names().is_empty());

        machine.mkdir("d");
        machine.write_synced("d/f", b"1");
        machine.write_synced("d/g", b"2");
        machine.sync_directory("d");
        machine.sync_directory("");
        machine.delete("d/f");
        machine.delete("d/g");
        machine.fs.delete_dir(&machine.path("d")).unwrap();
        machine.lose(&only(&[1]));
        assert_eq!(machine.names(), ["d", "d/f"]);
        assert_eq!(machine.read("d/f"), b"1");
    }
}

#[test]
fn renamed_directories_move_back_with_all_they_have() {
    for machine in [Machine::memory(), Machine::posix()] {
        machine.mkdir("checkpoint.tmp");
        machine.mkdir("checkpoint.tmp/sub");
        machine.write_synced("checkpoint.tmp/f", b"1");
        machine.write_synced("checkpoint.tmp/sub/g", b"2");
        machine.sync_directory("checkpoint.tmp/sub");
        machine.sync_directory("checkpoint.tmp");
        machine.sync_directory("");
        machine.rename("checkpoint.tmp", "checkpoint");
        machine.delete("checkpoint/f");
        machine.write_synced("checkpoint/sub/h", b"3");
        machine.rename("checkpoint/sub", "checkpoint/below");
        let before = machine.tree();
        machine.lose(&PowerLoss::process_crash());
        assert_eq!(machine.tree(), before, "nothing was lost");

        machine.rename("checkpoint", "c");
        machine.mkdir("checkpoint");
        machine.write_synced("checkpoint/other", b"4");
        machine.rename("c/below/g", "checkpoint/g");
        machine.rename("c/below", "sub");
        machine.lose(&PowerLoss::strict());
        assert_eq!(machine.tree(), before);
        assert!(machine.fs.pending_directory_operations().is_empty());
    }
}

#[test]
fn an_atomic_write_is_atomic_whenever_the_power_goes() {
    let write = |machine: &Machine, content: &[u8]| {
        let temp = machine.path("000007.dbtmp");
        write_file_atomically(&machine.fs, &machine.path("CURRENT"), &temp, content)
    };
    let (old, new) = (vec![b'o'; 9000], vec![b'n'; 12_000]);
    let mut seen = BTreeSet::new();
    for k in 0..20 {
        for seed in 0..40 {
            let machine = Machine::memory();
            write(&machine, &old).unwrap();
            machine.fs.plan().power_off_at(k, Operations::of(OperationKind::CHANGES));
            let written = write(&machine, &new);
            machine.lose(&PowerLoss::subset(seed));
            machine.fs.set_filesystem_active(true);
            let found = machine.read("CURRENT");
            assert!(found == old || found == new, "operation {k}, seed {seed}");
            assert!(written.is_err() || found == new, "operation {k}, seed {seed}");
            seen.insert((written.is_ok(), found == new));
        }
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn threads_do_not_disturb_one_another() {
    let machine = Machine::memory();
    thread::scope(|scope| {
        for thread in 0..4 {
            let machine = &machine;
            scope.spawn(move || {
                for step in 0..100 {
                    let name = format!("{thread}-{}", step % 7);
                    machine.write_synced(&name, name.repeat(step).as_bytes());
                    machine.rename(&name, &format!("{name}-renamed"));
                    if step % 7 < 6 {
                        machine.delete(&format!("{name}-renamed"));
                    } else {
                        machine.sync_directory("");
                    }
                }
                machine.sync_directory("");
            });
        }
    });
    machine.lose(&PowerLoss::strict());
    assert_eq!(machine.names(), ["0-6-renamed", "1-6-renamed", "2-6-renamed", "3-6-renamed"]);
    assert_eq!(machine.read("2-6-renamed"), "2-6".repeat(97).as_bytes());
}

/// Random changes, now and then all synced: strict losses go back to the last sync, crashes lose
/// nothing that was flushed, and any loss leaves a sound file system.
fn random_changes(machine: &Machine, seed: u64) {
    let mut random = Random::new(seed);
    let mut safe = machine.tree();
    for step in 0..150 {
        let names = machine.names();
        let directories: Vec<String> = [String::new()]
            .into_iter()
            .chain(
                machine.tree().into_iter().filter(|(_, file)| file.is_none()).map(|(name, _)| name),
            )
            .collect();
        let mut fresh = |prefix: &str| {
            let directory = &directories[random.below(directories.len() as u64) as usize];
            let name = format!("{prefix}{}", random.below(4));
            if directory.is_empty() { name } else { format!("{directory}/{name}") }
        };
        let (new_file, new_directory) = (fresh("f"), fresh("d"));
        let existing = match names.len() {
            0 => "nothing".to_string(),
            count => names[random.below(count as u64) as usize].clone(),
        };
        let content = vec![b'a' + (step % 26) as u8; random.below(20_000) as usize];
        let fs = &machine.fs;
        // Whatever is refused (a directory over a file, say) must leave the model right too.
        let _ = match random.below(10) {
            0 | 1 => fs.new_writable_file(&machine.path(&new_file), &OPTIONS).map(|mut file| {
                file.append(&content).unwrap();
            }),
            2 => fs.reopen_writable_file(&machine.path(&new_file), &OPTIONS).map(|mut file| {
                file.append(&content).unwrap();
            }),
            3 => fs.create_dir(&machine.path(&new_directory)),
            4 => fs.rename_file(&machine.path(&existing), &machine.path(&new_file)),
            5 => fs.rename_file(&machine.path(&existing), &machine.path(&new_directory)),
            6 => fs.link_file(&machine.path(&existing), &machine.path(&new_file)),
            7 => fs
                .delete_file(&machine.path(&existing))
                .or_else(|_| fs.delete_dir(&machine.path(&existing))),
            8 => fs.truncate(&machine.path(&existing), random.below(20_000)),
            _ => Ok(()),
        };
        match random.below(12) {
            0 => {
                sync_all(machine);
                safe = machine.tree();
                assert!(fs.pending_directory_operations().is_empty());
            }
            1 => {
                machine.lose(&PowerLoss::strict());
                assert!(machine.tree() == safe, "seed {seed}, step {step}: strict");
            }
            2 => {
                let before = machine.tree();
                machine.lose(&PowerLoss::process_crash());
                safe = machine.tree();
                assert!(safe == before, "seed {seed}, step {step}: crash");
            }
            3 => {
                machine.lose(&PowerLoss::subset(seed + step));
                safe = machine.tree();
                let staged = safe.keys().find(|name| name.contains(STAGED_PREFIX));
                assert_eq!(staged, None, "seed {seed}, step {step}");
                machine.lose(&PowerLoss::strict());
                assert!(machine.tree() == safe, "seed {seed}, step {step}: safe after a loss");
            }
            _ => {}
        }
    }
}

fn sync_all(machine: &Machine) {
    for (name, file) in machine.tree() {
        if file.is_some() {
            machine.reopen(&name).sync().unwrap();
        } else {
            machine.sync_directory(&name);
        }
    }
    machine.sync_directory("");
}

#[test]
fn random_changes_in_memory() {
    for seed in 0..60 {
        random_changes(&Machine::memory(), seed);
    }
}

#[test]
fn random_changes_on_disk() {
    for seed in 100..104 {
        random_changes(&Machine::posix(), seed);
    }
}

fn reuse(machine: &Machine, new: &str, old: &str) -> Box<dyn WritableFile> {
    machine.fs.reuse_writable_file(&machine.path(new), &machine.path(old), &OPTIONS).unwrap()
}

#[test]
fn a_reused_file_keeps_old_content_where_nothing_was_synced() {
    let (old, new) = (vec![b'o'; 20_000], vec![b'n'; 12_000]);
    for machine in [Machine::memory(), Machine::posix()] {
        machine.write_synced("a", &old);
        machine.sync_directory("");
        let mut file = reuse(&machine, "b", "a");
        file.append(&new).unwrap();
        file.flush().unwrap();
        machine.lose(&PowerLoss::strict());
        assert_eq!(machine.tree(), [("a".to_string(), Some(old.clone()))].into());

        let mut file = reuse(&machine, "b", "a");
        machine.sync_directory("");
        file.append(&new[..5000]).unwrap();
        file.sync().unwrap();
        file.append(&new[5000..]).unwrap();
        file.flush().unwrap();
        let expected = [&new[..5000], &old[5000..]].concat();
        machine.lose(&PowerLoss::strict());
        assert_eq!(machine.tree(), [("b".to_string(), Some(expected))].into());

        let mut file = reuse(&machine, "b", "b");
        file.append(&new).unwrap();
        file.flush().unwrap();
        file.append(b"not flushed").unwrap();
        machine.lose(&PowerLoss::process_crash());
        assert!(machine.read("b") == [&new[..], &old[12_000..]].concat());
    }
}

#[test]
fn pages_of_a_reused_file_are_old_or_new() {
    let (old, new) = (vec![b'o'; 5 * 4096], vec![b'n'; 7 * 4096]);
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let machine = Machine::memory();
        machine.write_synced("a", &old);
        machine.sync_directory("");
        let mut file = reuse(&machine, "a", "a");
        file.append(&new[..4096]).unwrap();
        file.sync().unwrap();
        file.append(&new[4096..]).unwrap();
        file.flush().unwrap();
        machine.lose(&data(DataSurvival::Subset(seed)));
        let found = machine.read("a");
        let mut shape = String::new();
        for (index, page) in found.chunks(4096).enumerate() {
            let byte = page[0];
            assert!(page.iter().all(|&other| other == byte), "seed {seed}, page {index}");
            match index {
                0 => assert_eq!(byte, b'n', "it was synced"),
                1..5 => assert!(byte == b'o' || byte == b'n', "seed {seed}, page {index}"),
                _ => assert!(byte == 0 || byte == b'n', "seed {seed}, page {index}"),
            }
            shape.push(char::from(byte));
        }
        assert!(found.len() >= old.len());
        seen.insert(shape);
    }
    assert!(seen.contains("noooo"), "{seen:?}");
    assert!(seen.contains("nnnnnnn"), "{seen:?}");
    assert!(seen.len() > 10, "{seen:?}");
}

#[test]
fn a_reused_file_can_be_cut_reopened_and_deleted() {
    let old = vec![b'o'; 10_000];
    for survival in [DataSurvival::None, DataSurvival::All] {
        let machine = Machine::memory();
        machine.write_synced("a", &old);
        machine.sync_directory("");
        let mut file = reuse(&machine, "a", "a");
        file.append(b"new").unwrap();
        file.close().unwrap();
        machine.fs.truncate(&machine.path("a"), 5000).unwrap();
        machine.lose(&data(survival));
        let expected = match survival {
            DataSurvival::None => old.clone(),
            _ => [b"new", &old[3..5000]].concat(),
        };
        assert!(machine.read("a") == expected, "{survival:?}");

        let size = expected.len();
        reuse(&machine, "a", "a").append(b"NEW").unwrap();
        let mut file = machine.reopen("a");
        file.append(b"tail").unwrap();
        file.sync().unwrap();
        machine.lose(&PowerLoss::strict());
        assert!(machine.read("a") == [b"NEW", &expected[3..size], b"tail"].concat());

        let mut file = reuse(&machine, "a", "a");
        file.append(b"gone").unwrap();
        file.close().unwrap();
        let before = machine.read("a");
        machine.delete("a");
        machine.lose(&PowerLoss { data: survival, directories: DirectorySurvival::None });
        let start = if survival == DataSurvival::None { b"NEWo" } else { b"gone" };
        assert!(machine.read("a") == [start, &before[4..]].concat(), "{survival:?}");
    }
}

#[test]
fn a_file_synced_by_name_is_safe_as_far_as_it_was_flushed() {
    let machine = Machine::memory();
    let mut file = machine.create("f");
    file.append(b"flushed").unwrap();
    file.flush().unwrap();
    file.append(b" and not").unwrap();
    machine.fs.sync_file(&machine.path("f")).unwrap();
    machine.sync_directory("");
    machine.lose(&PowerLoss::strict());
    assert_eq!(machine.read("f"), b"flushed");
}

/// Appends numbered records, each synced, until an error; returns how many were acknowledged.
fn write_until_error(machine: &Machine, name: &str, started: &std::sync::Barrier) -> u64 {
    let mut file = machine.create(name);
    machine.sync_directory("");
    started.wait();
    let mut acknowledged = 0;
    loop {
        let result = file.append(&u64::to_le_bytes(acknowledged)).and_then(|()| file.sync());
        if result.is_err() {
            // What was open stays dead, also after the machine is back.
            while !machine.fs.plan().is_filesystem_active() {
                thread::yield_now();
            }
            assert!(file.append(b"late").is_err());
            assert!(file.close().is_err());
            return acknowledged;
        }
        acknowledged += 1;
    }
}

#[test]
fn a_crash_under_writers_loses_nothing_that_was_acknowledged() {
    for (seed, machine) in
        (0..6).map(|seed| (seed, Machine::memory())).chain([(6, Machine::posix())])
    {
        let started = std::sync::Barrier::new(5);
        let acknowledged: Vec<u64> = thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|index| {
                    let (machine, started) = (&machine, &started);
                    let name = format!("{index:06}.log");
                    scope.spawn(move || write_until_error(machine, &name, started))
                })
                .collect();
            started.wait();
            thread::sleep(std::time::Duration::from_millis(5));
            machine.fs.crash(&PowerLoss::subset(seed)).unwrap();
            assert!(machine.fs.get_children(&machine.root).is_err(), "frozen");
            machine.fs.recover();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        assert!(acknowledged.iter().sum::<u64>() > 0);
        for (index, &count) in acknowledged.iter().enumerate() {
            let content = machine.read(&format!("{index:06}.log"));
            assert!(content.len() as u64 >= count * 8, "seed {seed}, file {index}");
            assert!(content.len() as u64 <= (count + 1) * 8, "seed {seed}, file {index}");
            for (number, record) in content.chunks(8).take(count as usize).enumerate() {
                assert_eq!(record, u64::to_le_bytes(number as u64));
            }
        }
        assert!(machine.fs.pending_directory_operations().is_empty());
    }
}
