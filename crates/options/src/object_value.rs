//! Options whose value is an object with a name.
//!
//! The text is `nullptr` (or nothing), a name, or `{id=name;property=value;…}`.

use crate::config::Remark;
use crate::option_string::{escape, split_list, split_pairs, strip_braces, unescape};
use crate::registry::Registry;
use crate::release::Release;
use crate::value::{Context, OptionValue, SetError, bad};
use base::{
    CompactionFilterFactory, Comparator, FlushBlockPolicyFactory, MergeOperator,
    SharedCompactionFilter, SliceTransform, SstPartitionerFactory, TablePropertiesCollectorFactory,
};
use memtable::MemTableRepFactory;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// How RocksDB spells "no object".
pub const NULLPTR: &str = "nullptr";

/// A name and its properties.
pub(crate) struct ObjectId<'t> {
    /// Empty for no object.
    pub(crate) id: &'t str,
    pub(crate) properties: Vec<(&'t str, &'t str)>,
}

impl<'t> ObjectId<'t> {
    /// Takes `text` apart. Text without an `id` belongs to `default_id`, or, where that is empty,
    /// is the name itself.
    pub(crate) fn parse(text: &'t str, default_id: &'t str) -> Self {
        if text.is_empty() || text == NULLPTR {
            return Self { id: default_id, properties: Vec::new() };
        }
        let named = Self { id: text, properties: Vec::new() };
        if !text.contains('=') {
            return named;
        }
        let Ok(mut properties) = split_pairs(text) else {
            return named;
        };
        match properties.iter().position(|(name, _)| *name == "id") {
            Some(at) => {
                let (_, id) = properties.remove(at);
                Self { id: if id == NULLPTR { "" } else { id }, properties }
            }
            None if default_id.is_empty() => named,
            None => Self { id: default_id, properties },
        }
    }
}

/// An object of a class this engine has no objects of yet, by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName(String);

impl ObjectName {
    /// The object this text asks for.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// No object.
    pub fn null() -> Self {
        Self::new(NULLPTR)
    }

    /// Whether there is no object.
    pub fn is_null(&self) -> bool {
        self.id().is_empty()
    }

    /// The text as OPTIONS files have it, for instance `SkipListFactory` or `{id=trie_index;}`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without properties; empty for no object.
    pub fn id(&self) -> Cow<'_, str> {
        unescape(ObjectId::parse(&self.0, "").id)
    }
}

impl Default for ObjectName {
    fn default() -> Self {
        Self::null()
    }
}

impl OptionValue for ObjectName {
    fn type_name() -> String {
        "object".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        let text = if text.is_empty() { NULLPTR } else { text };
        self.0 = context.written(text).into_owned();
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        self.0.clone()
    }
}

/// A list of [`ObjectName`]s, such as event listeners, by its text; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectNames(String);

impl ObjectNames {
    /// The text as OPTIONS files have it, for instance `{MyListener}`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl OptionValue for ObjectNames {
    fn type_name() -> String {
        "list of objects".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        self.0 = context.written(text).into_owned();
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        self.0.clone()
    }
}

/// An object an option holds, for telling whether it is still the same one.
pub(crate) trait SameObject {
    fn is(&self, other: &Self) -> bool;
}

impl<T: ?Sized> SameObject for Arc<T> {
    fn is(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(self), Arc::as_ptr(other))
    }
}

impl<T: SameObject> SameObject for Option<T> {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.is(b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T: SameObject> SameObject for Vec<T> {
    fn is(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.is(b))
    }
}

/// The texts that objects came from, where the object's name does not say it all: those with
/// properties, and those of a name nobody registered.
#[derive(Clone, Default)]
pub(crate) struct ObjectTexts(Vec<ObjectText>);

#[derive(Clone)]
struct ObjectText {
    option: &'static str,
    text: String,
    /// What the option was set to. If it is something else now, the text no longer counts.
    object: Object,
    /// The name that was asked for and that nobody registered.
    unregistered: Option<String>,
}

impl ObjectTexts {
    fn forget(&mut self, option: &str) {
        self.0.retain(|known| known.option != option);
    }

    fn current(&self, option: &str, object: &Object) -> Option<&ObjectText> {
        self.0.iter().find(|known| known.option == option && known.object.is(object))
    }

    /// The text `object` came from.
    pub(crate) fn text(&self, option: &str, object: &Object) -> Option<&str> {
        Some(&self.current(option, object)?.text)
    }

    /// The name that was asked for, where `object` is only in its place.
    pub(crate) fn unregistered(&self, option: &str, object: &Object) -> Option<&str> {
        self.current(option, object)?.unregistered.as_deref()
    }
}

impl fmt::Debug for ObjectTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|known| (known.option, &known.text))).finish()
    }
}

