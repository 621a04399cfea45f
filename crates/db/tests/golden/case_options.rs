//! The options a fixture was read with, and the operators its data needs.

use base::merge_operator::builtin_with_delimiter;
use base::{Comparator, MergeOperator, Result, comparator};
use db::{ColumnFamilyDescriptor, Db, OpenContext, TransactionWritePolicy};
use options::{ColumnFamilyOptions, ConfigOptions, DbOptions, DbPath, WalRecoveryMode};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testing::fixtures::{Fixture, OpenedAs};

/// `golden.shortlex`: shorter keys first, then bytewise.
#[derive(Debug)]
struct ShortLex;

impl Comparator for ShortLex {
    fn name(&self) -> &str {
        "golden.shortlex"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

/// `golden.append`: base and operands joined with `|`.
#[derive(Debug)]
struct Append;

impl MergeOperator for Append {
    fn name(&self) -> &str {
        "golden.append"
    }
    fn full_merge(&self, _: &[u8], existing: Option<&[u8]>, operands: &[&[u8]]) -> Result<Vec<u8>> {
        let parts: Vec<&[u8]> = existing.into_iter().chain(operands.iter().copied()).collect();
        Ok(parts.join(&b"|"[..]))
    }
}

/// How to open a fixture.
pub(crate) struct CaseOptions {
    pub(crate) path: PathBuf,
    pub(crate) db: DbOptions,
    pub(crate) families: Vec<ColumnFamilyDescriptor>,
    pub(crate) context: OpenContext,
    /// Bytes of write time at the end of every value, to be taken off.
    pub(crate) ttl_suffix: usize,
}

impl CaseOptions {
    /// For the database's directory unpacked into `parent`.
    pub(crate) fn of(fixture: &Fixture, parent: &Path) -> std::result::Result<Self, String> {
        let case = &fixture.case;
        let config = ConfigOptions::default();
        let mut db = DbOptions::default();
        if fixture.release == "3.13.1" {
            // Its default, which it offers no way to change.
            db.wal_recovery_mode = WalRecoveryMode::TolerateCorruptedTailRecords;
        }
        for (name, value) in case.options.db_strings() {
            db.apply(&name, &value, &config).map_err(|error| format!("{name}: {error}"))?;
        }
        if let Some(directory) = case.options.wal_dir() {
            db.wal_dir = parent.join(directory).display().to_string();
        }
        for (path, size) in case.options.db_paths() {
            let path = parent.join(path).display().to_string();
            db.db_paths.push(DbPath::new(path, size));
        }
        db.allow_2pc = case.read_with == "txn";
        let mut names: Vec<String> = case.column_families.clone().unwrap_or_default();
        if names.is_empty() {
            names = case.options.cf.keys().cloned().collect();
        }
        let families = names
            .iter()
            .map(|name| Ok(ColumnFamilyDescriptor::new(name, family_options(fixture, name)?)))
            .collect::<std::result::Result<_, String>>()?;
        let context = OpenContext {
            transaction_write_policy: match case.options.txn_policy {
                Some(1) => TransactionWritePolicy::WritePrepared,
                Some(2) => TransactionWritePolicy::WriteUnprepared,
                _ => TransactionWritePolicy::WriteCommitted,
            },
            ..OpenContext::default()
        };
        let ttl_suffix = if case.opened_as == OpenedAs::DbWithTtl { 4 } else { 0 };
        Ok(Self { path: parent.join(&fixture.name), db, families, context, ttl_suffix })
    }

    pub(crate) fn open(&self) -> Result<Db> {
        Db::open_for_read_only(&self.db, &self.path, &self.families, &self.context)
    }
}

fn family_options(
    fixture: &Fixture,
    name: &str,
) -> std::result::Result<ColumnFamilyOptions, String> {
    let case = &fixture.case.options;
    let mut options = ColumnFamilyOptions::default();
    for (name, value) in case.cf_strings(name) {
        options
            .apply(&name, &value, &ConfigOptions::default())
            .map_err(|error| format!("{name}: {error}"))?;
    }
    options.comparator = match case.comparator(name) {
        None => options.comparator,
        Some("reverse") => Arc::new(comparator::ReverseBytewiseComparator),
        Some("u64ts") => Arc::new(comparator::U64TimestampComparator::BYTEWISE),
        Some("shortlex") => Arc::new(ShortLex),
        Some(other) => return Err(format!("comparator {other}")),
    };
    options.merge_operator = match case.merge_operator(name) {
        None => options.merge_operator,
        Some("append") => Some(Arc::new(Append)),
        Some("stringappend") => builtin_with_delimiter("stringappend", b","),
        Some(other) => base::merge_operator::builtin(other),
    };
    Ok(options)
}
