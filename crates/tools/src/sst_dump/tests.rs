use super::*;
use std::fs;
use testing::fixtures::{self, Unpacked};

/// Exit status, output and errors of a run; a `DIR` in an argument is the fixture's directory, and
/// again in the output.
fn run_in(unpacked: &Unpacked, arguments: &[&str]) -> (i32, String, String) {
    let directory = unpacked.path().to_string_lossy().into_owned();
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.replace("DIR", &directory)).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = main(&arguments, &mut out, &mut err);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&directory, "DIR");
    (status, text(&out), text(&err))
}

/// The output without its first line, which names an address.
fn after_address(out: &str) -> &str {
    let (first, rest) = out.split_once('\n').unwrap();
    assert!(first.starts_with("options.env is 0x"), "{first}");
    rest
}

/// Made by ldb 7.8.3: four tables.
fn ldb_fixture() -> Unpacked {
    fixtures::one("7.8.3", "t04").unpack_to_temp()
}

const HEAD: &str = "Process DIR/000013.sst\nSst file format: block-based\n";

#[test]
fn scan_prints_entries() {
    let unpacked = ldb_fixture();
    let (status, out, err) =
        run_in(&unpacked, &["--file=DIR/000013.sst", "--command=scan", "--read_num=2"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let lines: Vec<&str> = after_address(&out).strip_prefix(HEAD).unwrap().lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert_eq!(lines[0], "from [] to []");
    assert!(lines[1].starts_with('\'') && lines[1].contains("' seq:"), "{out}");
}

#[test]
fn paths_need_no_flag_and_may_be_several() {
    let unpacked = ldb_fixture();
    let (status, out, _) =
        run_in(&unpacked, &["DIR/000013.sst", "DIR/000018.sst", "--command=identify"]);
    assert_eq!(status, 0);
    let end = "------------------------------\nList of valid SST files:\nDIR/000013.sst\n\
               DIR/000018.sst\nNumber of valid SST files: 2\n";
    assert!(out.ends_with(end), "{out}");
}

#[test]
fn recompress_is_not_implemented() {
    let unpacked = ldb_fixture();
    let (status, out, err) = run_in(&unpacked, &["--file=DIR/000013.sst", "--command=recompress"]);
    assert_eq!((status, after_address(&out)), (1, HEAD));
    assert_eq!(err, "DIR/000013.sst: Not implemented: recompress\n");
}

#[test]
fn only_the_posix_file_system_is_there() {
    let unpacked = ldb_fixture();
    for flag in ["--env_uri=hdfs://x", "--fs_uri=mem"] {
        let (status, out, err) = run_in(&unpacked, &["--file=DIR/000013.sst", flag]);
        assert_eq!((status, out.as_str()), (1, ""));
        assert!(err.contains("Not implemented") && err.contains(flag), "{err}");
    }
    for flag in ["--env_uri=", "--env_uri=posix", "--fs_uri=posix://"] {
        assert_eq!(run_in(&unpacked, &["--file=DIR/000013.sst", flag]).0, 0, "{flag}");
    }
    let (status, _, err) = run_in(&unpacked, &["--file=DIR", "--env_uri=posix", "--fs_uri=posix"]);
    assert_eq!(status, 1);
    assert!(err.contains("cannot specify both"), "{err}");
}

#[test]
fn an_unknown_command_does_nothing_and_says_so() {
    let unpacked = ldb_fixture();
    let (status, out, err) = run_in(&unpacked, &["--file=DIR/000013.sst", "--command=bogus"]);
    assert_eq!((status, after_address(&out)), (0, HEAD));
    assert!(err.contains("'bogus'"), "{err}");
}

#[test]
fn help_names_every_flag() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    assert_eq!(main(&["--help".into()], &mut out, &mut err), 0);
    let text = String::from_utf8(out).unwrap();
    for flag in flags::FLAGS {
        assert!(text.contains(&format!("--{}", flag.name)), "{}", flag.name);
    }
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn a_raw_dump_that_cannot_be_written_ends_the_run() {
    let unpacked = ldb_fixture();
    fs::create_dir(unpacked.path().join("000013_dump.txt")).unwrap();
    let (status, out, err) =
        run_in(&unpacked, &["DIR/000013.sst", "DIR/000018.sst", "--command=raw"]);
    assert_eq!((status, after_address(&out)), (1, HEAD));
    assert!(err.contains("000013_dump.txt"), "{err}");
}

#[test]
fn verify_compares_checksums_without_being_told() {
    let unpacked = ldb_fixture();
    let path = unpacked.path().join("000013.sst");
    let mut bytes = fs::read(&path).unwrap();
    bytes[3] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (status, out, err) = run_in(&unpacked, &["--file=DIR/000013.sst", "--command=verify"]);
    assert_eq!((status, after_address(&out)), (0, HEAD));
    assert!(err.contains("DIR/000013.sst is corrupted: Corruption: ") && err.contains("checksum"));
}

#[test]
fn an_output_that_cannot_be_written_is_a_failure() {
    /// Takes nothing.
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut err = Vec::new();
    assert_eq!(main(&["--version".into()], &mut Full, &mut err), 1);
    assert!(String::from_utf8(err).unwrap().contains("writing the output"));
}
