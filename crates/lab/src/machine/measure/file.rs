//! Writes, reads and syncs of files. Files are made in the workbench's directory, and have no name any
//! more while they are measured, so that nothing is left behind.

use super::{Workbench, best_nanos};
use crate::statistics::{SplitMix64, median};
use memmap2::{MmapMut, MmapOptions};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const PAGE_BYTES: usize = 4096;
const CHUNK_BYTES: usize = 1 << 20;

/// Appends of 140 bytes: what a small entry takes in a log.
pub fn append_140(bench: &mut Workbench) -> Result<f64, String> {
    append(bench, 140)
}

/// Appends of 440 bytes.
pub fn append_440(bench: &mut Workbench) -> Result<f64, String> {
    append(bench, 440)
}

/// Appends of a page.
pub fn append_4096(bench: &mut Workbench) -> Result<f64, String> {
    append(bench, PAGE_BYTES)
}

fn append(bench: &Workbench, bytes: usize) -> Result<f64, String> {
    let mut file = scratch(&bench.directory, OFlags::empty())?;
    let data = vec![b'x'; bytes];
    let operations = bench.effort.operations / 20;
    let mut result = Ok(());
    let nanos = best_nanos(bench.effort.loops / 4, operations, || {
        result = std::mem::replace(&mut result, Ok(()))
            .and_then(|()| (0..operations).try_for_each(|_| file.write_all(&data)));
    });
    result.map_err(|error| in_directory(bench, "writing", &error))?;
    Ok(nanos)
}

/// What a page of a file costs when it is written for the first time, over what it costs later.
pub fn touch_page_cache(bench: &mut Workbench) -> Result<f64, String> {
    let file = scratch(&bench.directory, OFlags::empty())?;
    let data = vec![b'x'; CHUNK_BYTES];
    let chunks = (bench.effort.file_bytes / 8 / CHUNK_BYTES as u64).max(1);
    let pass = || -> Result<f64, String> {
        let write = |chunk: u64| file.write_all_at(&data, chunk * CHUNK_BYTES as u64);
        let write = |chunk| write(chunk).map_err(|error| in_directory(bench, "writing", &error));
        best_part(0..chunks, 1, write)
    };
    let (first, second) = (pass()?, pass()?);
    let pages = (CHUNK_BYTES / PAGE_BYTES) as f64;
    Ok((first - second).max(0.0) * 1e9 / pages)
}

/// Seconds of the fastest of the parts that so many steps are cut into.
fn best_part(
    steps: std::ops::Range<u64>,
    steps_of_part: u64,
    mut step: impl FnMut(u64) -> Result<(), String>,
) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    let mut next = steps.start;
    while next < steps.end {
        let end = steps.end.min(next + steps_of_part);
        let start = Instant::now();
        (next..end).try_for_each(&mut step)?;
        // A last part that is shorter would look faster.
        if end - next == steps_of_part || next == steps.start {
            best = best.min(start.elapsed().as_secs_f64());
        }
        next = end;
    }
    Ok(best)
}

/// GB that go to the device in a second, past the page cache, in order.
pub fn direct_write(bench: &mut Workbench) -> Result<f64, String> {
    let file = scratch(&bench.directory, OFlags::DIRECT)?;
    fill(bench, &file)
}

/// GB that come from the device in a second, past the page cache, in order.
pub fn direct_read(bench: &mut Workbench) -> Result<f64, String> {
    let file = scratch(&bench.directory, OFlags::DIRECT)?;
    fill(bench, &file)?;
    let mut buffer = aligned(CHUNK_BYTES)?;
    gb_per_second(bench, |chunk| {
        file.read_exact_at(&mut buffer, chunk * CHUNK_BYTES as u64)
            .map_err(|error| in_directory(bench, "reading", &error))
    })
}

/// Writes the whole file and returns GB in a second.
fn fill(bench: &Workbench, file: &File) -> Result<f64, String> {
    let mut buffer = aligned(CHUNK_BYTES)?;
    // Devices may know zeros.
    let mut random = SplitMix64(5);
    buffer.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&random.draw().to_le_bytes()));
    gb_per_second(bench, |chunk| {
        file.write_all_at(&buffer, chunk * CHUNK_BYTES as u64)
            .map_err(|error| in_directory(bench, "writing", &error))
    })
}

