//! Flushes, compactions, properties, and options that change.

use crate::database::{DEFAULT_FAMILY, Database, Family};
use crate::failure::{Result, StatusSlot, slice_of};
use crate::functions::Raw;
use crate::options::c_string;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

/// A table of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveFile {
    /// Name of its family.
    pub family: String,
    /// Its level.
    pub level: usize,
    /// Its name in the directory, for instance `/000012.sst`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// How a range is compacted. Fields that are none or false are left at the release's defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactRange {
    /// Whether no other compaction may run.
    pub exclusive: Option<bool>,
    /// Whether and how files of the last level are compacted, by RocksDB's numbers.
    pub bottommost_level: Option<u8>,
    /// The level that files go to in the end, if they are to be moved.
    pub target_level: Option<i32>,
    /// Parts that are compacted at once.
    pub max_subcompactions: Option<u32>,
}

impl Database {
    /// Flushes the memtables of a family, and waits for that.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    pub fn flush(&self, family: &Family) -> Result<()> {
        let functions = &self.handle.library.functions;
        let (create, destroy) =
            (functions.flushoptions_create()?, functions.flushoptions_destroy()?);
        let set_wait = functions.flushoptions_set_wait()?;
        let mut status = StatusSlot::new(functions);
        let database = self.handle.raw;
        match functions.flush_cf() {
            // SAFETY: a live database and family; options are created and destroyed here.
            Ok(flush) => unsafe {
                let options = create();
                set_wait(options, 1);
                flush(database, options, family.raw(), status.slot());
                destroy(options);
            },
            Err(failure) => {
                let flush = family.by_default(functions.flush(), failure)?;
                // SAFETY: as above.
                unsafe {
                    let options = create();
                    set_wait(options, 1);
                    flush(database, options, status.slot());
                    destroy(options);
                }
            }
        }
        status.check()
    }

    /// Compacts the keys from `begin` to `end`, both inclusive; none for the first or last key.
    /// RocksDB's function tells no failure.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn compact_range(
        &self,
        how: CompactRange,
        family: &Family,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        let functions = &self.handle.library.functions;
        let compact = functions.compact_range_cf_opt()?;
        let options = CompactOptions::new(self, how)?;
        let slice = |key: Option<&[u8]>| key.map_or((ptr::null(), 0), slice_of);
        let ((begin, begin_length), (end, end_length)) = (slice(begin), slice(end));
        // SAFETY: a live database, family and options; keys with their lengths, or null.
        unsafe {
            let database = self.handle.raw;
            compact(database, family.raw(), options.raw, begin, begin_length, end, end_length);
        }
        Ok(())
    }

    /// Compacts the files of these names to a level.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    pub fn compact_files(
        &self,
        family: &Family,
        names: &[String],
        output_level: usize,
        output_file_size_limit: u64,
    ) -> Result<()> {
        let functions = &self.handle.library.functions;
        let (create, destroy) =
            (functions.compaction_options_create()?, functions.compaction_options_destroy()?);
        let set_limit = functions.compaction_options_set_output_file_size_limit()?;
        let compact = functions.compact_files_cf()?;
        let destroy_names = functions.compact_files_output_file_names_destroy()?;
        let names: Vec<CString> =
            names.iter().map(|name| c_string(name.as_bytes())).collect::<Result<_>>()?;
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let (mut outputs, mut count) = (ptr::null_mut(), 0);
        let level = c_int::try_from(output_level).unwrap_or(c_int::MAX);
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live database and family, as many names as are said, places for the results;
        // options are created and destroyed here, and so are the names of the outputs.
        unsafe {
            let options = create();
            set_limit(options, output_file_size_limit);
            compact(
                self.handle.raw,
                family.raw(),
                options,
                pointers.as_ptr(),
                pointers.len(),
                level,
                -1,
                &raw mut outputs,
                &raw mut count,
                ptr::null_mut(),
                status.slot(),
            );
            destroy(options);
            if !outputs.is_null() {
                destroy_names(outputs, count);
            }
        }
        status.check()
    }

    /// Waits until no flush and no compaction runs or is due, by the function of later releases.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status, `Unsupported`.
    pub fn wait_for_compact(&self) -> Result<()> {
        let functions = &self.handle.library.functions;
        let wait = functions.wait_for_compact()?;
        let (create, destroy) = (
            functions.wait_for_compact_options_create()?,
            functions.wait_for_compact_options_destroy()?,
        );
        let mut status = StatusSlot::new(functions);
        // SAFETY: a live database; options are created and destroyed here.
        unsafe {
            let options = create();
            wait(self.handle.raw, options, status.slot());
            destroy(options);
        }
        status.check()
    }

    /// Changes options of a family.
    ///
    /// # Errors
    /// `Refused` with RocksDB's status.
    pub fn set_options(&self, family: &Family, changes: &[(&str, &str)]) -> Result<()> {
        let functions = &self.handle.library.functions;
        let texts = |of: fn(&(&str, &str)) -> String| -> Result<Vec<CString>> {
            changes.iter().map(|change| c_string(of(change).as_bytes())).collect()
        };
        let names = texts(|(name, _)| (*name).to_owned())?;
        let values = texts(|(_, value)| (*value).to_owned())?;
        let pointers =
            |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (names, values) = (pointers(&names), pointers(&values));
        let count = c_int::try_from(changes.len()).unwrap_or(c_int::MAX);
        let mut status = StatusSlot::new(functions);
        let (database, names, values) = (self.handle.raw, names.as_ptr(), values.as_ptr());
        match functions.set_options_cf() {
            // SAFETY: a live database and family; arrays of `count` C strings that are alive here.
            Ok(set) => unsafe {
                set(database, family.raw(), count, names, values, status.slot());
            },
            Err(failure) => {
                let set = family.by_default(functions.set_options(), failure)?;
                // SAFETY: as above.
                unsafe { set(database, count, names, values, status.slot()) };
            }
        }
        status.check()
    }

    /// The text of a property; none if there is no such property.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn property(&self, family: &Family, name: &str) -> Result<Option<String>> {
        let get = self.handle.library.functions.property_value_cf()?;
        let name = c_string(name.as_bytes())?;
        // SAFETY: a live database and family, a C string; the text is the caller's.
        unsafe {
            let text = get(self.handle.raw, family.raw(), name.as_ptr());
            match text.is_null() {
                true => Ok(None),
                false => self.handle.library.take_text(text).map(Some),
            }
        }
    }

    /// The number of a property; none if there is no such property.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn int_property(&self, family: &Family, name: &str) -> Result<Option<u64>> {
        let functions = &self.handle.library.functions;
        let name = c_string(name.as_bytes())?;
        let (mut value, database) = (0, self.handle.raw);
        let status = match functions.property_int_cf() {
            // SAFETY: a live database and family, a C string, a number of ours.
            Ok(get) => unsafe { get(database, family.raw(), name.as_ptr(), &raw mut value) },
            Err(failure) => {
                let get = family.by_default(functions.property_int(), failure)?;
                // SAFETY: as above.
                unsafe { get(database, name.as_ptr(), &raw mut value) }
            }
        };
        Ok((status == 0).then_some(value))
    }

    /// The tables of all families.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn live_files(&self) -> Result<Vec<LiveFile>> {
        let functions = &self.handle.library.functions;
        let (list, destroy) = (functions.livefiles()?, functions.livefiles_destroy()?);
        let count = functions.livefiles_count()?;
        let (name, level) = (functions.livefiles_name()?, functions.livefiles_level()?);
        let size = functions.livefiles_size()?;
        let family = match (functions.livefiles_column_family_name(), self.families()) {
            (Ok(family), _) => Some(family),
            // A release that cannot say whose a file is: there is one family, and it is that one's.
            (Err(_), [one]) if one.name() == DEFAULT_FAMILY => None,
            (Err(failure), _) => return Err(failure),
        };
        // SAFETY: strings are copied while the list lives, which is destroyed once.
        let text = |text: *const c_char| unsafe { CStr::from_ptr(text) };
        // SAFETY: a live database, and a list whose indexes are below its count.
        unsafe {
            let files = list(self.handle.raw);
            let copies = (0..count(files))
                .map(|index| LiveFile {
                    family: family.map_or_else(
                        || DEFAULT_FAMILY.to_owned(),
                        |family| text(family(files, index)).to_string_lossy().into_owned(),
                    ),
                    level: level(files, index).try_into().unwrap_or(0),
                    name: text(name(files, index)).to_string_lossy().into_owned(),
                    bytes: size(files, index) as u64,
                })
                .collect();
            destroy(files);
            Ok(copies)
        }
    }
}

