use super::*;
use crate::clock::ManualClock;
use crate::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use crate::{
    FaultInjectionFileSystem, MemFileSystem, PosixFileSystem, WallClock, read_file_to_vec,
};

const DB: &str = "/db";
/// 2026-11-22, in the middle of the day so that the date is the same in most time zones.
const NOON: u64 = 1_795_348_800_123_456;

struct Setup {
    fs: Arc<dyn FileSystem>,
    clock: Arc<ManualClock>,
    options: InfoLogOptions,
}

impl Setup {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(NOON));
        Self { fs: Arc::new(MemFileSystem::new()), clock, options: InfoLogOptions::default() }
    }

    fn create(&self) -> Arc<dyn Logger> {
        let clock = Arc::clone(&self.clock) as Arc<dyn SystemClock>;
        create_logger_from_options(Arc::clone(&self.fs), clock, Path::new(DB), &self.options, None)
            .unwrap()
    }

    fn read(&self, path: &str) -> String {
        let content = read_file_to_vec(&*self.fs, Path::new(path), 1 << 20).unwrap();
        String::from_utf8(content).unwrap()
    }

    /// The lines without time and thread.
    fn texts(&self, path: &str) -> Vec<String> {
        let content = self.read(path);
        let text = |line: &str| line.splitn(3, ' ').nth(2).unwrap_or_default().to_string();
        content.lines().map(text).collect()
    }

    fn names(&self, directory: &str) -> Vec<String> {
        let mut names = self.fs.get_children(Path::new(directory)).unwrap();
        names.sort();
        names
    }
}

#[test]
fn a_line_is_as_rocksdb_writes_it() {
    let setup = Setup::new();
    let logger = setup.create();
    logger.log(InfoLogLevel::Info, format_args!("text of {}", 7));
    logger.flush();
    let line = setup.read("/db/LOG");
    let thread = rustix::thread::gettid().as_raw_nonzero();
    assert!(line.ends_with(&format!(".123456 {thread} text of 7\n")), "{line}");
    // 2026/11/22-12:00:00, but for the time zone.
    assert!(line.starts_with("2026/11/2"), "{line}");
    let bytes = line.as_bytes();
    for (index, expected) in [(4, b'/'), (7, b'/'), (10, b'-'), (13, b':'), (16, b':'), (19, b'.')]
    {
        assert_eq!(bytes[index], expected, "{line}");
    }
    assert_eq!(&line[17..19], "00", "time zones differ by whole minutes");
}

#[test]
fn levels_are_shown_and_filtered() {
    let setup = Setup::new();
    let logger = setup.create();
    let all = |logger: &dyn Logger| {
        debug(logger, format_args!("a"));
        info(logger, format_args!("b"));
        warn(logger, format_args!("c"));
        error(logger, format_args!("d"));
        fatal(logger, format_args!("e"));
        header(logger, format_args!("f"));
    };
    all(&*logger);
    logger.set_log_level(InfoLogLevel::Debug);
    assert_eq!(logger.log_level(), InfoLogLevel::Debug);
    all(&*logger);
    logger.set_log_level(InfoLogLevel::Header);
    all(&*logger);
    all(&NullLogger);
    logger.flush();
    let mut texts = setup.texts("/db/LOG");
    for text in &mut texts {
        // Where it was said: the number of the line may change.
        let place = "[env/src/logger/tests.rs:";
        if let Some((before, after)) = text.split_once(place) {
            *text = format!("{before}[here{}", &after[after.find(']').unwrap()..]);
        }
    }
    let shown = [
        "[DEBUG] [here] a",
        "[here] b",
        "[WARN] [here] c",
        "[ERROR] [here] d",
        "[FATAL] [here] e",
        "f",
    ];
    assert_eq!(texts, [&shown[1..], &shown, &shown[5..]].concat());
}

