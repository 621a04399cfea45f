//! Random writes from a seed, the same for any engine.

use testing::random::Random;

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Put(usize, Vec<u8>, Vec<u8>),
    Delete(usize, Vec<u8>),
    DeleteRange(usize, Vec<u8>, Vec<u8>),
    /// Adds to a counter, whose keys nothing else is done to.
    Add(usize, Vec<u8>, u64),
    Flush(usize),
    Compact(usize),
}

/// The next change, of one of `families`.
pub(crate) fn next_change(random: &mut Random, families: usize) -> Change {
    let family = random.below(families as u64) as usize;
    let key = |random: &mut Random| format!("key{:04}", random.below(2000)).into_bytes();
    match random.below(1000) {
        0..3 => Change::Compact(family),
        3..15 => Change::Flush(family),
        15..40 => {
            let begin = random.below(2000);
            let end = begin + random.below(60);
            let text = |number: u64| format!("key{number:04}").into_bytes();
            Change::DeleteRange(family, text(begin), text(end))
        }
        40..150 => Change::Delete(family, key(random)),
        150..300 => {
            let counter = format!("sum{}", random.below(20)).into_bytes();
            Change::Add(family, counter, random.below(100))
        }
        _ => {
            let size = random.below(900) as usize;
            let value = vec![b'a' + random.below(26) as u8; size];
            Change::Put(family, key(random), value)
        }
    }
}
