//! What is said of options that are changed while the database is open.

use super::InfoLog;
use crate::column_family::ColumnFamilyHandle;
use base::Status;
use options::{ColumnFamilyOptions, DbOptions, Diagnostic, OptionInfo};
use std::collections::HashSet;

/// New options of column families: names and values.
type FamilyChanges<'c> = &'c [(&'c ColumnFamilyHandle, &'c [(&'c str, &'c str)])];

impl InfoLog {
    /// Says what options of column families were to be set, and what they are now.
    pub(crate) fn family_options_set(
        &self,
        changes: FamilyChanges<'_>,
        result: Result<&[Diagnostic], Status>,
    ) {
        let count = changes.len();
        self.info(format_args!("SetOptions() on [{count}] column families, inputs:"));
        for (index, (family, changes)) in changes.iter().enumerate() {
            let name = family.name();
            self.info(format_args!(
                "Set options on column family [{name}] ({index}/{count}), inputs:"
            ));
            self.inputs(changes);
        }
        let said = match result {
            Ok(said) => said,
            Err(status) => return self.warn(format_args!("SetOptions() failed: {status}")),
        };
        for (index, (family, _)) in changes.iter().enumerate() {
            let (name, options) = (family.name(), family.options());
            self.info(format_args!(
                "Set options on column family [{name}] ({index}/{count}) succeeded, updated CF \
                 options:"
            ));
            for (name, value) in mutable(ColumnFamilyOptions::infos(), options.listing()) {
                self.info(format_args!("{name:>41}: {value}"));
            }
            for (name, value) in options.table.listing() {
                self.info(format_args!("{:>41}: {value}", format!("table_factory.{name}")));
            }
        }
        self.remarks(said);
    }

    /// Says what options of the database were to be set, and what they are now.
    pub(crate) fn db_options_set(
        &self,
        changes: &[(&str, &str)],
        result: Result<&[Diagnostic], &Status>,
        now: &DbOptions,
    ) {
        self.info(format_args!("SetDBOptions(), inputs:"));
        self.inputs(changes);
        match result {
            Err(status) => self.warn(format_args!("SetDBOptions failed: {status}")),
            Ok(said) => {
                self.info(format_args!("SetDBOptions() succeeded"));
                for (name, value) in mutable(DbOptions::infos(), now.listing()) {
                    self.info(format_args!("{:>47}: {value}", format!("Options.{name}")));
                }
                self.remarks(said);
            }
        }
    }

    fn inputs(&self, changes: &[(&str, &str)]) {
        for (name, value) in changes {
            self.info(format_args!("{name}: {value}"));
        }
    }

    fn remarks(&self, said: &[Diagnostic]) {
        for remark in said {
            self.warn(format_args!("{remark}"));
        }
    }
}

/// Of a listing, what can be changed.
fn mutable(
    infos: impl Iterator<Item = &'static OptionInfo>,
    listing: Vec<(String, String)>,
) -> impl Iterator<Item = (String, String)> {
    let mutable: HashSet<&str> = infos.filter(|info| info.mutable).map(|info| info.name).collect();
    let owner = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    listing.into_iter().filter(move |(name, _)| mutable.contains(&*owner(name)))
}