#[test]
fn what_is_worse_than_usual_is_flushed_at_once() {
    let setup = Setup::new();
    let logger = setup.create();
    logger.log(InfoLogLevel::Info, format_args!("one"));
    assert_eq!(setup.read("/db/LOG"), "");
    logger.log(InfoLogLevel::Warn, format_args!("two"));
    assert_eq!(setup.texts("/db/LOG"), ["one", "[WARN] two"]);
    logger.log(InfoLogLevel::Info, format_args!("three\n"));
    setup.clock.advance_micros(4_999_999);
    logger.log(InfoLogLevel::Info, format_args!("four"));
    assert_eq!(setup.texts("/db/LOG").len(), 2);
    setup.clock.advance_micros(1);
    logger.log(InfoLogLevel::Info, format_args!("five"));
    assert_eq!(setup.texts("/db/LOG")[2..], ["three", "four", "five"]);
}

#[test]
fn lines_wait_with_their_time() {
    let setup = Setup::new();
    let logger = setup.create();
    let buffer = LogBuffer::default();
    buffer.push(InfoLogLevel::Info, NOON, format_args!("first"));
    buffer.push(InfoLogLevel::Warn, NOON + 1, format_args!("second"));
    logger.log(InfoLogLevel::Info, format_args!("later"));
    setup.clock.advance_micros(10);
    buffer.write_to(&*logger);
    buffer.write_to(&*logger);
    let texts = setup.texts("/db/LOG");
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(texts[0], "later");
    assert!(texts[1].starts_with("(Original Log Time 2026/11/2"), "{texts:?}");
    assert!(texts[1].contains(".123456) [env/src/logger/tests.rs:"), "{texts:?}");
    assert!(texts[1].ends_with("] first"), "{texts:?}");
    assert!(texts[2].starts_with("[WARN] (Original Log Time"), "{texts:?}");
    assert!(texts[2].contains(".123457)"), "{texts:?}");
}

#[test]
fn opening_puts_the_old_log_aside() {
    let mut setup = Setup::new();
    setup.options.keep_log_file_num = 3;
    for round in 0..5 {
        let logger = setup.create();
        header(&*logger, format_args!("round {round}"));
        // Two in one microsecond, to be told apart.
        setup.clock.advance_micros(round / 2);
    }
    assert_eq!(setup.names("/db").len(), 3, "{:?}", setup.names("/db"));
    assert_eq!(setup.texts("/db/LOG"), ["round 4"]);
    let mut texts: Vec<String> = Vec::new();
    for name in setup.names("/db").iter().filter(|name| name.starts_with("LOG.old.")) {
        texts.extend(setup.texts(&format!("/db/{name}")));
    }
    assert_eq!(texts, ["round 2", "round 3"]);
}

#[test]
fn old_logs_are_counted_among_names_that_are_known() {
    let mut setup = Setup::new();
    setup.options.keep_log_file_num = 2;
    for _ in 0..3 {
        let names = setup.fs.get_children(Path::new(DB)).ok();
        let clock = Arc::clone(&setup.clock) as Arc<dyn SystemClock>;
        let (fs, path) = (Arc::clone(&setup.fs), Path::new(DB));
        drop(create_logger_from_options(fs, clock, path, &setup.options, names).unwrap());
        setup.clock.advance_micros(1);
    }
    // Each was put aside when the next one began.
    let old = format!("LOG.old.{}", NOON + 2);
    assert_eq!(setup.names("/db"), ["LOG", &old]);
}

#[test]
fn a_log_directory_serves_many_databases() {
    let mut setup = Setup::new();
    setup.options.db_log_dir = Some(PathBuf::from("/logs"));
    setup.options.keep_log_file_num = 1;
    setup.fs.create_dir(Path::new("/logs")).unwrap();
    for name in ["/logs/other_LOG.old.5", "/logs/LOG.old.5", "/logs/db_LOG.old.5"] {
        setup.fs.new_writable_file(Path::new(name), &crate::FileOptions::DEFAULT).unwrap();
    }
    drop(setup.create());
    drop(setup.create());
    assert_eq!(setup.names("/logs"), ["LOG.old.5", "db_LOG", "other_LOG.old.5"]);
    assert!(setup.names("/db").is_empty());
}

