use super::{SortedNumber, lower_bound, lower_bound_by};
use crate::isa::Isa;
use std::fmt::Debug;

fn expect_partition_point(numbers: &[u64], wanted: u64) {
    let expected = numbers.partition_point(|&number| number < wanted);
    let bytes: Vec<[u8; 8]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
    assert!(bytes.iter().zip(numbers).all(|(bytes, number)| bytes.number() == *number));
    assert_eq!(lower_bound(numbers, wanted), expected);
    for isa in Isa::ALL {
        assert_eq!(lower_bound_by(isa, numbers, wanted), expected, "{isa:?} of {numbers:?}");
        assert_eq!(lower_bound_by(isa, &bytes, wanted), expected, "{isa:?} of bytes");
    }
    let halves = |number: &u64| ((number >> 32) as u32).to_le_bytes();
    expect_partition_point_of_short(numbers, wanted, 32, halves);
    let quarters = |number: &u64| ((number >> 48) as u16).to_le_bytes();
    expect_partition_point_of_short(numbers, wanted, 48, quarters);
    let eighths = |number: &u64| ((number >> 56) as u8).to_le_bytes();
    expect_partition_point_of_short(numbers, wanted, 56, eighths);
}

/// The same for what is left of numbers without their last `bits`, and for `wanted` as it is and without those.
fn expect_partition_point_of_short<N: SortedNumber + Debug>(
    numbers: &[u64],
    wanted: u64,
    bits: u32,
    shortened: impl Fn(&u64) -> N,
) {
    let short: Vec<N> = numbers.iter().map(shortened).collect();
    for wanted in [wanted, wanted >> bits, (wanted >> bits) + 1] {
        let expected = short.partition_point(|short| short.number() < wanted);
        for isa in Isa::ALL {
            assert_eq!(lower_bound_by(isa, &short, wanted), expected, "{isa:?} of {short:?}");
        }
    }
}

#[test]
fn every_isa_finds_the_place_in_arrays_of_any_length() {
    let lengths = if cfg!(miri) { 0..20 } else { 0..600 };
    for length in lengths {
        let numbers: Vec<u64> = (0..length).map(|number| 3 * number + 1).collect();
        for wanted in [0, 1, 2, 3 * length / 2, 3 * length, u64::MAX] {
            expect_partition_point(&numbers, wanted);
        }
        // Those of which a half, a quarter or an eighth is kept.
        for bits in [32, 48, 56] {
            let mut spread: Vec<u64> = numbers.iter().map(|number| number << bits | 7).collect();
            spread.sort_unstable();
            for wanted in [0, 1, 2, 3 * length / 2, 3 * length] {
                expect_partition_point(&spread, wanted << bits);
            }
        }
    }
}

#[test]
fn numbers_are_unsigned() {
    let numbers = [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX - 1, u64::MAX];
    for &wanted in &numbers {
        expect_partition_point(&numbers, wanted);
        expect_partition_point(&numbers, wanted.wrapping_add(1));
    }
}

#[test]
fn of_equal_numbers_the_first_is_found() {
    for length in [1, 7, 8, 9, 33, 300] {
        let mut numbers = vec![5; length];
        numbers.push(9);
        for wanted in 4..11 {
            expect_partition_point(&numbers, wanted);
        }
    }
}

#[test]
fn arrays_may_begin_anywhere() {
    let numbers: Vec<u64> = (0..100).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    for shift in 0..8 {
        let mut shifted = vec![0; shift];
        shifted.extend_from_slice(&bytes);
        let chunks = shifted[shift..].as_chunks::<8>().0;
        for isa in Isa::ALL {
            assert_eq!(lower_bound_by(isa, chunks, 42), 42, "{isa:?}");
        }
    }
}
