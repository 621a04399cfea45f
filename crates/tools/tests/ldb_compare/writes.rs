//! Commands that write: RocksDB's program and ours get the same ones, each on a copy of a directory.
//! They must say the same, and RocksDB must find the same in both copies afterwards.

use super::command_lines::CommandLine;
use super::describe;
use super::runs::{Run, run_ours, run_peer};
use std::fmt;
use std::path::Path;
use testing::fixtures::{self, Fixture};
use testing::parallel;
use testing::peer::Peer;

/// Commands one after another, on a directory that is not there at first.
struct Scenario {
    name: &'static str,
    lines: &'static [&'static str],
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "pairs",
        lines: &[
            "put --db=@ a 1",
            "put --db=@ --create_if_missing a 1",
            "put --db=@ --create_if_missing b 2",
            "put --db=@ '' empty",
            "put --db=@ empty ''",
            "put --db=@ --hex 0x00FF 0x0a0B",
            "put --db=@ --key_hex 0xFF00 text",
            "put --db=@ --value_hex text 0xFFFE",
            "put --db=@ --column_family=nowhere a 1",
            "batchput --db=@ c 3 d 4 c 5",
            "batchput --db=@ --hex 0x65 0x35",
            "delete --db=@ a",
            "delete --db=@ nowhere",
            "delete --db=@ --hex 0x00FF",
            "put --db=@ once 1",
            "singledelete --db=@ once",
            "get --db=@ c",
            "get --db=@ a",
        ],
    },
    Scenario {
        name: "ranges",
        lines: &[
            "batchput --db=@ --create_if_missing a 1 b 2 c 3 d 4 e 5 f 6",
            "deleterange --db=@ b d",
            "put --db=@ c 7",
            "deleterange --db=@ d d",
            "deleterange --db=@ f a",
            "deleterange --db=@ --hex 0x65 0x66",
        ],
    },
    Scenario {
        name: "loads",
        lines: &[
            "load --db=@ <<< a ==> b|",
            "load --db=@ --create_if_missing <<< a ==> 1|b ==> 2 ==> 3|nothing|Keys in range: 3| ==> |c ==> ",
            "load --db=@ --disable_wal <<< d ==> 4|e ==> 5",
            "load --db=@ --hex <<< 0x66 ==> 0x00FF|||",
            "load --db=@ <<< ",
        ],
    },
    Scenario {
        name: "a bulk load",
        lines: &[
            "load --db=@ --create_if_missing --bulk_load --disable_wal <<< b ==> 1|a ==> 2|b ==> 3",
            "load --db=@ --bulk_load <<< c ==> 4",
            "load --db=@ --compact <<< d ==> 5|b ==> 6",
            "get_property --db=@ rocksdb.num-files-at-level1",
        ],
    },
    Scenario {
        name: "compactions",
        lines: &[
            "compact --db=@",
            "batchput --db=@ --create_if_missing a 1 b 2 c 3 d 4",
            "compact --db=@",
            "get_property --db=@ rocksdb.num-files-at-level0",
            "deleterange --db=@ b d",
            "put --db=@ e 5",
            "compact --db=@ --from=a --to=c",
            "delete --db=@ a",
            "put --db=@ f 6",
            "compact --db=@ --hex --to=0x62",
            "compact --db=@ --from=b --compression_type=zstd",
            "idump --db=@ --count_only",
            "compact --db=@ --column_family=nowhere",
        ],
    },
    Scenario {
        name: "column families",
        lines: &[
            "put --db=@ --create_if_missing a 1",
            "drop_column_family --db=@ one",
            "drop_column_family --db=@ default",
            "create_column_family --db=@ one",
            "create_column_family --db=@ one",
            "create_column_family --db=@ two",
            "put --db=@ --column_family=one a 2",
            "put --db=@ --column_family=two a 3 --try_load_options=false",
            "load --db=@ --column_family=one <<< b ==> 4",
            "deleterange --db=@ --column_family=two a b",
            "put --db=@ --ttl a 1",
            "drop_column_family --db=@ two",
            "put --db=@ --column_family=two a 3",
            "create_column_family --db=@ two",
            "list_column_families --db=@",
        ],
    },
    Scenario {
        name: "values with times",
        lines: &[
            "put --db=@ --ttl --create_if_missing a 1",
            "put --db=@ --ttl b ''",
            "batchput --db=@ --ttl c 3 d 4",
            "delete --db=@ a",
            "get --db=@ --ttl c",
            "query --db=@ --ttl <<< put e 5|get e|delete d",
            "compact --db=@ --ttl",
        ],
    },
    Scenario {
        name: "tables made apart",
        lines: &[
            "write_extern_sst --db=@ @.1.sst <<< a ==> 1|b ==> 2",
            "write_extern_sst --db=@ --create_if_missing @.1.sst <<< a ==> 1|nothing|b ==> 2",
            "write_extern_sst --db=@ --hex @.2.sst <<< 0x62 ==> 0x33|0x63 ==> 0x34",
            "write_extern_sst --db=@ @.3.sst <<< b ==> 2|a ==> 1",
            "write_extern_sst --db=@ @.3.sst <<< ",
            "write_extern_sst --db=@",
            "write_extern_sst --db=@ --column_family=nowhere @.3.sst <<< b ==> 2",
            "ingest_extern_sst --db=@ @.1.sst",
            "ingest_extern_sst --db=@ @.nowhere.sst",
            "ingest_extern_sst --db=@",
            "ingest_extern_sst --db=@ --allow_global_seqno=false @.2.sst",
            "ingest_extern_sst --db=@ --allow_global_seqno=false --write_global_seqno=false @.2.sst",
            "ingest_extern_sst --db=@ --ingest_behind @.2.sst",
            "ingest_extern_sst --db=@ --move_files=what @.2.sst",
            "ingest_extern_sst --db=@ @.2.sst",
            "put --db=@ a 5",
            "ingest_extern_sst --db=@ --allow_blocking_flush=false --write_global_seqno=false @.1.sst",
            "ingest_extern_sst --db=@ --write_global_seqno=false --move_files @.1.sst",
            "ingest_extern_sst --db=@ @.1.sst",
            "write_extern_sst --db=@ @.1.sst <<< a ==> 6|z ==> 7",
            "ingest_extern_sst --db=@ --snapshot_consistency=false --move_files=true @.1.sst",
        ],
    },
    Scenario {
        name: "a conversation",
        lines: &[
            "put --db=@ --create_if_missing a 1",
            "query --db=@ <<< get a|put b 2|get b|delete a|help|help me|what|get|put b||get a|put a 3",
            "query --db=@ <<< get nowhere",
            "query --db=@ --hex <<< put 0x61 0x62|get 0x61",
        ],
    },
    Scenario {
        name: "options",
        lines: &[
            "put --db=@ --create_if_missing --compression_type=zstd --bloom_bits=10 a 1",
            "put --db=@ --block_size=512 --write_buffer_size=4194304 --file_size=65536 b 2",
            "put --db=@ --compression_type=lz4 --compression_max_dict_bytes=16384 c 3",
            "put --db=@ --enable_blob_files --min_blob_size=1 --blob_compression_type=snappy d 4",
            "put --db=@ --fix_prefix_len=1 --auto_compaction=false e 5",
            "put --db=@ --compression_type=what f 6",
            "put --db=@ --write_buffer_size=x f 6",
            "put --db=@ --min_blob_size=-1 f 6",
            "put --db=@ --auto_compaction=what f 6",
            "put --db=@ --disable_consistency_checks g 7",
        ],
    },
];

