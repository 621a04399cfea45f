//! Tables that came from elsewhere.

use super::InfoLog;
use super::level_summary::lsm_state;
use base::SequenceNumber;
use env::JsonValue;
use std::path::Path;
use version::Version;

/// An element of the event's list, which names the files and their levels in turn.
enum Element {
    Text(String),
    Number(usize),
}

impl JsonValue for Element {
    fn write(&self, text: &mut String) {
        match self {
            Self::Text(value) => value.as_str().write(text),
            Self::Number(value) => value.write(text),
        }
    }
}

impl InfoLog {
    /// A table from elsewhere is part of the database.
    pub(crate) fn external_file_ingested(
        &self,
        external: &Path,
        level: usize,
        path: &Path,
        sequence: SequenceNumber,
    ) {
        self.info(format_args!(
            "[AddFile] External SST file {} was ingested in L{level} with path {} \
             (global_seqno={sequence})",
            external.display(),
            path.display()
        ));
    }

    /// All that were ingested together are; `version` has them.
    pub(crate) fn ingestion_finished<'f>(
        &self,
        files: impl Iterator<Item = (&'f Path, usize)>,
        version: &Version,
    ) {
        self.event(|event| {
            event.field("event", "ingest_finished");
            let elements = files.flat_map(|(path, level)| {
                [
                    Element::Text("file".to_owned()),
                    Element::Text(path.display().to_string()),
                    Element::Text("level".to_owned()),
                    Element::Number(level),
                ]
            });
            event.array("files_ingested", elements);
            lsm_state(event, version);
        });
    }
}
