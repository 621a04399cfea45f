//! Option strings for a release that may not know all of the options.

use base::{Result, Status};
use options::option_string::{quote, split_pairs, strip_braces};

/// Where the options of the table format are, and by which name releases of all ages take changes
/// of some of them.
const TABLE_FACTORY: (&str, &str) = ("table_factory", "block_based_table_factory");

/// An option that is off.
const OFF: &str = "false";

/// The part of `wanted`, an option string, that a release takes, which `accepts` tells of a string;
/// `table` is added to the options of the table format as it is.
/// What it does not take is left out where it is as in `defaults`, and where it is off: a release without an
/// option does what later ones do when it is off. Structs are taken apart where they
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
    let mut text = String::new();
    for (name, value) in wanted {
        let default = defaults.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
        // Of several values of one name the last alone would count, so that all of them go in one.
        let value = match name == TABLE_FACTORY.0 {
            true => format!("{{{}{table}}}", strip_braces(value)),
            false => value.to_owned(),
        };
        let name = if name == TABLE_FACTORY.0 { TABLE_FACTORY.1 } else { name };
        if let Some(pair) = accepted_pair(name, &value, default, accepts)? {
            text += &pair;
        }
    }
    Ok(text)
}

/// `name=value;`, or what of it is taken.
fn accepted_pair(
    name: &str,
    value: &str,
    default: Option<&str>,
    accepts: &dyn Fn(&str) -> bool,
) -> Result<Option<String>> {
    let value = strip_braces(value);
    let default = default.map(strip_braces);
    let whole = format!("{name}={};", quote(value));
    let is_table = name == TABLE_FACTORY.1;
    if !is_table && accepts(&whole) {
        return Ok(Some(whole));
    }
    let fields = split_pairs(value).ok().filter(|fields| !fields.is_empty());
    let Some(fields) = fields.filter(|_| is_table || default != Some(value)) else {
        if default == Some(value) || value == OFF {
            return Ok(None);
        }
        return Err(Status::not_supported(format!(
            "the library does not take the option {name}={value}"
        )));
    };
    let defaults = default.and_then(|default| split_pairs(default).ok()).unwrap_or_default();
    let mut inside = String::new();
    for (field, value) in fields.into_iter().filter(|(field, _)| *field != "id") {
        let pair = format!("{field}={};", quote(strip_braces(value)));
        let default = defaults.iter().find(|(other, _)| *other == field).map(|(_, value)| *value);
        if accepts(&format!("{name}={{{pair}}};")) {
            inside += &pair;
        } else if default.map(strip_braces) != Some(strip_braces(value)) && value != OFF {
            return Err(Status::not_supported(format!(
                "the library does not take the option {name}.{field}={value}"
            )));
        }
    }
    Ok(Some(format!("{name}={{{inside}}};")))
}

#[cfg(test)]
mod tests;
