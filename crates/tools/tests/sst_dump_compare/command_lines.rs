//! Command lines that are about more than the tables: flags, paths, directories, files that are no
//! tables.

use crate::Difference;
use crate::peer::{self, compare};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use testing::fixtures;

/// Command lines for [`directory`], each an argument or several with a blank between. DIR stands for
/// the directory.
const SAME: &[&str] = &[
    "",
    "--file=DIR",
    "--file=DIR/",
    "--file=DIR --command=identify",
    "--file=DIR --command=identify --show_properties --show_summary",
    "--file=DIR --command=raw --show_summary",
    "--file=DIR --command=verify --verify_checksum",
    "--file=DIR --command=scan --read_num=1",
    "--file=DIR --command=scan --read_num=0",
    "--file=DIR --command=scan --read_num=-1",
    "--file=DIR --command=scan --read_num=99999999999999999999",
    "--file=DIR --command=check --read_num=3 --show_properties",
    "--file=DIR --command=scan --from= --to=",
    "--file=DIR --command=scan --prefix=",
    "--file=DIR --command=scan --prefix=k --to=z --output_hex",
    "--file=DIR --command=scan --from=0x61 --to=0xff",
    "--file=DIR --command=scan --input_key_hex --from=0x61 --to=0xFf",
    "--file=DIR --command=scan --input_key_hex --prefix=0x",
    "--file=DIR --command=",
    "--file=DIR --command=Scan",
    "--file=DIR/000013.sst --command=identify",
    "--file=DIR/000013.sst/",
    "--file=DIR/missing --file=DIR/000013.sst",
    "--file=DIR/000013.sst --file=DIR/missing",
    "--file=DIR/000013.sst --env_uri= --fs_uri=",
    "--file=DIR/000013.sst --fs_uri=posix://",
    "--file=DIR/000013.sst --env_uri=x --fs_uri=y",
    "--file=",
    "--file=DIR/missing",
    "--file=DIR/missing.sst --command=identify",
    "--file=DIR/nothing",
    "--file=DIR/nothing --show_summary",
    "--file=DIR/no-tables",
    "--file=DIR/no-tables --command=identify --show_summary",
    "--file=DIR/CURRENT",
    "--file=DIR/CURRENT --command=raw",
    "--file=DIR/short.sst",
    "--file=DIR/empty.sst --command=verify",
    "--file=DIR/text.sst --command=scan",
    "--file=DIR/directory.sst",
    "--file=DIR/dangling.sst",
    "--file=DIR/.sst",
    "--file=DIR/000013.sst --nonsense",
    "--nonsense --help",
    "--file",
    "-file=DIR",
    "--",
    "--file=DIR --output_hex=true",
    "--file=DIR --read_num=",
    "--file=DIR --read_num=3x",
    "--file=DIR --read_num=0x3",
    "--file=DIR --set_block_size=x",
    "--file=DIR/000013.sst --set_block_size=1k --readahead_size=+0x10",
    "--file=DIR --readahead_size=",
    "--file=DIR --readahead_size=9223372036854775808",
    "--file=DIR --compression_types=zstd",
    "--file=DIR --compression_types=kZSTD,,kSnappyCompression",
    "--file=DIR --compression_types=kZSTDNotFinalCompression",
    "--file=DIR/000013.sst --compression_types=kZSTD,kXpressCompression,",
    "--file=DIR --compression_level_from=1",
    "--file=DIR --compression_level_to=1",
    "--file=DIR --compression_level_from=1 --compression_level_to=2",
    "--file=DIR --compression_types=,",
    "--file=DIR/000013.sst --compression_types=kZSTD --compression_level_from=1 \
     --compression_level_to=2",
    "--file=DIR --compression_max_dict_bytes=-1",
    "--file=DIR --compression_max_dict_bytes=4294967296",
    "--file=DIR/000013.sst --compression_max_dict_bytes=4294967295",
    "--file=DIR --compression_zstd_max_train_bytes=x",
    "--file=DIR --compression_max_dict_buffer_bytes=-1",
    "--file=DIR/000013.sst --compression_use_zstd_finalize_dict",
    "--file=DIR --from=a --prefix=a",
    "--parse_internal_key=0x6B65790101000000000000",
    "--parse_internal_key=0x0F01000000000000 --nonsense",
    "--parse_internal_key=0x6B65793F01000000000000",
    "--parse_internal_key=0x6B65790301000000000000",
    "--parse_internal_key=0x6B65791601000000000000",
    "--parse_internal_key=0x",
    "--parse_internal_key=0x01",
    "--parse_internal_key=6B65790101000000000000",
    "--parse_internal_key=0x6",
    "--parse_internal_key=",
];

