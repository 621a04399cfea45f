//! The functions of one library, by name. Those that its release lacks are found missing when they
//! are first asked for, not when the library is loaded.

use std::error::Error;
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::path::Path;

use libloading::Library;

use crate::failure::{Failure, Result};

/// A pointer to one of RocksDB's opaque objects.
pub type Raw = *mut c_void;

/// A string, or the first of its bytes where a length follows.
type Text = *const c_char;

/// Where the status goes.
type Slot = *mut *mut c_char;

type Destroy = extern "C" fn(Raw);
type NameOf = extern "C" fn(Raw) -> Text;
/// Compares two keys.
pub type Compare = extern "C" fn(Raw, Text, usize, Text, usize) -> c_int;
/// Merges operands into a base.
pub type FullMerge = extern "C" fn(
    Raw,
    Text,
    usize,
    Text,
    usize,
    *const Text,
    *const usize,
    c_int,
    *mut c_uchar,
    *mut usize,
) -> *mut c_char;
/// Merges operands.
pub type PartialMerge = extern "C" fn(
    Raw,
    Text,
    usize,
    *const Text,
    *const usize,
    c_int,
    *mut c_uchar,
    *mut usize,
) -> *mut c_char;
/// Decides about a value.
pub(crate) type Filter = extern "C" fn(
    Raw,
    c_int,
    Text,
    usize,
    Text,
    usize,
    *mut *mut c_char,
    *mut usize,
    *mut c_uchar,
) -> c_uchar;
type NewFilter = extern "C" fn(Raw, Raw) -> Raw;
type Prefix = extern "C" fn(Raw, Text, usize, *mut usize) -> *mut c_char;
pub(crate) type NewTransform = unsafe extern "C" fn(Raw, Destroy, Prefix, InDomain, NameOf) -> Raw;
type InDomain = extern "C" fn(Raw, Text, usize) -> c_uchar;
type DeleteValue = extern "C" fn(Raw, Text, usize);

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// What a library exports.
        #[allow(non_snake_case, reason = "named as RocksDB's functions are")]
        pub struct Functions {
            library: Library,
            $($name: Option<unsafe extern "C" fn($($argument),*) $(-> $result)?>,)*
        }

        #[allow(non_snake_case, reason = "named as RocksDB's functions are")]
        impl Functions {
            fn of(library: Library) -> Self {
                Self {
                    $($name: symbol(&library, concat!("rocksdb_", stringify!($name))),)*
                    library,
                }
            }

            $(
            /// The function of this name.
            ///
            /// # Errors
            /// `Unsupported` if the release lacks it.
            #[inline]
            pub fn $name(
                &self,
            ) -> Result<unsafe extern "C" fn($($argument),*) $(-> $result)?> {
                self.$name.ok_or_else(|| missing(concat!("rocksdb_", stringify!($name))))
            }
            )*
        }
    };
}

