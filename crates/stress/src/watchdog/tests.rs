use super::within;
use std::time::Duration;

#[test]
fn results_panics_and_hangs_are_told_apart() {
    let limit = Duration::from_secs(20);
    assert_eq!(within(limit, || Ok(1)), Ok(1));
    assert_eq!(within::<()>(limit, || Err("bad".into())), Err("bad".into()));
    assert_eq!(within::<()>(limit, || panic!("number {}", 1)), Err("panic: number 1".into()));
    let hang = within(Duration::from_millis(50), || {
        std::thread::sleep(Duration::from_secs(2));
        Ok(())
    });
    assert_eq!(hang, Err("no end after 0 s".into()));
}
