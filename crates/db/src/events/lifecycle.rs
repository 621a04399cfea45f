//! The database and its column families begin and end.

use super::Events;
use crate::column_family::ColumnFamilyHandle;
use base::{Result, Status};

impl Events {
    /// The database is open, or is not.
    pub(crate) fn opened(&self, result: std::result::Result<(), &Status>) {
        self.log.opened(result);
        tracing::info!(
            target: "touchstone::db",
            path = %self.db_name.display(),
            error = result.err().map(tracing::field::display),
            "database opened"
        );
        self.deliver_waiting();
    }

    /// It begins to close.
    pub(crate) fn closing(&self) {
        self.log.info(format_args!("Shutdown: canceling all background work"));
        tracing::info!(
            target: "touchstone::db", path = %self.db_name.display(), "database closing"
        );
        self.tell_with_db("on_db_shutdown_begin", |listener, db| listener.on_db_shutdown_begin(db));
    }

    /// It is closed.
    pub(crate) fn closed(&self, result: &Result<()>) {
        match result {
            Ok(()) => self.log.info(format_args!("Shutdown complete")),
            Err(status) => self.log.error(format_args!("Shutdown failed: {status}")),
        }
        tracing::info!(
            target: "touchstone::db",
            path = %self.db_name.display(),
            error = result.as_ref().err().map(tracing::field::display),
            "database closed"
        );
        self.deliver_waiting();
    }

    /// A column family is dropped, and the database lets go of its handle.
    pub(crate) fn column_family_dropped(&self, handle: &ColumnFamilyHandle) {
        let id = handle.id();
        self.log.info(format_args!("Dropped column family with id {id}"));
        tracing::info!(target: "touchstone::db", cf = %handle.name(), id, "column family dropped");
        let handle = handle.clone();
        self.tell("on_column_family_handle_deletion_started", move |listener| {
            listener.on_column_family_handle_deletion_started(&handle);
        });
    }
}