#[test]
fn what_our_commands_write_rocksdb_finds() {
    let Some(peer) = testing::peer::find("ldb") else { return };
    parallel::for_each(SCENARIOS, |scenario| {
        let directory = tempfile::tempdir().expect("a directory");
        let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
        both(peer, scenario.lines, &ours, &theirs)
    });
}

/// Of all directories that RocksDB wrote one in so many is written to, another for each command.
const FIXTURE_STEP: usize = 7;

/// What a directory that RocksDB wrote gets, some of it.
const ON_FIXTURES: &[&[&str]] = &[
    &["put --db=@ key05x new", "delete --db=@ key06"],
    &["deleterange --db=@ --hex 0x00 0x6B657930", "put --db=@ a new"],
    &["load --db=@ --disable_wal <<< a ==> new|key07 ==> new|zz ==> new"],
    &["put --db=@ key03x new", "compact --db=@"],
    &["create_column_family --db=@ created", "put --db=@ --column_family=created a new"],
];

#[test]
fn what_we_write_to_directories_of_rocksdb_it_finds() {
    let Some(peer) = testing::peer::find("ldb") else { return };
    let of_release = |fixture: &Fixture| fixture.release == testing::peer::RELEASE;
    let chosen: Vec<Chosen> = fixtures::all()
        .into_iter()
        .filter(of_release)
        .enumerate()
        .filter(|(index, _)| index % FIXTURE_STEP < ON_FIXTURES.len())
        .map(|(index, fixture)| Chosen { fixture, lines: ON_FIXTURES[index % FIXTURE_STEP] })
        .collect();
    assert!(chosen.len() > ON_FIXTURES.len(), "{} directories", chosen.len());
    parallel::for_each(&chosen, |Chosen { fixture, lines }| {
        let (ours, theirs) = (fixture.unpack_to_temp(), fixture.unpack_to_temp());
        both(peer, lines, &ours.path(), &theirs.path())
    });
}

