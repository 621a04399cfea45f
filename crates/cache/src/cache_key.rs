//! What a cached block is found by.

/// Names a block among all blocks that share a cache: which file, and where in it.
///
/// The first word must differ between any two files that are alive at the same time:
/// [`crate::Cache::new_id`] gives such numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheKey(pub [u64; 2]);

impl CacheKey {
    /// The key of the block at `offset` of the file `file_id`.
    #[inline]
    pub const fn new(file_id: u64, offset: u64) -> Self {
        Self([file_id, offset])
    }

    /// 64 well mixed bits. Keys are numbers of our own making, so this needs no secret.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        let Self([first, second]) = *self;
        let mixed = first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second;
        let product = u128::from(mixed) * 0xd6e8_feb8_6659_fd93;
        let folded = product as u64 ^ (product >> 64) as u64;
        folded.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ folded >> 32
    }
}
