//! What is measured beside speed, from what engines and the machine say of themselves.

pub(crate) mod peak_space;
pub(crate) mod read_amplification;
pub(crate) mod shape;
pub(crate) mod stalls;
