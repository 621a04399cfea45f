use super::*;
use std::io;
use testing::fixtures;

/// Exit status, standard output and standard error.
fn ldb(line: &str) -> (i32, String, String) {
    let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = main(&arguments, &mut io::empty(), &mut out, &mut err);
    (status, text(out), text(err))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

#[test]
fn help_names_every_command() {
    let (status, out, err) = ldb("--help");
    assert_eq!((status, err.as_str()), (0, ""));
    for command in command::COMMANDS {
        assert!(out.contains(&format!("  {}", command.name)), "{}", command.name);
    }
    let (status, out, err) = ldb("");
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("usage: "));
}

#[test]
fn the_version_is_ours() {
    let expected = format!("ldb of Touchstone {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ldb("--version"), (0, expected, String::new()));
}

#[test]
fn what_is_not_implemented_is_known_and_refused() {
    let (status, out, err) = ldb("checkpoint --db=nowhere --checkpoint_dir=nowhere");
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(err, "Failed: Not implemented: checkpoint\n");
    assert!(!std::path::Path::new("nowhere").exists());
}

/// It is said on standard error alone, once.
#[test]
fn options_that_reads_would_act_on_are_said() {
    let unpacked = fixtures::one("7.8.3", "t04").unpack_to_temp();
    let db = unpacked.path();
    for entry in std::fs::read_dir(&db).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.display().to_string().contains("OPTIONS-") {
            let text = std::fs::read_to_string(&path).expect("options");
            let text = text.replace("allow_mmap_reads=false", "allow_mmap_reads=true");
            std::fs::write(&path, text).expect("options");
        }
    }
    let (status, out, err) = ldb(&format!("checkconsistency --db={}", db.display()));
    assert_eq!((status, out.as_str()), (0, "OK\n"));
    let warning = "warning: database: accepted, not honoured yet: allow_mmap_reads=true";
    assert_eq!(err.lines().filter(|line| *line == warning).count(), 1, "{err}");
}

#[test]
fn keys_values_and_entries_of_a_database() {
    let unpacked = fixtures::one("7.8.3", "t04").unpack_to_temp();
    let db = unpacked.path().display().to_string();
    let (status, out, err) = ldb(&format!("scan --db={db} --max_keys=2"));
    assert_eq!((status, out.as_str(), err.as_str()), (0, "a : 1\nkey00 : value 0\n", ""));
    let (status, out, _) = ldb(&format!("get --db={db} --hex 0x61"));
    assert_eq!((status, out.as_str()), (0, "0x31\n"));
    let (status, _, err) = ldb(&format!("get --db={db} nowhere"));
    assert_eq!((status, err.as_str()), (1, "Failed: Get failed: NotFound: \n"));
    let (status, out, _) = ldb(&format!("idump --db={db} --max_keys=1 --hex"));
    assert_eq!(status, 0);
    let expected = ["'61' seq:", ", type:1 => 31\n", "Internal keys in range: 1\n"];
    assert!(expected.iter().all(|part| out.contains(part)), "{out}");
    let (status, out, _) = ldb(&format!("checkconsistency --db={db}"));
    assert_eq!((status, out.as_str()), (0, "OK\n"));
}

#[test]
fn times_are_stripped_and_the_exit_status_is_that_of_rocksdb() {
    let unpacked = fixtures::one("7.8.3", "t05").unpack_to_temp();
    let line = format!("scan --db={} --ttl", unpacked.path().display());
    let (status, out, err) = ldb(&line);
    assert_eq!((status, out.as_str()), (1, "a : 1\nb : 2\nc : 3\n"));
    assert_eq!(err, "Failed: ldb doesn't support TTL DB with multiple column families\n");
}

#[test]
fn damage_in_a_table_fails_scan_dump_and_idump() {
    let unpacked = fixtures::one("6.29.5", "o07").unpack_to_temp();
    for command in ["scan", "dump", "idump"] {
        let (status, out, err) = ldb(&format!("{command} --db={}", unpacked.path().display()));
        assert_eq!(status, 1, "{command}");
        assert!(!out.is_empty() && err.contains("checksum mismatch"), "{command}: {err}");
    }
}

#[test]
fn an_output_that_is_closed_is_a_failure() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut err = Vec::new();
    assert_eq!(main(&["--help".to_owned()], &mut io::empty(), &mut Closed, &mut err), 1);
    assert!(text(err).starts_with("Failed: IO error: writing the output: "));
}
