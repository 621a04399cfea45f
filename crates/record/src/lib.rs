//! What one run of a benchmark measured, as a line of JSON.
//!
//! The bench writes [`Record`]s and the lab reads them; `docs/bench-json.md` is the reference of their
//! fields. Each record has all that is needed to judge it: parameters, the tree's shape before and
//! after, what the process and the devices did meanwhile, and the machine.
//!
//! Names of fields stay. New ones may come, so a reader must not mind names that it does not know.

#![forbid(unsafe_code)]

mod latency;
mod measures;
#[allow(clippy::module_inception, reason = "the crate is named after its main noun")]
mod record;
pub mod shape_text;

pub use latency::Latency;
pub use measures::{Device, FamilyShape, LevelShape, ReadAmplification, Shape, Shapes, Stall};
pub use record::{EngineFacts, Record, SCHEMA};
