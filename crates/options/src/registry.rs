//! Names of comparators, merge operators and prefix extractors, and the objects they stand for.

use crate::object_value::Property;
use base::{Comparator, MergeOperator, SliceTransform};
use std::collections::HashMap;
use std::sync::Arc;

/// The objects an option can name: those registered here, and the built-in ones. What is
/// registered goes before a built-in of the same name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    comparators: HashMap<String, Arc<dyn Comparator>>,
    merge_operators: HashMap<String, Arc<dyn MergeOperator>>,
    slice_transforms: HashMap<String, Arc<dyn SliceTransform>>,
}

impl Registry {
    /// The built-in objects alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a comparator under its name.
    pub fn register_comparator(&mut self, comparator: Arc<dyn Comparator>) -> &mut Self {
        self.comparators.insert(comparator.name().to_owned(), comparator);
        self
    }

    /// Registers a merge operator under its name.
    pub fn register_merge_operator(&mut self, operator: Arc<dyn MergeOperator>) -> &mut Self {
        self.merge_operators.insert(operator.name().to_owned(), operator);
        self
    }

    /// Registers a prefix extractor under its name.
    pub fn register_slice_transform(&mut self, transform: Arc<dyn SliceTransform>) -> &mut Self {
        self.slice_transforms.insert(transform.name().to_owned(), transform);
        self
    }

    /// The comparator of this name, if there is one.
    pub fn comparator(&self, name: &str) -> Option<Arc<dyn Comparator>> {
        let registered = self.comparators.get(name).cloned();
        registered.or_else(|| base::comparator::builtin(name))
    }

    /// The merge operator of this name, if there is one. The built-in ones have nicknames too,
    /// for instance `uint64add`.
    pub fn merge_operator(&self, name: &str) -> Option<Arc<dyn MergeOperator>> {
        let registered = self.merge_operators.get(name).cloned();
        registered.or_else(|| base::merge_operator::builtin(name))
    }

    /// The merge operator of this name with the given properties, if there is one. Of the
    /// built-in ones those that join strings have the property `delimiter`.
    pub(crate) fn configured_merge_operator(
        &self,
        name: &str,
        properties: &[Property<'_>],
    ) -> Option<Arc<dyn MergeOperator>> {
        match properties {
            [] => self.merge_operator(name),
            [("delimiter", delimiter)] if !self.merge_operators.contains_key(name) => {
                base::merge_operator::builtin_with_delimiter(name, delimiter.as_bytes())
            }
            _ => None,
        }
    }

    /// The prefix extractor of this name, if there is one: registered, `rocksdb.FixedPrefix.N`,
    /// `fixed:N`, `rocksdb.CappedPrefix.N`, `capped:N` or `rocksdb.Noop`.
    pub fn slice_transform(&self, name: &str) -> Option<Arc<dyn SliceTransform>> {
        let registered = self.slice_transforms.get(name).cloned();
        registered.or_else(|| base::slice_transform::builtin(name))
    }
}

#[cfg(test)]
mod tests;
