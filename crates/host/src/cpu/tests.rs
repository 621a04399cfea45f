use super::*;

const X86: &str = "\
processor\t: 0
model name\t: A CPU @ 2.00GHz
cache size\t: 36608 KB
flags\t\t: fpu sse4_1 sse4_2 popcnt avx avx2 avx512fp16

processor\t: 1
model name\t: A CPU @ 2.00GHz
cache size\t: 36608 KB
flags\t\t: fpu sse4_1 sse4_2 popcnt avx avx2 avx512fp16
";

const ARM: &str = "\
processor\t: 0
BogoMIPS\t: 243.75
Features\t: fp asimd aes pmull crc32
";

#[test]
fn processors_of_two_kinds() {
    let expected = Cpu {
        model: "A CPU @ 2.00GHz".to_owned(),
        processors: 2,
        cache: "36608 KB".to_owned(),
        // Whole words: no avx512f because of avx512fp16.
        isa: "sse4_2 popcnt avx avx2".to_owned(),
    };
    assert_eq!(parse(X86), expected);
    let arm = Cpu { processors: 1, isa: "aes asimd crc32 pmull".to_owned(), ..Cpu::default() };
    assert_eq!(parse(ARM), arm);
    assert_eq!(parse(""), Cpu::default());
}

#[test]
fn governors_that_differ_are_all_named() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(governor(root.path()), None);
    for (cpu, name) in [("cpu0", "schedutil\n"), ("cpu1", "performance\n"), ("cpu2", "schedutil")] {
        let directory = root.path().join(cpu).join("cpufreq");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("scaling_governor"), name).unwrap();
    }
    assert_eq!(governor(root.path()).as_deref(), Some("performance,schedutil"));
    assert_eq!(governor(Path::new("/nowhere/at/all")), None);
}

#[test]
fn threads_that_share_a_core() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(simultaneous_multithreading(root.path()), None);
    fs::create_dir(root.path().join("smt")).unwrap();
    for (text, expected) in [("0\n", Some(false)), ("1\n", Some(true)), ("?", None)] {
        fs::write(root.path().join("smt/active"), text).unwrap();
        assert_eq!(simultaneous_multithreading(root.path()), expected);
    }
}

#[test]
fn this_machine_has_processors() {
    assert!(Cpu::of_this_machine().processors > 0);
}
