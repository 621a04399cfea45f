use super::*;
use env::MemFileSystem;
use std::fmt::Write;

const DB: &str = "/db";

struct Setup {
    fs: Arc<dyn FileSystem>,
    text: String,
    /// Seconds of the hour.
    now: u32,
}

impl Setup {
    fn new() -> Self {
        let fs = MemFileSystem::new();
        fs.create_dir_if_missing(Path::new(DB)).unwrap();
        Self { fs: Arc::new(fs), text: String::new(), now: 0 }
    }

    fn line(&mut self, text: &str) {
        let (minutes, seconds) = (self.now / 60, self.now % 60);
        self.now += 1;
        writeln!(self.text, "2026/11/22-15:{minutes:02}:{seconds:02}.000000 1 [x] {text}").unwrap();
    }

    fn dump(&mut self, count: u64) {
        self.line("------- DUMPING STATS -------");
        self.line("STATISTICS:");
        writeln!(self.text, "rocksdb.number.keys.read COUNT : {count}").unwrap();
    }

    fn write_as(&self, name: &str, text: &str) {
        let path = Path::new(DB).join(name);
        let mut file = self.fs.new_writable_file(&path, &FileOptions::DEFAULT).unwrap();
        file.append(text.as_bytes()).unwrap();
        file.close().unwrap();
    }

    fn write(&self) {
        self.write_as("LOG", &self.text);
    }

    fn log(&self) -> PrimaryLog {
        PrimaryLog::new(self.fs.clone(), Path::new(DB), "")
    }
}

/// The counts of the newest dump and of the one before it.
fn counts(log: &mut PrimaryLog) -> [Option<u64>; 2] {
    log.refresh();
    let count = |dump: &Dump| dump.ticker("rocksdb.number.keys.read").unwrap();
    [log.newest().map(count), log.before_newest().map(count)]
}

#[test]
fn a_log_is_followed_as_it_grows() {
    let mut setup = Setup::new();
    let mut log = setup.log();
    assert_eq!(counts(&mut log), [None, None], "there is no file yet");
    setup.line("begun");
    setup.write();
    assert_eq!(counts(&mut log), [None, None]);
    setup.dump(1);
    setup.write();
    assert_eq!(counts(&mut log), [Some(1), None]);
    setup.dump(234);
    // In the middle of a number.
    setup.write_as("LOG", &setup.text[..setup.text.len() - 2]);
    assert_eq!(counts(&mut log), [Some(1), None]);
    setup.write();
    assert_eq!(counts(&mut log), [Some(234), Some(1)]);
    setup.dump(300);
    setup.dump(400);
    setup.write();
    assert_eq!(counts(&mut log), [Some(400), Some(300)]);
    assert_eq!(counts(&mut setup.log()), [Some(400), Some(300)], "whenever one begins");
}

#[test]
fn a_log_that_goes_on_in_another_file_is_followed() {
    let mut setup = Setup::new();
    setup.line("begun");
    setup.dump(1);
    setup.dump(2);
    setup.write();
    let mut log = setup.log();
    assert_eq!(counts(&mut log), [Some(2), Some(1)]);
    setup.write_as("LOG.old.1000", "2026/11/22-14:00:00.000000 1 [x] older still\n");
    setup.write_as("LOG.old.2000", &setup.text);
    setup.text.clear();
    setup.line("goes on");
    setup.write();
    assert_eq!(counts(&mut log), [Some(2), Some(1)]);
    assert_eq!(counts(&mut setup.log()), [Some(2), Some(1)], "the old file is read");
    setup.dump(3);
    setup.write();
    assert_eq!(counts(&mut log), [Some(3), Some(2)]);
    assert_eq!(counts(&mut setup.log()), [Some(3), Some(2)]);
}

#[test]
fn what_a_process_before_this_one_counted_is_forgotten() {
    let mut setup = Setup::new();
    setup.line("begun");
    setup.dump(1000);
    setup.write_as("LOG.old.2000", &setup.text);
    setup.text.clear();
    setup.line("begun");
    setup.line("Recovered from manifest file:/db/MANIFEST-000005 succeeded");
    setup.write();
    assert_eq!(counts(&mut setup.log()), [None, None]);
    setup.dump(1);
    setup.write();
    assert_eq!(counts(&mut setup.log()), [Some(1), None]);
}

/// The dumps stand far from the end, behind what else was logged.
#[test]
fn dumps_are_found_in_a_large_log() {
    let mut setup = Setup::new();
    setup.line("begun");
    for count in 0..3 {
        setup.dump(count);
    }
    let other = "2026/11/22-15:50:00.000000 1 [x] something else\n".repeat(60_000);
    setup.text.push_str(&other);
    assert!(setup.text.len() as u64 > 2 * WINDOW_SIZE);
    setup.write();
    assert_eq!(counts(&mut setup.log()), [Some(2), Some(1)]);
    setup.text.insert_str(0, &other);
    setup.write();
    assert_eq!(counts(&mut setup.log()), [Some(2), Some(1)]);
}

#[test]
fn the_log_may_be_in_another_directory() {
    let mut setup = Setup::new();
    setup.line("begun");
    setup.dump(7);
    setup.fs.create_dir_if_missing(Path::new("/logs")).unwrap();
    setup.write_as("../logs/db_LOG", &setup.text);
    let mut log = PrimaryLog::new(setup.fs.clone(), Path::new(DB), "/logs");
    assert_eq!(counts(&mut log), [Some(7), None]);
}
