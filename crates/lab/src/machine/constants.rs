//! What there is to measure: one row for each constant of the machine.

use super::measure::{Workbench, file, memory, processor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A constant of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name in JSON; stays.
    pub name: &'static str,
    /// The symbol in formulas.
    pub symbol: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What a server without virtualization has, where that can be said of all.
    pub nominal: Option<f64>,
    /// Measures it. The error is a sentence on why it cannot be measured here.
    pub measure: fn(&mut Workbench) -> Result<f64, String>,
}

/// Declares a constant's row.
const fn row(
    (symbol, name, unit): (&'static str, &'static str, &'static str),
    what: &'static str,
    nominal: Option<f64>,
    measure: fn(&mut Workbench) -> Result<f64, String>,
) -> Constant {
    Constant { name, symbol, what, unit, nominal, measure }
}

/// All constants, in the order of the table.
pub const CONSTANTS: &[Constant] = &[
    row(
        ("C2", "load_l2_nanos", "ns"),
        "dependent load, 256 KiB set (L2)",
        Some(4.0),
        memory::load_l2,
    ),
    row(
        ("C3", "load_2m_nanos", "ns"),
        "dependent load, 2 MiB set (near L3)",
        Some(15.0),
        memory::load_2m,
    ),
    row(
        ("D", "load_nanos", "ns"),
        "dependent load, 8 MiB set, huge pages",
        Some(90.0),
        memory::load,
    ),
    row(("T1", "line_1_nanos", "ns"), "line of memory, 1 in flight", Some(90.0), memory::line_1),
    row(("T8", "line_8_nanos", "ns"), "line of memory, 8 in flight", Some(11.0), memory::line_8),
    row(("T16", "line_16_nanos", "ns"), "line of memory, 16 in flight", Some(6.0), memory::line_16),
    row(("T32", "line_32_nanos", "ns"), "line of memory, 32 in flight", Some(4.0), memory::line_32),
    row(("Br", "stream_gb_per_s", "GB/s"), "reading memory in order", Some(40.0), memory::stream),
    row(("Bc", "copy_gb_per_s", "GB/s"), "copying memory", Some(20.0), memory::copy),
    row(("Sy", "system_call_nanos", "ns"), "empty system call", Some(60.0), processor::system_call),
    row(("W140", "append_140_nanos", "ns"), "appending write of 140 B", None, file::append_140),
    row(("W440", "append_440_nanos", "ns"), "appending write of 440 B", None, file::append_440),
    row(("W4096", "append_4096_nanos", "ns"), "appending write of 4096 B", None, file::append_4096),
    row(
        ("Fa", "touch_anonymous_nanos", "ns"),
        "first touch of 4 KiB, small pages",
        Some(250.0),
        memory::touch_small_pages,
    ),
    row(
        ("Fh", "touch_huge_nanos", "ns"),
        "first touch of 4 KiB, huge pages",
        Some(50.0),
        memory::touch_huge_pages,
    ),
    row(
        ("Fc", "touch_page_cache_nanos", "ns"),
        "first touch of 4 KiB in the page cache",
        None,
        file::touch_page_cache,
    ),
    row(
        ("Dw", "direct_write_gb_per_s", "GB/s"),
        "direct writes in order",
        None,
        file::direct_write,
    ),
    row(("Dr", "direct_read_gb_per_s", "GB/s"), "direct reads in order", None, file::direct_read),
    row(
        ("I1", "reads_1_per_s", "1/s"),
        "random direct 4 KiB reads, 1 at a time",
        None,
        file::reads_1,
    ),
    row(("I16", "reads_16_per_s", "1/s"), "the same, 16 at a time", None, file::reads_16),
    row(("I64", "reads_64_per_s", "1/s"), "the same, 64 at a time", None, file::reads_64),
    row(("Sf", "data_sync_micros", "us"), "fdatasync after a 4 KiB write", None, file::data_sync),
    row(("clock", "clock_nanos", "ns"), "asking for the time", None, processor::clock),
    row(("mutex", "mutex_nanos", "ns"), "taking and leaving a free mutex", None, processor::mutex),
    row(("atomic", "atomic_add_nanos", "ns"), "atomic addition", None, processor::atomic_add),
];

/// A constant's value here, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// In the constant's unit; `null` if it could not be measured.
    pub value: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The values of constants by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Values(pub BTreeMap<String, Value>);

impl Values {
    /// The value of the constant with this name, if it was measured.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(|value| value.value)
    }

    /// Values as they are known from elsewhere, by symbol.
    ///
    /// # Panics
    /// If a symbol is none of [`CONSTANTS`].
    pub fn of_symbols(known: &[(&str, f64)]) -> Self {
        let value_of = |&(symbol, value): &(&str, f64)| {
            let constant = CONSTANTS.iter().find(|constant| constant.symbol == symbol);
            let name = constant.map(|constant| constant.name).expect("the symbol of a constant");
            (name.to_owned(), Value { value: Some(value), missing: None })
        };
        Self(known.iter().map(value_of).collect())
    }
}
