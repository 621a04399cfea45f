//! Names of the objects that options can hold, and the objects they stand for.

use crate::object_value::Property;
use base::{
    CompactionFilterFactory, Comparator, FileChecksumGenFactory, FlushBlockPolicyFactory,
    MergeOperator, SharedCompactionFilter, SliceTransform, SstPartitionerFactory,
    TablePropertiesCollectorFactory,
};
use memtable::MemTableRepFactory;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Makes an object of what an OPTIONS file says of it beside its name; none if that is not
/// understood.
pub type Maker<T> = Arc<dyn Fn(&[(&str, &str)]) -> Option<T> + Send + Sync>;

/// The objects of one kind that were registered, by name.
#[derive(Clone)]
struct Kind<T>(HashMap<String, Maker<T>>);

impl<T> Default for Kind<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> fmt::Debug for Kind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<T: Clone + Send + Sync + 'static> Kind<T> {
    fn register(&mut self, name: String, object: T) {
        let maker =
            move |properties: &[(&str, &str)]| properties.is_empty().then(|| object.clone());
        self.0.insert(name, Arc::new(maker));
    }

    /// What is registered, or else what is built in.
    fn find(
        &self,
        name: &str,
        properties: &[Property<'_>],
        builtin: impl Fn(&str, &[(&str, &str)]) -> Option<T>,
    ) -> Option<T> {
        let properties: Vec<_> = properties.iter().map(|(name, value)| (*name, &**value)).collect();
        match self.0.get(name) {
            Some(maker) => maker(&properties),
            None => builtin(name, &properties),
        }
    }
}

/// The built-in objects of a kind that have no properties.
fn plain<T>(builtin: impl Fn(&str) -> Option<T>) -> impl Fn(&str, &[(&str, &str)]) -> Option<T> {
    move |name, properties| if properties.is_empty() { builtin(name) } else { None }
}

/// Of the built-in ones those that join strings have the property `delimiter`.
fn builtin_merge_operator(
    name: &str,
    properties: &[(&str, &str)],
) -> Option<Arc<dyn MergeOperator>> {
    match properties {
        [] => base::merge_operator::builtin(name),
        [("delimiter", delimiter)] => {
            base::merge_operator::builtin_with_delimiter(name, delimiter.as_bytes())
        }
        _ => None,
    }
}

