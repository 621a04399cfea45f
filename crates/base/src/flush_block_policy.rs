//! Where data blocks of tables end (`flush_block_policy_factory`).
//!
//! A policy sees each entry before it goes into the block that is open, and may end the block first.
//! Blocks are what reads load and caches hold: one that keeps together what is read together saves
//! reads.

use std::fmt;
use std::sync::Arc;

/// What a policy is asked about: an entry that is next, and the block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushBlockRequest<'a> {
    /// The internal key of the entry.
    pub key: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// Entries in the block.
    pub entry_count: usize,
    /// Bytes of the block, before compression.
    pub block_size: usize,
    /// Bytes it would have with the entry.
    pub block_size_after: usize,
}

/// Decides for one table where its data blocks end (`rocksdb::FlushBlockPolicy`).
pub trait FlushBlockPolicy: fmt::Debug + Send {
    /// Whether the block ends before the entry. It is asked about each entry of the table once, in
    /// their order; a block without entries does not end, whatever it says.
    fn update(&mut self, request: &FlushBlockRequest<'_>) -> bool;
}

/// What is known when a policy is made: options of block-based tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushBlockContext {
    /// `block_size`, in bytes.
    pub block_size: u64,
    /// `block_size_deviation`, in percent.
    pub block_size_deviation: u8,
    /// `block_align`.
    pub block_align: bool,
}

/// Makes a policy for each new table (`rocksdb::FlushBlockPolicyFactory`).
pub trait FlushBlockPolicyFactory: fmt::Debug + Send + Sync {
    /// The name by which OPTIONS files know it.
    fn name(&self) -> &str;

    /// What OPTIONS files say of it beside its name. Default: nothing.
    fn properties(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// A policy for one table; none to end blocks by size.
    fn create(&self, context: &FlushBlockContext) -> Option<Box<dyn FlushBlockPolicy>>;
}

/// Ends blocks at `block_size`, as `block_size_deviation` and `block_align` have it: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlushBlockBySizePolicyFactory;

impl FlushBlockBySizePolicyFactory {
    /// RocksDB's name of it.
    pub const NAME: &str = "FlushBlockBySizePolicyFactory";
}

impl FlushBlockPolicyFactory for FlushBlockBySizePolicyFactory {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn create(&self, _context: &FlushBlockContext) -> Option<Box<dyn FlushBlockPolicy>> {
        None
    }
}

/// Gives each entry a block of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlushBlockEveryKeyPolicyFactory;

impl FlushBlockEveryKeyPolicyFactory {
    /// RocksDB's name of it.
    pub const NAME: &str = "FlushBlockEveryKeyPolicyFactory";
}

impl FlushBlockPolicyFactory for FlushBlockEveryKeyPolicyFactory {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn create(&self, _context: &FlushBlockContext) -> Option<Box<dyn FlushBlockPolicy>> {
        Some(Box::new(EveryKey))
    }
}

#[derive(Debug)]
struct EveryKey;

impl FlushBlockPolicy for EveryKey {
    fn update(&mut self, _request: &FlushBlockRequest<'_>) -> bool {
        true
    }
}

/// The built-in factory of this name: `FlushBlockBySizePolicyFactory` or
/// `FlushBlockEveryKeyPolicyFactory`.
pub fn builtin(name: &str) -> Option<Arc<dyn FlushBlockPolicyFactory>> {
    Some(match name {
        FlushBlockBySizePolicyFactory::NAME => Arc::new(FlushBlockBySizePolicyFactory),
        FlushBlockEveryKeyPolicyFactory::NAME => Arc::new(FlushBlockEveryKeyPolicyFactory),
        _ => return None,
    })
}
