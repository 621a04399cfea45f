//! The command lines that are compared, for each directory.

use std::fmt;
use std::path::Path;
use testing::fixtures::{Fixture, version_numbers};
use testing::hexes::hex;

/// A command line.
#[derive(Debug)]
pub(crate) struct CommandLine {
    /// The arguments with all paths in full.
    pub(crate) arguments: Vec<String>,
    /// The command.
    pub(crate) command: String,
    /// What it has on standard input.
    pub(crate) input: Vec<u8>,
    shown: String,
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl CommandLine {
    /// Takes the words of `text`, `@` standing for the database's directory and `''` for no bytes.
    /// What follows ` <<< ` is the input, `|` standing for the ends of its lines.
    pub(crate) fn new(text: &str, db_path: &Path) -> Self {
        let path = db_path.to_string_lossy();
        let (words, input) = text.split_once(" <<< ").unwrap_or((text, ""));
        let word = |word: &str| if word == "''" { String::new() } else { word.replace('@', &path) };
        let arguments: Vec<_> = words.split_whitespace().map(word).collect();
        let command = arguments.iter().find(|word| !word.starts_with("--"));
        Self {
            command: command.cloned().unwrap_or_default(),
            arguments,
            input: input.replace('|', "\n").into_bytes(),
            shown: text.to_owned(),
        }
    }

    /// Whether the command is one of these.
    pub(crate) fn is_one_of(&self, commands: &[&str]) -> bool {
        commands.contains(&self.command.as_str())
    }

    /// Whether it asks for one of these properties.
    pub(crate) fn has_property_of(&self, names: &[&str]) -> bool {
        let asked = self.arguments.iter().filter_map(|word| word.strip_prefix("rocksdb."));
        self.command == "get_property" && asked.into_iter().any(|name| names.contains(&name))
    }

    /// Whether it has this option or flag.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = format!("--{name}");
        self.arguments.iter().any(|word| {
            word.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    }
}

/// What every directory gets that needs no open database.
const FILES: &[&str] = &[
    "list_column_families --db=@",
    "manifest_dump --db=@",
    "manifest_dump --db=@/ --hex --verbose",
];

/// What every directory gets that 7.8.3 may be able to open.
const DATABASE: &[&str] = &["scan --db=@ --hex", "idump --db=@ --hex"];

/// Of these every directory gets as many as [`VARIED_COUNT`], another choice each. `FIRST` and
/// `LAST` are keys near the start and the end of the default family, `FAMILY` is the name of a
/// family, each in the form that the flags beside it ask for.
const VARIED: &[&str] = &[
    "scan --db=@ --from=FIRST --to=LAST",
    "scan --db=@ --hex --from=FIRST --max_keys=7",
    "scan --db=@ --no_value --key_hex --max_keys=0",
    "scan --db=@ --no_value --column_family=FAMILY",
    "scan --db=@ --value_hex --try_load_options=false",
    "scan --db=@ --ttl --timestamp --hex",
    "scan --db=@ --ttl --start_time=1500000000 --end_time=1400000000",
    "scan --db=@ --fix_prefix_len=3 --block_size=100 --disable_consistency_checks",
    "dump --db=@/",
    "dump --db=@ --hex --from=FIRST --to=LAST",
    "dump --db=@ --max_keys=5 --key_hex --column_family=FAMILY",
    "dump --db=@ --count_only",
    "dump --db=@ --count_delim=0",
    "dump --db=@ --count_delim --count_only --value_hex",
    "dump --db=@ --ttl --timestamp --max_keys=3 --hex",
    "dump --db=@ --ttl --count_only --bucket=86400000",
    "idump --db=@",
    "idump --db=@ --from=FIRST --to=LAST --max_keys=9",
    "idump --db=@ --input_key_hex --from=0xFIRST --key_hex --max_keys=0",
    "idump --db=@ --count_only --column_family=FAMILY",
    "idump --db=@ --stats --count_only",
    "dump --db=@ --stats --max_keys=0 --column_family=FAMILY",
    "idump --db=@ --count_delim=0 --value_hex",
    "idump --db=@ --hex --decode_blob_index --try_load_options=false",
    "checkconsistency --db=@",
    "checkconsistency --db=@ --try_load_options=false",
    "list_live_files_metadata --db=@",
    "list_live_files_metadata --db=@// --sort_by_filename",
    "list_file_range_deletes --db=@",
    "list_file_range_deletes --db=@/ --max_keys=2 --column_family=FAMILY",
    "list_file_range_deletes --db=@ --max_keys=0",
    "dump_live_files --db=@ --decode_blob_index",
    "dump_live_files --db=@/ --dump_uncompressed_blobs",
    "approxsize --db=@ --from=FIRST --to=LAST",
    "approxsize --db=@ --hex --from=0xFIRST --to=0xFF",
    "approxsize --db=@ --from=0 --to=zz --column_family=FAMILY",
    "file_checksum_dump --db=@ --hex",
    "file_checksum_dump --db=@",
    "scan --db=@ --column_family=nowhere",
    "get --db=@ nowhere",
];

/// Properties, of which every directory is asked for [`PROPERTY_COUNT`], another choice each. Left
/// out are sizes of memory and of caches, which are not RocksDB's.
const PROPERTIES: &[&str] = &[
    "stats",
    "cfstats",
    "dbstats",
    "cfstats-no-file-histogram",
    "cf-file-histogram",
    "levelstats",
    "sstables",
    "num-files-at-level0",
    "num-files-at-level1",
    "compression-ratio-at-level1",
    "aggregated-table-properties",
    "aggregated-table-properties-at-level1",
    "estimate-num-keys",
    "estimate-live-data-size",
    "estimate-oldest-key-time",
    "estimate-pending-compaction-bytes",
    "total-sst-files-size",
    "live-sst-files-size",
    "live-sst-files-size-at-temperature0",
    "num-entries-active-mem-table",
    "num-deletes-active-mem-table",
    "num-immutable-mem-table",
    "base-level",
    "compaction-pending",
    "num-blob-files",
    "blob-stats",
    "live-blob-file-size",
    "live-blob-file-garbage-size",
    "is-write-stopped",
    "actual-delayed-write-rate",
    "min-log-number-to-keep",
    "num-live-versions",
    "num-snapshots",
    "block-cache-capacity",
    "options-statistics",
    "nothing",
];

/// What the directories of a case always get: where the programs differ does not depend on which
/// command lines a directory is given.
const OF_CASES: &[(&str, &str)] = &[
    ("a02", "get_property --db=@ rocksdb.num-deletes-active-mem-table"),
    ("a02", "get_property --db=@ rocksdb.estimate-num-keys"),
    ("d02", "get_property --db=@ rocksdb.sstables"),
    ("l01", "idump --db=@ --from=key0"),
    ("l04", "idump --db=@ --from=key0"),
    ("q08", "get_property --db=@ rocksdb.sstables"),
    ("z01", "scan --db=@ --try_load_options=false"),
    ("z02", "idump --db=@ --try_load_options=false"),
];

/// How many of [`PROPERTIES`] each directory is asked for.
const PROPERTY_COUNT: usize = 5;

/// How many of [`VARIED`] each directory gets.
const VARIED_COUNT: usize = 6;

/// The highest format version of tables that 7.8.3 reads.
const FORMAT_VERSION_MAX: u32 = 5;

/// The command lines for a directory, the `index`th.
pub(crate) fn of(index: usize, fixture: &Fixture, db_path: &Path) -> Vec<CommandLine> {
    let mut lines: Vec<String> = FILES.iter().map(|line| (*line).to_owned()).collect();
    for path in wals(fixture) {
        lines.push(format!("dump_wal --walfile=@/{path} --header --print_value"));
        lines.push(format!("dump_wal --walfile=@/{path} --write_committed=false"));
    }
    // What it cannot open at all is compared with the fixture's record instead: once is enough.
    let count = if is_readable(fixture) { VARIED_COUNT } else { 0 };
    let varied = VARIED.iter().cycle().skip(index * VARIED_COUNT).take(count);
    // What is merged as it is read has the present time, which differs from one run to the next.
    let varied = varied.filter(|line| !line.contains("--timestamp") || !has_merges(fixture));
    let lenient = if is_newer(fixture) { " --ignore_unknown_options" } else { "" };
    lines.extend(DATABASE.iter().chain(varied).map(|line| filled_in(line, fixture) + lenient));
    if is_newer(fixture) {
        lines.push("checkconsistency --db=@".to_owned());
    }
    let of_case = OF_CASES.iter().filter(|(case, _)| fixture.name.starts_with(case));
    if is_readable(fixture) {
        lines.extend(of_case.map(|(_, line)| (*line).to_owned() + lenient));
        let names = PROPERTIES.iter().cycle().skip(index * PROPERTY_COUNT).take(PROPERTY_COUNT);
        lines.extend(names.map(|name| format!("get_property --db=@ rocksdb.{name}{lenient}")));
    }
    lines.extend(gets(fixture).map(|line| line + lenient));
    lines.extend(single_files(index, db_path));
    lines.iter().map(|line| CommandLine::new(line, db_path)).collect()
}

/// The line with names for the words in capitals.
fn filled_in(line: &str, fixture: &Fixture) -> String {
    let family = fixture.case.expect.family("default");
    let is_hex = ["--hex", "--key_hex", "=0xFIRST"].iter().any(|flag| line.contains(flag));
    let bound = |key: Option<&Vec<u8>>, otherwise: &str| {
        let prefix = if is_hex && !line.contains("0xFIRST") { "0x" } else { "" };
        match key {
            Some(key) if is_hex && !key.is_empty() => format!("{prefix}{}", hex(key)),
            Some(key) if !is_hex && is_plain(key) => String::from_utf8_lossy(key).into_owned(),
            _ if is_hex => format!("{prefix}{}", hex(otherwise.as_bytes())),
            _ => otherwise.to_owned(),
        }
    };
    let first = family.and_then(|family| family.first.get(1)).map(|pair| &pair.0.0);
    let last = family.and_then(|family| family.last.get(1)).map(|pair| &pair.0.0);
    let names = fixture.case.column_families.iter().flatten();
    let other = names.filter(|name| *name != "default" && is_plain(name.as_bytes())).max();
    line.replace("FIRST", &bound(first, "key0"))
        .replace("LAST", &bound(last, "key9"))
        .replace("FAMILY", other.map_or("default", String::as_str))
}

/// Whether the key can stand in a command line as it is.
fn is_plain(key: &[u8]) -> bool {
    !key.is_empty() && key.iter().all(u8::is_ascii_alphanumeric)
}

/// Lookups of a key that is there and of one that is not.
fn gets(fixture: &Fixture) -> impl Iterator<Item = String> {
    let gets = fixture.case.expect.family("default").map_or(&[][..], |family| &family.gets);
    let found = gets.iter().find(|get| get.value.is_some() && !get.key.is_empty());
    let missing = gets.iter().find(|get| get.value.is_none() && !get.key.is_empty());
    let keys = found.into_iter().chain(missing.filter(|_| is_readable(fixture)));
    keys.map(|get| format!("get --db=@ --hex 0x{}", hex(&get.key)))
}

/// `dump --path` of one file of each kind in the directory.
fn single_files(index: usize, db_path: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(db_path)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let flags = ["", " --hex", " --key_hex --decode_blob_index", " --dump_uncompressed_blobs"];
    let flags = flags[index % flags.len()];
    let kinds: [fn(&String) -> bool; 5] = [
        |name| name.ends_with(".sst"),
        |name| name.ends_with(".blob"),
        |name| name.ends_with(".log"),
        |name| name.starts_with("MANIFEST-"),
        |name| name.starts_with("OPTIONS-"),
    ];
    let newest = |kind: &fn(&String) -> bool| names.iter().rev().find(|name| kind(name));
    kinds.iter().filter_map(newest).map(|name| format!("dump --path=@/{name}{flags}")).collect()
}

/// Whether operands may be merged in reading the default family.
fn has_merges(fixture: &Fixture) -> bool {
    fixture.case.options.merge_operator("default").is_some() || fixture.name.contains("merge")
}

/// Paths of the write-ahead logs, archived ones among them.
fn wals(fixture: &Fixture) -> impl Iterator<Item = &String> {
    fixture.case.facts.wals.iter().flat_map(|wals| wals.keys())
}

/// Command lines that are wrong, or ask for what is not there. `@` is an empty directory.
const BAD: &[&str] = &[
    "",
    "scan",
    "nothing",
    "--db=@",
    "--hex --db=@",
    "--db=@ nothing",
    "--db=@ SCAN",
    "scan --hex",
    "scan --db=@",
    "scan --db=@/nowhere",
    "scan --db=@ --nothing",
    "scan --db=@ --nothing=1",
    "scan --db=@ --db_write_buffer_size=1",
    "scan --db=@ --path=@",
    "scan --db=@ --max_keys=x",
    "scan --db=@ --max_keys=99999999999",
    "scan --db=@ --from=zz --hex",
    "scan --db=@ --from=0x1 --hex",
    "scan --db=@ --hex=perhaps",
    "scan --db=@ --try_load_options=false --fix_prefix_len=0",
    "scan --db=@ --try_load_options=false --block_size=-1",
    "scan --db=@ --compression_type=none",
    "scan --db=@ --blob_garbage_collection_age_cutoff=1.5",
    "scan --db=@ --env_uri=nothing://",
    "scan --db=@ --ttl",
    "get --db=@",
    "get --db=@ a b",
    "get --db=@ a --hex",
    "get --db=@ a",
    "get --db=@ --ttl a",
    "dump",
    "dump --db=@",
    "dump --db=@ --try_load_options=false",
    "dump --path=@",
    "dump --path=@/nothing",
    "dump --path=@/000001.log",
    "dump --path=@/000001.sst",
    "dump --path=@/000001.ldb",
    "dump --path=@/000001.blob",
    "dump --path=@/MANIFEST-000001",
    "dump --path=@/OPTIONS-000001",
    "dump --path=@/CURRENT --hex",
    "dump --db=@ --max_keys=x",
    "dump --db=@ --count_delim=",
    "idump --db=@",
    "idump --db=@ --max_keys=",
    "idump --db=@ --input_key_hex --from=1",
    "dump_wal",
    "dump_wal --db=@",
    "dump_wal --walfile=@/000001.log --header",
    "dump_wal --walfile=@/000001.log --write_committed=perhaps",
    "manifest_dump",
    "manifest_dump --db=@",
    "manifest_dump --db=@/nowhere",
    "manifest_dump --path=@/MANIFEST-000001 --verbose",
    "manifest_dump --path=",
    "list_column_families",
    "list_column_families --db=@",
    "list_column_families --db=@ --hex",
    "list_column_families --db=@/nowhere one two",
    "file_checksum_dump --db=@",
    "checkconsistency --db=@",
    "checkconsistency",
    "list_live_files_metadata --db=@",
    "list_live_files_metadata",
    "list_file_range_deletes --db=@ --max_keys=-",
    "dump_live_files --db=@",
    "approxsize --db=@",
    "approxsize --db=@ --from=1",
    "approxsize --db=@ --to=1",
    "approxsize --db=@ --from=1 --to=2",
    "get_property --db=@",
    "get_property --db=@ rocksdb.stats",
    "put --db=@ a",
    "put --db=@ a b",
    "put --db=@ a b c",
    "put",
    "batchput --db=@ a",
    "batchput --db=@ a b c",
    "singledelete --db=@",
    "deleterange --db=@ a",
    "deleterange --db=@ a b --ttl",
    "create_column_family --db=@",
    "create_column_family --db=@ a",
    "drop_column_family --db=@",
    "drop_column_family --db=@ a",
    "load --db=@ --ttl",
    "load --db=@ <<< a ==> b",
    "load --db=@ --create_if_missing --write_buffer_size=0 <<< a ==> b",
    "compact --db=@ --from=1",
    "delete --db=@ a --nothing",
    "create_column_family --db=@ a --hex",
    "checkpoint --db=@",
    "reduce_levels --db=@",
    "query --db=@",
];

/// The command lines of [`BAD`] over an empty directory.
pub(crate) fn bad(directory: &Path) -> Vec<CommandLine> {
    BAD.iter().map(|line| CommandLine::new(line, directory)).collect()
}

/// Whether all tables are in formats that 7.8.3 knows.
fn is_readable(fixture: &Fixture) -> bool {
    let facts = fixture.case.facts.table_facts.iter();
    facts.flat_map(|facts| &facts.format_version).all(|version| *version <= FORMAT_VERSION_MAX)
}

/// Whether the release that wrote the directory is one that 7.8.3 cannot know.
pub(crate) fn is_newer(fixture: &Fixture) -> bool {
    version_numbers(&fixture.release) > vec![7, 8, 3]
}
