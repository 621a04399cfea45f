//! Option strings for a release that may not know all of the options.

use base::{Result, Status};
use options::option_string::{quote, split_pairs, strip_braces};

/// Where the options of the table format are, and by which name releases of all ages take changes
/// of some of them.
const TABLE_FACTORY: (&str, &str) = ("table_factory", "block_based_table_factory");

/// An option that is off.
const OFF: &str = "false";

/// Options that releases did as this value says, before they could be told: that is neither our default nor off.
const BEFORE: &[(&str, &str)] = &[("index_shortening", "kShortenSeparatorsAndSuccessor")];

/// Whether a release that lacks an option does what this value of it says.
fn is_as_before(name: &str, value: &str, default: Option<&str>) -> bool {
    default == Some(value) || value == OFF || BEFORE.contains(&(name, value))
}

/// The part of `wanted`, an option string, that a release takes, which `accepts` tells of a string;
/// `table` is added to the options of the table format as it is.
/// What it does not take is left out where it is as in `defaults`, and where it is off: a release without an
/// option does what later ones do when it is off, but for those in [`BEFORE`]. Structs are taken apart where they
/// are not taken whole.
///
/// # Errors
/// `NotSupported` that names an option that is not at its default and is not taken;
/// `InvalidArgument` for a string that is none.
pub(super) fn accepted(
    wanted: &str,
    defaults: &str,
    table: &str,
    accepts: &dyn Fn(&str) -> bool,
) -> Result<String> {
    let pairs = |text| split_pairs(text).map_err(Status::invalid_argument);
    let (wanted, defaults) = (pairs(wanted)?, pairs(defaults)?);
    let wanted: Vec<_> =
        wanted.into_iter().map(|pair| Wanted::new(pair, &defaults, table)).collect();
    let whole = |wanted: &[Wanted<'_>]| {
        wanted.iter().all(|option| option.name != TABLE_FACTORY.1)
            && accepts(&wanted.iter().map(Wanted::whole).collect::<String>())
    };
    let mut text = String::new();
    for (option, is_taken) in wanted.iter().zip(taken(&wanted, &whole)) {
        text += &match is_taken {
            true => option.whole(),
            false => option.taken_apart(accepts)?,
        };
    }
    Ok(text)
}

/// Which of `parts` a release takes, which `is_taken` tells of several at once: halves are asked for
/// where not all are taken, so that a release which knows nearly all is not asked for each.
fn taken<T>(parts: &[T], is_taken: &dyn Fn(&[T]) -> bool) -> Vec<bool> {
    if parts.is_empty() || is_taken(parts) {
        return vec![true; parts.len()];
    }
    if parts.len() == 1 {
        return vec![false];
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    [taken(left, is_taken), taken(right, is_taken)].concat()
}

/// An option, with what it is where nobody sets it.
struct Wanted<'a> {
    name: &'a str,
    value: String,
    default: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn new((name, value): (&'a str, &str), defaults: &[(&str, &'a str)], table: &str) -> Self {
        let default = defaults.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
        let default = default.map(strip_braces);
        let value = strip_braces(value);
        match name == TABLE_FACTORY.0 {
            // Of several values of one name the last alone would count, so that all of them go in one.
            true => Self { name: TABLE_FACTORY.1, value: format!("{value}{table}"), default },
            false => Self { name, value: value.to_owned(), default },
        }
    }

    /// `name=value;`
    fn whole(&self) -> String {
        format!("{}={};", self.name, quote(&self.value))
    }

    /// What is taken of a struct that is not taken whole; nothing of another option that need not be.
    fn taken_apart(&self, accepts: &dyn Fn(&str) -> bool) -> Result<String> {
        let Self { name, value, default } = self;
        let fields = split_pairs(value).ok().filter(|fields| !fields.is_empty());
        let is_table = *name == TABLE_FACTORY.1;
        let Some(mut fields) =
            fields.filter(|_| is_table || default.is_none_or(|default| default != value))
        else {
            return match is_as_before(name, value, *default) {
                true => Ok(String::new()),
                false => Err(not_taken(name, value)),
            };
        };
        fields.retain(|(field, _)| *field != "id");
        let defaults = default.and_then(|default| split_pairs(default).ok()).unwrap_or_default();
        let inside = |fields: &[(&str, &str)]| {
            let pair =
                |(field, value): &(&str, &str)| format!("{field}={};", quote(strip_braces(value)));
            fields.iter().map(pair).collect::<String>()
        };
        let whole = |fields: &[(&str, &str)]| accepts(&format!("{name}={{{}}};", inside(fields)));
        let is_taken = taken(&fields, &whole);
        let mut kept = Vec::new();
        for ((field, value), is_taken) in fields.into_iter().zip(is_taken) {
            let default =
                defaults.iter().find(|(other, _)| *other == field).map(|(_, value)| *value);
            if is_taken {
                kept.push((field, value));
            } else if !is_as_before(field, strip_braces(value), default.map(strip_braces)) {
                return Err(not_taken(&format!("{name}.{field}"), value));
            }
        }
        Ok(format!("{name}={{{}}};", inside(&kept)))
    }
}

fn not_taken(name: &str, value: &str) -> Status {
    Status::not_supported(format!("the library does not take the option {name}={value}"))
}

#[cfg(test)]
mod tests;
