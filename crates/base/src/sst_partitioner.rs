//! Where users want the tables that compactions write to end.
//!
//! Tables that hold one tenant, day or shard each can be moved, dropped and shipped by themselves,
//! and a compaction of one rewrites nothing of another. Tables of L0 are never divided.

use std::fmt;
use std::sync::Arc;

/// What a partitioner is asked about: two neighbours in a table that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionerRequest<'a> {
    /// The user key last written.
    pub prev_user_key: &'a [u8],
    /// The user key that comes next.
    pub current_user_key: &'a [u8],
    /// Bytes of the table so far.
    pub current_output_file_size: u64,
}

/// A user's rule for one compaction (`SstPartitioner`).
pub trait SstPartitioner: fmt::Debug + Send {
    /// The name, for logs.
    fn name(&self) -> &str;

    /// Whether a new table begins between the two keys.
    fn should_partition(&mut self, request: &PartitionerRequest<'_>) -> bool;

    /// Whether a table with these first and last user keys may go to a deeper level as it is.
    fn can_do_trivial_move(&mut self, smallest_user_key: &[u8], largest_user_key: &[u8]) -> bool;
}

/// What a partitioner is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SstPartitionerContext<'a> {
    /// All files of the column family are read.
    pub is_full_compaction: bool,
    /// A user asked for it.
    pub is_manual_compaction: bool,
    /// The level written to, not 0.
    pub output_level: usize,
    /// The first user key of the compaction.
    pub smallest_user_key: &'a [u8],
    /// The last user key of the compaction.
    pub largest_user_key: &'a [u8],
}

/// Makes a partitioner for each compaction, or for each part that one is divided into
/// (`sst_partitioner_factory`).
pub trait SstPartitionerFactory: fmt::Debug + Send + Sync {
    /// The name by which OPTIONS files know it.
    fn name(&self) -> &str;

    /// What OPTIONS files say of it beside its name. Default: nothing.
    fn properties(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// A partitioner; none to divide nothing.
    fn create(&self, context: &SstPartitionerContext<'_>) -> Option<Box<dyn SstPartitioner>>;
}

/// Begins a new table wherever the first bytes of the key change. Keys that are shorter count whole.
#[derive(Clone, Copy, Debug)]
pub struct SstPartitionerFixedPrefix {
    length: usize,
}

impl SstPartitionerFixedPrefix {
    fn prefix<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        &key[..self.length.min(key.len())]
    }
}

impl SstPartitioner for SstPartitionerFixedPrefix {
    fn name(&self) -> &str {
        "SstPartitionerFixedPrefix"
    }

    fn should_partition(&mut self, request: &PartitionerRequest<'_>) -> bool {
        self.prefix(request.prev_user_key) != self.prefix(request.current_user_key)
    }

    fn can_do_trivial_move(&mut self, smallest_user_key: &[u8], largest_user_key: &[u8]) -> bool {
        self.prefix(smallest_user_key) == self.prefix(largest_user_key)
    }
}

/// Makes [`SstPartitionerFixedPrefix`].
#[derive(Clone, Copy, Debug)]
pub struct SstPartitionerFixedPrefixFactory {
    length: usize,
}

impl SstPartitionerFixedPrefixFactory {
    /// The name of the factory.
    pub const NAME: &'static str = "SstPartitionerFixedPrefixFactory";

    /// For prefixes of so many bytes.
    pub fn new(length: usize) -> Self {
        Self { length }
    }
}

impl SstPartitionerFactory for SstPartitionerFixedPrefixFactory {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn properties(&self) -> Vec<(&'static str, String)> {
        vec![("length", self.length.to_string())]
    }

    fn create(&self, _context: &SstPartitionerContext<'_>) -> Option<Box<dyn SstPartitioner>> {
        Some(Box::new(SstPartitionerFixedPrefix { length: self.length }))
    }
}

/// The built-in factory of this name, with the properties that OPTIONS files give it:
/// `SstPartitionerFixedPrefixFactory` with `length` in bytes (default: 0, which divides nothing).
pub fn builtin(name: &str, properties: &[(&str, &str)]) -> Option<Arc<dyn SstPartitionerFactory>> {
    if name != SstPartitionerFixedPrefixFactory::NAME {
        return None;
    }
    let mut factory = SstPartitionerFixedPrefixFactory::new(0);
    for (property, value) in properties {
        match *property {
            "length" => factory.length = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(Arc::new(factory))
}

#[cfg(test)]
mod tests;
