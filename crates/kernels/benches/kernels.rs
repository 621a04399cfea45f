//! What each kernel costs, by every set of instructions that this processor has: `cargo bench -p
//! touchstone-kernels`. Everything is in the nearest cache.

use kernels::bloom_line::has_all_by;
use kernels::lower_bound::lower_bound_by;
use kernels::{Isa, SortedNumber};
use std::hint::black_box;
use std::time::Instant;

/// Few, so that some rounds are not interrupted where others work too.
const OPERATIONS: u32 = 20_000;
const ROUNDS: usize = 100;

/// Prints the least, over rounds, of the nanoseconds of one operation.
fn measure(name: &str, isa: Isa, mut operation: impl FnMut(u32)) {
    let least = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..OPERATIONS).for_each(&mut operation);
            start.elapsed().as_nanos() as f64 / f64::from(OPERATIONS)
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<32} {:<8} {least:>8.1} ns", isa.name());
}

/// Of numbers from 0 on.
fn measure_lower_bound<N: SortedNumber>(name: &str, isa: Isa, numbers: &[N]) {
    let count = numbers.len() as u64;
    measure(name, isa, |number| {
        let wanted = (u64::from(number.wrapping_mul(0x9e37_79b9)) * count) >> 32;
        black_box(lower_bound_by(isa, black_box(numbers), wanted));
    });
}

fn main() {
    let line = [0x5au8; 64];
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for count in [34u32, 64, 256, 16_384] {
            let numbers: Vec<u64> = (0..count.into()).collect();
            measure_lower_bound(&format!("lower_bound of {count}"), isa, &numbers);
            let fours: Vec<[u8; 4]> = (0..count).map(u32::to_le_bytes).collect();
            measure_lower_bound(&format!("lower_bound of {count} x 4 bytes"), isa, &fours);
            let twos: Vec<[u8; 2]> = (0..count as u16).map(u16::to_le_bytes).collect();
            measure_lower_bound(&format!("lower_bound of {count} x 2 bytes"), isa, &twos);
            // There are no more that differ.
            if let Ok(last) = u8::try_from(count - 1) {
                let ones: Vec<[u8; 1]> = (0..=last).map(u8::to_le_bytes).collect();
                measure_lower_bound(&format!("lower_bound of {count} x 1 byte"), isa, &ones);
            }
        }
        measure("bloom_line of 6 probes", isa, |number| {
            black_box(has_all_by(isa, black_box(&line), number.wrapping_mul(0x9e37_79b9), 6));
        });
    }
}
