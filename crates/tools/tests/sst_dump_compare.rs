//! Our sst_dump against RocksDB's: the same command lines over every table of every golden
//! directory must give the same standard output, exit status and dump files, byte for byte. Every
//! second directory, that is, and all of them with `TOUCHSTONE_LONG=1`.
//!
//! Where they differ on purpose, [`Difference`] says so and why, and what is checked instead is with
//! the test that meets it. The peer is `sst_dump` of RocksDB 7.8.3 in the path; without it the tests
//! say that they are skipped, unless `CI` is `true`: then they fail.

#[path = "sst_dump_compare/command_lines.rs"]
mod command_lines;
#[path = "sst_dump_compare/damage.rs"]
mod damage;
#[path = "sst_dump_compare/peer.rs"]
mod peer;

use peer::{Run, compare, files_of, run_in};
use std::fs;
use std::path::{Path, PathBuf};
use table::TableTail;
use testing::fixtures::{self, Fixture};
use testing::parallel;

/// Where theirs and ours differ on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// The first line names the address of an object. Both print one; it is not compared
    /// (`peer::finished`).
    #[expect(dead_code, reason = "cut out of every output")]
    Address,
    /// `--help` is in our own words, and `--version` says what this is.
    OwnWords,
    /// 7.8.3 refuses paths without `--file=`. Later releases take them, and so do we.
    PathsWithoutFlag,
    /// `verify` of 7.8.3 compares checksums of data blocks only with `--verify_checksum`, and calls a
    /// damaged table ok without. Later releases always compare, as the help of all of them says,
    /// and so do we.
    VerifyAlwaysVerifies,
    /// 7.8.3 takes the default file system for an `--env_uri` that it does not know, and crashes
    /// over such an `--fs_uri`. Ours refuses both: another file than was asked for helps nobody.
    UnknownFileSystem,
    /// `recompress` is not implemented yet, and says so.
    Recompress,
    /// Theirs crashes: over keys that `--input_key_hex` cannot decode, over internal keys of types
    /// beyond 0x7f, and over damaged blocks. Ours fails with a sentence.
    Crash,
    /// The table is of format version 6 or 7, which 7.8.3 refuses. Ours reads it and finds what the
    /// golden record says.
    NewerFormat,
    /// RocksDB 4.13.5 put the name of the internal key comparator into the properties, over which
    /// theirs crashes. Ours reads the table and finds what the golden record says.
    OldComparatorName,
    /// The comparator is not built in. Theirs crashes; ours says so and fails.
    UnknownComparator,
    /// RocksDB 3.13.1 did not put the comparator's name into the properties. Theirs seeks bytewise,
    /// and finds nothing in particular where keys are in reverse order. Ours finds out which order
    /// they have. Only what seeks differs.
    OrderNotSaid,
    /// 7.8.3 does not know that timestamps can be stripped from keys, and takes the last bytes of
    /// each key for one. Ours seeks among the keys as stored. Only what seeks differs.
    StrippedTimestamps,
    /// What theirs makes of a damaged data block, if it does not compare checksums, depends on which
    /// of its bytes are looked at on the way: keys made of noise, entries left out without a word,
    /// or a crash. Ours reads all entries of a block or none, and then names the block.
    DamagedBlock,
    /// `raw` of 7.8.3 ends the list of blocks without a word where a partition of the index is
    /// damaged. Ours names it and fails.
    DamagedPartition,
    /// Of a file that does not end as a table does, 7.8.3 sometimes announces an "old version"
    /// without properties, depending on what the bytes say that would be the footer's. Ours announces
    /// a format only if there is one.
    FormatOfNoTable,
}

/// The command lines that every table is looked at with. FROM, TO and PREFIX stand for keys in
/// hexadecimal.
const COMMAND_LINES: [&str; 13] = [
    "--show_summary",
    "--command=check --verify_checksum",
    "--command=check --read_num=0 --show_properties",
    "--command=scan --show_properties --show_summary",
    "--command=scan --output_hex --decode_blob_index",
    "--command=scan --output_hex --input_key_hex --from=FROM --to=TO",
    "--command=scan --input_key_hex --prefix=PREFIX",
    "--command=scan --read_num=5 --show_summary",
    "--command=raw --show_properties",
    "--command=verify",
    "--command=verify --verify_checksum --show_summary",
    "--command=identify --show_properties",
    "--command=nonsense --show_properties --readahead_size=4096",
];

/// Newest table format that the peer reads.
const PEER_FORMAT_VERSION_MAX: u32 = 5;

/// Keys to ask for, in hexadecimal after `0x`.
struct Keys {
    from: String,
    to: String,
    prefix: String,
}

