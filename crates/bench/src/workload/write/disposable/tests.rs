use super::*;

#[test]
fn batches_are_replaced_when_they_are_due() {
    let disposal = Disposal {
        disposable: 2,
        persistent: 2,
        delay: Duration::from_micros(10),
        disposable_size: 1,
        persistent_size: 1,
    };
    let mut schedule = Schedule::default();
    let start = Instant::now();
    let later = start + Duration::from_millis(1);
    let mut steps: Vec<_> = (0..3).map(|_| schedule.next(&disposal, start)).collect();
    steps.extend((0..5).map(|_| schedule.next(&disposal, later)));
    use Step::*;
    assert_eq!(
        steps,
        [
            PutDisposable(0),
            PutDisposable(1),
            PutDisposable(4),
            PutPersistent(2),
            PutPersistent(3),
            Delete(0),
            Delete(1),
            PutDisposable(5),
        ]
    );
}