#[test]
fn a_large_log_goes_on_in_another_file_with_the_headers() {
    let mut setup = Setup::new();
    setup.options.max_log_file_size = 300;
    let logger = setup.create();
    header(&*logger, format_args!("RocksDB version"));
    for index in 0..20 {
        setup.clock.advance_micros(10);
        logger.log(InfoLogLevel::Info, format_args!("line {index}"));
    }
    drop(logger);
    let mut lines = Vec::new();
    let mut names = setup.names("/db");
    assert!(names.len() >= 3, "{names:?}");
    names.rotate_left(1);
    for name in &names {
        let path = format!("/db/{name}");
        assert!(setup.read(&path).len() < 400);
        let texts = setup.texts(&path);
        assert_eq!(texts[0], "RocksDB version", "{name}");
        lines.extend_from_slice(&texts[1..]);
    }
    let expected: Vec<String> = (0..20).map(|index| format!("line {index}")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn an_old_log_goes_on_in_another_file() {
    let mut setup = Setup::new();
    setup.options.log_file_time_to_roll = 60;
    let logger = setup.create();
    for seconds in [0, 59, 1, 59, 1] {
        setup.clock.advance_micros(seconds * 1_000_000);
        logger.log(InfoLogLevel::Info, format_args!("after {seconds}"));
    }
    logger.flush();
    assert_eq!(setup.names("/db").len(), 3);
    assert_eq!(setup.texts("/db/LOG"), ["after 1"]);
}

#[test]
fn errors_lose_lines_and_nothing_else() {
    let mut setup = Setup::new();
    let faults = Arc::new(FaultInjectionFileSystem::new(Arc::clone(&setup.fs)));
    setup.fs = Arc::clone(&faults) as Arc<dyn FileSystem>;
    let logger = setup.create();
    faults.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Append]),
        when: When::Nth(1),
        effect: Effect::Error(FaultError::NoSpace),
    });
    for text in ["kept", "lost", "lost too"] {
        logger.log(InfoLogLevel::Warn, format_args!("{text}"));
    }
    setup.clock.advance_micros(5_000_000);
    logger.log(InfoLogLevel::Warn, format_args!("again"));
    assert_eq!(setup.texts("/db/LOG"), ["[WARN] kept", "[WARN] again"]);
}

#[test]
fn creating_it_can_fail() {
    let fs: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    let options = InfoLogOptions::default();
    let path = Path::new("/missing/db");
    let status =
        create_logger_from_options(fs, Arc::new(WallClock), path, &options, None).unwrap_err();
    assert!(status.is_path_not_found(), "{status}");
}

#[test]
fn threads_do_not_mix_lines() {
    let directory = tempfile::tempdir().unwrap();
    let options = InfoLogOptions { max_log_file_size: 4096, ..InfoLogOptions::default() };
    let logger = create_logger_from_options(
        PosixFileSystem::shared(),
        Arc::new(WallClock),
        directory.path(),
        &options,
        None,
    )
    .unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let logger = &logger;
            scope.spawn(move || {
                for index in 0..200 {
                    logger.log(InfoLogLevel::Info, format_args!("{thread} {index} end"));
                }
            });
        }
    });
    drop(logger);
    let mut lines = 0;
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let content = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(content.lines().all(|line| line.ends_with(" end")));
        lines += content.lines().count();
    }
    assert_eq!(lines, 800);
}

#[test]
fn the_time_of_a_line_is_read_back() {
    let line = format!("{} 12 [db/open.rs:7] Something", time_text(NOON));
    assert_eq!(line_time_micros(&line), Some(NOON));
    for other in [
        "",
        "Uptime(secs): 2.1 total, 1.0 interval",
        "2026/99/22-15:14:26.291830 1 [x]",
        "2026/11/22-15:14:26.2918é 1 [x]",
    ] {
        assert_eq!(line_time_micros(other), None, "{other}");
    }
}
