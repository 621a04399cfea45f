//! What this engine carries without acting on all of it: nothing of it may be lost because a
//! directory was opened for writing.

use crate::copies::Copied;
use base::filename::{FileType, parse_file_name};
use base::status::Code;
use base::{InternalKey, crc32c};
use db::{BottommostLevelCompaction, CompactRangeOptions, Db, FlushOptions, WriteOptions};
use options::{ConfigOptions, ObjectName};
use std::collections::BTreeMap;
use std::sync::Arc;
use testing::{fixtures, peer};
use version::{BlobFileMetaData, FileMetaData};

/// Everything that the MANIFEST says of files, by number, and of column families, by name.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    db_id: Option<Vec<u8>>,
    tables: BTreeMap<u64, (usize, Arc<FileMetaData>)>,
    blob_files: BTreeMap<u64, Arc<BlobFileMetaData>>,
    families: BTreeMap<String, FamilyFacts>,
}

#[derive(Debug, PartialEq, Eq)]
struct FamilyFacts {
    id: u32,
    comparator: String,
    compact_cursors: Vec<(u32, InternalKey)>,
    full_history_ts_low: Option<Vec<u8>>,
}

impl Facts {
    /// What is known of all files and column families.
    pub(crate) fn of(db: &Db) -> Self {
        let mut facts = Self { db_id: db.recovered().db_id.clone(), ..Self::default() };
        for family in db.column_families() {
            let version = family.version();
            let tables = version.files().map(|(level, file)| (file.number, (level, file.clone())));
            facts.tables.extend(tables);
            let blob_files = version.blob_files().iter().map(|file| (file.number(), file.clone()));
            facts.blob_files.extend(blob_files);
            let cursors = version.compact_cursors().iter();
            let of_family = FamilyFacts {
                id: family.id(),
                comparator: family.comparator().user_comparator().name().to_owned(),
                compact_cursors: cursors.map(|(level, key)| (*level, key.clone())).collect(),
                full_history_ts_low: db.full_history_ts_low(&family).ok().flatten(),
            };
            facts.families.insert(family.name().to_string(), of_family);
        }
        facts
    }

    /// Custom tags that no release knows.
    pub(crate) fn unknown_fields(&self) -> Vec<(u32, Vec<u8>)> {
        let fields = self.files().flat_map(|file| &file.unknown_fields);
        fields.map(|field| (field.tag, field.value.clone())).collect()
    }

    /// What is known of tables alone.
    fn files(&self) -> impl Iterator<Item = &Arc<FileMetaData>> {
        self.tables.values().map(|(_, file)| file)
    }
}

/// Of what is still there the MANIFEST says what it said: temperatures, checksums, unique ids,
/// epochs, times, bounds, garbage, tags of later releases.
pub(crate) fn check_files(copied: &Copied, before: &Facts) -> Result<(), String> {
    let db = copied.options.open().map_err(|error| error.to_string())?;
    let now = Facts::of(&db);
    // What compactions of its own move or end is another matter.
    let stays = copied.options.families.iter().all(|f| f.options.disable_auto_compactions);
    for (number, (level, file)) in &now.tables {
        let Some((old_level, old)) = before.tables.get(number) else { continue };
        if old != file || (stays && old_level != level) {
            return Err(format!("{number:06}.sst: L{level} {file:?}, before L{old_level} {old:?}"));
        }
    }
    for (number, file) in &now.blob_files {
        if before.blob_files.get(number).is_some_and(|before| before != file) {
            let before = &before.blob_files[number];
            return Err(format!("of {number:06}.blob now {file:?}, before {before:?}"));
        }
    }
    for (name, old) in &before.families {
        let now = now.families.get(name);
        let forgets = now.is_some_and(|now| now.full_history_ts_low > old.full_history_ts_low);
        if stays && now != Some(old) && !forgets {
            return Err(format!("family {name} is {now:?}, before {old:?}"));
        }
    }
    if before.db_id.is_some() && before.db_id != now.db_id {
        return Err(format!("id {:?}, before {:?}", now.db_id, before.db_id));
    }
    match before.tables.keys().filter(|number| !now.tables.contains_key(number)).count() {
        gone if gone > 0 && stays => Err(format!("{gone} tables are gone")),
        _ => Ok(()),
    }
}

