//! The few loops of point lookups that are worth a processor's vector instructions.
//!
//! Each kernel is a safe function over plain arrays, and has a form for every [`Isa`]: the scalar one
//! says what the others must answer, and the tests ask all of them the same. Which one runs is
//! found out once for the process, so that a build for any processor of a kind uses what the one at
//! hand has: no compiler flags are needed.
//!
//! | kernel | what for |
//! |---|---|
//! | [`mod@lower_bound`] | directories of blocks, indexes |
//! | [`bloom_line`] | one key in one line of a Bloom filter |
//! | [`prefetch`] | lines that a batch of lookups will need |
//!
//! It must not know what the arrays mean. All unsafe code is in `x86_64.rs`; elsewhere kernels are
//! scalar, and prefetching does nothing.

#![deny(unsafe_code)]

pub mod bloom_line;
pub mod isa;
pub mod lower_bound;
pub mod prefetch;
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "loads and prefetches through intrinsics, of features found at run time"
)]
mod x86_64;

pub use isa::Isa;
pub use lower_bound::{SortedNumber, lower_bound};