functions! {
    free(Raw);

    options_create() -> Raw;
    options_destroy(Raw);
    get_options_from_string(Raw, Text, Raw, Slot);
    options_set_comparator(Raw, Raw);
    options_set_merge_operator(Raw, Raw);
    options_set_uint64add_merge_operator(Raw);
    comparator_create(Raw, Destroy, Compare, NameOf) -> Raw;
    mergeoperator_create(Raw, Destroy, FullMerge, PartialMerge, DeleteValue, NameOf) -> Raw;
    compactionfilter_create(Raw, Destroy, Filter, NameOf) -> Raw;
    compactionfiltercontext_is_full_compaction(Raw) -> c_uchar;
    compactionfiltercontext_is_manual_compaction(Raw) -> c_uchar;
    compactionfilterfactory_create(Raw, Destroy, NewFilter, NameOf) -> Raw;
    options_set_compaction_filter(Raw, Raw);
    options_set_compaction_filter_factory(Raw, Raw);
    // Up to 10.10; later ones do not take the function that knew what is a prefix.
    slicetransform_create(Raw, Destroy, Prefix, InDomain, InDomain, NameOf) -> Raw;
    options_set_prefix_extractor(Raw, Raw);
    cache_create_lru(usize) -> Raw;
    cache_destroy(Raw);
    // From 8.1 on.
    cache_create_hyper_clock_opts(Raw) -> Raw;
    hyper_clock_cache_options_create(usize, usize) -> Raw;
    hyper_clock_cache_options_destroy(Raw);
    hyper_clock_cache_options_set_num_shard_bits(Raw, c_int);
    block_based_options_create() -> Raw;
    block_based_options_destroy(Raw);
    block_based_options_set_block_cache(Raw, Raw);
    options_set_block_based_table_factory(Raw, Raw);
    create_default_env() -> Raw;
    env_destroy(Raw);
    load_latest_options(
        Text, Raw, bool, Raw, *mut Raw, *mut usize, *mut *mut *mut c_char, *mut *mut Raw, Slot
    );
    load_latest_options_destroy(Raw, *mut *mut c_char, *mut Raw, usize);

    list_column_families(Raw, Text, *mut usize, Slot) -> *mut *mut c_char;
    list_column_families_destroy(*mut *mut c_char, usize);
    open_column_families(
        Raw, Text, c_int, *const Text, *const Raw, *mut Raw, Slot
    ) -> Raw;
    open_for_read_only_column_families(
        Raw, Text, c_int, *const Text, *const Raw, *mut Raw, c_uchar, Slot
    ) -> Raw;
    close(Raw);
    create_column_family(Raw, Raw, Text, Slot) -> Raw;
    drop_column_family(Raw, Raw, Slot);
    column_family_handle_destroy(Raw);
    column_family_handle_get_id(Raw) -> u32;

    get_latest_sequence_number(Raw) -> u64;
    property_value_cf(Raw, Raw, Text) -> *mut c_char;
    property_int(Raw, Text, *mut u64) -> c_int;
    property_int_cf(Raw, Raw, Text, *mut u64) -> c_int;
    get_cf(Raw, Raw, Raw, Text, usize, *mut usize, Slot) -> *mut c_char;
    write(Raw, Raw, Raw, Slot);
    writebatch_create_from(Text, usize) -> Raw;
    writebatch_destroy(Raw);
    writeoptions_create() -> Raw;
    writeoptions_destroy(Raw);
    writeoptions_set_sync(Raw, c_uchar);
    writeoptions_disable_WAL(Raw, c_int);

    transactiondb_options_create() -> Raw;
    transactiondb_options_destroy(Raw);
    transactiondb_options_set_write_policy(Raw, c_int);
    transactiondb_open_column_families(
        Raw, Raw, Text, c_int, *const Text, *const Raw, *mut Raw, Slot
    ) -> Raw;
    transactiondb_close(Raw);
    transactiondb_get_prepared_transactions(Raw, *mut usize) -> *mut Raw;
    transaction_options_create() -> Raw;
    transaction_options_destroy(Raw);
    transaction_begin(Raw, Raw, Raw, Raw) -> Raw;
    transaction_destroy(Raw);
    transaction_set_name(Raw, Text, usize, Slot);
    transaction_get_name(Raw, *mut usize) -> *mut c_char;
    transaction_prepare(Raw, Slot);
    transaction_commit(Raw, Slot);
    transaction_rollback(Raw, Slot);
    transaction_put_cf(Raw, Raw, Text, usize, Text, usize, Slot);
    transaction_merge_cf(Raw, Raw, Text, usize, Text, usize, Slot);
    transaction_delete_cf(Raw, Raw, Text, usize, Slot);

    readoptions_create() -> Raw;
    readoptions_destroy(Raw);
    readoptions_set_snapshot(Raw, Raw);
    readoptions_set_total_order_seek(Raw, c_uchar);
    readoptions_set_timestamp(Raw, Text, usize);
    readoptions_set_iterate_lower_bound(Raw, Text, usize);
    readoptions_set_iterate_upper_bound(Raw, Text, usize);
    create_snapshot(Raw) -> Raw;
    release_snapshot(Raw, Raw);

    create_iterator_cf(Raw, Raw, Raw) -> Raw;
    iter_destroy(Raw);
    iter_valid(Raw) -> c_uchar;
    iter_seek_to_first(Raw);
    iter_seek_to_last(Raw);
    iter_seek(Raw, Text, usize);
    iter_seek_for_prev(Raw, Text, usize);
    iter_next(Raw);
    iter_prev(Raw);
    iter_key(Raw, *mut usize) -> Text;
    iter_value(Raw, *mut usize) -> Text;
    iter_timestamp(Raw, *mut usize) -> Text;
    iter_get_error(Raw, Slot);

    set_options(Raw, c_int, *const Text, *const Text, Slot);
    set_options_cf(Raw, Raw, c_int, *const Text, *const Text, Slot);
    set_db_options(Raw, c_int, *const Text, *const Text, Slot);

    flushoptions_create() -> Raw;
    flushoptions_destroy(Raw);
    flushoptions_set_wait(Raw, c_uchar);
    flush(Raw, Raw, Slot);
    flush_cf(Raw, Raw, Raw, Slot);
    flush_cfs(Raw, Raw, *const Raw, c_int, Slot);
    compactoptions_create() -> Raw;
    compactoptions_destroy(Raw);
    compactoptions_set_bottommost_level_compaction(Raw, c_uchar);
    compact_range_cf_opt(Raw, Raw, Raw, Text, usize, Text, usize);

    envoptions_create() -> Raw;
    envoptions_destroy(Raw);
    sstfilewriter_create(Raw, Raw) -> Raw;
    sstfilewriter_open(Raw, Text, Slot);
    sstfilewriter_put(Raw, Text, usize, Text, usize, Slot);
    sstfilewriter_merge(Raw, Text, usize, Text, usize, Slot);
    sstfilewriter_delete(Raw, Text, usize, Slot);
    sstfilewriter_delete_range(Raw, Text, usize, Text, usize, Slot);
    sstfilewriter_finish(Raw, Slot);
    sstfilewriter_destroy(Raw);
    ingestexternalfileoptions_create() -> Raw;
    ingestexternalfileoptions_destroy(Raw);
    ingest_external_file_cf(Raw, Raw, *const Text, usize, Raw, Slot);

    livefiles(Raw) -> Raw;
    livefiles_count(Raw) -> c_int;
    livefiles_name(Raw, c_int) -> Text;
    livefiles_column_family_name(Raw, c_int) -> Text;
    livefiles_level(Raw, c_int) -> c_int;
    livefiles_size(Raw, c_int) -> usize;
    livefiles_smallestkey(Raw, c_int, *mut usize) -> Text;
    livefiles_largestkey(Raw, c_int, *mut usize) -> Text;
    livefiles_destroy(Raw);

    options_enable_statistics(Raw);
    options_set_statistics_level(Raw, c_int);
    options_statistics_get_string(Raw) -> *mut c_char;
    options_statistics_get_ticker_count(Raw, u32) -> u64;
    set_perf_level(c_int);
    perfcontext_create() -> Raw;
    perfcontext_reset(Raw);
    perfcontext_report(Raw, c_uchar) -> *mut c_char;
    perfcontext_destroy(Raw);

    put_cf(Raw, Raw, Raw, Text, usize, Text, usize, Slot);
    delete_cf(Raw, Raw, Raw, Text, usize, Slot);
    singledelete_cf(Raw, Raw, Raw, Text, usize, Slot);
    merge_cf(Raw, Raw, Raw, Text, usize, Text, usize, Slot);
    get_pinned_cf(Raw, Raw, Raw, Text, usize, Slot) -> Raw;
    pinnableslice_value(Raw, *mut usize) -> Text;
    pinnableslice_destroy(Raw);
    multi_get_cf(
        Raw, Raw, *const Raw, usize, *const Text, *const usize, *mut *mut c_char, *mut usize, Slot
    );
    batched_multi_get_cf(
        Raw, Raw, Raw, usize, *const Text, *const usize, *mut Raw, Slot, bool
    );
    writebatch_create() -> Raw;
    writebatch_clear(Raw);
    writebatch_count(Raw) -> c_int;
    writebatch_put_cf(Raw, Raw, Text, usize, Text, usize);
    writebatch_delete_cf(Raw, Raw, Text, usize);
    writebatch_singledelete_cf(Raw, Raw, Text, usize);
    writebatch_merge_cf(Raw, Raw, Text, usize, Text, usize);
    writebatch_delete_range_cf(Raw, Raw, Text, usize, Text, usize);
    writeoptions_set_no_slowdown(Raw, c_uchar);
    writeoptions_set_low_pri(Raw, c_uchar);

    readoptions_set_verify_checksums(Raw, c_uchar);
    readoptions_set_fill_cache(Raw, c_uchar);
    readoptions_set_prefix_same_as_start(Raw, c_uchar);
    readoptions_set_auto_prefix_mode(Raw, c_uchar);
    readoptions_set_readahead_size(Raw, usize);
    readoptions_set_pin_data(Raw, c_uchar);
    readoptions_set_tailing(Raw, c_uchar);
    readoptions_set_ignore_range_deletions(Raw, c_uchar);
    readoptions_set_max_skippable_internal_keys(Raw, u64);
    readoptions_set_value_size_soft_limit(Raw, u64);
    readoptions_set_async_io(Raw, c_uchar);
    readoptions_set_optimize_multiget_for_io(Raw, c_uchar);
    readoptions_set_adaptive_readahead(Raw, c_uchar);
    readoptions_set_auto_readahead_size(Raw, c_uchar);
    readoptions_set_background_purge_on_iterator_cleanup(Raw, c_uchar);
    readoptions_set_auto_refresh_iterator_with_snapshot(Raw, c_uchar);
    readoptions_set_read_tier(Raw, c_int);

    wait_for_compact(Raw, Raw, Slot);
    wait_for_compact_options_create() -> Raw;
    wait_for_compact_options_destroy(Raw);
    compaction_options_create() -> Raw;
    compaction_options_destroy(Raw);
    compaction_options_set_output_file_size_limit(Raw, u64);
    compact_files_cf(
        Raw, Raw, Raw, *const Text, usize, c_int, c_int, *mut *mut *mut c_char, *mut usize, Raw, Slot
    );
    compact_files_output_file_names_destroy(*mut *mut c_char, usize);
    compactoptions_set_exclusive_manual_compaction(Raw, c_uchar);
    compactoptions_set_change_level(Raw, c_uchar);
    compactoptions_set_target_level(Raw, c_int);
    compactoptions_set_max_subcompactions(Raw, c_int);
}

