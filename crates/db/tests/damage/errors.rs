//! A table of errors: what is wrong, the code RocksDB gives, and words the sentence must have.

use crate::content::Content;
use crate::mem_database::{MemDatabase, Original};
use crate::tampering::{
    append_tag, bytes, change_file, replace_in_properties, set_block_footer_bits,
    set_compression_type,
};
use base::comparator::{ReverseBytewiseComparator, U64TimestampComparator};
use base::status::{Code, SubCode};
use base::{Result, Status};
use db::{ColumnFamilyDescriptor, Db, OpenContext, ReadOptions};
use env::FaultInjectionFileSystem;
use env::FileSystem;
use env::fault_injection_fs::{Effect, Fault, FaultError, Operations, When};
use options::{ColumnFamilyOptions, DbOptions, TableFactory, WalRecoveryMode};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use testing::parallel;
use version::UnknownField;

/// One thing that is wrong with a fixture, or with how it is opened.
struct Row {
    what: &'static str,
    /// Release and case.
    fixture: (&'static str, &'static str),
    change: fn(&mut MemDatabase),
    code: Code,
    /// Words that the message must have.
    words: &'static [&'static str],
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.what)
    }
}

/// Four tables in level 0: 9, 11, 13 and 15.
const PLAIN: (&str, &str) = ("11.8.1", "a01-l0-files");
/// Table 12 on level 6, table 14 in level 0; format_version 5.
const FORMAT_5: (&str, &str) = ("11.8.1", "c11-format-5");
/// The same of format_version 7.
const FORMAT_7: (&str, &str) = ("11.8.1", "c11-format-7");

const TABLES: &[Row] = &[
    Row {
        what: "bad magic number",
        fixture: PLAIN,
        change: |database| flip(database, "000015.sst", 1),
        code: Code::Corruption,
        words: &["/a01-l0-files/000015.sst", "offset", "magic"],
    },
    Row {
        what: "short file",
        fixture: PLAIN,
        change: |database| {
            database.write("000015.sst", b"0123456789");
            change_file(database, 15, |file| file.file.file_size = 10);
        },
        code: Code::Corruption,
        words: &["/a01-l0-files/000015.sst", "10 bytes"],
    },
    Row {
        what: "empty file",
        fixture: PLAIN,
        change: |database| {
            database.write("000015.sst", b"");
            change_file(database, 15, |file| file.file.file_size = 0);
        },
        code: Code::Corruption,
        words: &["/a01-l0-files/000015.sst"],
    },
    Row {
        what: "unsupported format_version",
        fixture: FORMAT_5,
        change: |database| {
            let mut file = bytes(database, "000014.sst");
            let at = file.len() - 8 - 4;
            file[at] = 99;
            database.write("000014.sst", &file);
        },
        code: Code::Corruption,
        words: &["000014.sst", "unsupported format_version", "99"],
    },
    Row {
        what: "unknown compression",
        fixture: FORMAT_5,
        change: |database| set_compression_type(database, "000014.sst", 0x3f),
        code: Code::NotSupported,
        words: &["000014.sst", "offset", "compression type 0x3F"],
    },
    Row {
        what: "compression of a custom manager",
        fixture: FORMAT_7,
        change: |database| set_compression_type(database, "000014.sst", 0x81),
        code: Code::NotSupported,
        words: &["000014.sst", "CompressionManager"],
    },
    Row {
        what: "custom compression manager in the properties",
        fixture: FORMAT_7,
        change: |database| {
            replace_in_properties(database, "000014.sst", b"BuiltinV2", b"AcmePacks");
        },
        code: Code::NotSupported,
        words: &["000014.sst", "compression manager AcmePacks"],
    },
    Row {
        what: "reserved bit 30 of a block",
        fixture: FORMAT_7,
        change: |database| set_block_footer_bits(database, "000014.sst", 1 << 30),
        code: Code::NotSupported,
        words: &["000014.sst", "offset", "bit 30"],
    },
    Row {
        what: "table made with another comparator",
        fixture: FORMAT_5,
        change: |database| {
            let (old, new) = (b"leveldb.BytewiseComparator", b"leveldb.CustomerComparator");
            replace_in_properties(database, "000014.sst", old, new);
        },
        code: Code::InvalidArgument,
        words: &["000014.sst", "leveldb.CustomerComparator", "leveldb.BytewiseComparator"],
    },
    Row {
        what: "plain table",
        fixture: ("11.8.1", "q02-plain-table"),
        change: |database| database.options.families[0].options = ColumnFamilyOptions::default(),
        code: Code::NotSupported,
        words: &["/q02-plain-table/", ".sst", "plain table"],
    },
    Row {
        what: "option for plain tables",
        fixture: ("11.8.1", "q02-plain-table"),
        change: |database| {
            database.options.families[0].options.table_factory = TableFactory::Plain;
        },
        code: Code::NotSupported,
        words: &["PlainTable", "default"],
    },
    Row {
        what: "cuckoo table",
        fixture: ("11.8.1", "q03-cuckoo"),
        change: |database| database.options.families[0].options = ColumnFamilyOptions::default(),
        code: Code::NotSupported,
        words: &["/q03-cuckoo/", ".sst", "cuckoo table"],
    },
    Row {
        what: "missing table",
        fixture: PLAIN,
        change: |database| database.delete("000013.sst"),
        code: Code::Corruption,
        words: &["Can't access", "/a01-l0-files/000013.sst"],
    },
    Row {
        what: "table of another size",
        fixture: PLAIN,
        change: |database| change_file(database, 13, |file| file.file.file_size += 1),
        code: Code::Corruption,
        words: &["size mismatch", "000013.sst", "2675", "2674"],
    },
    Row {
        what: "table of another unique id",
        fixture: PLAIN,
        change: |database| change_file(database, 13, |file| file.file.unique_id = Some([7; 16])),
        code: Code::Corruption,
        words: &["000013.sst", "unique ID"],
    },
    Row {
        what: "missing blob file",
        fixture: ("11.8.1", "g01-blob"),
        change: |database| {
            let name = database.original.smallest(|name| name.ends_with(".blob"));
            database.delete(&name);
        },
        code: Code::IoError,
        words: &["/g01-blob/", ".blob", "No such file"],
    },
];

