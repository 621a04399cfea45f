//! Opening the database that a command writes to.

use super::failure::{Failure, Outcome};
use super::open::{OpenDb, OpenOptions, TTL_FAMILIES};
use super::session::Session;
use crate::print;
use base::Result;
use db::{ColumnFamilyHandle, Db, OpenContext, WriteOptions};
use env::{SystemClock, WallClock};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::Path;
use std::sync::Arc;
use wal::WriteBatch;

/// A database open for writing, and the column family that the command is about.
pub(crate) struct WritingDb {
    pub(crate) db: Db,
    pub(crate) family: ColumnFamilyHandle,
    /// The options that flags gave, for a column family that is made.
    pub(crate) new_family: ColumnFamilyOptions,
    /// How puts are done.
    pub(crate) options: WriteOptions,
    is_ttl: bool,
}

impl Session<'_> {
    /// Opens a database for writing, which must be there.
    pub(crate) fn open_for_writing(&mut self) -> Outcome<WritingDb> {
        self.open_for_writing_with(|_, _| {})
    }

    /// As [`Session::open_for_writing`]; with `--create_if_missing` a database is made where none is.
    pub(crate) fn open_for_writing_or_new(&mut self) -> Outcome<WritingDb> {
        let create = self.arguments.flag("create_if_missing");
        self.open_for_writing_with(|db, _| db.create_if_missing = create)
    }

    /// As [`Session::open_for_writing`], with options changed by `adjust` after flags did. Those of
    /// column families count where no OPTIONS file was read.
    pub(crate) fn open_for_writing_with(
        &mut self,
        adjust: impl FnOnce(&mut DbOptions, &mut ColumnFamilyOptions),
    ) -> Outcome<WritingDb> {
        let options = self.open_options(|_| {}, adjust)?;
        if self.is_ttl && self.try_load_options {
            return Err(Failure::new(TTL_FAMILIES));
        }
        let OpenOptions { db: db_options, family: new_family, families } = options;
        let name = self.column_family_name();
        let context = OpenContext { file_system: Arc::clone(&self.fs), ..OpenContext::default() };
        let path = Path::new(&self.db_path);
        let db = match self.arguments.option("secondary_path") {
            // As if another process had the database open: nothing can be written.
            Some(_) => Db::open_for_read_only(&db_options, path, &families, &context)?,
            None => Db::open(&db_options, path, &families, &context)?,
        };
        print::write_warnings(self.err, db.warnings())?;
        let OpenDb { db, family } = OpenDb::of(db, name)?;
        let options = WriteOptions::default();
        Ok(WritingDb { db, family, new_family, options, is_ttl: self.is_ttl })
    }

    /// Tells that it was done.
    pub(crate) fn say_ok(&mut self) -> Outcome {
        writeln!(self.out, "OK")?;
        Ok(())
    }
}

impl WritingDb {
    /// The value as it is stored: with the present time where values end in times.
    pub(crate) fn stored(&self, value: &[u8]) -> Vec<u8> {
        let mut stored = value.to_vec();
        if self.is_ttl {
            stored.extend_from_slice(&(WallClock.now_seconds() as u32).to_le_bytes());
        }
        stored
    }

    /// Writes a pair.
    pub(crate) fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.db.put(&self.options, &self.family, key, &self.stored(value))
    }

    /// Writes a batch whose values are as they are to be stored.
    pub(crate) fn write(&self, batch: WriteBatch) -> Result<()> {
        self.db.write(&self.options, batch)
    }

    /// Ends the writing: what is in no WAL goes to disk now.
    pub(crate) fn close(self) -> Result<()> {
        drop(self.family);
        self.db.close()
    }
}
