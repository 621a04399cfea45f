//! Tables that came from elsewhere.

use super::Events;
use crate::event_listener::ExternalFileIngestionInfo;

impl Events {
    /// A table from elsewhere is part of the database.
    pub(crate) fn external_file_ingested(&self, info: ExternalFileIngestionInfo) {
        tracing::info!(
            target: "touchstone::file",
            cf = %info.cf_name,
            external_path = %info.external_file_path.display(),
            path = %info.internal_file_path.display(),
            sequence = info.global_seqno,
            "external file ingested"
        );
        self.tell_with_db("on_external_file_ingested", move |listener, db| {
            listener.on_external_file_ingested(db, &info);
        });
    }
}
