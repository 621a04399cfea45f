use super::*;
use crate::clock::ManualClock;
use IoOperation::{Read, Write};
use std::thread;
use std::time::Duration;

/// 1000 bytes each 100 ms.
const OPTIONS: RateLimiterOptions = RateLimiterOptions {
    rate_bytes_per_sec: 10_000,
    refill_period_us: 100_000,
    fairness: 10,
    mode: RateLimiterMode::WritesOnly,
    auto_tuned: false,
    single_burst_bytes: 0,
};

fn limiter(options: RateLimiterOptions) -> (Arc<GenericRateLimiter>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(1_000_000));
    let shared = Arc::clone(&clock) as Arc<dyn SystemClock>;
    (Arc::new(GenericRateLimiter::with_clock(options, shared).unwrap()), clock)
}

#[test]
fn bytes_cost_time() {
    let (limiter, clock) = limiter(OPTIONS);
    assert_eq!(limiter.single_burst_bytes(), 1000);
    // The first portion is there at once.
    limiter.request(1000, IoPriority::Low, Write);
    assert_eq!(clock.now_micros(), 1_000_000);
    for _ in 0..10 {
        limiter.request(1000, IoPriority::Low, Write);
    }
    assert_eq!(clock.now_micros(), 2_000_000, "10000 bytes take a second");
    for _ in 0..40 {
        limiter.request(100, IoPriority::High, Write);
    }
    assert_eq!(clock.now_micros(), 2_400_000);
    assert_eq!(limiter.total_bytes_through(None), 15_000);
    assert_eq!(limiter.total_bytes_through(Some(IoPriority::High)), 4000);
    assert_eq!(limiter.total_requests(Some(IoPriority::Low)), 11);
    assert_eq!(limiter.total_requests(None), 51);
    assert_eq!(limiter.total_pending_requests(None), 0);
}

#[test]
fn a_portion_that_nobody_took_does_not_add_up() {
    let (limiter, clock) = limiter(OPTIONS);
    limiter.request(1000, IoPriority::Low, Write);
    clock.advance_micros(60_000_000);
    limiter.request(1000, IoPriority::Low, Write);
    limiter.request(1000, IoPriority::Low, Write);
    assert_eq!(clock.now_micros(), 61_100_000);
}

#[test]
fn the_rate_changes_at_run_time() {
    let (limiter, clock) = limiter(OPTIONS);
    limiter.request(1000, IoPriority::Low, Write);
    limiter.set_bytes_per_second(100_000);
    assert_eq!(limiter.bytes_per_second(), 100_000);
    assert_eq!(limiter.single_burst_bytes(), 10_000);
    limiter.request(10_000, IoPriority::Low, Write);
    assert_eq!(clock.now_micros(), 1_100_000);
    // A burst may be more than a portion: it waits for several.
    limiter.set_single_burst_bytes(25_000);
    assert_eq!(limiter.single_burst_bytes(), 25_000);
    limiter.request(25_000, IoPriority::Low, Write);
    assert_eq!(clock.now_micros(), 1_400_000);
    limiter.set_bytes_per_second(0);
    limiter.set_single_burst_bytes(0);
    assert_eq!(limiter.single_burst_bytes(), 1, "never nothing");
}

#[test]
fn only_what_the_mode_names_is_limited() {
    for (mode, reads, writes) in [
        (RateLimiterMode::ReadsOnly, true, false),
        (RateLimiterMode::WritesOnly, false, true),
        (RateLimiterMode::AllIo, true, true),
    ] {
        let (limiter, _) = limiter(RateLimiterOptions { mode, ..OPTIONS });
        assert_eq!(limiter.is_rate_limited(Read), reads);
        assert_eq!(limiter.is_rate_limited(Write), writes);
        limiter.request(10, IoPriority::User, Read);
        assert_eq!(limiter.total_requests(None), u64::from(reads));
        let granted = limiter.request_token(5000, 0, IoPriority::User, Write);
        assert_eq!(granted, if writes { 1000 } else { 5000 });
    }
}

#[test]
fn tokens_are_aligned() {
    let (limiter, _) = limiter(OPTIONS);
    let token = |bytes, alignment| limiter.request_token(bytes, alignment, IoPriority::Low, Write);
    assert_eq!(token(900, 0), 900);
    assert_eq!(token(1900, 0), 1000);
    assert_eq!(token(1900, 512), 512);
    assert_eq!(token(1900, 4096), 4096, "a block cannot be cut");
}

#[test]
fn urgent_requests_go_first_and_the_others_in_turn() {
    let (limiter, _) = limiter(OPTIONS);
    let mut state = limiter.state.lock();
    let mut firsts = [0; 4];
    for _ in 0..1000 {
        let mut order = state.next_order(10);
        assert_eq!(order[0], IoPriority::User);
        firsts[order[1] as usize] += 1;
        order.sort();
        assert_eq!(order, IoPriority::ALL);
    }
    assert!((850..950).contains(&firsts[IoPriority::High as usize]), "{firsts:?}");
    assert!((50..150).contains(&firsts[IoPriority::Mid as usize]), "{firsts:?}");
    assert!((1..30).contains(&firsts[IoPriority::Low as usize]), "{firsts:?}");
}

