//! Options of tables this engine does not read: plain and cuckoo tables.

use crate::enums::EncodingType;
use crate::schema::{no_short_form, options};

options! {
    /// Options of plain tables (`rocksdb::PlainTableOptions`).
    pub struct PlainTableOptions, short form no_short_form;
    rows {
        /// Fixed key length, 0 for variable.
        user_key_len: u32 = 0, fixed accepted 4.2;
        /// Bits per prefix in the table bloom; 0 off.
        bloom_bits_per_key: i32 = 10, fixed accepted 4.2;
        /// Load ratio of the prefix hash table.
        hash_table_ratio: f64 = 0.75, fixed accepted 4.2;
        /// Keys covered by one index record inside a bucket.
        index_sparseness: u64 = 16, fixed accepted 4.2;
        /// Huge page size for index memory; 0 normal.
        huge_page_tlb_size: u64 = 0, fixed accepted 4.2;
        /// Key encoding: full or shared prefix.
        encoding_type: EncodingType = EncodingType::Plain, fixed accepted 4.2;
        /// Build no hash index; only full scans.
        full_scan_mode: bool = false, fixed accepted 4.2;
        /// Persist hash index and bloom in the file.
        store_index_in_file: bool = false, fixed accepted 4.2;
    }
}

options! {
    /// Options of cuckoo tables (`rocksdb::CuckooTableOptions`).
    pub struct CuckooTableOptions, short form no_short_form;
    rows {
        /// Target fill of the hash table.
        hash_table_ratio: f64 = 0.9, fixed accepted 6.14;
        /// Displacement search depth when inserting.
        max_search_depth: u32 = 100, fixed accepted 6.14;
        /// Consecutive slots tried per hash location.
        cuckoo_block_size: u32 = 5, fixed accepted 6.14;
        /// First hash is the key's own 8 bytes.
        identity_as_first_hash: bool = false, fixed accepted 6.14;
        /// Pick buckets by modulo rather than bit mask.
        use_module_hash: bool = true, fixed accepted 6.14;
    }
}
