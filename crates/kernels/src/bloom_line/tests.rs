use super::{LINE_SIZE, MULTIPLIER, has_all, has_all_by, position};
use crate::isa::Isa;

fn with_bits(x: u32, probes: u32) -> [u8; LINE_SIZE] {
    let mut line = [0; LINE_SIZE];
    let mut x = x;
    for _ in 0..probes {
        let (byte, shift) = position(x);
        line[byte] |= 1 << shift;
        x = x.wrapping_mul(MULTIPLIER);
    }
    line
}

#[test]
fn every_isa_finds_what_was_added_and_misses_any_bit() {
    for probes in 0..=30 {
        for seed in [1u32, 0x1234_5678, u32::MAX, 0x8000_0000] {
            let line = with_bits(seed, probes);
            assert!(has_all(&line, seed, probes));
            let mut x = seed;
            for _ in 0..probes {
                let (byte, shift) = position(x);
                let mut lacking = line;
                lacking[byte] &= !(1 << shift);
                for isa in Isa::ALL {
                    assert!(has_all_by(isa, &line, seed, probes), "{isa:?}, {probes} probes");
                    assert!(!has_all_by(isa, &lacking, seed, probes), "{isa:?}, {probes} probes");
                }
                x = x.wrapping_mul(MULTIPLIER);
            }
        }
    }
}

#[test]
fn every_isa_agrees_on_lines_that_are_half_full() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        state
    };
    for _ in 0..if cfg!(miri) { 10 } else { 2000 } {
        let line: [u8; LINE_SIZE] = std::array::from_fn(|_| (next() >> 24) as u8);
        let (x, probes) = (next(), 1 + next() % 8);
        let expected = has_all_by(Isa::Scalar, &line, x, probes);
        for isa in Isa::ALL {
            assert_eq!(has_all_by(isa, &line, x, probes), expected, "{isa:?}");
        }
    }
}