/// A name and a value.
pub(crate) type Property<'t> = (&'t str, Cow<'t, str>);

/// An object an option holds: one that is always there, perhaps one, or several.
pub(crate) trait ObjectSlot: Clone + SameObject {
    fn into_object(self) -> Object;
}

/// A class of objects that options name.
trait ObjectClass: Sized {
    const CLASS: &'static str;
    fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self>;
    fn name(&self) -> &str;
    fn properties(&self) -> Vec<(&'static str, String)>;
}

/// As OPTIONS files have an object.
fn printed(object: &impl ObjectClass) -> String {
    let properties = object.properties();
    if properties.is_empty() {
        return object.name().to_owned();
    }
    let properties: String =
        properties.iter().map(|(name, value)| format!("{name}={};", escape(value))).collect();
    format!("{{id={};{properties}}}", object.name())
}

/// What a text asks for.
enum Asked<T> {
    Nothing,
    Object(T),
    /// Nobody registered the name, which is this one.
    Unregistered(String),
}

/// What the text asks for, and whether it says more than a name. `known` is there already: it is
/// found by its name, registered or not.
fn find_object<T: ObjectClass + Clone>(
    text: &str,
    known: &[T],
    context: &mut Context<'_>,
) -> Result<(Asked<T>, bool), SetError> {
    let ObjectId { id, properties } = ObjectId::parse(text, "");
    let id = context.plain(id);
    let properties: Vec<Property<'_>> =
        properties.into_iter().map(|(name, value)| (name, context.plain(value))).collect();
    if id.is_empty() {
        return match properties.is_empty() {
            true => Ok((Asked::Nothing, false)),
            false => bad(format!("expected the name of a {}, found {text:?}", T::CLASS)),
        };
    }
    let found = T::find(&id, &properties, &context.config.registry);
    let found = found.or_else(|| {
        let same = |known: &&T| properties.is_empty() && known.name() == id;
        known.iter().find(same).cloned()
    });
    let asked = match found {
        Some(found) => Asked::Object(found),
        None => {
            context.remark(Remark::NotRegistered, "", text);
            Asked::Unregistered(id.into_owned())
        }
    };
    Ok((asked, !properties.is_empty()))
}

/// Keeps the text of an object whose name does not say it all.
fn keep_text(text: &str, object: Object, unregistered: Option<String>, context: &mut Context<'_>) {
    context.object_texts.0.push(ObjectText {
        option: context.option,
        text: context.written(text).into_owned(),
        object,
        unregistered,
    });
}

fn set_object<S: ObjectSlot, T: ObjectClass + Clone>(
    slot: &mut S,
    text: &str,
    context: &mut Context<'_>,
    known: &[T],
    put: impl FnOnce(&mut S, Option<T>) -> Result<(), SetError>,
) -> Result<(), SetError> {
    let (asked, has_properties) = find_object(text, known, context)?;
    context.object_texts.forget(context.option);
    match asked {
        Asked::Nothing => put(slot, None),
        Asked::Object(object) => {
            put(slot, Some(object))?;
            if has_properties {
                keep_text(text, slot.clone().into_object(), None, context);
            }
            Ok(())
        }
        // RocksDB, too, leaves what is there in the place of an object nobody registered.
        Asked::Unregistered(id) => {
            keep_text(text, slot.clone().into_object(), Some(id), context);
            Ok(())
        }
    }
}

/// From a row for each class: what an option can hold of it. Those in `always` are never missing.
macro_rules! object_classes {
    (
        optional { $($variant:ident: $type:ty, $class:literal, $find:ident, $properties:expr;)* }
        always { $(
            $always:ident: $always_type:ty, $always_class:literal, $always_find:ident,
            $always_properties:expr;
        )* }
    ) => {
        /// What an option holds.
        #[derive(Clone)]
        pub(crate) enum Object {
            /// Several.
            Collectors(Vec<Arc<dyn TablePropertiesCollectorFactory>>),
            $( $variant(Option<$type>), )*
            $( $always($always_type), )*
        }

        impl Object {
            fn is(&self, other: &Self) -> bool {
                match (self, other) {
                    (Self::Collectors(a), Self::Collectors(b)) => a.is(b),
                    $( (Self::$variant(a), Self::$variant(b)) => a.is(b), )*
                    $( (Self::$always(a), Self::$always(b)) => a.is(b), )*
                    _ => false,
                }
            }
        }

        $(
            impl ObjectClass for $type {
                const CLASS: &'static str = $class;
                fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self> {
                    registry.$find(id, properties)
                }
                fn name(&self) -> &str {
                    (**self).name()
                }
                fn properties(&self) -> Vec<(&'static str, String)> {
                    $properties(self)
                }
            }

            impl ObjectSlot for Option<$type> {
                fn into_object(self) -> Object {
                    Object::$variant(self)
                }
            }

            impl OptionValue for Option<$type> {
                fn type_name() -> String {
                    $class.to_owned()
                }
                fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
                    let known: Vec<$type> = self.iter().cloned().collect();
                    set_object(self, text, context, &known, |slot, object| {
                        *slot = object;
                        Ok(())
                    })
                }
                fn print(&self, _release: Release) -> String {
                    self.as_ref().map_or_else(|| NULLPTR.to_owned(), printed)
                }
            }
        )*

        $(
            impl ObjectClass for $always_type {
                const CLASS: &'static str = $always_class;
                fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self> {
                    registry.$always_find(id, properties)
                }
                fn name(&self) -> &str {
                    (**self).name()
                }
                fn properties(&self) -> Vec<(&'static str, String)> {
                    $always_properties(self)
                }
            }

            impl ObjectSlot for $always_type {
                fn into_object(self) -> Object {
                    Object::$always(self)
                }
            }

            impl OptionValue for $always_type {
                fn type_name() -> String {
                    $always_class.to_owned()
                }
                fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
                    let known = [self.clone()];
                    set_object(self, text, context, &known, |slot, object| match object {
                        Some(object) => {
                            *slot = object;
                            Ok(())
                        }
                        None => bad(format!(
                            "expected the name of a {}, found {text:?}",
                            $always_class
                        )),
                    })
                }
                fn print(&self, _release: Release) -> String {
                    printed(self)
                }
            }
        )*
    };
}

