//! Many keys in one allocation, for random access.
//!
//! Keys are kept whole as long as that costs no more than a small multiple of what they cost in the
//! block they come from. Beyond that, which takes keys far longer than what each adds to the one
//! before, they leave out what they share with it.
//!
//! ```text
//! key    varint32 shared | suffix up to where the next key begins
//! ```

use base::coding::{get_varint32, put_varint32};
use base::{Result, Status, common_prefix_length};

#[derive(Debug, Default)]
pub(crate) struct KeyArena {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl KeyArena {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn memory_usage_bytes(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * size_of::<u32>()
    }

    fn parts(&self, index: usize) -> (usize, &[u8]) {
        let start = self.starts[index] as usize;
        let end = self.starts.get(index + 1).map_or(self.bytes.len(), |&end| end as usize);
        let mut suffix = &self.bytes[start..end];
        let shared = get_varint32(&mut suffix).unwrap_or_default() as usize;
        (shared, suffix)
    }

    /// The key at `index`, put together in `scratch` if it is not kept whole.
    #[inline]
    pub(crate) fn get<'a>(&'a self, index: usize, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let (shared, suffix) = self.parts(index);
        if shared == 0 { suffix } else { self.assemble(index, scratch) }
    }

    fn assemble<'a>(&'a self, index: usize, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let whole = (0..=index).rev().find(|&index| self.parts(index).0 == 0).unwrap_or(0);
        scratch.clear();
        for index in whole..=index {
            let (shared, suffix) = self.parts(index);
            scratch.truncate(shared);
            scratch.extend_from_slice(suffix);
        }
        scratch
    }
}

/// Fills a [`KeyArena`].
#[derive(Debug, Default)]
pub(crate) struct KeyArenaBuilder {
    arena: KeyArena,
    last_key: Vec<u8>,
    /// Bytes that may still be spent on keeping keys whole.
    credit: usize,
}

/// Bytes of whole keys for every byte that keys add to the ones before.
const CREDIT_PER_BYTE: usize = 16;
/// Added for every key to what it adds to the one before.
const CREDIT_BYTES_PER_KEY: usize = 8;

impl KeyArenaBuilder {
    pub(crate) fn push(&mut self, key: &[u8]) -> Result<()> {
        let mut shared = common_prefix_length(&self.last_key, key);
        self.credit += CREDIT_PER_BYTE * (key.len() - shared + CREDIT_BYTES_PER_KEY);
        if let Some(credit) = self.credit.checked_sub(key.len()) {
            self.credit = credit;
            shared = 0;
        }
        let Ok(start) = u32::try_from(self.arena.bytes.len()) else {
            return Err(Status::corruption("index with more than 4 GiB of keys"));
        };
        self.arena.starts.push(start);
        put_varint32(&mut self.arena.bytes, shared as u32);
        self.arena.bytes.extend_from_slice(&key[shared..]);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> KeyArena {
        self.arena.bytes.shrink_to_fit();
        self.arena.starts.shrink_to_fit();
        self.arena
    }
}

#[cfg(test)]
mod tests;
