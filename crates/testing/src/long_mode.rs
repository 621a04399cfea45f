//! Whether tests do all they could, which takes hours, or what the gate has time for.

/// Whether `TOUCHSTONE_LONG=1` asks for all of it.
#[must_use]
pub fn is_long() -> bool {
    std::env::var("TOUCHSTONE_LONG").is_ok_and(|value| value == "1")
}
