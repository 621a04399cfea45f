//! Loads, streams and first touches of memory.
//!
//! A [`Chain`] is a permutation with one cycle over the lines of a mapping: each line says which comes
//! next, so that a load cannot begin before the one before it has ended. Several walkers at a time have
//! as many loads in flight.

use super::{Workbench, nanos_per_operation};
use crate::statistics::SplitMix64;
use memmap2::{Advice, MmapMut, MmapOptions};
use std::hint::black_box;

const LINE_BYTES: usize = 64;
const PAGE_BYTES: usize = 4096;

/// Lines in a random circle.
#[derive(Debug)]
pub struct Chain {
    map: MmapMut,
}

impl Chain {
    /// A circle through `bytes` of memory, in huge pages if the system gives them.
    fn new(bytes: usize) -> Result<Self, String> {
        let mut map = mapping(bytes)?;
        // Without huge pages the loads are slower, and so they are on this machine.
        let _ = map.advise(Advice::HugePage);
        let lines = bytes / LINE_BYTES;
        let mut order: Vec<u32> = (0..lines as u32).collect();
        let mut random = SplitMix64(1);
        // Sattolo's shuffle leaves a single cycle.
        for last in (1..lines).rev() {
            order.swap(last, random.below(last));
        }
        for (line, next) in order.iter().enumerate() {
            let at = line * LINE_BYTES;
            let next = u64::from(*next) * LINE_BYTES as u64;
            map[at..at + 8].copy_from_slice(&next.to_le_bytes());
        }
        Ok(Self { map })
    }

    fn lines(&self) -> usize {
        self.map.len() / LINE_BYTES
    }

    /// Takes `steps` steps with each of `N` walkers, by turns.
    fn walk<const N: usize>(&self, steps: usize) {
        let mut at: [usize; N] =
            std::array::from_fn(|walker| self.lines() / N * walker * LINE_BYTES);
        for _ in 0..steps {
            for position in &mut at {
                *position = self.next(*position);
            }
        }
        black_box(at);
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.map[at..at + 8]);
        u64::from_le_bytes(bytes) as usize
    }
}

/// Fresh memory that nobody has touched.
fn mapping(bytes: usize) -> Result<MmapMut, String> {
    MmapOptions::new()
        .len(bytes)
        .map_anon()
        .map_err(|error| format!("no memory for a mapping of {bytes} bytes: {error}"))
}

/// Dependent loads in the L2 cache.
pub fn load_l2(bench: &mut Workbench) -> Result<f64, String> {
    dependent_loads(bench, 256 << 10)
}

/// Dependent loads in what is near in the L3 cache.
pub fn load_2m(bench: &mut Workbench) -> Result<f64, String> {
    dependent_loads(bench, 2 << 20)
}

/// Dependent loads where the caches no longer help for sure.
pub fn load(bench: &mut Workbench) -> Result<f64, String> {
    dependent_loads(bench, 8 << 20)
}

fn dependent_loads(bench: &Workbench, bytes: usize) -> Result<f64, String> {
    let chain = Chain::new(bytes)?;
    let steps = chain.lines().max(bench.effort.operations);
    chain.walk::<1>(chain.lines());
    Ok(nanos_per_operation(bench.effort.repeats, steps, || chain.walk::<1>(steps)))
}

/// One line after another.
pub fn line_1(bench: &mut Workbench) -> Result<f64, String> {
    lines_in_flight::<1>(bench)
}

/// Eight lines at a time.
pub fn line_8(bench: &mut Workbench) -> Result<f64, String> {
    lines_in_flight::<8>(bench)
}

/// Sixteen lines at a time.
pub fn line_16(bench: &mut Workbench) -> Result<f64, String> {
    lines_in_flight::<16>(bench)
}

/// Thirty-two lines at a time.
pub fn line_32(bench: &mut Workbench) -> Result<f64, String> {
    lines_in_flight::<32>(bench)
}

fn lines_in_flight<const N: usize>(bench: &mut Workbench) -> Result<f64, String> {
    let chain = match bench.chain.take() {
        Some(chain) => chain,
        None => Chain::new(bench.effort.memory_bytes)?,
    };
    let steps = (bench.effort.operations / N).max(1);
    let nanos = nanos_per_operation(bench.effort.repeats, steps * N, || chain.walk::<N>(steps));
    bench.chain = Some(chain);
    Ok(nanos)
}

/// GB of memory that are read in a second, in order.
pub fn stream(bench: &mut Workbench) -> Result<f64, String> {
    let words = vec![1_u64; bench.effort.memory_bytes / 8];
    let bytes = words.len() * 8;
    Ok(1.0
        / nanos_per_operation(bench.effort.repeats, bytes, || {
            black_box(words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)));
        }))
}

/// GB of memory that are copied in a second.
pub fn copy(bench: &mut Workbench) -> Result<f64, String> {
    let bytes = bench.effort.memory_bytes / 2;
    let (from, mut to) = (vec![1_u8; bytes], vec![2_u8; bytes]);
    Ok(1.0
        / nanos_per_operation(bench.effort.repeats, bytes, || {
            to.copy_from_slice(&from);
            black_box(&to);
        }))
}

/// First touch of a small page.
pub fn touch_small_pages(bench: &mut Workbench) -> Result<f64, String> {
    first_touch(bench, Advice::NoHugePage)
}

/// First touch of 4 KiB in huge pages, where all of one are paid for by the first of them.
pub fn touch_huge_pages(bench: &mut Workbench) -> Result<f64, String> {
    first_touch(bench, Advice::HugePage)
}

fn first_touch(bench: &Workbench, advice: Advice) -> Result<f64, String> {
    let bytes = bench.effort.memory_bytes / 4;
    let mut maps = Vec::new();
    for _ in 0..bench.effort.repeats {
        let map = mapping(bytes)?;
        map.advise(advice).map_err(|error| format!("madvise({advice:?}): {error}"))?;
        maps.push(map);
    }
    let mut maps = maps.into_iter();
    Ok(nanos_per_operation(bench.effort.repeats, bytes / PAGE_BYTES, || {
        if let Some(mut map) = maps.next() {
            map.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
            black_box(&map);
        }
    }))
}
