//! A limit for the time that a check may take: a database that hangs is a failure like others.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Runs `check` in a thread. A panic in it is an error, and so is no end after `limit`: the thread
/// is then left behind.
///
/// # Errors
/// Those of `check`, and those two.
pub fn within<T: Send + 'static>(
    limit: Duration,
    check: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || {
        // Nobody listens any more once the limit is over.
        let _ = sender.send(check());
    });
    match receiver.recv_timeout(limit) {
        Ok(result) => {
            let _ = thread.join();
            result
        }
        Err(RecvTimeoutError::Timeout) => Err(format!("no end after {} s", limit.as_secs())),
        Err(RecvTimeoutError::Disconnected) => Err(match thread.join() {
            Err(panic) => format!("panic: {}", text_of(&*panic)),
            Ok(()) => "ended without a result".to_owned(),
        }),
    }
}

/// What a panic said.
pub(crate) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

#[cfg(test)]
mod tests;