fn put_and_flush(db: &Db, key: &str) {
    let family = db.column_family("default").unwrap();
    db.put(&WriteOptions::default(), &family, key.as_bytes(), b"value").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
}

fn wal_numbers(copied: &Copied) -> Vec<u64> {
    let names = copied.options.context.file_system.get_children(&copied.options.path).unwrap();
    let numbers = names.iter().filter_map(|name| parse_file_name(name));
    let mut wals: Vec<u64> =
        numbers.filter(|(_, kind)| *kind == FileType::Wal).map(|(number, _)| number).collect();
    wals.sort_unstable();
    wals
}

#[test]
fn a_wal_with_a_prepared_transaction_is_kept_through_flushes_and_reopens() {
    for fixture in fixtures::of_case("k02") {
        let copied = Copied::of(&fixture).unwrap();
        let expected = fixture.case.expect.prepared.clone().unwrap();
        assert!(!expected.is_empty(), "{fixture}");
        let prepared_in = {
            let db = copied.options.open().unwrap();
            let numbers = db.prepared_transactions().values().map(|one| one.wal_number);
            numbers.min().unwrap()
        };
        for round in 0..3 {
            let db = copied.open_for_writing().unwrap();
            put_and_flush(&db, &format!("key {round}"));
            put_and_flush(&db, &format!("other key {round}"));
            assert_eq!(wal_numbers(&copied).first(), Some(&prepared_in), "{fixture}");
            let names: Vec<_> = db.prepared_transactions().keys().cloned().collect();
            let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
            assert_eq!(names, expected, "{fixture}");
            db.close().unwrap();
            assert_eq!(wal_numbers(&copied).first(), Some(&prepared_in), "{fixture}");
        }
        // Without two-phase commit the transactions could only be lost, so the open is refused.
        let mut plain = Copied::of(&fixture).unwrap();
        plain.options.db.allow_2pc = false;
        let error = plain.open_for_writing().unwrap_err();
        assert!(error.message().contains("prepared transactions"), "{fixture}: {error}");
        plain.check_unchanged().unwrap();
    }
}

#[test]
fn checksums_of_files_are_kept_and_go_on() {
    for fixture in fixtures::of_case("q09") {
        let mut copied = Copied::of(&fixture).unwrap();
        let set = copied.options.db.apply(
            "file_checksum_gen_factory",
            "FileChecksumGenCrc32cFactory",
            &ConfigOptions::default(),
        );
        set.unwrap();
        let before = Facts::of(&copied.options.open().unwrap());
        assert!(before.files().all(|file| file.file_checksum.is_some()), "{fixture}");
        let db = copied.open_for_writing().unwrap();
        put_and_flush(&db, "new");
        db.close().unwrap();
        check_files(&copied, &before).unwrap();
        let after = Facts::of(&copied.options.open().unwrap());
        let function = b"FileChecksumCrc32c".to_vec();
        let is_new = |file: &&Arc<FileMetaData>| !before.tables.contains_key(&file.number);
        let mut new = after.files().filter(is_new).peekable();
        assert!(new.peek().is_some(), "{fixture}");
        for file in new {
            let checksum = file.checksum().unwrap();
            assert_eq!(checksum.function_name, function, "{fixture}");
            assert_eq!(checksum.value.len(), 4, "{fixture}");
        }
        // Later ones write tables of a format that 7.8.3 does not read.
        if ["6.29.5", "7.9.2"].contains(&fixture.release.as_str()) {
            check_by_ldb(&copied, &after);
        }
    }
}