#[test]
fn a_portion_is_handed_out_by_priority() {
    let (limiter, _) = limiter(OPTIONS);
    let mut state = limiter.state.lock();
    let mut queue = |priority: IoPriority, bytes| {
        let ticket = Arc::new(Ticket::default());
        let waiting = Waiting { bytes, missing_bytes: bytes, ticket: Arc::clone(&ticket) };
        state.queues[priority as usize].push_back(waiting);
        ticket
    };
    let low = queue(IoPriority::Low, 500);
    let high = [queue(IoPriority::High, 600), queue(IoPriority::High, 600)];
    let user = queue(IoPriority::User, 100);
    let granted = |ticket: &Ticket| ticket.granted.load(Ordering::Relaxed);
    // A fairness of u32::MAX never turns the order.
    state.refill(1000, u32::MAX);
    assert!(granted(&user) && granted(&high[0]) && !granted(&high[1]) && !granted(&low));
    assert_eq!(state.queues[IoPriority::High as usize][0].missing_bytes, 300);
    assert_eq!(state.available_bytes, 0);
    state.refill(1000, u32::MAX);
    assert!(granted(&high[1]) && granted(&low));
    assert_eq!(state.available_bytes, 200);
    assert_eq!(state.bytes_through, [500, 0, 1200, 100]);
}

#[test]
fn threads_share_the_rate() {
    let options =
        RateLimiterOptions { refill_period_us: 1000, ..RateLimiterOptions::new(4_000_000) };
    let limiter = GenericRateLimiter::new(options).unwrap();
    let start = WallClock.now_micros_monotonic();
    thread::scope(|scope| {
        for index in 0..8 {
            let limiter = &limiter;
            scope.spawn(move || {
                for _ in 0..25 {
                    limiter.request(1000, IoPriority::ALL[index % 4], Write);
                }
            });
        }
    });
    let elapsed = WallClock.now_micros_monotonic() - start;
    assert_eq!(limiter.total_bytes_through(None), 200_000);
    assert_eq!(limiter.total_pending_requests(None), 0);
    // 50 portions, the first of which is there at once.
    assert!(elapsed >= 49_000, "{elapsed} us");
}

#[test]
fn a_waiting_request_is_counted_as_pending() {
    let options = RateLimiterOptions { refill_period_us: 200_000, ..RateLimiterOptions::new(5000) };
    let limiter = GenericRateLimiter::new(options).unwrap();
    limiter.request(1000, IoPriority::Low, Write);
    thread::scope(|scope| {
        scope.spawn(|| limiter.request(1000, IoPriority::Mid, Write));
        while limiter.total_pending_requests(Some(IoPriority::Mid)) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
    });
    assert_eq!(limiter.total_pending_requests(None), 0);
}

#[test]
fn the_rate_follows_demand() {
    let options = RateLimiterOptions { auto_tuned: true, ..OPTIONS };
    let (limiter, clock) = limiter(options);
    assert_eq!(limiter.bytes_per_second(), 5000, "it starts at the half");
    for _ in 0..2000 {
        limiter.request(limiter.single_burst_bytes(), IoPriority::Low, Write);
    }
    assert_eq!(limiter.bytes_per_second(), 10_000);
    clock.advance_micros(100 * 100_000);
    limiter.request(1, IoPriority::Low, Write);
    assert!(limiter.bytes_per_second() < 10_000);
    clock.advance_micros(100 * 100_000);
    limiter.request(1, IoPriority::Low, Write);
    limiter.request(1, IoPriority::Low, Write);
    clock.advance_micros(100 * 100_000);
    limiter.request(1, IoPriority::Low, Write);
    assert_eq!(limiter.bytes_per_second(), 500, "idle");
    assert_eq!(tuned_rate(1000, 10_000, 70), 1000);
    assert_eq!(tuned_rate(1000, 10_000, 30), 952);
    assert_eq!(tuned_rate(9900, 10_000, 95), 10_000);
    assert_eq!(tuned_rate(u64::MAX, u64::MAX, 95), u64::MAX / 105 * 105 / 100);
}

#[test]
fn options_are_checked() {
    for options in [
        RateLimiterOptions { rate_bytes_per_sec: 0, ..OPTIONS },
        RateLimiterOptions { refill_period_us: 0, ..OPTIONS },
        RateLimiterOptions { fairness: 0, ..OPTIONS },
    ] {
        let status = GenericRateLimiter::new(options).unwrap_err();
        assert_eq!(status.code(), base::status::Code::InvalidArgument);
    }
}