/// RocksDB's own `DBIter::columns`: the C functions have no wide columns.
const COLUMNS: &str = "_ZNK7rocksdb18ArenaWrappedDBIter7columnsEv";

/// `ColumnFamilyHandleImpl::GetID`, of releases whose C functions cannot tell.
const GET_ID: &str = "_ZNK7rocksdb22ColumnFamilyHandleImpl5GetIDEv";

/// `GetRocksVersionAsString`, with either ABI of strings.
#[cfg(target_arch = "x86_64")]
const VERSION: [&str; 2] =
    ["_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb", "_ZN7rocksdb23GetRocksVersionAsStringEb"];

impl Functions {
    /// Loads a library. It stays loaded as long as the process lives.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn load(path: &Path) -> std::result::Result<Self, String> {
        // SAFETY: the initializers of a library of RocksDB may run at any time; that the file is
        // one is for whoever started this process to know.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|error| {
            // Why stands in its source.
            let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            match reason.contains(&*path.to_string_lossy()) {
                true => reason,
                false => format!("{}: {reason}", path.display()),
            }
        })?;
        let functions = Self::of(library);
        match functions.open_column_families() {
            Ok(_) => Ok(functions),
            Err(_) => Err(format!("{} is no library of RocksDB", path.display())),
        }
    }

    /// The release that the library says it is; none where it cannot be asked.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn version(&self) -> Option<String> {
        type AsString = unsafe extern "C" fn(*mut [usize; 4], bool) -> *mut [usize; 4];
        let get = VERSION.iter().find_map(|name| symbol::<AsString>(&self.library, name))?;
        let mut string = [0; 4];
        // SAFETY: a C++ function that returns a string takes the place for it first; the string of
        // either ABI fits, begins with a pointer to its bytes, and ends them with a zero byte.
        unsafe {
            get(&raw mut string, true);
            let text = std::ptr::with_exposed_provenance::<c_char>(string[0]);
            Some(std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }

    /// The release that the library says it is; none where it cannot be asked.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn version(&self) -> Option<String> {
        None
    }

    /// The columns of the entry where an iterator is: a `std::vector<WideColumn>`.
    pub fn columns(&self) -> Option<unsafe extern "C" fn(Raw) -> *const [usize; 3]> {
        symbol(&self.library, COLUMNS)
    }

    /// `slicetransform_create` of releases from 11.0 on.
    ///
    /// # Errors
    /// `Unsupported`.
    pub(crate) fn slicetransform_create_since_11(&self) -> Result<NewTransform> {
        const NAME: &str = "rocksdb_slicetransform_create";
        symbol(&self.library, NAME).ok_or_else(|| missing(NAME))
    }

    /// A family's number, asked of what its handle points to.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn family_id(&self) -> Result<unsafe extern "C" fn(Raw) -> u32> {
        symbol(&self.library, GET_ID).ok_or_else(|| missing(GET_ID))
    }
}

fn symbol<F: Copy>(library: &Library, name: &str) -> Option<F> {
    // SAFETY: the types above are those of RocksDB's header, which changed one
    // (`slicetransform_create`): whoever asks for that knows the release.
    unsafe { library.get::<F>(name) }.ok().map(|symbol| *symbol)
}

#[cold]
fn missing(name: &str) -> Failure {
    Failure::Unsupported(name.to_owned())
}