/// Where both differ on purpose: the command line, the status of theirs (none for a crash), that of
/// ours, and what ours says.
const DIFFERENT: &[(Difference, &str, Option<i32>, i32, &str)] = &[
    (Difference::OwnWords, "--help", Some(0), 0, "--command=check|scan|raw"),
    (Difference::OwnWords, "--version", Some(0), 0, "sst_dump (Touchstone)"),
    (Difference::PathsWithoutFlag, "DIR/000013.sst", Some(1), 0, "Process DIR/000013.sst"),
    (Difference::PathsWithoutFlag, "DIR/missing", Some(1), 1, "No such file or directory"),
    (Difference::UnknownFileSystem, "--file=DIR --env_uri=x", Some(0), 1, "Not implemented"),
    (Difference::UnknownFileSystem, "--file=DIR --fs_uri=x", None, 1, "Not implemented"),
    (Difference::Recompress, "--file=DIR --command=recompress", Some(0), 1, "Not implemented"),
    (Difference::Crash, "--file=DIR --input_key_hex --from=6B", None, 1, "Must start with 0x"),
    (Difference::Crash, "--file=DIR --input_key_hex --to=0x6", None, 1, "pairs of hexadecimal"),
    (Difference::Crash, "--file=DIR --input_key_hex --prefix=", None, 1, "Must start with 0x"),
    (
        Difference::Crash,
        "--parse_internal_key=0x6B65799901000000000000",
        None,
        255,
        "unknown value type 0x99",
    ),
];

/// A directory with four tables, and files and directories that are none.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path();
    let fixture = fixtures::one("7.8.3", "t04");
    for (name, bytes) in fixture.files() {
        fs::write(path.join(name), bytes).expect("file");
    }
    fs::write(path.join("short.sst"), b"too short").expect("file");
    fs::write(path.join("empty.sst"), b"").expect("file");
    fs::write(path.join("text.sst"), "no table, but text. ".repeat(20)).expect("file");
    fs::write(path.join(".sst"), fixture.file("000013.sst")).expect("file");
    fs::create_dir(path.join("directory.sst")).expect("directory");
    fs::create_dir(path.join("nothing")).expect("directory");
    fs::create_dir(path.join("no-tables")).expect("directory");
    fs::write(path.join("no-tables/text.sst"), [b'x'; 100]).expect("file");
    std::os::unix::fs::symlink("nowhere", path.join("dangling.sst")).expect("link");
    directory
}

fn arguments(line: &str, directory: &Path) -> Vec<String> {
    let directory = directory.to_string_lossy();
    line.split_whitespace().map(|argument| argument.replace("DIR", &directory)).collect()
}

#[test]
fn command_lines_do_the_same() {
    if !peer::is_here() {
        return;
    }
    let directory = directory();
    let failures: Vec<String> = SAME
        .iter()
        .filter_map(|line| {
            let arguments = arguments(line, directory.path());
            let theirs = peer::run_in(directory.path(), peer::theirs, &arguments);
            let ours = peer::run_in(directory.path(), peer::ours, &arguments);
            compare(&arguments, &theirs, &ours).err()
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn command_lines_that_differ_on_purpose() {
    if !peer::is_here() {
        return;
    }
    let directory = directory();
    let name = directory.path().to_string_lossy().into_owned();
    for (difference, line, their_status, our_status, what) in DIFFERENT {
        let arguments = arguments(line, directory.path());
        let (theirs, ours) = (peer::theirs(&arguments), peer::ours(&arguments));
        let said = format!("{}{}", String::from_utf8_lossy(&ours.stdout), ours.stderr);
        assert_eq!(theirs.status, *their_status, "{difference:?}: {line}: {}", theirs.stderr);
        assert_eq!(ours.status, Some(*our_status), "{difference:?}: {line}: {}", ours.stderr);
        assert!(said.replace(&name, "DIR").contains(what), "{difference:?}: {line}: {said}");
    }
}
