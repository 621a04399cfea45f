use super::*;

#[test]
fn a_wait_counts_once_and_its_time_for_each_cause_it_had() {
    let mut times = StallTimes::default();
    let millis = Duration::from_millis;
    times.add(StallCondition::Stopped(StallCause::L0Files), true, millis(20));
    times.add(StallCondition::Stopped(StallCause::L0Files), false, millis(30));
    times.add(StallCondition::Delayed(StallCause::PendingCompactionBytes), true, millis(5));
    times.add(StallCondition::Normal, false, millis(1000));
    times.add_low_pri(millis(7));
    let stopped = times.stopped(StallCause::L0Files);
    assert_eq!(stopped, HeldWrites { count: 1, time: millis(50) });
    assert_eq!(times.delayed(StallCause::PendingCompactionBytes).time, millis(5));
    assert_eq!(times.delayed(StallCause::L0Files), HeldWrites::default());
    assert_eq!(times.low_pri, HeldWrites { count: 1, time: millis(7) });
    assert_eq!(times.micros(), 55_000);
}