/// `ldb file_checksum_dump` lists the same checksums, and they are those of the files.
fn check_by_ldb(copied: &Copied, facts: &Facts) {
    let Some(ldb) = peer::find("ldb") else { return };
    copied.write_to_disk().unwrap();
    let path = &copied.options.path;
    let db = format!("--db={}", path.display());
    let output = ldb.run(&["file_checksum_dump", "--hex", "--ignore_unknown_options", &db]);
    let text = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    for file in facts.files() {
        let bytes = std::fs::read(path.join(format!("{:06}.sst", file.number))).unwrap();
        let expected = crc32c::value(&bytes).to_be_bytes();
        let checksum = file.checksum().unwrap();
        assert_eq!(checksum.value, expected, "{:06}.sst", file.number);
        let hex: String = expected.iter().map(|byte| format!("{byte:02X}")).collect();
        let listed = text.lines().any(|line| {
            line.starts_with(&format!("{},", file.number))
                && line.contains("FileChecksumCrc32c")
                && line.to_uppercase().contains(&hex)
        });
        assert!(listed, "{:06}.sst {hex}: {text}", file.number);
    }
}

#[test]
fn without_a_generator_new_tables_have_no_checksum_and_old_ones_keep_theirs() {
    for fixture in fixtures::of_case("q09") {
        let mut copied = Copied::of(&fixture).unwrap();
        copied.options.db.file_checksum_gen_factory = ObjectName::null();
        let before = Facts::of(&copied.options.open().unwrap());
        let db = copied.open_for_writing().unwrap();
        put_and_flush(&db, "new");
        db.close().unwrap();
        check_files(&copied, &before).unwrap();
        let after = Facts::of(&copied.options.open().unwrap());
        let has_none = after.files().filter(|file| file.checksum().is_none());
        assert!(has_none.count() >= 1, "{fixture}");
    }
}

#[test]
fn a_table_keeps_its_temperature() {
    for fixture in fixtures::of_case("q10") {
        let copied = Copied::of(&fixture).unwrap();
        let before = Facts::of(&copied.options.open().unwrap());
        assert!(before.files().any(|file| file.temperature.0 != 0), "{fixture}");
        let db = copied.open_for_writing().unwrap();
        put_and_flush(&db, "new");
        db.close().unwrap();
        check_files(&copied, &before).unwrap();
    }
}

/// The open is refused, and goes on where the index may be dropped.
#[test]
fn a_user_defined_index_is_dropped_only_on_request() {
    for fixture in fixtures::of_case("q18") {
        let mut copied = Copied::of(&fixture).unwrap();
        for max_open_files in [-1, 100] {
            copied.options.db.max_open_files = max_open_files;
            let error = copied.open_for_writing().err().unwrap();
            assert_eq!(error.code(), Code::NotSupported, "{fixture}: {error}");
            for word in ["user-defined index", "trie_index", ".sst"] {
                assert!(error.message().contains(word), "{fixture}: {error}");
            }
            copied.check_unchanged().unwrap();
        }
        // Where tables are not opened at once, it is the compaction that is refused.
        copied.options.db.open_files_async = true;
        copied.options.db.skip_stats_update_on_db_open = true;
        let db = copied.open_for_writing().unwrap();
        let family = db.column_family("default").unwrap();
        let all = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        let error = db.compact_range(&all, &family, None, None).unwrap_err();
        assert_eq!(error.code(), Code::NotSupported, "{fixture}: {error}");
        drop((family, db));

        copied.options.context.drops_user_defined_indexes = true;
        let db = copied.open_for_writing().unwrap();
        let family = db.column_family("default").unwrap();
        db.compact_range(&all, &family, None, None).unwrap();
        drop(family);
        db.close().unwrap();
        copied.options.context.drops_user_defined_indexes = false;
        copied.options.db.open_files_async = false;
        // No table has it any more.
        copied.open_for_writing().unwrap().close().unwrap();
    }
}