/// A directory of RocksDB's and what it gets.
struct Chosen {
    fixture: Fixture,
    lines: &'static [&'static str],
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fixture, self.lines[0])
    }
}

/// Runs the commands in both directories, then compares what RocksDB finds in them.
fn both(peer: Peer, lines: &[&str], ours: &Path, theirs: &Path) -> Result<(), String> {
    let mut is_ttl = false;
    for line in lines {
        let mine = run_ours(&CommandLine::new(line, ours));
        let other = run_peer(peer, &CommandLine::new(line, theirs));
        let paths = (ours.to_string_lossy(), theirs.to_string_lossy());
        let said = String::from_utf8_lossy(&mine.stdout).replace(&*paths.0, &paths.1);
        let same = said.as_bytes() == String::from_utf8_lossy(&other.stdout).as_bytes()
            && mine.status == Some(other.status.unwrap_or(1));
        if !same {
            return Err(format!("{line}: {}", describe(&mine, &other)));
        }
        is_ttl |= line.contains("--ttl") && line.contains("create_if_missing");
    }
    let families = families(peer, theirs);
    if families != self::families(peer, ours) {
        return Err(format!("column families {:?}", self::families(peer, ours)));
    }
    for family in families {
        let ttl = if is_ttl { " --ttl" } else { "" };
        let line = format!("scan --db=@ --hex --column_family={family}{ttl}");
        let found = [
            run_peer(peer, &CommandLine::new(&line, ours)),
            run_ours(&CommandLine::new(&line, ours)),
        ];
        let expected = run_peer(peer, &CommandLine::new(&line, theirs));
        for (found, who) in found.iter().zip(["RocksDB", "we"]) {
            if found.stdout != expected.stdout || found.status != expected.status {
                let what = describe(found, &expected);
                return Err(format!("{family}: what {who} find in our copy: {what}"));
            }
        }
    }
    Ok(())
}

/// The names of the column families as RocksDB lists them.
fn families(peer: Peer, path: &Path) -> Vec<String> {
    let Run { stdout, .. } = run_peer(peer, &CommandLine::new("list_column_families --db=@", path));
    let text = String::from_utf8_lossy(&stdout).into_owned();
    let Some((_, names)) = text.split_once('{') else { return Vec::new() };
    names.trim_end().trim_end_matches('}').split(", ").map(str::to_owned).collect()
}
