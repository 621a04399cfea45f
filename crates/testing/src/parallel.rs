//! A check run over many items on all cores, with one report of the failures.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

#[cfg(test)]
mod tests;

/// Failures the report spells out; of further ones it gives the number.
const REPORTED: usize = 40;

/// Calls `check` for every item, spread over all cores, and panics with one report naming each
/// item (by its `Display`) for which it returned an error or panicked.
///
/// # Panics
/// When any item failed.
pub fn for_each<T, E>(items: &[T], check: impl Fn(&T) -> Result<(), E> + Sync)
where
    T: Display + Sync,
    E: Display,
{
    let failures = failures(items, check);
    assert!(failures.is_empty(), "{}", report(&failures, items.len()));
}

/// As [`for_each`], but hands back the failures, each as the item's position and a sentence, in
/// the items' order.
pub fn failures<T, E>(
    items: &[T],
    check: impl Fn(&T) -> Result<(), E> + Sync,
) -> Vec<(String, String)>
where
    T: Display + Sync,
    E: Display,
{
    // Relaxed: the counter hands out positions and publishes nothing else.
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((position, item)) = take(items, next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(why) = outcome(item, &check) {
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        failed.push((position, item.to_string(), why));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort();
    failed.into_iter().map(|(_, name, why)| (name, why)).collect()
}

fn take<T>(items: &[T], position: usize) -> Option<(usize, &T)> {
    items.get(position).map(|item| (position, item))
}

fn outcome<T, E: Display>(item: &T, check: &impl Fn(&T) -> Result<(), E>) -> Result<(), String> {
    match catch_unwind(AssertUnwindSafe(|| check(item))) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(payload) => {
            let message = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("(no message)");
            Err(format!("panicked: {message}"))
        }
    }
}

fn report(failures: &[(String, String)], total: usize) -> String {
    let mut text = format!("{} of {total} failed:", failures.len());
    for (name, why) in failures.iter().take(REPORTED) {
        text.push_str("\n  ");
        text.push_str(name);
        text.push_str(": ");
        text.push_str(&why.replace('\n', "\n      "));
    }
    if failures.len() > REPORTED {
        text.push_str(&format!("\n  and {} more", failures.len() - REPORTED));
    }
    text
}
