//! A database's and its families' options, out of option strings and OPTIONS files.

use std::ffi::{CStr, CString};
use std::rc::Rc;
use std::{ptr, slice};

use testing::judges::protocol::{Comparator, FamilyOpening, MergeOperator, Opening};

use super::operators;
use librocksdb::{Functions, Raw};
use librocksdb::{Result, StatusSlot, c_string};

/// A `rocksdb_options_t`.
pub(super) struct Options {
    functions: Rc<Functions>,
    raw: Raw,
}

impl Options {
    /// RocksDB's defaults.
    pub(super) fn new(functions: &Rc<Functions>) -> Result<Self> {
        let create = functions.options_create()?;
        // SAFETY: takes nothing and gives a new object.
        Ok(Self { functions: Rc::clone(functions), raw: unsafe { create() } })
    }

    pub(super) fn raw(&self) -> Raw {
        self.raw
    }

    /// A copy with the options of a string changed.
    fn with_string(&self, string: &str) -> Result<Self> {
        let parse = self.functions.get_options_from_string()?;
        let changed = Self::new(&self.functions)?;
        let string = c_string(string.as_bytes())?;
        let mut status = StatusSlot::new(&self.functions);
        // SAFETY: two live options objects, a C string and a place for the status.
        unsafe { parse(self.raw, string.as_ptr(), changed.raw, status.slot()) };
        status.check()?;
        Ok(changed)
    }

    fn set_comparator(&mut self, comparator: Comparator) -> Result<()> {
        let functions = &self.functions;
        let builtin = match comparator {
            Comparator::Reverse => "rocksdb.ReverseBytewiseComparator",
            Comparator::U64Ts => "leveldb.BytewiseComparator.u64ts",
            Comparator::ShortLex => {
                let comparator = operators::shortlex(functions)?;
                let set = functions.options_set_comparator()?;
                // SAFETY: live options; the comparator is never freed.
                unsafe { set(self.raw, comparator) };
                return Ok(());
            }
        };
        *self = self.with_string(&format!("comparator={builtin}"))?;
        Ok(())
    }

    fn set_merge_operator(&mut self, operator: MergeOperator) -> Result<()> {
        match operator {
            MergeOperator::Uint64Add => {
                let set = self.functions.options_set_uint64add_merge_operator()?;
                // SAFETY: live options.
                unsafe { set(self.raw) };
            }
            MergeOperator::StringAppend => {
                *self = self.with_string("merge_operator=stringappend")?;
            }
            MergeOperator::Append => {
                let operator = operators::append(&self.functions)?;
                let set = self.functions.options_set_merge_operator()?;
                // SAFETY: live options, which take the operator over.
                unsafe { set(self.raw, operator) };
            }
        }
        Ok(())
    }

    /// Puts a family's options on top of these.
    fn with_family(mut self, family: &FamilyOpening) -> Result<Self> {
        if let Some(comparator) = family.comparator {
            self.set_comparator(comparator)?;
        }
        if let Some(operator) = family.merge_operator {
            self.set_merge_operator(operator)?;
        }
        if family.options.is_empty() { Ok(self) } else { self.with_string(&family.options) }
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        if let Ok(destroy) = self.functions.options_destroy() {
            // SAFETY: created by RocksDB, destroyed once.
            unsafe { destroy(self.raw) };
        }
    }
}

/// The options of an open: the database's, and each family's with its name.
pub(super) struct OpenOptions {
    pub(super) database: Options,
    pub(super) families: Vec<(CString, Options)>,
}

impl OpenOptions {
    /// What an opening asks for; `names` are the families when it names none.
    pub(super) fn of(
        functions: &Rc<Functions>,
        opening: &Opening,
        names: Vec<CString>,
    ) -> Result<Self> {
        let mut latest = if opening.latest {
            Latest::load(functions, &directory(opening)?)?
        } else {
            Latest { database: Options::new(functions)?, families: Vec::new() }
        };
        let mut families = Vec::new();
        if opening.families.is_empty() {
            for name in names {
                let options = latest.take(functions, &name)?;
                families.push((name, options));
            }
        }
        for family in &opening.families {
            let name = c_string(&family.name.0)?;
            let options = latest.take(functions, &name)?.with_family(family)?;
            families.push((name, options));
        }
        let database = match opening.options.as_str() {
            "" => latest.database,
            string => latest.database.with_string(string)?,
        };
        Ok(Self { database, families })
    }
}

/// A new family's options.
pub(super) fn of_family(functions: &Rc<Functions>, family: &FamilyOpening) -> Result<Options> {
    Options::new(functions)?.with_family(family)
}

/// What a directory's newest OPTIONS file holds.
struct Latest {
    database: Options,
    families: Vec<(CString, Options)>,
}

impl Latest {
    fn load(functions: &Rc<Functions>, directory: &CStr) -> Result<Self> {
        let load = functions.load_latest_options()?;
        let destroy = functions.load_latest_options_destroy()?;
        let (create_env, destroy_env) = (functions.create_default_env()?, functions.env_destroy()?);
        let create_cache = functions.cache_create_lru()?;
        let destroy_cache = functions.cache_destroy()?;
        let (mut database, mut count) = (ptr::null_mut(), 0);
        let (mut names, mut options) = (ptr::null_mut(), ptr::null_mut());
        let mut status = StatusSlot::new(functions);
        // SAFETY: places for all results; environment and cache are alive during the call, and the
        // options share the ownership of the cache.
        unsafe {
            let (env, cache) = (create_env(), create_cache(8 << 20));
            load(
                directory.as_ptr(),
                env,
                true,
                cache,
                &raw mut database,
                &raw mut count,
                &raw mut names,
                &raw mut options,
                status.slot(),
            );
            destroy_cache(cache);
            destroy_env(env);
        }
        status.check()?;
        // SAFETY: a load that succeeded gives `count` names and options, which are copied here and
        // then destroyed together.
        let copies = unsafe {
            let names = slice::from_raw_parts(names, count).iter();
            let options = slice::from_raw_parts(options, count);
            names
                .zip(options)
                .map(|(name, options)| {
                    Ok((CStr::from_ptr(*name).to_owned(), copy(functions, *options)?))
                })
                .collect::<Result<Vec<_>>>()
        };
        let copied = copy(functions, database);
        // SAFETY: what the load gave, destroyed once.
        unsafe { destroy(database, names, options, count) };
        Ok(Self { database: copied?, families: copies? })
    }

    fn take(&mut self, functions: &Rc<Functions>, name: &CStr) -> Result<Options> {
        match self.families.iter().position(|(other, _)| other.as_c_str() == name) {
            Some(position) => Ok(self.families.swap_remove(position).1),
            None => Options::new(functions),
        }
    }
}

/// A copy of options that somebody else owns.
fn copy(functions: &Rc<Functions>, raw: Raw) -> Result<Options> {
    let theirs = std::mem::ManuallyDrop::new(Options { functions: Rc::clone(functions), raw });
    theirs.with_string("")
}

/// An opening's directory as RocksDB takes paths.
pub(super) fn directory(opening: &Opening) -> Result<CString> {
    c_string(opening.directory.as_os_str().as_encoded_bytes())
}
