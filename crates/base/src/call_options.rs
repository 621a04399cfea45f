//! Options of one call: of a read, a write, a flush. Like options of a database they are rows, an
//! option each, so that none is without a default, a text and a word on whether the engine acts on
//! it. [`call_options!`](macro@crate::call_options) makes a struct of rows.
//!
//! What is only accepted, the database warns of when a call sets it; with what is refused set, a
//! call is `NotSupported`.

/// Whether the engine acts on an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// It does.
    Honoured,
    /// Another value than the default changes nothing.
    Accepted,
    /// A call that sets it fails.
    Refused,
}

impl Support {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Honoured => "honoured",
            Self::Accepted => "accepted",
            Self::Refused => "refused",
        }
    }
}

/// What is known of an option without a value.
#[derive(Clone, Copy, Debug)]
pub struct CallOption {
    /// RocksDB's name.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Its type in Rust; that of RocksDB where only RocksDB has such objects.
    pub type_name: &'static str,
    /// Its default in Rust; empty for objects that there are none of.
    pub default: &'static str,
    /// Whether the engine acts on it.
    pub support: Support,
}

/// Options of a call, made of rows.
pub trait CallOptions {
    /// The struct's name.
    const NAME: &'static str;

    /// Every option, in the order of the documentation.
    fn infos() -> &'static [CallOption];

    /// Whether all that is not honoured has its default.
    fn is_plain(&self) -> bool;

    /// What is set and not honoured.
    fn unhonoured(&self) -> Vec<&'static CallOption>;
}

/// Makes a struct of options of a call from its rows:
///
/// ```text
/// /// What it does.
/// field as "key": type = default, honoured;
/// ```
///
/// `as "key"` is RocksDB's name where it is another. `accepted` or `refused` stands where the engine
/// does not act on it. In `objects` is what needs objects that this engine has none of.
#[macro_export]
macro_rules! call_options {
    (
        $(#[$struct_doc:meta])*
        pub struct $struct:ident;
        rows {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $key:literal)? : $type:ty = $default:expr, $support:ident;
            )*
        }
        $(objects { $( $(#[doc = $object_doc:literal])+ $object:ident : $object_type:literal; )* })?
    ) => {
        $(#[$struct_doc])*
        pub struct $struct {
            $( $(#[doc = $doc])+ pub $field: $type, )*
        }

        impl Default for $struct {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        /// Setters, to be chained.
        impl $struct {
            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }

        impl $crate::call_options::CallOptions for $struct {
            const NAME: &'static str = stringify!($struct);

            fn infos() -> &'static [$crate::call_options::CallOption] {
                &[
                    $( $crate::call_options::CallOption {
                        name: $crate::call_option!(key $field $($key)?),
                        doc: concat!($($doc),+),
                        type_name: stringify!($type),
                        default: stringify!($default),
                        support: $crate::call_option!(support $support),
                    }, )*
                    $( $( $crate::call_options::CallOption {
                        name: stringify!($object),
                        doc: concat!($($object_doc),+),
                        type_name: $object_type,
                        default: "",
                        support: $crate::call_options::Support::Refused,
                    }, )* )?
                ]
            }

            #[inline]
            fn is_plain(&self) -> bool {
                true $( && $crate::call_option!(is_plain $support self.$field, $default) )*
            }

            fn unhonoured(&self) -> Vec<&'static $crate::call_options::CallOption> {
                let is_plain =
                    [ $( $crate::call_option!(is_plain $support self.$field, $default), )* ];
                let infos = Self::infos().iter().zip(is_plain);
                infos.filter(|(_, is_plain)| !is_plain).map(|(info, _)| info).collect()
            }
        }
    };
}

/// What the words of a row say, for [`call_options!`](crate::call_options).
#[doc(hidden)]
#[macro_export]
macro_rules! call_option {
    (key $field:ident) => {
        stringify!($field)
    };
    (key $field:ident $key:literal) => {
        $key
    };
    (support honoured) => {
        $crate::call_options::Support::Honoured
    };
    (support accepted) => {
        $crate::call_options::Support::Accepted
    };
    (support refused) => {
        $crate::call_options::Support::Refused
    };
    (is_plain honoured $value:expr, $default:expr) => {
        true
    };
    (is_plain $other:ident $value:expr, $default:expr) => {
        $value == $default
    };
}

#[cfg(test)]
mod tests;
