use super::*;
use std::sync::Arc;

/// Threads that read, put in and erase the same 2000 keys in a cache that holds 1000 of charge 1.
pub(crate) fn check_with_threads<P: CachePolicy>(cache: &ShardedCache<P>) {
    let key = |number| CacheKey::new(7, number);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            scope.spawn(move || {
                for round in 0..20_000u64 {
                    let number = (round * 7919 + thread * 13) % 2000;
                    match cache.lookup(&key(number)) {
                        Some(found) => assert_eq!(*found.downcast::<u64>().unwrap(), number),
                        None => {
                            let value = Arc::new(number).into();
                            cache.insert(key(number), value, 1, Priority::Low).unwrap();
                        }
                    }
                    if round % 50 == 0 {
                        cache.erase(&key(number));
                    }
                }
            });
        }
    });
    assert!(cache.usage_bytes() <= cache.capacity_bytes());
    assert_eq!(cache.counters().lookups, 80_000);
}