const MANIFESTS: &[Row] = &[
    Row {
        what: "unknown tag",
        fixture: PLAIN,
        change: |database| append_tag(database, 500),
        code: Code::Corruption,
        words: &["/a01-l0-files/MANIFEST-", "offset", "tag 500"],
    },
    Row {
        what: "field of a file that may not be ignored",
        fixture: PLAIN,
        change: |database| {
            change_file(database, 13, |file| {
                file.file.unknown_fields.push(UnknownField { tag: 0x4a, value: b"x".to_vec() });
            });
        },
        code: Code::Corruption,
        words: &["/a01-l0-files/MANIFEST-", "offset", "74"],
    },
    Row {
        what: "level beyond num_levels",
        fixture: PLAIN,
        change: |database| change_file(database, 13, |file| file.level = 7),
        code: Code::InvalidArgument,
        words: &["/a01-l0-files/MANIFEST-", "default", "num_levels"],
    },
    Row {
        what: "files of level 1 that overlap",
        fixture: PLAIN,
        change: |database| {
            change_file(database, 9, |file| file.level = 1);
            change_file(database, 11, |file| file.level = 1);
        },
        code: Code::Corruption,
        words: &["/a01-l0-files/MANIFEST-", "default", "L1", "overlap"],
    },
    Row {
        what: "the same file on two levels",
        fixture: PLAIN,
        change: |database| {
            let (_, mut twice) = crate::tampering::file(database, 9);
            twice.level = 1;
            let edit = version::VersionEdit { new_files: vec![twice], ..Default::default() };
            crate::tampering::append_record(database, &edit.encode());
        },
        code: Code::Corruption,
        words: &["/a01-l0-files/MANIFEST-", "9"],
    },
    Row {
        what: "removal of a file that is not there",
        fixture: PLAIN,
        change: |database| {
            let deleted_files = [(3, 9)].into();
            let edit = version::VersionEdit { deleted_files, ..Default::default() };
            crate::tampering::append_record(database, &edit.encode());
        },
        code: Code::Corruption,
        words: &["/a01-l0-files/MANIFEST-", "9"],
    },
    Row {
        what: "empty MANIFEST",
        fixture: PLAIN,
        change: |database| database.write(&database.original.manifest(), b""),
        code: Code::Corruption,
        words: &["/a01-l0-files/MANIFEST-"],
    },
];