/// Of classes whose name says it all.
fn none<T>(_object: &T) -> Vec<(&'static str, String)> {
    Vec::new()
}

object_classes! {
    optional {
        MergeOperator: Arc<dyn MergeOperator>, "merge operator", configured_merge_operator, none;
        SliceTransform: Arc<dyn SliceTransform>, "prefix extractor", configured_slice_transform, none;
        CompactionFilter: SharedCompactionFilter, "compaction filter", configured_compaction_filter,
            none;
        CompactionFilterFactory: Arc<dyn CompactionFilterFactory>, "compaction filter factory",
            configured_compaction_filter_factory,
            |object: &Arc<dyn CompactionFilterFactory>| (**object).properties();
        SstPartitionerFactory: Arc<dyn SstPartitionerFactory>, "partitioner factory",
            configured_sst_partitioner_factory,
            |object: &Arc<dyn SstPartitionerFactory>| (**object).properties();
    }
    always {
        Comparator: Arc<dyn Comparator>, "comparator", configured_comparator, none;
        MemTableRepFactory: Arc<dyn MemTableRepFactory>, "memtable factory",
            configured_memtable_rep_factory,
            |object: &Arc<dyn MemTableRepFactory>| (**object).properties();
        FlushBlockPolicyFactory: Arc<dyn FlushBlockPolicyFactory>, "flush block policy factory",
            configured_flush_block_policy_factory,
            |object: &Arc<dyn FlushBlockPolicyFactory>| (**object).properties();
    }
}

impl ObjectClass for Arc<dyn TablePropertiesCollectorFactory> {
    const CLASS: &'static str = "table properties collector";
    fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self> {
        registry.configured_table_properties_collector(id, properties)
    }
    fn name(&self) -> &str {
        (**self).name()
    }
    fn properties(&self) -> Vec<(&'static str, String)> {
        (**self).properties()
    }
}

impl ObjectSlot for Vec<Arc<dyn TablePropertiesCollectorFactory>> {
    fn into_object(self) -> Object {
        Object::Collectors(self)
    }
}

/// `{One:{id=Two;a=b;}}`; nothing for none.
impl OptionValue for Vec<Arc<dyn TablePropertiesCollectorFactory>> {
    fn type_name() -> String {
        "list of table properties collectors".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        let (mut found, mut unregistered) = (Vec::new(), None);
        let mut says_more = false;
        for element in split_list(strip_braces(text)).map_err(SetError::BadValue)? {
            let (asked, has_properties) = find_object(strip_braces(element), self, context)?;
            says_more |= has_properties;
            match asked {
                Asked::Nothing => {}
                Asked::Object(object) => found.push(object),
                Asked::Unregistered(id) => unregistered = unregistered.or(Some(id)),
            }
        }
        context.object_texts.forget(context.option);
        *self = found;
        if says_more || unregistered.is_some() {
            keep_text(text, self.clone().into_object(), unregistered, context);
        }
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        match self.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", self.iter().map(printed).collect::<Vec<_>>().join(":")),
        }
    }
}

#[cfg(test)]
mod tests;
