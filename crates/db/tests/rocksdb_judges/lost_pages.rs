//! WALs of which a power loss took pages: in each `wal_recovery_mode` this engine recovers what
//! RocksDB does, or refuses as it does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use db::{ColumnFamilyDescriptor, CompactRangeOptions, Db, OpenContext, WriteBatch, WriteOptions};
use options::{ColumnFamilyOptions, DbOptions};
use testing::judges::protocol::{Mode, Move, Opening};
use testing::judges::{self, Judge, Session};

const PAGE: usize = 4096;
const BATCHES: usize = 40;
pub(crate) const MODES: [&str; 4] = [
    "kTolerateCorruptedTailRecords",
    "kAbsoluteConsistency",
    "kPointInTimeRecovery",
    "kSkipAnyCorruptedRecords",
];

/// Keys, or none where the open is refused.
pub(crate) type Found = Option<Vec<String>>;

/// How pages are lost, and what is found in their place.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// This page is zeros.
    Page(usize),
    /// This page and all after it are zeros.
    From(usize),
    /// The file ends there.
    Cut(usize),
    /// This page is what it was when the file was another WAL.
    OldPage(usize),
    /// This page and all after it are.
    OldFrom(usize),
}

impl Loss {
    fn apply(self, bytes: &mut Vec<u8>, old: &[u8]) {
        let page_of = |page: usize, end: usize| page * PAGE..((page + 1) * PAGE).min(end);
        let end = bytes.len();
        match self {
            Loss::Page(page) => bytes[page_of(page, end)].fill(0),
            Loss::From(page) => bytes[page * PAGE..].fill(0),
            Loss::Cut(page) => bytes.truncate(page * PAGE),
            Loss::OldPage(page) => {
                bytes[page_of(page, end)].copy_from_slice(&old[page_of(page, end)]);
            }
            Loss::OldFrom(page) => bytes[page * PAGE..].copy_from_slice(&old[page * PAGE..end]),
        }
    }
}

/// Two WALs, as a process that was killed leaves them. Before, the files may have been others; what one of these had
/// is returned, with records of the same sizes and with keys that are deleted since.
fn write(directory: &Path, options: &str) -> Vec<u8> {
    let options = format!("create_if_missing=true;create_missing_column_families=true;{options}");
    let options = DbOptions::from_string(&options).unwrap();
    let families = ["default", "other"].map(descriptor);
    let db = Db::open(&options, directory, &families, &OpenContext::default()).unwrap();
    let [default, other] = ["default", "other"].map(|name| db.column_family(name).unwrap());
    let write = |number: usize| {
        let mut batch = WriteBatch::new();
        // What WAL compression cannot make small.
        let mut state = number as u32 + 1;
        let random = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let value: Vec<u8> = (0..3300 + number % BATCHES * 13).map(random).collect();
        batch.put(default.id(), format!("key{number:03}").as_bytes(), &value).unwrap();
        batch.put(other.id(), b"key", &value[..10]).unwrap();
        db.write(&WriteOptions::default(), batch).unwrap();
    };
    let flush = |family| db.flush(&db::FlushOptions::default(), &[family]).unwrap();
    let mut old = Vec::new();
    if options.recycle_log_file_num > 0 {
        for round in 0..3 {
            (round * BATCHES..(round + 1) * BATCHES).for_each(write);
            old = fs::read(wals(directory).last().unwrap()).unwrap();
            flush(&default);
            flush(&other);
        }
        for number in 0..3 * BATCHES {
            let key = format!("key{number:03}");
            db.delete(&WriteOptions::default(), &default, key.as_bytes()).unwrap();
        }
        flush(&default);
        flush(&other);
        // Nothing but a record of it would bring a key back.
        db.compact_range(&CompactRangeOptions::default(), &default, None, None).unwrap();
    }
    (200..200 + BATCHES / 2).for_each(write);
    // Its WAL is still needed, for the other family.
    flush(&other);
    (200 + BATCHES / 2..200 + BATCHES).for_each(write);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let copies = directory.with_extension("killed");
        fs::create_dir_all(&copies).unwrap();
        fs::copy(&path, copies.join(path.file_name().unwrap())).unwrap();
    }
    db.close().unwrap();
    old
}

pub(crate) fn descriptor(name: &str) -> ColumnFamilyDescriptor {
    ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default())
}

/// The WALs that hold something, from old to new.
fn wals(directory: &Path) -> Vec<std::path::PathBuf> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut wals: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .filter(|path| fs::metadata(path).unwrap().len() as usize > PAGE)
        .collect();
    wals.sort();
    wals
}