const DIRECTORIES: &[Row] = &[
    Row {
        what: "CURRENT names a MANIFEST that is not there",
        fixture: PLAIN,
        change: |database| database.write("CURRENT", b"MANIFEST-000099\n"),
        code: Code::IoError,
        words: &["/a01-l0-files/MANIFEST-000099", "No such file"],
    },
    Row {
        what: "CURRENT without a newline",
        fixture: PLAIN,
        change: |database| database.write("CURRENT", b"MANIFEST-000005"),
        code: Code::Corruption,
        words: &["/a01-l0-files/CURRENT", "newline"],
    },
    Row {
        what: "CURRENT with something else in it",
        fixture: PLAIN,
        change: |database| database.write("CURRENT", b"../../../etc/passwd\n"),
        code: Code::Corruption,
        words: &["/a01-l0-files/CURRENT", "MANIFEST"],
    },
    Row {
        what: "empty CURRENT",
        fixture: PLAIN,
        change: |database| database.write("CURRENT", b""),
        code: Code::Corruption,
        words: &["/a01-l0-files/CURRENT"],
    },
    Row {
        what: "endless CURRENT",
        fixture: PLAIN,
        change: |database| database.write("CURRENT", &vec![b'M'; 1 << 20]),
        code: Code::Corruption,
        words: &["/a01-l0-files/CURRENT"],
    },
    Row {
        what: "CURRENT is a directory",
        fixture: PLAIN,
        change: |database| {
            database.delete("CURRENT");
            database.fs.create_dir(&database.path("CURRENT")).unwrap();
        },
        code: Code::IoError,
        words: &["/a01-l0-files/CURRENT", "directory"],
    },
    Row {
        what: "no CURRENT",
        fixture: PLAIN,
        change: |database| database.delete("CURRENT"),
        code: Code::IoError,
        words: &["/a01-l0-files/CURRENT", "No such file"],
    },
    Row {
        what: "empty directory",
        fixture: PLAIN,
        change: |database| {
            database.options.path = "/empty".into();
            database.fs.create_dir(Path::new("/empty")).unwrap();
        },
        code: Code::IoError,
        words: &["/empty/CURRENT", "No such file"],
    },
    Row {
        what: "missing directory",
        fixture: PLAIN,
        change: |database| database.options.path = "/nowhere".into(),
        code: Code::IoError,
        words: &["/nowhere/CURRENT", "No such file"],
    },
    Row {
        what: "a file instead of the directory",
        fixture: PLAIN,
        change: |database| database.options.path = database.path("CURRENT"),
        code: Code::IoError,
        words: &["/a01-l0-files/CURRENT", "Not a directory"],
    },
    Row {
        what: "no permission",
        fixture: PLAIN,
        change: |database| refuse(database, "000013.sst"),
        code: Code::IoError,
        words: &["/a01-l0-files/000013.sst", "ermission denied"],
    },
    Row {
        what: "no permission to read the MANIFEST",
        fixture: PLAIN,
        change: |database| refuse(database, "MANIFEST-"),
        code: Code::IoError,
        words: &["/a01-l0-files/MANIFEST-", "ermission denied"],
    },
];

const OPTIONS: &[Row] = &[
    Row {
        what: "another comparator",
        fixture: PLAIN,
        change: |database| {
            database.options.families[0].options.comparator = Arc::new(ReverseBytewiseComparator);
        },
        code: Code::InvalidArgument,
        words: &[
            "/a01-l0-files/MANIFEST-",
            "default",
            "rocksdb.ReverseBytewiseComparator",
            "leveldb.BytewiseComparator",
        ],
    },
    Row {
        what: "timestamps that were not there",
        fixture: PLAIN,
        change: |database| {
            let options = &mut database.options.families[0].options;
            options.comparator = Arc::new(U64TimestampComparator::BYTEWISE);
        },
        code: Code::InvalidArgument,
        words: &["/a01-l0-files/MANIFEST-", "default", "timestamp"],
    },
    Row {
        what: "operands and no merge operator",
        fixture: ("11.8.1", "e02-merge-custom"),
        change: |database| database.options.families[0].options.merge_operator = None,
        code: Code::InvalidArgument,
        words: &["key ", "merge operand", "merge_operator"],
    },
    Row {
        what: "family that is not there",
        fixture: PLAIN,
        change: |database| {
            let options = ColumnFamilyOptions::default();
            database.options.families.push(ColumnFamilyDescriptor::new("other", options));
        },
        code: Code::InvalidArgument,
        words: &["olumn family not found", "other", "/a01-l0-files"],
    },
    Row {
        what: "prepared transactions without allow_2pc",
        fixture: ("10.10.1", "k01-prepared"),
        change: |database| database.options.db.allow_2pc = false,
        code: Code::NotSupported,
        words: &["/k01-prepared/", ".log", "offset", "prepared", "allow_2pc"],
    },
    Row {
        what: "transactions of another policy",
        fixture: ("11.8.1", "k04-write-unprepared"),
        change: |database| {
            database.options.context =
                OpenContext { file_system: database.fs.clone(), ..OpenContext::default() }
        },
        code: Code::NotSupported,
        words: &["/k04-write-unprepared/", ".log", "policy"],
    },
    Row {
        what: "WAL with data where none may be",
        fixture: ("11.8.1", "d01-families"),
        change: |database| database.options.context.error_if_wal_file_exists = true,
        code: Code::Corruption,
        words: &["/d01-families", "error_if_wal_file_exists"],
    },
    Row {
        what: "torn WAL where none may be",
        fixture: ("11.8.1", "o06-torn-old-wal"),
        change: |database| {
            database.options.db.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
        },
        code: Code::Corruption,
        words: &["/o06-torn-old-wal/", ".log", "offset"],
    },
];