/// A `rocksdb_compactoptions_t`.
struct CompactOptions<'a> {
    database: &'a Database,
    raw: Raw,
}

impl<'a> CompactOptions<'a> {
    fn new(database: &'a Database, how: CompactRange) -> Result<Self> {
        let functions = &database.handle.library.functions;
        let create = functions.compactoptions_create()?;
        // SAFETY: takes nothing and gives a new object.
        let raw = unsafe { create() };
        let options = Self { database, raw };
        // SAFETY: live options, which nobody else has.
        unsafe {
            if let Some(exclusive) = how.exclusive {
                let set = functions.compactoptions_set_exclusive_manual_compaction()?;
                set(raw, exclusive.into());
            }
            if let Some(bottommost) = how.bottommost_level {
                let set = functions.compactoptions_set_bottommost_level_compaction()?;
                set(raw, bottommost);
            }
            if let Some(level) = how.target_level {
                (functions.compactoptions_set_change_level()?)(raw, 1);
                (functions.compactoptions_set_target_level()?)(raw, level);
            }
            if let Some(parts) = how.max_subcompactions {
                let set = functions.compactoptions_set_max_subcompactions()?;
                set(raw, parts.try_into().unwrap_or(c_int::MAX));
            }
        }
        Ok(options)
    }
}

impl Drop for CompactOptions<'_> {
    fn drop(&mut self) {
        if let Ok(destroy) = self.database.handle.library.functions.compactoptions_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}
