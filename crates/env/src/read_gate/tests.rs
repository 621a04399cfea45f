use super::*;
use crate::MemFileSystem;
use crate::clock::ManualClock;
use crate::file_system::{FileOptions, FileSystem};
use crate::rate_limiter::{GenericRateLimiter, RateLimiterMode, RateLimiterOptions};

const PATH: &str = "/f";

/// 100,000 bytes each 100 ms.
fn limiter(mode: RateLimiterMode) -> (Arc<dyn RateLimiter>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(1_000_000));
    let shared = Arc::clone(&clock) as Arc<dyn SystemClock>;
    let options = RateLimiterOptions { mode, ..RateLimiterOptions::new(1_000_000) };
    (Arc::new(GenericRateLimiter::with_clock(options, shared).unwrap()), clock)
}

fn file() -> Arc<dyn RandomAccessFile> {
    let fs = MemFileSystem::new();
    let mut file = fs.new_writable_file(Path::new(PATH), &FileOptions::DEFAULT).unwrap();
    file.append(&[7; 250_000]).unwrap();
    file.close().unwrap();
    fs.new_random_access_file(Path::new(PATH), &FileOptions::DEFAULT).unwrap()
}

#[test]
fn reads_pay_where_reads_are_limited() {
    let file = file();
    for (mode, paid) in [
        (RateLimiterMode::WritesOnly, 0),
        (RateLimiterMode::ReadsOnly, 250_000),
        (RateLimiterMode::AllIo, 250_000),
    ] {
        let (limiter, clock) = limiter(mode);
        let gate = ReadGate { rate_limiter: Some(limiter.clone()), ..ReadGate::default() };
        assert!(gate.limit(ReadTerms::NONE).is_none());
        let terms = ReadTerms { priority: Some(IoPriority::Mid), ..ReadTerms::NONE };
        let mut buffer = vec![0; 250_000];
        let read = match gate.limit(terms) {
            None => file.read_at(0, &mut buffer),
            Some(limit) => limit.limited(&*file).read_at(0, &mut buffer),
        };
        assert_eq!((read.unwrap(), buffer[249_999]), (250_000, 7));
        assert_eq!(limiter.total_bytes_through(Some(IoPriority::Mid)), paid);
        let waited = if paid > 0 { 200_000 } else { 0 };
        assert_eq!(clock.now_micros(), 1_000_000 + waited, "{mode:?}");
    }
}

#[test]
fn reads_have_until_their_deadline() {
    let file = file();
    let (limiter, clock) = limiter(RateLimiterMode::AllIo);
    let shared = Arc::clone(&clock) as Arc<dyn SystemClock>;
    let read = |gate: &ReadGate, terms| {
        let mut buffer = vec![0; 250_000];
        gate.limit(terms).unwrap().limited(&*file).read_at(0, &mut buffer)
    };
    let gate = ReadGate { rate_limiter: None, clock: shared.clone() };
    let terms = ReadTerms { deadline_micros: 1_100_000, ..ReadTerms::NONE };
    assert_eq!(read(&gate, terms).unwrap(), 250_000);
    // The limiter lets it wait for 200 ms.
    let gate = ReadGate { rate_limiter: Some(limiter), clock: shared };
    let waiting = ReadTerms { priority: Some(IoPriority::Mid), ..terms };
    for (terms, now) in [(waiting, 1_200_000), (terms, 1_200_000)] {
        let error = read(&gate, terms).unwrap_err();
        assert_eq!(error.code(), Code::TimedOut);
        assert_eq!(error.message(), "the deadline passed before /f was read at offset 0");
        assert_eq!(clock.now_micros(), now);
    }
}
