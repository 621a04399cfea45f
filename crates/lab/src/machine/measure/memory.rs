//! Loads, streams and first touches of memory.
//!
//! A [`Chain`] is a permutation with one cycle over the lines of a mapping: each line says which comes
//! next, so that a load cannot begin before the one before it has ended. Several walkers at a time have
//! as many loads in flight.

use super::{Workbench, best_nanos};
use crate::statistics::SplitMix64;
use memmap2::{Advice, MmapMut, MmapOptions};
use std::hint::black_box;

const LINE_BYTES: usize = 64;
const PAGE_BYTES: usize = 4096;
/// Parts of a large area that are timed one by one; some huge pages, and less than a millisecond.
const CHUNK_BYTES: usize = 8 << 20;

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

    /// Where `N` walkers begin.
    fn walkers<const N: usize>(&self) -> [usize; N] {
        std::array::from_fn(|walker| self.lines() / N * walker * LINE_BYTES)
    }

    /// Takes `steps` steps with each walker, by turns.
    fn walk<const N: usize>(&self, walkers: &mut [usize; N], steps: usize) {
        // Of its own, so that they may be in registers.
        let mut at = *walkers;
        for _ in 0..steps {
            for position in &mut at {
                *position = self.next(*position);
            }
        }
        *walkers = black_box(at);
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
    let mut walkers = chain.walkers::<1>();
    chain.walk(&mut walkers, chain.lines());
    let steps = bench.effort.operations;
    Ok(best_nanos(bench.effort.loops, steps, || chain.walk(&mut walkers, steps)))
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
    let mut walkers = chain.walkers::<N>();
    // They go on where they were: lines that were seen are in the caches.
    let nanos = best_nanos(bench.effort.loops, steps * N, || chain.walk(&mut walkers, steps));
    bench.chain = Some(chain);
    Ok(nanos)
}

/// GB of memory that are read in a second, in order.
pub fn stream(bench: &mut Workbench) -> Result<f64, String> {
    let words = vec![1_u64; bench.effort.memory_bytes / 8];
    let nanos = words.chunks(CHUNK_BYTES / 8).map(|chunk| {
        best_nanos(1, size_of_val(chunk), || {
            black_box(chunk.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)));
        })
    });
    Ok(1.0 / nanos.fold(f64::INFINITY, f64::min))
}

/// GB of memory that are copied in a second.
pub fn copy(bench: &mut Workbench) -> Result<f64, String> {
    let bytes = bench.effort.memory_bytes / 2;
    let (from, mut to) = (vec![1_u8; bytes], vec![2_u8; bytes]);
    let chunks = from.chunks(CHUNK_BYTES).zip(to.chunks_mut(CHUNK_BYTES));
    let nanos = chunks.map(|(from, to)| {
        best_nanos(1, from.len(), || {
            to.copy_from_slice(from);
            black_box(&to);
        })
    });
    Ok(1.0 / nanos.fold(f64::INFINITY, f64::min))
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
    let mut map = mapping(bench.effort.memory_bytes / 4)?;
    map.advise(advice).map_err(|error| format!("madvise({advice:?}): {error}"))?;
    let nanos = map.chunks_mut(CHUNK_BYTES).map(|chunk| {
        best_nanos(1, chunk.len().div_ceil(PAGE_BYTES), || {
            chunk.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
            black_box(&chunk);
        })
    });
    Ok(nanos.fold(f64::INFINITY, f64::min))
}
