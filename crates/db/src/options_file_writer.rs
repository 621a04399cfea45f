//! The OPTIONS file of an open database, so that tools and the next process find its options.

use crate::db_impl::DbImpl;
use base::Result;
use base::filename::{options_file_name, temp_file_name};
use env::write_file_atomically;
use options::{ColumnFamilySection, OptionsFile};

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
        let of_families = families.iter().map(|family| family.oldest_release());
        let release = of_families.chain([self.options.oldest_release()]).max().unwrap_or_default();
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
