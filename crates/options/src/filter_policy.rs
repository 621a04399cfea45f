//! The option `filter_policy`.

use crate::object_value::{NULLPTR, ObjectId};
use crate::release::Release;
use crate::value::{Context, OptionValue, SetError, bad};

/// How the filters of tables are made. Which filters a table *has* is in the table.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterPolicy {
    /// Bloom filters: `bloomfilter:10:false`. The last part once chose a filter per block and
    /// means nothing now.
    Bloom {
        /// Bits of filter per key.
        bits_per_key: f64,
    },
    /// Ribbon filters, with Bloom filters in the upper levels: `ribbonfilter:10:0`.
    Ribbon {
        /// Bits of a Bloom filter as exact.
        bits_per_key: f64,
        /// Levels below this number get Bloom filters; -1: none, not even flushed files.
        bloom_before_level: i32,
    },
    /// Reads every built-in filter and makes none: `rocksdb.BuiltinBloomFilter`.
    ReadOnly,
    /// Any other, by its text.
    Other(String),
}

const READ_ONLY: &str = "rocksdb.BuiltinBloomFilter";

/// A number of bits in thousandths, without the zeros at the end.
fn print_bits(bits: f64) -> String {
    let printed = format!("{bits:.3}");
    printed.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn parse_bits(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|bits: &f64| plain && bits.is_finite())
}

impl FilterPolicy {
    /// The policy of this name; none where the name has the form of a built-in one and is none.
    fn parse_id(id: &str) -> Option<Self> {
        let mut parts = id.split(':');
        let name = parts.next()?;
        let arguments: Vec<&str> = parts.collect();
        match (name, &arguments[..]) {
            (READ_ONLY, []) => Some(Self::ReadOnly),
            ("bloomfilter" | "rocksdb.BloomFilter", [bits] | [bits, "true" | "false"]) => {
                Some(Self::Bloom { bits_per_key: parse_bits(bits)? })
            }
            ("ribbonfilter" | "rocksdb.RibbonFilter", [bits]) => {
                Some(Self::Ribbon { bits_per_key: parse_bits(bits)?, bloom_before_level: 0 })
            }
            ("ribbonfilter" | "rocksdb.RibbonFilter", [bits, level]) => Some(Self::Ribbon {
                bits_per_key: parse_bits(bits)?,
                bloom_before_level: level.parse().ok()?,
            }),
            ("bloomfilter" | "ribbonfilter", [_, ..]) => None,
            _ => Some(Self::Other(id.to_owned())),
        }
    }
}

impl OptionValue for Option<FilterPolicy> {
    fn type_name() -> String {
        "FilterPolicy".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        let written = context.written(text);
        let text = &*context.plain(text);
        let ObjectId { id, properties } = ObjectId::parse(text, "");
        if id.is_empty() {
            *self = None;
            return Ok(());
        }
        let Some(mut policy) = FilterPolicy::parse_id(id) else {
            return bad(format!("expected a filter policy, found {text:?}"));
        };
        match (&mut policy, &properties[..]) {
            (_, []) => {}
            (FilterPolicy::Ribbon { bloom_before_level, .. }, [("bloom_before_level", level)]) => {
                let Ok(level) = level.parse() else {
                    return bad(format!("expected a level, found {level:?}"));
                };
                *bloom_before_level = level;
            }
            (FilterPolicy::Other(name), _) => *name = written.into_owned(),
            _ => return bad(format!("{id} has no such property: {text:?}")),
        }
        *self = Some(policy);
        Ok(())
    }

    fn set_field(
        &mut self,
        path: &str,
        text: &str,
        _context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        match (self, path, text.parse()) {
            (
                Some(FilterPolicy::Ribbon { bloom_before_level, .. }),
                "bloom_before_level",
                Ok(level),
            ) => {
                *bloom_before_level = level;
                Ok(())
            }
            (_, "bloom_before_level", Err(_)) => bad(format!("expected a level, found {text:?}")),
            _ => Err(SetError::UnknownName(path.to_owned())),
        }
    }

    fn print(&self, _release: Release) -> String {
        match self {
            None => NULLPTR.to_owned(),
            Some(FilterPolicy::Bloom { bits_per_key }) => {
                format!("bloomfilter:{}:false", print_bits(*bits_per_key))
            }
            Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level }) => {
                format!("ribbonfilter:{}:{bloom_before_level}", print_bits(*bits_per_key))
            }
            Some(FilterPolicy::ReadOnly) => READ_ONLY.to_owned(),
            Some(FilterPolicy::Other(text)) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
