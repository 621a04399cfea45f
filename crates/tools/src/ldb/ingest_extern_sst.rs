//! `ingest_extern_sst`: has a database take in a table that was made apart from it.

use super::failure::{Failure, Outcome};
use super::session::Session;
use db::IngestExternalFileOptions;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let options = options(session)?;
    if options.allow_global_seqno && !options.write_global_seqno {
        writeln!(
            session.err,
            "Warning: not writing global_seqno to the ingested SST can\nprevent older versions of \
             RocksDB from being able to open it"
        )?;
    }
    // What is said first is what RocksDB says last.
    let [source] = session.arguments.parameters() else {
        return Err(Failure::new("input SST path must be specified"));
    };
    if !options.allow_global_seqno && options.write_global_seqno {
        return Err(Failure::new(
            "ldb cannot write global_seqno to the ingested SST when global_seqno is not allowed",
        ));
    }
    let writing = session.open_for_writing_or_new()?;
    let ingested = writing.db.ingest_external_file(&writing.family, &[source.into()], &options);
    ingested.map_err(|status| Failure::new(format!("failed to ingest external SST: {status}")))?;
    writing.close()?;
    writeln!(session.err, "external SST files ingested")?;
    Ok(())
}

/// The options that flags gave. The defaults are those of the command, not of the call.
fn options(session: &Session<'_>) -> Outcome<IngestExternalFileOptions> {
    let arguments = session.arguments;
    let is_set = |name: &str, default: bool| {
        Ok::<bool, Failure>(arguments.flag(name) || arguments.boolean(name)?.unwrap_or(default))
    };
    Ok(IngestExternalFileOptions::default()
        .move_files(is_set("move_files", false)?)
        .snapshot_consistency(is_set("snapshot_consistency", true)?)
        .allow_global_seqno(is_set("allow_global_seqno", true)?)
        .allow_blocking_flush(is_set("allow_blocking_flush", true)?)
        .ingest_behind(is_set("ingest_behind", false)?)
        .write_global_seqno(is_set("write_global_seqno", true)?))
}
