//! What machine this is, and what its kernel counts.
//!
//! A measurement means something only together with where it was taken: [`HostFacts`] has what spoils
//! results most often (a governor that saves power, few descriptors, devices that split reads) and
//! says so in sentences. The counters ([`ProcessCounters`], [`DeviceCounters`], [`ProcessorCounters`])
//! are read before and after, and subtracted.
//!
//! What is read from `/proc` and `/sys` is parsed by pure functions of text. Where a kernel does not
//! say something, it is absent, never 0 and never an error.

pub mod block_devices;
pub mod cpu;
pub mod device_counters;
pub mod facts;
pub mod huge_pages;
pub mod mounts;
pub mod process_counters;
pub mod processor_counters;
mod resource_usage;

pub use block_devices::{BlockDevice, block_devices};
pub use cpu::Cpu;
pub use device_counters::{DeviceCounters, device_counters};
pub use facts::HostFacts;
pub use huge_pages::HugePages;
pub use mounts::Mount;
pub use process_counters::ProcessCounters;
pub use processor_counters::ProcessorCounters;
