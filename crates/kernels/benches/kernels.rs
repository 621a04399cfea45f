//! What each kernel costs beside a floor, by every set of instructions that this processor has:
//! `cargo bench -p touchstone-kernels`, with parts of names to measure those alone, and with `--short`.
//! Everything is in the nearest cache.

use kernels::bloom_line::{LINE_SIZE, has_all_by, position};
use kernels::lower_bound::lower_bound_by;
use kernels::{Isa, SortedNumber};
use microbench::{Benches, each, scatter};
use std::hint::{black_box, select_unpredictable};

/// Few, so that some rounds are not interrupted where others work too.
const OPERATIONS: u64 = 20_000;

/// As many numbers as the kernel counts; more are halved until so few are left.
const COUNTED_MAX: usize = 256;

/// What must be looked at of `numbers`: one number of each half that is left aside, where each waits for the one
/// before, and one of each line that is counted, of which none waits.
#[inline]
fn look_at<N: SortedNumber, const LINE: usize>(numbers: &[N], wanted: u64) -> u64 {
    let mut rest = numbers;
    while rest.len() > COUNTED_MAX {
        let (low, high) = rest.split_at(rest.len() / 2);
        rest = select_unpredictable(high[0].number() <= wanted, high, low);
    }
    let (lines, last) = rest.as_chunks::<LINE>();
    let sum = lines.iter().fold(wanted, |sum, line| sum ^ line[0].number());
    sum ^ last.first().map_or(0, |number| number.number())
}

/// Of numbers from 0 on.
fn lower_bound<N: SortedNumber, const LINE: usize>(
    benches: &Benches,
    name: &str,
    isa: Isa,
    numbers: &[N],
) {
    const { assert!(LINE * size_of::<N>() == LINE_SIZE, "numbers of a line") };
    let count = numbers.len() as u64;
    benches.compare(
        &format!("lower_bound of {name}, {}", isa.name()),
        each(OPERATIONS, |number| lower_bound_by(isa, black_box(numbers), scatter(number, count))),
        "a look at each line",
        each(OPERATIONS, |number| look_at::<N, LINE>(black_box(numbers), scatter(number, count))),
    );
}

fn lower_bounds(benches: &Benches, isa: Isa) {
    for count in [34u32, 64, 256, 16_384] {
        let numbers: Vec<u64> = (0..count.into()).collect();
        lower_bound::<_, 8>(benches, &format!("{count}"), isa, &numbers);
        let fours: Vec<[u8; 4]> = (0..count).map(u32::to_le_bytes).collect();
        lower_bound::<_, 16>(benches, &format!("{count} x 4 bytes"), isa, &fours);
        let twos: Vec<[u8; 2]> = (0..count as u16).map(u16::to_le_bytes).collect();
        lower_bound::<_, 32>(benches, &format!("{count} x 2 bytes"), isa, &twos);
        // There are no more that differ.
        if let Ok(last) = u8::try_from(count - 1) {
            let ones: Vec<[u8; 1]> = (0..=last).map(u8::to_le_bytes).collect();
            lower_bound::<_, 64>(benches, &format!("{count} x 1 byte"), isa, &ones);
        }
    }
}

fn bloom_line(benches: &Benches, isa: Isa) {
    const PROBES: u32 = 6;
    let line = [0x5au8; LINE_SIZE];
    let hash = |number: u64| scatter(number, 1 << 32) as u32;
    benches.compare(
        &format!("bloom_line of {PROBES} probes, {}", isa.name()),
        each(OPERATIONS, |number| has_all_by(isa, black_box(&line), hash(number), PROBES)),
        "one probe",
        each(OPERATIONS, |number| {
            let (byte, shift) = position(hash(number));
            black_box(&line)[byte] >> shift & 1 != 0
        }),
    );
}

fn main() {
    let benches = Benches::from_arguments();
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        lower_bounds(&benches, isa);
        bloom_line(&benches, isa);
    }
}
