//! What a subscriber of `tracing` hears of a database.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use db::{
    ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions, OpenContext, WriteOptions,
};
use env::MemFileSystem;
use options::DbOptions;
use std::fmt::{Debug, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps a line for each event and each span.
#[derive(Debug, Default)]
struct Heard {
    lines: Mutex<Vec<String>>,
    spans: AtomicU64,
}

/// Fields as ` name=value`; the message first, as it is.
#[derive(Default)]
struct Fields {
    message: String,
    text: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => write!(self.text, " {name}={value:?}").unwrap(),
        }
    }
}

struct Listening(Arc<Heard>);

impl Subscriber for Listening {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("touchstone::")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let (target, name) = (span.metadata().target(), span.metadata().name());
        self.0.lines.lock().unwrap().push(format!("{target} span {name}{}", fields.text));
        Id::from_u64(self.0.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let (level, target) = (metadata.level(), metadata.target());
        let line = format!("{level} {target} {}{}", fields.message, fields.text);
        self.0.lines.lock().unwrap().push(line);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

#[test]
fn jobs_are_heard_with_their_numbers() {
    let heard = Arc::new(Heard::default());
    tracing::subscriber::set_global_default(Listening(heard.clone())).unwrap();
    let context =
        OpenContext { file_system: Arc::new(MemFileSystem::new()), ..OpenContext::default() };
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", Default::default())];
    let db = Db::open(&options, Path::new("/db"), &families, &context).unwrap();
    let family = db.column_family("default").unwrap();
    for value in [b"1", b"2"] {
        db.put(&WriteOptions::default(), &family, b"key", value).unwrap();
        db.put(&WriteOptions::default(), &family, b"other", value).unwrap();
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    db.close().unwrap();
    let lines = heard.lines.lock().unwrap();
    let place = |start: &str| {
        let found = lines.iter().position(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no {start:?} in {lines:#?}"))
    };
    let order = [
        "touchstone::db span open path=/db",
        "INFO touchstone::db database opened path=/db",
        "touchstone::flush span flush job=",
        "INFO touchstone::flush flush started job=",
        "DEBUG touchstone::file file created job=",
        "INFO touchstone::flush flush finished job=",
        "INFO touchstone::compaction manual compaction started cf=default keys=\"(begin) .. (end)\"",
        "touchstone::compaction span compaction job=",
        "INFO touchstone::compaction compaction started job=",
        "DEBUG touchstone::compaction part of a compaction finished job=",
        "INFO touchstone::compaction compaction finished job=",
        "DEBUG touchstone::file file deleted job=",
        "INFO touchstone::compaction manual compaction finished cf=default",
        "INFO touchstone::db database closing path=/db",
        "INFO touchstone::db database closed path=/db",
    ];
    for pair in order.windows(2) {
        assert!(place(pair[0]) < place(pair[1]), "{pair:?} in {lines:#?}");
    }
    let finished = &lines[place("INFO touchstone::compaction compaction finished")];
    assert!(finished.contains("input_records=4 output_records=2"), "{finished}");
    assert!(!finished.contains("error="), "{finished}");
}
