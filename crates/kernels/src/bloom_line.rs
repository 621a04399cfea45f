//! One key in one line of a Bloom filter that keeps each key within a line.
//!
//! Starting with `x`, each probe is the bit `x >> 23` of the line's 512, bit 0 being the lowest of
//! byte 0; then `x` is multiplied by 0x9e3779b9, modulo 2^32.

use crate::isa::Isa;

/// Bytes of a line.
pub const LINE_SIZE: usize = 64;
/// What `x` is multiplied by from probe to probe.
pub const MULTIPLIER: u32 = 0x9e37_79b9;

/// Whether the first `probes` bits of `x` are all set.
#[inline]
pub fn has_all(line: &[u8; LINE_SIZE], x: u32, probes: u32) -> bool {
    has_all_by(Isa::best(), line, x, probes)
}

/// [`has_all`] by the instructions of `isa`, or the scalar ones where it is not available.
#[inline]
pub fn has_all_by(isa: Isa, line: &[u8; LINE_SIZE], x: u32, probes: u32) -> bool {
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Avx512 if Isa::best() >= isa => return crate::x86_64::has_all_avx512(line, x, probes),
        Isa::Avx2 if Isa::best() >= isa => return crate::x86_64::has_all_avx2(line, x, probes),
        _ => {}
    }
    let _ = isa;
    has_all_scalar(line, x, probes)
}

fn has_all_scalar(line: &[u8; LINE_SIZE], mut x: u32, probes: u32) -> bool {
    // All probes, without a branch for each: where a probe fails first cannot be predicted.
    let mut all = u8::MAX;
    for _ in 0..probes {
        let (byte, shift) = position(x);
        all &= line[byte] >> shift;
        x = x.wrapping_mul(MULTIPLIER);
    }
    all & 1 != 0
}

/// The byte of the line that a probe looks at, and the number of the bit in it.
#[inline]
pub fn position(x: u32) -> (usize, u32) {
    let bit = x >> 23;
    ((bit >> 3) as usize, bit & 7)
}

#[cfg(test)]
mod tests;