/// GB in a second, of the fastest quarter of the file.
fn gb_per_second(
    bench: &Workbench,
    step: impl FnMut(u64) -> Result<(), String>,
) -> Result<f64, String> {
    let chunks = bench.effort.file_bytes / CHUNK_BYTES as u64;
    let part = (chunks / 4).max(1);
    let seconds = best_part(0..chunks, part, step)?;
    Ok((part * CHUNK_BYTES as u64) as f64 / seconds / 1e9)
}

/// Random reads in a second, one at a time.
pub fn reads_1(bench: &mut Workbench) -> Result<f64, String> {
    random_reads(bench, 1)
}

/// Random reads in a second, sixteen at a time.
pub fn reads_16(bench: &mut Workbench) -> Result<f64, String> {
    random_reads(bench, 16)
}

/// Random reads in a second, sixty-four at a time.
pub fn reads_64(bench: &mut Workbench) -> Result<f64, String> {
    random_reads(bench, 64)
}

/// A thread for each read in flight. They share the count of reads that are left.
fn random_reads(bench: &Workbench, depth: u64) -> Result<f64, String> {
    let file = scratch(&bench.directory, OFlags::DIRECT)?;
    fill(bench, &file)?;
    let pages = bench.effort.file_bytes / PAGE_BYTES as u64;
    let reads = (bench.effort.loops as u64 * 25) * if depth == 1 { 1 } else { 4 };
    let taken = AtomicU64::new(0);
    let read = |thread: u64| -> Result<(), String> {
        let mut buffer = aligned(PAGE_BYTES)?;
        let mut random = SplitMix64(thread);
        while taken.fetch_add(1, Ordering::Relaxed) < reads {
            let at = random.below(pages as usize) as u64 * PAGE_BYTES as u64;
            file.read_exact_at(&mut buffer, at)
                .map_err(|error| in_directory(bench, "reading", &error))?;
        }
        Ok(())
    };
    let read = &read;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..depth).map(|thread| scope.spawn(move || read(thread))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a reading thread panicked".to_owned()))
        })
    })?;
    Ok(reads as f64 / start.elapsed().as_secs_f64())
}

/// Microseconds of `fdatasync` after a page was appended.
pub fn data_sync(bench: &mut Workbench) -> Result<f64, String> {
    let mut file = scratch(&bench.directory, OFlags::empty())?;
    let data = vec![b'x'; PAGE_BYTES];
    let mut samples = Vec::new();
    for _ in 0..bench.effort.loops.div_ceil(5) {
        file.write_all(&data).map_err(|error| in_directory(bench, "writing", &error))?;
        let start = Instant::now();
        file.sync_data().map_err(|error| in_directory(bench, "fdatasync", &error))?;
        samples.push(start.elapsed().as_secs_f64() * 1e6);
    }
    median(&samples).ok_or_else(|| "nothing was measured".to_owned())
}

/// A new file of this directory that has no name any more.
fn scratch(directory: &Path, more: OFlags) -> Result<File, String> {
    let path = directory.join(format!("touchstone-machine-{}", std::process::id()));
    let flags = OFlags::CREATE | OFlags::TRUNC | OFlags::RDWR | OFlags::CLOEXEC | more;
    let opened = rustix::fs::open(&path, flags, rustix::fs::Mode::from_raw_mode(0o600));
    // What could not be opened may have been made.
    let _ = fs::remove_file(&path);
    match opened {
        Ok(file) => Ok(File::from(file)),
        Err(Errno::INVAL) if more.contains(OFlags::DIRECT) => {
            Err(format!("the file system of {} has no direct I/O", directory.display()))
        }
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Memory that begins with a page, as direct I/O wants it.
fn aligned(bytes: usize) -> Result<MmapMut, String> {
    MmapOptions::new().len(bytes).map_anon().map_err(|error| format!("no memory: {error}"))
}

fn in_directory(bench: &Workbench, what: &str, error: &std::io::Error) -> String {
    format!("{what} a file in {}: {error}", bench.directory.display())
}