/// Turns round the last bits of the byte that far before the end of a file.
fn flip(database: &MemDatabase, name: &str, from_end: usize) {
    let mut file = bytes(database, name);
    let at = file.len() - from_end;
    file[at] ^= 0xff;
    database.write(name, &file);
}

/// Opening files on a path that contains `part` is forbidden.
fn refuse(database: &mut MemDatabase, part: &str) {
    let fs = Arc::new(FaultInjectionFileSystem::new(database.fs.clone()));
    let error = io::Error::from(io::ErrorKind::PermissionDenied);
    let status = Status::from_io(&error, "open for reading", &database.path(part));
    fs.plan().add(Fault {
        operations: Operations::of(&[env::fault_injection_fs::OperationKind::OpenForReading])
            .on(part),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::Status(status)),
    });
    database.options.context.file_system = fs;
}

fn open_and_read(database: &MemDatabase) -> Result<Content> {
    Content::read(&database.open()?, &database.original.fixture)
}

fn check(row: &Row) -> std::result::Result<(), String> {
    let mut database = Original::of(row.fixture.0, row.fixture.1).in_memory();
    (row.change)(&mut database);
    let error = match open_and_read(&database) {
        Err(error) => error,
        Ok(content) => return Err(format!("reads {} pairs", content.pair_count())),
    };
    let missing: Vec<_> =
        row.words.iter().filter(|&&word| !error.message().contains(word)).collect();
    match error.code() == row.code && missing.is_empty() {
        true => Ok(()),
        false => Err(format!("expected {:?} and {missing:?}, found {error}", row.code)),
    }
}

#[test]
fn what_is_wrong_with_a_database_is_said() {
    let rows: Vec<_> = [TABLES, MANIFESTS, DIRECTORIES, OPTIONS].into_iter().flatten().collect();
    parallel::for_each(&rows, |row| check(row));
}

#[test]
fn what_is_missing_has_its_subcode() {
    let database = Original::of(PLAIN.0, PLAIN.1).in_memory();
    database.delete("CURRENT");
    let error = database.open().unwrap_err();
    assert_eq!(error.subcode(), SubCode::PathNotFound, "{error}");
}

#[test]
fn a_family_that_was_not_opened_has_no_handle() {
    let mut database = Original::of("11.8.1", "d01-families").in_memory();
    database.options.families.retain(|family| family.name == "default");
    let db = database.open().unwrap();
    assert!(db.column_family("lz4").is_none());
    assert!(db.recovered().families_not_opened.contains(&"lz4".to_owned()));
}

#[test]
fn reads_with_the_wrong_timestamp_are_refused() {
    let timed = Original::of("11.8.1", "q01-timestamps").in_memory().open().unwrap();
    let untimed = Original::of(PLAIN.0, PLAIN.1).in_memory().open().unwrap();
    for (db, timestamp) in
        [(&timed, None), (&timed, Some(vec![0; 4])), (&untimed, Some(vec![0; 8]))]
    {
        let family = db.column_family("default").unwrap();
        let options = ReadOptions { timestamp, ..ReadOptions::default() };
        let get = db.get(&options, &family, b"key").unwrap_err();
        let iterator = db.new_iterator(&options, &family).err().unwrap();
        for error in [get, iterator] {
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
            for word in ["default", "timestamp", "bytes"] {
                assert!(error.message().contains(word), "{error}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn files_without_permission_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let original = Original::of(PLAIN.0, PLAIN.1);
    let unpacked = original.fixture.unpack_to_temp();
    let current = unpacked.path().join("CURRENT");
    fs::set_permissions(&current, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&current).is_ok() {
        eprintln!("skipped: this user may read files without permission");
        return;
    }
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let context = OpenContext::default();
    let path = unpacked.path();
    let error = Db::open_for_read_only(&DbOptions::default(), &path, &families, &context);
    let error = error.unwrap_err();
    assert_eq!(error.code(), Code::IoError, "{error}");
    assert!(error.message().contains("CURRENT: Permission denied"), "{error}");
}