/// From a row for each kind: its objects, and how they are registered and found.
macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])+
        $field:ident: $type:ty, $get:ident $configured:ident,
        $register:ident $register_maker:ident, $name:expr, $builtin:expr;
    )*) => {
        /// The objects an option can name: those registered here, and the built-in ones. What is
        /// registered goes before a built-in of the same name.
        #[derive(Clone, Debug, Default)]
        pub struct Registry {
            $( $field: Kind<$type>, )*
        }

        impl Registry {
            /// The built-in objects alone.
            pub fn new() -> Self {
                Self::default()
            }

            $(
                /// Registers an object under its name. Where an OPTIONS file says more of it than
                /// that, it is not found.
                pub fn $register(&mut self, object: $type) -> &mut Self {
                    let name: String = $name(&object);
                    self.$field.register(name, object);
                    self
                }

                /// Registers how objects of this name are made of what OPTIONS files say of them.
                pub fn $register_maker(
                    &mut self,
                    name: impl Into<String>,
                    maker: Maker<$type>,
                ) -> &mut Self {
                    self.$field.0.insert(name.into(), maker);
                    self
                }

                $(#[doc = $doc])+
                pub fn $get(&self, name: &str) -> Option<$type> {
                    self.$configured(name, &[])
                }

                /// The object of this name with the given properties, if there is one.
                pub(crate) fn $configured(
                    &self,
                    name: &str,
                    properties: &[Property<'_>],
                ) -> Option<$type> {
                    self.$field.find(name, properties, $builtin)
                }
            )*
        }
    };
}

kinds! {
    /// The comparator of this name, if there is one.
    comparators: Arc<dyn Comparator>, comparator configured_comparator,
    register_comparator register_comparator_maker,
    |object: &Arc<dyn Comparator>| object.name().to_owned(),
    plain(base::comparator::builtin);

    /// The merge operator of this name, if there is one. The built-in ones have nicknames too, for
    /// instance `uint64add`.
    merge_operators: Arc<dyn MergeOperator>, merge_operator configured_merge_operator,
    register_merge_operator register_merge_operator_maker,
    |object: &Arc<dyn MergeOperator>| object.name().to_owned(),
    builtin_merge_operator;

    /// The prefix extractor of this name, if there is one: registered, `rocksdb.FixedPrefix.N`,
    /// `fixed:N`, `rocksdb.CappedPrefix.N`, `capped:N` or `rocksdb.Noop`.
    slice_transforms: Arc<dyn SliceTransform>, slice_transform configured_slice_transform,
    register_slice_transform register_slice_transform_maker,
    |object: &Arc<dyn SliceTransform>| object.name().to_owned(),
    plain(base::slice_transform::builtin);

    /// The compaction filter of this name, if there is one: registered, or
    /// `RemoveEmptyValueCompactionFilter`.
    compaction_filters: SharedCompactionFilter, compaction_filter configured_compaction_filter,
    register_compaction_filter register_compaction_filter_maker,
    |object: &SharedCompactionFilter| object.name().to_owned(),
    plain(base::compaction_filter::builtin);

    /// The factory of compaction filters of this name, if it is registered.
    compaction_filter_factories: Arc<dyn CompactionFilterFactory>,
    compaction_filter_factory configured_compaction_filter_factory,
    register_compaction_filter_factory register_compaction_filter_factory_maker,
    |object: &Arc<dyn CompactionFilterFactory>| object.name().to_owned(),
    plain(|_| None);

    /// The factory of partitioners of this name, if there is one: registered, or
    /// `SstPartitionerFixedPrefixFactory`.
    sst_partitioner_factories: Arc<dyn SstPartitionerFactory>,
    sst_partitioner_factory configured_sst_partitioner_factory,
    register_sst_partitioner_factory register_sst_partitioner_factory_maker,
    |object: &Arc<dyn SstPartitionerFactory>| object.name().to_owned(),
    base::sst_partitioner::builtin;

    /// The factory of collectors of this name, if there is one: registered, or
    /// `CompactOnDeletionCollector`.
    table_properties_collectors: Arc<dyn TablePropertiesCollectorFactory>,
    table_properties_collector configured_table_properties_collector,
    register_table_properties_collector register_table_properties_collector_maker,
    |object: &Arc<dyn TablePropertiesCollectorFactory>| object.name().to_owned(),
    base::table_properties_collector::builtin;

    /// The factory of memtables of this name, if there is one: registered, `SkipListFactory` or
    /// `VectorRepFactory`, which have nicknames too, for instance `skip_list` and `vector:1024`.
    memtable_rep_factories: Arc<dyn MemTableRepFactory>,
    memtable_rep_factory configured_memtable_rep_factory,
    register_memtable_rep_factory register_memtable_rep_factory_maker,
    |object: &Arc<dyn MemTableRepFactory>| object.name().to_owned(),
    memtable::memtable_rep_factory::builtin;

    /// The rule for where data blocks end of this name, if there is one: registered,
    /// `FlushBlockBySizePolicyFactory` or `FlushBlockEveryKeyPolicyFactory`.
    flush_block_policy_factories: Arc<dyn FlushBlockPolicyFactory>,
    flush_block_policy_factory configured_flush_block_policy_factory,
    register_flush_block_policy_factory register_flush_block_policy_factory_maker,
    |object: &Arc<dyn FlushBlockPolicyFactory>| object.name().to_owned(),
    plain(base::flush_block_policy::builtin);

    /// The factory of file checksums of this name, if there is one: registered, or
    /// `FileChecksumGenCrc32cFactory`.
    file_checksum_gen_factories: Arc<dyn FileChecksumGenFactory>,
    file_checksum_gen_factory configured_file_checksum_gen_factory,
    register_file_checksum_gen_factory register_file_checksum_gen_factory_maker,
    |object: &Arc<dyn FileChecksumGenFactory>| object.name().to_owned(),
    plain(base::file_checksum::builtin);
}

#[cfg(test)]
mod tests;
