//! Builds the one filter of a whole table, `fullfilter.`.

use super::FilterBitsBuilder;
use base::SliceTransform;
use std::sync::Arc;

/// What of a key goes into a filter.
#[derive(Debug)]
pub(crate) struct FilterKeys {
    pub(crate) bits_builder: Box<dyn FilterBitsBuilder>,
    pub(crate) prefix_extractor: Option<Arc<dyn SliceTransform>>,
    pub(crate) whole_key_filtering: bool,
}

impl FilterKeys {
    /// The prefix of a user key without timestamp, if it has one.
    #[inline]
    pub(crate) fn prefix_of<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        let extractor = self.prefix_extractor.as_ref()?;
        extractor.in_domain(key).then(|| extractor.transform(key))
    }

    /// Adds a user key without timestamp.
    #[inline]
    pub(crate) fn add(&mut self, key: &[u8]) {
        match (self.prefix_of(key), self.whole_key_filtering) {
            (None, true) => self.bits_builder.add_key(key),
            (Some(prefix), true) => self.bits_builder.add_key_and_prefix(key, prefix),
            (Some(prefix), false) => self.bits_builder.add_key(prefix),
            (None, false) => {}
        }
    }
}

/// Builds full filters.
#[derive(Debug)]
pub(crate) struct FullFilterBlockBuilder {
    keys: FilterKeys,
}

impl FullFilterBlockBuilder {
    pub(crate) fn new(keys: FilterKeys) -> Self {
        Self { keys }
    }

    #[inline]
    pub(crate) fn add(&mut self, key: &[u8]) {
        self.keys.add(key);
    }

    /// What takes user keys, if it is these alone that go into the filter.
    pub(crate) fn takes_keys(&mut self) -> Option<&mut dyn FilterBitsBuilder> {
        let keys = &mut self.keys;
        (keys.whole_key_filtering && keys.prefix_extractor.is_none())
            .then_some(&mut *keys.bits_builder)
    }

    pub(crate) fn entries_count(&self) -> usize {
        self.keys.bits_builder.entries_count()
    }

    pub(crate) fn size_estimate(&self) -> usize {
        self.keys.bits_builder.calculate_space(self.entries_count())
    }

    /// The filter block.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.keys.bits_builder.finish()
    }
}
