use super::*;
use crate::clock::{ManualClock, SystemClock};
use crate::file_system::{FileOptions, FileSystem};
use crate::rate_limiter::{GenericRateLimiter, RateLimiterMode, RateLimiterOptions};
use crate::{MemFileSystem, read_file_to_vec};

const PATH: &str = "/f";

/// 100,000 bytes each 100 ms.
fn limiter(mode: RateLimiterMode) -> (Arc<dyn RateLimiter>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(1_000_000));
    let shared = Arc::clone(&clock) as Arc<dyn SystemClock>;
    let options = RateLimiterOptions { mode, ..RateLimiterOptions::new(1_000_000) };
    (Arc::new(GenericRateLimiter::with_clock(options, shared).unwrap()), clock)
}

#[test]
fn a_written_file_pays_for_every_byte_and_loses_none() {
    let (limiter, clock) = limiter(RateLimiterMode::WritesOnly);
    let (fs, path) = (MemFileSystem::new(), Path::new(PATH));
    let file = fs.new_writable_file(path, &FileOptions::DEFAULT).unwrap();
    let mut file: Box<dyn WritableFile> =
        Box::new(RateLimitedWritableFile::new(file, limiter.clone(), IoPriority::Low));
    let content: Vec<u8> = (0..1_000_000).map(|index: u32| (index * 7 / 3) as u8).collect();
    let mut written = 0;
    for length in [1, 65_535, 1, 400_000, 0, 100, 534_363] {
        file.append(&content[written..written + length]).unwrap();
        written += length;
        assert_eq!(file.size(), written as u64);
    }
    assert_eq!(written, content.len());
    file.close().unwrap();
    assert_eq!(limiter.total_bytes_through(Some(IoPriority::Low)), 1_000_000);
    assert_eq!(clock.now_micros(), 1_900_000, "the first of ten portions was there at once");
    assert!(read_file_to_vec(&fs, path, 1 << 20).unwrap() == content);
}

/// Grants a byte at a time, and now and then none.
#[derive(Debug)]
struct Miser;

impl RateLimiter for Miser {
    fn request(&self, _: u64, _: IoPriority, _: IoOperation) {}
    fn request_token(&self, bytes: u64, _: u64, _: IoPriority, _: IoOperation) -> u64 {
        bytes % 2
    }
    fn set_bytes_per_second(&self, _: u64) {}
    fn bytes_per_second(&self) -> u64 {
        1
    }
    fn set_single_burst_bytes(&self, _: u64) {}
    fn single_burst_bytes(&self) -> u64 {
        1
    }
    fn total_bytes_through(&self, _: Option<IoPriority>) -> u64 {
        0
    }
    fn total_requests(&self, _: Option<IoPriority>) -> u64 {
        0
    }
    fn total_pending_requests(&self, _: Option<IoPriority>) -> u64 {
        0
    }
    fn is_rate_limited(&self, _: IoOperation) -> bool {
        true
    }
}

#[test]
fn a_limiter_that_grants_nothing_holds_nobody_forever() {
    wait_for(&Miser, 1000, IoPriority::Low, IoOperation::Write);
}
