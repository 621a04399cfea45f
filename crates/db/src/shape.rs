//! The shape of a column family's tree.

use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use crate::property::source::Source;
use crate::sanitize::level_target_options;
use base::Status;
use std::collections::HashMap;
use version::{LevelSize, LevelTargetRule, MemTableShape, TreeShape};

/// What a shape is to tell.
#[derive(Clone, Copy, Debug)]
pub struct ShapeOptions {
    /// Whether to ask every table how many entries it has. Then deletions count in scores, as in
    /// RocksDB's. Default: true.
    pub entries: bool,
    /// The release whose targets and scores to show. Default: the newest.
    pub rule: LevelTargetRule,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self { entries: true, rule: LevelTargetRule::default() }
    }
}

impl Db {
    /// The shape of a column family's tree: what is in memory, sorted runs in L0, how full each
    /// level is. With it come the errors of tables that would not say how many entries they have.
    pub fn tree_shape(
        &self,
        family: &ColumnFamilyHandle,
        options: &ShapeOptions,
    ) -> (TreeShape, Vec<Status>) {
        Source::new(&self.inner, &family.0).tree_shape(options)
    }
}

impl Source<'_> {
    pub(crate) fn tree_shape(&self, options: &ShapeOptions) -> (TreeShape, Vec<Status>) {
        let version = self.version();
        let targets = level_target_options(&self.options, version.num_levels(), options.rule);
        let sizes = match options.entries {
            true => self.current_levels().sizes,
            false => LevelSize::of_version(version),
        };
        let mut shape =
            TreeShape::with_sizes(&self.family.name.to_string(), version, &targets, &sizes);
        let memtables = self.super_version.memtables.iter();
        shape.memtables = memtables
            .map(|table| MemTableShape {
                entries: table.num_entries(),
                bytes: table.approximate_memory_usage() as u64,
            })
            .collect();
        let mut errors = Vec::new();
        if options.entries {
            let mut entries = HashMap::new();
            for (_, file) in version.files() {
                match self.family.tables.properties(file) {
                    Ok(properties) => _ = entries.insert(file.number, properties.num_entries),
                    Err(error) => errors.push(error),
                }
            }
            shape.set_entries(version, |number| entries.get(&number).copied());
        }
        (shape, errors)
    }
}
