use super::*;

#[test]
fn entries_expire() {
    let filter = ExpiredTimeFilter { now: Arc::new(AtomicU64::new(100)), age_max: 30 };
    let decide = |time: u64| {
        let key = [&[7; ID_BYTES][..], &time.to_be_bytes()].concat();
        filter.filter(0, &key, FilterValue::Value(b""))
    };
    assert_eq!(decide(100), Decision::Keep);
    assert_eq!(decide(70), Decision::Keep);
    assert_eq!(decide(69), Decision::Remove);
    filter.now.store(101, Ordering::Relaxed);
    assert_eq!(decide(70), Decision::Remove);
}
