//! The OPTIONS file of an open database, so that tools and the next process find its options.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::DbImpl;
use base::Result;
use base::filename::{options_file_name, temp_file_name};
use env::write_file_atomically;
use options::{ColumnFamilySection, OptionsFile, Release};
use std::collections::HashMap;
use std::sync::Arc;

impl DbImpl {
    /// Writes the options of the database and of its column families into a new OPTIONS file, and
    /// deletes all but the one before it.
    pub(crate) fn write_options_file(&self) -> Result<()> {
        let writing = self.writing()?;
        // One at a time, so that the newest file is of the newest state.
        let _turn = writing.options_file.lock();
        let families = self.families.load();
        let column_families = families
            .iter()
            .map(|family| ColumnFamilySection {
                name: family.name.clone(),
                options: family.options.clone(),
            })
            .collect();
        // Nothing that is set may be left out, and as many releases as possible are to read it.
        let release = oldest_release(&families).max(self.options.oldest_release());
        let file = OptionsFile {
            rocksdb_version: release,
            db: self.options.clone(),
            column_families,
            diagnostics: Vec::new(),
        };
        let number = writing.file_numbers.next();
        let path = options_file_name(&self.path, number);
        let temp = temp_file_name(&self.path, number);
        let text = file.to_text(release);
        write_file_atomically(&*self.context.file_system, &path, &temp, text.as_bytes())?;
        self.delete_old_options_files()
    }
}

/// The oldest release that knows all options that are set. Thousands of column families often have
/// the same.
fn oldest_release(families: &[Arc<ColumnFamilyData>]) -> Release {
    let mut known: HashMap<String, Release> = HashMap::new();
    let release_of = |family: &Arc<ColumnFamilyData>| {
        *family.oldest_release.get_or_init(|| {
            let options = &family.options;
            *known.entry(options.to_option_string()).or_insert_with(|| options.oldest_release())
        })
    };
    families.iter().map(release_of).max().unwrap_or_default()
}