impl Keys {
    /// Keys that the table holds, where ours can read it.
    fn of(table: &Path) -> Self {
        let keys = keys_in_hex(&peer::ours(&about(table, "--command=scan --output_hex")));
        let key = |index: usize| keys.get(index).cloned().unwrap_or_default();
        let from = key(keys.len() / 3);
        let prefix = format!("0x{}", &from[..from.len() / 4 * 2]);
        Self { from: format!("0x{from}"), to: format!("0x{}", key(keys.len() * 2 / 3)), prefix }
    }

    /// `line` as arguments about `path`, with these keys put in.
    fn arguments(&self, path: &Path, line: &str) -> Vec<String> {
        let line = line.replace("FROM", &self.from).replace("TO", &self.to);
        about(path, &line.replace("PREFIX", &self.prefix))
    }
}

fn about(path: &Path, line: &str) -> Vec<String> {
    let file = format!("--file={}", path.display());
    std::iter::once(file).chain(line.split_whitespace().map(str::to_owned)).collect()
}

/// The user keys of a scan in hexadecimal.
fn keys_in_hex(scan: &Run) -> Vec<String> {
    let text = String::from_utf8_lossy(&scan.stdout);
    let key = |line: &str| Some(line.strip_prefix('\'')?.split('\'').next()?.to_owned());
    text.lines().filter_map(key).collect()
}

/// A directory and the tables in it.
struct Directory {
    path: PathBuf,
    tables: Vec<PathBuf>,
}

fn directories_with_tables(path: &Path) -> Vec<Directory> {
    let is_table = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "sst");
    let tables: Vec<PathBuf> = files_of(path).into_iter().filter(is_table).collect();
    let mut found = Vec::new();
    if !tables.is_empty() {
        found.push(Directory { path: path.to_owned(), tables });
    }
    for entry in fs::read_dir(path).expect("directory") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            found.extend(directories_with_tables(&path));
        }
    }
    found
}

/// How theirs and ours differ over a table, judged by what is in it.
fn difference_over(table: &Path, fixture: &Fixture) -> Option<Difference> {
    let file_system = env::default_file_system();
    let file = file_system.new_random_access_file(table, &Default::default()).expect("table");
    let tail = TableTail::read(&*file, file.size().expect("size")).ok()?;
    let properties = tail.properties.expect("properties");
    let name = properties.comparator_name;
    if name.ends_with("golden.shortlex") {
        Some(Difference::UnknownComparator)
    } else if tail.footer.format_version > PEER_FORMAT_VERSION_MAX {
        Some(Difference::NewerFormat)
    } else if name.starts_with("rocksdb.InternalKeyComparator:") {
        Some(Difference::OldComparatorName)
    } else if name.is_empty() && fixture.case.options.comparator("default") == Some("reverse") {
        Some(Difference::OrderNotSaid)
    } else if properties.user_defined_timestamps_persisted == 0 {
        Some(Difference::StrippedTimestamps)
    } else {
        None
    }
}

/// Compares both tools over `path`, a table in `directory` or the directory itself.
fn compare_over<'a>(
    path: &Path,
    directory: &Path,
    keys: &Keys,
    lines: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    for line in lines {
        let arguments = keys.arguments(path, line);
        let mut their_arguments = arguments.clone();
        if line == "--command=verify" {
            // Difference::VerifyAlwaysVerifies
            their_arguments.push("--verify_checksum".into());
        }
        let theirs = run_in(directory, peer::theirs, &their_arguments);
        let ours = run_in(directory, peer::ours, &arguments);
        compare(&arguments, &theirs, &ours)?;
    }
    Ok(())
}

fn does_not_seek(line: &&str) -> bool {
    !line.contains("--from") && !line.contains("--prefix")
}

/// Checks a table over which theirs and ours differ, and returns whether they can be compared
/// nevertheless, seeks aside.
fn check_difference(
    table: &Path,
    difference: Difference,
    fixture: &Fixture,
) -> Result<bool, String> {
    let arguments = about(table, "--command=check --verify_checksum");
    let (theirs, ours) = (peer::theirs(&arguments), peer::ours(&arguments));
    let ours_reads = ours.status == Some(0) && ours.stderr.is_empty();
    let ours_finds_damage = is_damaged(table, fixture) && ours.stderr.contains("Corruption: ");
    let is_as_expected = match difference {
        Difference::NewerFormat => {
            theirs.status == Some(1)
                && theirs.stderr.contains("Corrupt or unsupported format_version")
                && (ours_reads || ours_finds_damage)
        }
        Difference::OldComparatorName => {
            theirs.status.is_none() && (ours_reads || ours_finds_damage)
        }
        Difference::UnknownComparator => {
            matches!(theirs.status, None | Some(1))
                && ours.status == Some(1)
                && ours.stderr.contains("comparator golden.shortlex is not built in")
        }
        _ => return Ok(true),
    };
    if is_as_expected {
        return Ok(false);
    }
    Err(format!("{}: not {difference:?}: theirs {theirs:?}, ours {ours:?}", table.display()))
}

