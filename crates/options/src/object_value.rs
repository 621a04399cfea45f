//! Options whose value is an object with a name.
//!
//! The text is `nullptr` (or nothing), a name, or `{id=name;property=value;…}`.

use crate::config::Remark;
use crate::option_string::{split_pairs, unescape};
use crate::registry::Registry;
use crate::release::Release;
use crate::value::{Context, OptionValue, SetError, bad};
use base::{Comparator, MergeOperator, SliceTransform};
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
#[derive(Clone)]
pub(crate) enum Object {
    Comparator(Arc<dyn Comparator>),
    MergeOperator(Option<Arc<dyn MergeOperator>>),
    SliceTransform(Option<Arc<dyn SliceTransform>>),
}

impl Object {
    fn is(&self, other: &Self) -> bool {
        fn same<T: ?Sized>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
            match (a, b) {
                (Some(a), Some(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
                (None, None) => true,
                _ => false,
            }
        }
        match (self, other) {
            (Self::Comparator(a), Self::Comparator(b)) => same(Some(a), Some(b)),
            (Self::MergeOperator(a), Self::MergeOperator(b)) => same(a.as_ref(), b.as_ref()),
            (Self::SliceTransform(a), Self::SliceTransform(b)) => same(a.as_ref(), b.as_ref()),
            _ => false,
        }
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
    id: String,
    /// What the option was set to. If it is something else now, the text no longer counts.
    object: Object,
    registered: bool,
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
        self.current(option, object).filter(|known| !known.registered).map(|known| &*known.id)
    }
}

impl fmt::Debug for ObjectTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|known| (known.option, &known.text))).finish()
    }
}

/// A name and a value.
pub(crate) type Property<'t> = (&'t str, Cow<'t, str>);

/// A class of objects that options name.
trait ObjectClass: Clone {
    const CLASS: &'static str;
    fn null() -> Option<Self>;
    fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self>;
    fn name(&self) -> &str;
    fn object(&self) -> Object;
}

fn set_object<T: ObjectClass>(
    slot: &mut T,
    text: &str,
    context: &mut Context<'_>,
) -> Result<(), SetError> {
    let option = context.option;
    let ObjectId { id, properties } = ObjectId::parse(text, "");
    let id = context.plain(id);
    let properties: Vec<Property<'_>> =
        properties.into_iter().map(|(name, value)| (name, context.plain(value))).collect();
    context.objects.forget(option);
    if id.is_empty() {
        return match T::null() {
            Some(null) if properties.is_empty() => {
                *slot = null;
                Ok(())
            }
            _ => bad(format!("expected the name of a {}, found {text:?}", T::CLASS)),
        };
    }
    let same = properties.is_empty() && slot.name() == id;
    let found = T::find(&id, &properties, &context.config.registry);
    let registered = found.is_some() || same;
    // RocksDB, too, leaves what is there in the place of an object nobody registered.
    if let Some(found) = found {
        *slot = found;
    }
    if !registered {
        context.remark(Remark::NotRegistered, "", text);
    }
    if !registered || !properties.is_empty() {
        context.objects.0.push(ObjectText {
            option,
            text: context.written(text).into_owned(),
            id: id.into_owned(),
            object: slot.object(),
            registered,
        });
    }
    Ok(())
}

macro_rules! object_values {
    ($($type:ty),*) => {$(
        impl OptionValue for $type {
            fn type_name() -> String {
                <$type as ObjectClass>::CLASS.to_owned()
            }
            fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
                set_object(self, text, context)
            }
            fn print(&self, _release: Release) -> String {
                self.name().to_owned()
            }
        }
    )*};
}

object_values!(
    Arc<dyn Comparator>,
    Option<Arc<dyn MergeOperator>>,
    Option<Arc<dyn SliceTransform>>
);

impl ObjectClass for Arc<dyn Comparator> {
    const CLASS: &'static str = "comparator";
    fn null() -> Option<Self> {
        None
    }
    fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self> {
        if properties.is_empty() { registry.comparator(id) } else { None }
    }
    fn name(&self) -> &str {
        Comparator::name(&**self)
    }
    fn object(&self) -> Object {
        Object::Comparator(Self::clone(self))
    }
}

impl ObjectClass for Option<Arc<dyn MergeOperator>> {
    const CLASS: &'static str = "merge operator";
    fn null() -> Option<Self> {
        Some(None)
    }
    fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self> {
        registry.configured_merge_operator(id, properties).map(Some)
    }
    fn name(&self) -> &str {
        self.as_ref().map_or(NULLPTR, |operator| operator.name())
    }
    fn object(&self) -> Object {
        Object::MergeOperator(self.clone())
    }
}

impl ObjectClass for Option<Arc<dyn SliceTransform>> {
    const CLASS: &'static str = "prefix extractor";
    fn null() -> Option<Self> {
        Some(None)
    }
    fn find(id: &str, properties: &[Property<'_>], registry: &Registry) -> Option<Self> {
        if properties.is_empty() { registry.slice_transform(id).map(Some) } else { None }
    }
    fn name(&self) -> &str {
        self.as_ref().map_or(NULLPTR, |transform| transform.name())
    }
    fn object(&self) -> Object {
        Object::SliceTransform(self.clone())
    }
}

#[cfg(test)]
mod tests;