/// Copies `from`, where background work of an open database may remove and rename files: the copy
/// holds what the directory held at one moment, so it is begun anew when names changed meanwhile.
pub(crate) fn copy(from: &Path, to: &Path) {
    let names = || -> BTreeSet<_> {
        fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    loop {
        fs::create_dir_all(to).unwrap();
        let before = names();
        let copied: io::Result<Vec<u64>> =
            before.iter().map(|name| fs::copy(from.join(name), to.join(name))).collect();
        match copied {
            Ok(_) if names() == before => return,
            Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("{error}"),
            _ => fs::remove_dir_all(to).unwrap(),
        }
    }
}

pub(crate) fn ours(directory: &Path, options: &str) -> Result<Found, String> {
    let options = DbOptions::from_string(options).map_err(|error| error.to_string())?;
    let families = ["default", "other"].map(descriptor);
    let Ok(db) = Db::open(&options, directory, &families, &OpenContext::default()) else {
        return Ok(None);
    };
    let family = db.column_family("default").unwrap();
    let mut iterator = db.new_iterator(&db::ReadOptions::default(), &family).unwrap();
    let mut keys = Vec::new();
    iterator.seek_to_first();
    while iterator.valid() {
        keys.push(String::from_utf8_lossy(iterator.key()).into_owned());
        iterator.next();
    }
    Ok(Some(keys))
}

pub(crate) fn theirs(
    session: &mut Session,
    directory: &Path,
    options: &str,
) -> Result<Found, String> {
    let families =
        ["default", "other"].map(|name| judges::protocol::FamilyOpening::new(name.as_bytes(), ""));
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: options.to_owned(),
        families: families.to_vec(),
        ..Opening::default()
    };
    match session.open(&opening) {
        Err(judges::Failure::Refused(_)) => return Ok(None),
        other => other.map_err(|failure| failure.to_string())?,
    }
    let iterator = session.iterator(b"default", None).map_err(|why| why.to_string())?;
    let (mut keys, mut to) = (Vec::new(), Move::SeekToFirst);
    while let Some((key, _)) = session.go(iterator, to).map_err(|why| why.to_string())? {
        keys.push(String::from_utf8_lossy(&key).into_owned());
        to = Move::Next;
    }
    // Later it would take away files of the next directory here.
    session.close().map_err(|why| why.to_string())?;
    Ok(Some(keys))
}

/// Where damage is skipped in a compressed WAL, each record is decompressed by itself here, so that
/// the records behind the damage are found. RocksDB does not find them, or takes compressed bytes
/// for a batch where the record is lost that says that they are.
fn finds_more(options: &str, ours: &Found, theirs: &Found) -> bool {
    let is_excused = options.contains("kSkipAny") && options.contains("wal_compression");
    let Some(ours) = ours else { return false };
    is_excused && theirs.iter().flatten().all(|key| ours.contains(key))
}

/// Where old records stand behind damage that is skipped, RocksDB gives no answer, now and then; the file that was used
/// again may have some behind its end, whatever was lost. Where one is the first of a WAL, 7.8.3 takes that for empty,
/// and goes on with the next one.
fn is_not_asked(judge: &Judge, options: &str, loss: Loss) -> bool {
    let skips = options.contains("kSkipAny") && options.contains("recycle_log_file_num");
    let is_taken_for_empty =
        matches!(loss, Loss::OldPage(0)) && judge.to_string().contains("7.8.3");
    skips || is_taken_for_empty
}

fn shown(found: &Found) -> String {
    match found {
        None => "refused".to_owned(),
        Some(keys) => format!(
            "{} keys, {:?} to {:?}",
            keys.len(),
            keys.first().map(String::as_str).unwrap_or_default(),
            keys.last().map(String::as_str).unwrap_or_default()
        ),
    }
}

#[test]
fn lost_pages_of_wals_are_recovered_from_as_rocksdb_does() {
    let releases: Vec<Judge> =
        ["7.8.3", "11.8.1"].into_iter().filter_map(judges::library).collect();
    let mut sessions: Vec<Session> = releases.iter().map(Judge::session).collect();
    let mut differences = BTreeMap::new();
    for written_with in ["", "recycle_log_file_num=2", "wal_compression=kZSTD"] {
        // Hundreds of opens: in memory, where there is such a place.
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let place = tempfile::tempdir_in(parent).unwrap();
        let written = place.path().join("written");
        let old = write(&written, written_with);
        let killed = written.with_extension("killed");
        let wals = wals(&killed);
        assert!(wals.len() >= 2, "{wals:?}");
        for (age, wal) in wals.iter().rev().take(2).enumerate() {
            let bytes = fs::read(wal).unwrap();
            let last = (bytes.len() - 1) / PAGE;
            let middle = last / 2;
            let mut losses = vec![
                Loss::Page(0),
                Loss::Page(middle),
                Loss::Page(last),
                Loss::From(middle),
                Loss::Cut(middle),
            ];
            if !old.is_empty() {
                assert!(old.len() >= bytes.len(), "{} of {}", old.len(), bytes.len());
                losses.extend([Loss::OldPage(0), Loss::OldPage(middle), Loss::OldFrom(middle)]);
            }
            for loss in losses {
                let mut damaged = bytes.clone();
                loss.apply(&mut damaged, &old);
                for mode in MODES {
                    let options = format!("wal_recovery_mode={mode};{written_with}");
                    let trial = |name: &str| {
                        let directory = place.path().join("trial").join(name);
                        let _ = fs::remove_dir_all(&directory);
                        copy(&killed, &directory);
                        fs::write(directory.join(wal.file_name().unwrap()), &damaged).unwrap();
                        directory
                    };
                    let found = ours(&trial("ours"), &options).unwrap();
                    let is_old = |key: &String| key.as_str() < "key200";
                    assert!(!found.iter().flatten().any(is_old), "{options} {loss:?}: {found:?}");
                    for (judge, session) in releases.iter().zip(&mut sessions) {
                        if is_not_asked(judge, &options, loss) {
                            continue;
                        }
                        let by_judge = theirs(session, &trial("theirs"), &options).unwrap();
                        if by_judge != found && !finds_more(&options, &found, &by_judge) {
                            let age = ["newest", "older"][age];
                            differences.insert(
                                format!("{written_with} {mode} {loss:?} of the {age} WAL, {judge}"),
                                format!("{}, but here {}", shown(&by_judge), shown(&found)),
                            );
                        }
                    }
                }
            }
        }
    }
    let lines: Vec<_> = differences.iter().map(|(what, how)| format!("{what}: {how}")).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}
