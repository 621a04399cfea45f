//! Operations in the one hand, power losses in the other: neither while the other goes on.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    closed: bool,
}

/// An operation that runs. No thread may have two: the second could wait for a loss that waits for
/// the first.
#[derive(Debug)]
pub(super) struct Running(Arc<Gate>);

impl Gate {
    /// Begins an operation, after a loss that goes on.
    pub(super) fn enter(self: &Arc<Self>) -> Running {
        let mut state = self.state.lock();
        while state.closed {
            self.changed.wait(&mut state);
        }
        state.running += 1;
        Running(Arc::clone(self))
    }

    /// Does something while no operation runs.
    pub(super) fn alone<T>(&self, act: impl FnOnce() -> T) -> T {
        let mut state = self.state.lock();
        while state.closed {
            self.changed.wait(&mut state);
        }
        state.closed = true;
        while state.running > 0 {
            self.changed.wait(&mut state);
        }
        drop(state);
        let result = act();
        self.state.lock().closed = false;
        self.changed.notify_all();
        result
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.state.lock().running -= 1;
        self.0.changed.notify_all();
    }
}