/// Whether the fixture's record says that this table was damaged.
fn is_damaged(table: &Path, fixture: &Fixture) -> bool {
    let name = table.file_name().expect("name").to_string_lossy();
    fixture.case.changed.as_ref().is_some_and(|changed| {
        changed.contains(&*name) && (changed.contains("flipped") || changed.contains("cut off"))
    })
}

/// Compares everything about a fixture.
fn compare_fixture(fixture: &Fixture) -> Result<(), String> {
    let unpacked = fixture.unpack_to_temp();
    for Directory { path, tables } in directories_with_tables(&unpacked.path()) {
        let mut all_comparable = true;
        let mut all_same = true;
        for (index, table) in tables.iter().enumerate() {
            let mut lines = vec![COMMAND_LINES[index % COMMAND_LINES.len()], "--command=identify"];
            if let Some(difference) = difference_over(table, fixture) {
                all_same = false;
                if !check_difference(table, difference, fixture)? {
                    all_comparable = false;
                    continue;
                }
                lines.retain(does_not_seek);
            }
            compare_over(table, &path, &Keys::of(table), lines)?;
        }
        if all_comparable {
            let lines = COMMAND_LINES.into_iter().filter(|line| all_same || does_not_seek(line));
            compare_over(&path, &path, &Keys::of(&tables[0]), lines)?;
        }
    }
    Ok(())
}

#[test]
fn tables_look_the_same() {
    if peer::is_here() {
        parallel::for_each(&fixtures::for_peers(), compare_fixture);
    }
}

/// What ours finds in all tables of a fixture, theirs aside.
fn check_against_record(fixture: &Fixture) -> Result<(), String> {
    let Some(facts) = &fixture.case.facts.table_facts else { return Ok(()) };
    let unpacked = fixture.unpack_to_temp();
    let (mut entries, mut blocks) = (0, 0);
    for Directory { path, tables } in directories_with_tables(&unpacked.path()) {
        if tables.iter().any(|table| is_damaged(table, fixture)) {
            return Ok(());
        }
        let scan = peer::ours(&about(
            &path,
            "--command=scan --output_hex --verify_checksum --show_summary",
        ));
        if scan.stderr.contains("Not implemented: ") || scan.stderr.contains("golden.shortlex") {
            return Ok(());
        }
        if scan.status != Some(0) || !scan.stderr.is_empty() {
            return Err(format!("{}: {:?}: {}", path.display(), scan.status, scan.stderr));
        }
        entries += keys_in_hex(&scan).len() as u64;
        let text = String::from_utf8_lossy(&scan.stdout).into_owned();
        let total =
            text.lines().find_map(|line| line.strip_prefix("total number of data blocks: "));
        blocks += total.and_then(|total| total.parse::<u64>().ok()).expect("summary");
    }
    // From RocksDB 6 on the properties count range tombstones among the entries; a scan has none.
    let counts_tombstones = fixtures::version_numbers(&fixture.release) >= vec![6];
    let tombstones = if counts_tombstones { facts.range_deletions } else { 0 };
    let expected = (facts.entries - tombstones, facts.data_blocks);
    if (entries, blocks) == expected {
        return Ok(());
    }
    Err(format!("found {entries} entries in {blocks} blocks, expected {expected:?}"))
}

#[test]
fn tables_of_all_releases_hold_what_their_records_say() {
    parallel::for_each(&fixtures::all(), check_against_record);
}

#[test]
fn theirs_calls_a_damaged_table_ok_and_ours_does_not() {
    if !peer::is_here() {
        return;
    }
    let fixture = fixtures::one("7.9.2", "o07");
    let unpacked = fixture.unpack_to_temp();
    let table = unpacked.path().join("000009.sst");
    assert!(is_damaged(&table, &fixture));
    let arguments = about(&table, "--command=verify");
    let (theirs, ours) = (peer::theirs(&arguments), peer::ours(&arguments));
    let difference = Difference::VerifyAlwaysVerifies;
    assert!(theirs.stdout.ends_with(b"The file is ok\n"), "{difference:?}");
    assert!(!ours.stdout.ends_with(b"The file is ok\n"), "{difference:?}");
    assert!(ours.stderr.contains("is corrupted: Corruption: "), "{}", ours.stderr);
    assert_eq!((theirs.status, ours.status), (Some(0), Some(0)));
}
