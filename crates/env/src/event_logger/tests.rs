use super::*;
use crate::clock::ManualClock;
use parking_lot::Mutex;

#[derive(Debug)]
struct Lines(Mutex<Vec<String>>, InfoLogLevel);

impl Logger for Lines {
    fn log_level(&self) -> InfoLogLevel {
        self.1
    }

    fn set_log_level(&self, _level: InfoLogLevel) {}

    fn log(&self, level: InfoLogLevel, text: fmt::Arguments<'_>) {
        self.0.lock().push(format!("{level:?} {text}"));
    }
}

#[test]
fn an_event_is_a_line() {
    let lines = Arc::new(Lines(Mutex::default(), InfoLogLevel::Info));
    let clock = Arc::new(ManualClock::new(1_421_360_005_788_015));
    let logger = EventLogger::new(Arc::clone(&lines) as Arc<dyn Logger>, clock);
    logger.log(|event| {
        event.field("event", "table_file_creation").field("file_number", 12_u64);
        event.object("table_properties", |properties| {
            properties.field("data_size", 1_909_699_u64).field("comparator", "b\"y\\tes\n\u{1}é");
        });
        event.array("files_L0", [7_u64, 8]).array("files_L1", [0_u64; 0]);
        event.field("score", 1.5).field("ratio", f64::INFINITY).field("ok", true).field("lag", -1);
        event.object("empty", |_| {});
    });
    let expected = r#"Info EVENT_LOG_v1 {"time_micros": 1421360005788015, "event": "table_file_creation", "file_number": 12, "table_properties": {"data_size": 1909699, "comparator": "b\"y\\tes\n\u0001é"}, "files_L0": [7, 8], "files_L1": [], "score": 1.5, "ratio": null, "ok": true, "lag": -1, "empty": {}}"#;
    assert_eq!(*lines.0.lock(), [expected]);
}

#[test]
fn events_that_nobody_keeps_are_not_made() {
    let lines = Arc::new(Lines(Mutex::default(), InfoLogLevel::Warn));
    let logger = EventLogger::new(lines, Arc::new(ManualClock::new(0)));
    logger.log(|_| panic!("made"));
}
