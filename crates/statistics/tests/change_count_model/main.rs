//! A reader of what one thread changes together, tried in every order in which they can take turns, up to a number
//! of preemptions, and with every value that the orderings of loads and stores allow: `cargo test -p
//! touchstone-statistics --test change_count_model`. `LOOM_MAX_PREEMPTIONS` asks for more of them.
//!
//! What is tried is the source of the count itself, with loom's primitives in place of its own. Models fail where
//! either fence is left out, where the last store releases nothing or the first look acquires nothing, and
//! where the count is not looked at again.

#[path = "../../src/change_count.rs"]
mod change_count;
mod sync_primitives;

use change_count::ChangeCount;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
use loom::thread;

fn main() {
    testing::loom_models::check(&[
        ("who reads sees all of a change or none", read_while_others_change),
        ("who reads twice never goes back", read_again_while_others_change),
    ]);
}

/// Two numbers that are equal but while they change.
#[derive(Default)]
struct Pair {
    count: ChangeCount,
    numbers: [AtomicU64; 2],
}

impl Pair {
    fn set(&self, to: u64) {
        self.count.change(|| self.numbers.iter().for_each(|number| number.store(to, Relaxed)));
    }

    fn read(&self) -> [u64; 2] {
        self.count.read_unchanged(|| [0, 1].map(|index| self.numbers[index].load(Relaxed)))
    }
}

/// What `read` has of a pair that another thread changes twice.
fn meanwhile<T: 'static>(read: fn(&Pair) -> T) -> (T, [u64; 2]) {
    let pair = Arc::new(Pair::default());
    let (others, own) = (pair.clone(), pair.clone());
    let reader = thread::spawn(move || read(&others));
    let writer = thread::spawn(move || (1..=2).for_each(|to| own.set(to)));
    let (Ok(result), Ok(())) = (reader.join(), writer.join()) else {
        panic!("a thread has failed")
    };
    (result, pair.read())
}

fn read_while_others_change() {
    let ([first, second], after) = meanwhile(Pair::read);
    assert_eq!(first, second);
    assert!(first <= 2);
    assert_eq!(after, [2, 2]);
}

fn read_again_while_others_change() {
    let ((before, after), _) = meanwhile(|pair| (pair.read(), pair.read()));
    assert!(before[0] == before[1] && after[0] == after[1]);
    assert!(before[0] <= after[0], "{before:?}, then {after:?}");
}
