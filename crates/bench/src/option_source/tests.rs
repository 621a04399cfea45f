use super::*;
use crate::flags::{Flag, Of};
use std::collections::{BTreeMap, BTreeSet};

fn flags(arguments: &[&str]) -> Flags {
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Flags::parse(&arguments).unwrap()
}

#[test]
fn options_come_from_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("OPTIONS");
    let text = "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n\
                [DBOptions]\n  max_background_jobs=7\n\
                [CFOptions \"default\"]\n  write_buffer_size=123456\n\
                [TableOptions/BlockBasedTable \"default\"]\n  block_size=9000\n";
    std::fs::write(&path, text).unwrap();
    let file = format!("--options_file={}", path.display());
    let given = flags(&[&file, "--write_buffer_size=5", "--compression_type=zstd", "--num=3"]);
    let (db, family) = database_options(&given, None).unwrap();
    assert_eq!(db.max_background_jobs, 7);
    assert!(db.create_if_missing);
    assert_eq!((family.write_buffer_size, family.table.block_size), (123_456, 9000));
    assert_eq!(overruled(&given), ["compression_type", "write_buffer_size"]);

    std::fs::write(&path, "[DBOptions]\n  no_such_option=1\n").unwrap();
    let error = database_options(&given, None).unwrap_err();
    assert!(error.message().contains("--options_file"), "{error}");
    let error = database_options(&flags(&["--options_file=/nowhere/OPTIONS"]), None).unwrap_err();
    assert!(error.message().contains("/nowhere/OPTIONS"), "{error}");
}

#[test]
fn without_a_file_they_come_from_flags() {
    let (db, family) =
        database_options(&flags(&["--max_background_jobs=3", "--use_keep_filter"]), None).unwrap();
    assert_eq!(db.max_background_jobs, 3);
    assert_eq!(family.compaction_filter.unwrap().name(), "KeepFilter");
    let (db, _) = database_options(&flags(&["--wal_io=mapped"]), None).unwrap();
    assert_eq!(db.wal_io, options::WalIo::Mapped);
}

/// Options by whose and their names, with those of tables among them; or why there are none.
fn outcome(arguments: &[&str]) -> std::result::Result<BTreeMap<(Of, String), String>, String> {
    let flags = flags(arguments);
    let (db, family) = database_options(&flags, None).map_err(|error| error.to_string())?;
    // Objects have no text.
    let objects = [
        ("blob_cache", format!("{:?}", family.blob_cache)),
        ("comparator", family.comparator.name().to_owned()),
        (
            "compaction_filter",
            family.compaction_filter.as_ref().map_or("", |f| f.name()).to_owned(),
        ),
    ];
    let own = |of, listing: Vec<(String, String)>| {
        listing.into_iter().map(move |(name, value)| ((of, name), value))
    };
    let all = own(Of::Db, db.listing())
        .chain(own(Of::Family, family.listing()))
        .chain(own(Of::Table, family.table.listing()));
    let objects = objects.map(|(name, text)| ((Of::Family, name.to_owned()), text));
    Ok(all.chain(objects).collect())
}

/// Values that are tried of a flag, besides those that are no other than its default.
const VALUES: [&str; 13] = [
    "true",
    "false",
    "0",
    "1",
    "2",
    "3",
    "8",
    "30",
    "zstd",
    "vector",
    "put",
    "mapped",
    "1,2,3,4,5,6,7",
];

/// What some flags need beside them.
const NEEDED: [(&str, &[&str]); 4] = [
    ("blob_cache_numshardbits", &["--use_blob_cache", "--nouse_shared_block_and_blob_cache"]),
    ("blob_cache_size", &["--use_blob_cache", "--nouse_shared_block_and_blob_cache"]),
    ("use_blob_cache", &["--nouse_shared_block_and_blob_cache"]),
    ("use_shared_block_and_blob_cache", &["--use_blob_cache"]),
];

/// Options that some value of the flag changes, or makes possible.
fn changed_by(flag: &Flag) -> BTreeSet<(Of, String)> {
    let needed = NEEDED.iter().find(|(name, _)| *name == flag.name).map_or(&[][..], |row| row.1);
    // Keys of eight bytes are what --use_uint64_comparator compares.
    let base = [needed, if flag.name == "key_size" { &[] } else { &["--key_size=8"] }].concat();
    let before = outcome(&base);
    let mut changed = BTreeSet::new();
    for value in VALUES {
        let argument = format!("--{}={value}", flag.name);
        if Flags::parse(std::slice::from_ref(&argument)).is_err() {
            continue;
        }
        // Refused values are no changes.
        let Ok(after) = outcome(&[&base[..], &[&argument]].concat()) else { continue };
        // blob_cache stands for all of it.
        let names = after.keys().filter(|name| !name.1.starts_with("blob_cache.")).filter(|name| {
            before.as_ref().ok().and_then(|before| before.get(name)) != after.get(name)
        });
        match &before {
            Ok(_) => changed.extend(names.cloned()),
            Err(_) => changed.extend(flag.support.option().map(|(of, name)| (of, name.to_owned()))),
        }
    }
    changed
}

#[test]
fn flags_set_the_options_that_their_rows_name_and_no_others() {
    // Beside the option of the row: those that are made of several flags.
    let also: [(&str, &[(Of, &str)]); 5] = [
        ("bloom_bits", &[(Of::Table, "filter_policy")]),
        ("cache_size", &[(Of::Table, "no_block_cache")]),
        ("partition_index_and_filters", &[(Of::Table, "index_type")]),
        ("prefix_size", &[(Of::Family, "prefix_extractor")]),
        ("use_keep_filter", &[(Of::Family, "compaction_filter")]),
    ];
    let mut wrong = Vec::new();
    for flag in crate::flags::all() {
        let others = also.iter().find(|(name, _)| *name == flag.name).map_or(&[][..], |row| row.1);
        let expected: BTreeSet<_> = flag
            .support
            .option()
            .into_iter()
            .chain(others.iter().copied())
            .map(|(of, name)| (of, name.to_owned()))
            .collect();
        let changed = changed_by(flag);
        if changed != expected {
            wrong.push(format!("--{}: {changed:?}, not {expected:?}", flag.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
