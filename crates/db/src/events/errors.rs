//! Errors of background work, and getting over them.

use super::{Events, Hold};
use crate::event_listener::{BackgroundErrorReason, BackgroundErrorRecoveryInfo};
use base::Status;

/// What listeners make of an error.
pub(crate) struct ErrorVerdict {
    /// What is to stand; none for nothing.
    pub(crate) error: Option<Status>,
    /// Whether the database is to try to get over it by itself.
    pub(crate) recovers: bool,
}

impl Events {
    /// Whether this thread may call listeners now.
    pub(crate) fn may_call() -> bool {
        !Hold::is_held()
    }

    /// Runs `then` when this thread holds no lock.
    pub(crate) fn after_locks(&self, then: impl FnOnce(&Events) + Send + 'static) {
        self.tell_later(then);
    }

    /// An error is about to stand, or does; says so.
    pub(crate) fn background_error(&self, reason: BackgroundErrorReason, error: &Status) {
        self.log.error(format_args!("Background error, {reason:?}: {error}"));
        tracing::error!(
            target: "touchstone::error",
            reason = ?reason,
            severity = ?error.severity(),
            error = %error,
            "background error"
        );
    }

    /// Asks listeners what they make of an error. `recovers` is whether the database would try to
    /// get over it. Not to be called with a lock held.
    pub(crate) fn judge_background_error(
        &self,
        reason: BackgroundErrorReason,
        error: &Status,
        recovers: bool,
    ) -> ErrorVerdict {
        self.deliver_waiting();
        let mut verdict = ErrorVerdict { error: Some(error.clone()), recovers };
        for listener in &self.listeners {
            self.call("on_background_error", || {
                listener.on_background_error(reason, &mut verdict.error);
            });
            if let Some(error) = &verdict.error
                && verdict.recovers
            {
                self.call("on_error_recovery_begin", || {
                    listener.on_error_recovery_begin(reason, error, &mut verdict.recovers);
                });
            }
        }
        if reason == BackgroundErrorReason::Panic {
            verdict.error = Some(error.clone());
        }
        verdict
    }

    /// An error was got over, or the attempts at that have ended.
    pub(crate) fn error_recovery_ended(&self, old: Status, new: Option<Status>) {
        match &new {
            None => self.log.info(format_args!("Successfully resumed DB")),
            Some(status) => self.log.error(format_args!("Resuming DB failed: {status}")),
        }
        tracing::info!(
            target: "touchstone::error",
            old = %old,
            error = new.as_ref().map(tracing::field::display),
            "error recovery ended"
        );
        let info = BackgroundErrorRecoveryInfo { old_bg_error: old, new_bg_error: new };
        self.tell("on_error_recovery_end", move |listener| {
            listener.on_error_recovery_completed(&info.old_bg_error);
            listener.on_error_recovery_end(&info);
        });
    }
}
