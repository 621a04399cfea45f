//! Lines of the info log for programs: `EVENT_LOG_v1 {"time_micros": 1421360005788015, "event":
//! "table_file_creation", ...}`.

use crate::clock::SystemClock;
use crate::logger::{InfoLogLevel, Logger};
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

/// What the lines begin with.
pub const PREFIX: &str = "EVENT_LOG_v1";

/// Writes events to a log.
#[derive(Clone, Debug)]
pub struct EventLogger {
    logger: Arc<dyn Logger>,
    clock: Arc<dyn SystemClock>,
}

impl EventLogger {
    /// Writes to `logger`, with the times of `clock`.
    pub fn new(logger: Arc<dyn Logger>, clock: Arc<dyn SystemClock>) -> Self {
        Self { logger, clock }
    }

    /// Logs an event: the time, then the fields that `fill` adds. Nothing is called if the log
    /// leaves such lines out.
    pub fn log(&self, fill: impl FnOnce(&mut JsonObject)) {
        if self.logger.log_level() > InfoLogLevel::Info {
            return;
        }
        let mut object = JsonObject::default();
        object.field("time_micros", self.clock.now_micros());
        fill(&mut object);
        self.logger.log(InfoLogLevel::Info, format_args!("{PREFIX} {object}"));
    }
}

/// An object of JSON that grows field by field. Separators are RocksDB's: `", "` and `": "`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonObject {
    /// Without the braces.
    fields: String,
}

impl JsonObject {
    /// Adds a field.
    pub fn field(&mut self, key: &str, value: impl JsonValue) -> &mut Self {
        self.key(key);
        value.write(&mut self.fields);
        self
    }

    /// Adds an object, with the fields that `fill` adds to it.
    pub fn object(&mut self, key: &str, fill: impl FnOnce(&mut JsonObject)) -> &mut Self {
        let mut object = JsonObject::default();
        fill(&mut object);
        self.field(key, &object)
    }

    /// Adds a list.
    pub fn array<V: JsonValue>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = V>,
    ) -> &mut Self {
        self.key(key);
        self.fields.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.fields.push_str(", ");
            }
            value.write(&mut self.fields);
        }
        self.fields.push(']');
        self
    }

    fn key(&mut self, key: &str) {
        if !self.fields.is_empty() {
            self.fields.push_str(", ");
        }
        key.write(&mut self.fields);
        self.fields.push_str(": ");
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.fields)
    }
}

/// What a field may hold.
pub trait JsonValue {
    /// Adds the value to a text.
    fn write(&self, text: &mut String);
}

macro_rules! written_as_displayed {
    ($($kind:ty),*) => {
        $(impl JsonValue for $kind {
            fn write(&self, text: &mut String) {
                text.push_str(&self.to_string());
            }
        })*
    };
}

written_as_displayed!(bool, i32, i64, u8, u16, u32, u64, usize, JsonObject);

/// What JSON has no number for is null.
impl JsonValue for f64 {
    fn write(&self, text: &mut String) {
        if self.is_finite() { text.push_str(&self.to_string()) } else { text.push_str("null") }
    }
}

impl JsonValue for str {
    fn write(&self, text: &mut String) {
        text.push('"');
        for character in self.chars() {
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                // Writing to a string cannot fail.
                control if control < ' ' => {
                    let _ = write!(text, "\\u{:04x}", u32::from(control));
                }
                other => text.push(other),
            }
        }
        text.push('"');
    }
}

impl<V: JsonValue + ?Sized> JsonValue for &V {
    fn write(&self, text: &mut String) {
        (**self).write(text);
    }
}

impl JsonValue for String {
    fn write(&self, text: &mut String) {
        self.as_str().write(text);
    }
}

#[cfg(test)]
mod tests;
