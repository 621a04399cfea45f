//! Data blocks held back until a compression dictionary can be made from samples of them.

use cache::{ChargedMemory, MemoryCharge};
use compression::{CompressionDictionary, CompressionOptions, CompressionType};
use std::sync::Arc;

/// Uncompressed data blocks of the beginning of a table.
#[derive(Debug)]
pub(super) struct DictionaryBuffer {
    blocks: Vec<Vec<u8>>,
    size: u64,
    /// How much is held back; 0 for all.
    size_limit: u64,
    sample_size_max: usize,
    /// Size of the dictionary that zstd trains, if it does.
    trained_size_max: Option<usize>,
    /// Of what is held back, to the block cache.
    charge: Option<MemoryCharge>,
}

impl DictionaryBuffer {
    /// `None` if the options ask for no dictionary. Where they ask for zstd's finalizer
    /// (`use_zstd_dict_trainer=false`) the trainer makes it: readers cannot tell.
    pub(super) fn new(
        kind: CompressionType,
        options: &CompressionOptions,
        target_file_size: u64,
        charged: Option<&Arc<ChargedMemory>>,
    ) -> Option<Self> {
        if options.max_dict_bytes == 0 || !kind.uses_dictionary() {
            return None;
        }
        let is_zstd = matches!(kind, CompressionType::Zstd | CompressionType::ZstdNotFinal);
        let is_trained = is_zstd && options.zstd_max_train_bytes > 0;
        let sample_size_max =
            if is_trained { options.zstd_max_train_bytes } else { options.max_dict_bytes };
        let limits = [target_file_size, options.max_dict_buffer_bytes];
        Some(Self {
            blocks: Vec::new(),
            size: 0,
            size_limit: limits.into_iter().filter(|&limit| limit > 0).min().unwrap_or(0),
            sample_size_max: sample_size_max as usize,
            trained_size_max: is_trained.then_some(options.max_dict_bytes as usize),
            // No bytes fit any limit.
            charge: charged.and_then(|memory| memory.charge(0).ok()),
        })
    }

    /// Takes a block. Says whether the buffer is full, or the block cache that it is charged to.
    pub(super) fn push(&mut self, block: Vec<u8>) -> bool {
        self.size += block.len() as u64;
        let has_room = self.charge.as_mut().is_none_or(|charge| charge.grow(block.len()).is_ok());
        self.blocks.push(block);
        !has_room || (self.size_limit != 0 && self.size > self.size_limit)
    }

    /// The blocks, in order.
    pub(super) fn into_blocks(self) -> Vec<Vec<u8>> {
        self.blocks
    }

    /// The dictionary's raw bytes; empty if there is nothing to make one from.
    pub(super) fn make_dictionary(&self) -> Vec<u8> {
        let (samples, lengths) = self.samples();
        match self.trained_size_max {
            // Too few samples, or samples with nothing in common: no dictionary, as in RocksDB.
            Some(size_max) => {
                CompressionDictionary::train_zstd(&samples, &lengths, size_max).unwrap_or_default()
            }
            None => samples,
        }
    }

    /// Samples one behind the other, and their lengths: whole blocks from all over the buffer.
    fn samples(&self) -> (Vec<u8>, Vec<usize>) {
        /// A prime, so that steps of this size, modulo the number of blocks, meet all of them.
        const STEP: u64 = 545_055_921_143;
        let (mut samples, mut lengths) = (Vec::new(), Vec::new());
        let count = self.blocks.len();
        if count == 0 {
            return (samples, lengths);
        }
        let step = (STEP % count as u64) as usize;
        let mut index = count / 2;
        for _ in 0..count {
            let room = self.sample_size_max - samples.len();
            if room == 0 {
                break;
            }
            let block = &self.blocks[index];
            let sample = &block[..block.len().min(room)];
            samples.extend_from_slice(sample);
            lengths.push(sample.len());
            index = (index + step) % count;
        }
        (samples, lengths)
    }
}
