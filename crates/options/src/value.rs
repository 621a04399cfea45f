//! Values of options: how each type is read from and printed as text.

use crate::config::{ConfigOptions, Diagnostic, Remark};
use crate::fault::Fault;
use crate::object_value::ObjectTexts;
use crate::option_string::{escape, inside_braces, split_list, strip_braces, trim, unescape};
use crate::range::Number;
use crate::release::Release;
use crate::schema::OptionInfo;
use std::borrow::Cow;

/// Why a value was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SetError {
    /// There is no option of this name.
    UnknownName(String),
    /// The text is no value of the type; a sentence without a subject says why.
    BadValue(String),
}

/// What setting a value needs and leaves behind.
pub(crate) struct Context<'a> {
    pub(crate) config: &'a ConfigOptions,
    /// Whether names and values that are not known are reported instead of failing.
    pub(crate) lenient: bool,
    /// Whether the text names every option, as OPTIONS files do.
    pub(crate) exhaustive: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The texts the objects of the struct being set came from.
    pub(crate) object_texts: ObjectTexts,
    /// The option of that struct being set.
    pub(crate) option: &'static str,
    /// Whether texts have escapes in them.
    pub(crate) escaped: bool,
    /// Names of the options around the one being set, each with a dot after it.
    path: String,
    /// Whether one of them is not honoured as a whole.
    pub(crate) inside_accepted: bool,
}

/// Where a [`Context`] was before it went into an option.
#[derive(Clone, Copy)]
pub(crate) struct Outer {
    path_length: usize,
    inside_accepted: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(config: &'a ConfigOptions) -> Self {
        Self {
            config,
            lenient: config.ignore_unknown_options,
            exhaustive: false,
            diagnostics: Vec::new(),
            object_texts: ObjectTexts::default(),
            option: "",
            escaped: config.input_strings_escaped,
            path: String::new(),
            inside_accepted: false,
        }
    }

    /// The text without escapes.
    pub(crate) fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escaped { unescape(text) } else { Cow::Borrowed(text) }
    }

    /// The text with escapes, as OPTIONS files have it.
    pub(crate) fn written<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escaped { Cow::Borrowed(text) } else { escape(text) }
    }

    pub(crate) fn remark(&mut self, remark: Remark, name: &str, value: &str) {
        let path = format!("{}{name}", self.path);
        let name = path.trim_end_matches('.').to_owned();
        self.diagnostics.push(Diagnostic::new(remark, name, value));
    }

    /// Turns an error into a remark where the context is lenient.
    pub(crate) fn or_remark(
        &mut self,
        result: Result<(), SetError>,
        name: &str,
        text: &str,
    ) -> Result<(), SetError> {
        let remark = match &result {
            Err(SetError::UnknownName(_)) if self.lenient => Remark::Unknown,
            Err(SetError::BadValue(_)) if self.lenient => Remark::BadValue,
            _ => return result,
        };
        self.remark(remark, name, text);
        Ok(())
    }

    /// Goes into the value of an option; [`Context::leave`] comes out again.
    pub(crate) fn enter(&mut self, option: &OptionInfo) -> Outer {
        let path_length = self.path.len();
        self.path.push_str(option.name);
        self.path.push('.');
        let inside_accepted = self.inside_accepted;
        self.inside_accepted |= !option.honoured;
        Outer { path_length, inside_accepted }
    }

    pub(crate) fn leave(&mut self, outer: Outer) {
        self.path.truncate(outer.path_length);
        self.inside_accepted = outer.inside_accepted;
    }
}

/// A type options can have.
pub(crate) trait OptionValue {
    /// The type as documentation names it.
    fn type_name() -> String;

    /// Takes the value that `text` is. On an error the old value stays, or some fields of a
    /// struct have been set.
    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError>;

    /// Sets the field `path`, which may have dots in it, of a struct.
    fn set_field(
        &mut self,
        path: &str,
        _text: &str,
        _context: &mut Context<'_>,
    ) -> Result<(), SetError> {
        Err(SetError::UnknownName(path.to_owned()))
    }

    /// The text that [`OptionValue::set`] of `release` takes back, with escapes where a string
    /// needs them.
    fn print(&self, release: Release) -> String;

    /// Of a struct: its options that this engine does not act on and that are not the default.
    fn unhonoured(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The value, if it is a number.
    fn as_number(&self) -> Option<Number> {
        None
    }

    /// Takes a number that is a value of the type; others change nothing.
    fn set_number(&mut self, _number: Number) {}

    /// Of a struct: what is wrong with its options.
    fn faults(&self) -> Vec<Fault> {
        Vec::new()
    }

    /// Of a struct: gives options outside a range that corrects them the nearest value inside.
    fn correct(&mut self) {}
}

pub(crate) fn bad<T>(why: impl Into<String>) -> Result<T, SetError> {
    Err(SetError::BadValue(why.into()))
}

/// A decimal number, perhaps negative, perhaps with a unit: `64M`, `64MB` and `64MiB` are 64 << 20.
fn parse_integer(text: &str) -> Result<i128, SetError> {
    let text = trim(strip_braces(trim(text)));
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, unit) = rest.split_at(digits);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return bad(format!("expected a number, found {text:?}")),
    };
    if digits.is_empty() {
        return bad(format!("expected a number, found {text:?}"));
    }
    let Ok(number) = digits.parse::<u64>() else {
        return bad(format!("expected a number below 2^64, found {text}"));
    };
    // At most 64 + 40 bits.
    let number = i128::from(number) << shift;
    Ok(if negative { -number } else { number })
}

macro_rules! integer_values {
    ($($type:ident $(wraps $wraps:ident)?),*) => {$(
        impl OptionValue for $type {
            fn type_name() -> String {
                stringify!($type).to_owned()
            }

            fn set(&mut self, text: &str, _context: &mut Context<'_>) -> Result<(), SetError> {
                let number = parse_integer(text)?;
                $(
                    // RocksDB reads -1 as the largest number of the type.
                    if let Ok(negative) = $wraps::try_from(number) && negative < 0 {
                        *self = negative as $type;
                        return Ok(());
                    }
                )?
                match $type::try_from(number) {
                    Ok(number) => {
                        *self = number;
                        Ok(())
                    }
                    Err(_) => bad(format!(
                        "expected a number from {} to {}, found {text}", $type::MIN, $type::MAX
                    )),
                }
            }

            fn print(&self, _release: Release) -> String {
                self.to_string()
            }

            fn as_number(&self) -> Option<Number> {
                Some(Number::Integer(i128::from(*self)))
            }

            fn set_number(&mut self, number: Number) {
                if let Number::Integer(integer) = number && let Ok(value) = Self::try_from(integer) {
                    *self = value;
                }
            }
        }
    )*};
}

integer_values!(i32, i64, u8, u32, u64 wraps i64);

impl OptionValue for bool {
    fn type_name() -> String {
        "bool".to_owned()
    }

    fn set(&mut self, text: &str, _context: &mut Context<'_>) -> Result<(), SetError> {
        *self = match trim(strip_braces(trim(text))) {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => return bad(format!("expected true, false, 1 or 0, found {text:?}")),
        };
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        self.to_string()
    }
}

impl OptionValue for f64 {
    fn type_name() -> String {
        "f64".to_owned()
    }

    fn set(&mut self, text: &str, _context: &mut Context<'_>) -> Result<(), SetError> {
        match trim(strip_braces(trim(text))).parse::<f64>() {
            Ok(number) if number.is_finite() => {
                *self = number;
                Ok(())
            }
            _ => bad(format!("expected a number, found {text:?}")),
        }
    }

    /// With six decimals, as RocksDB prints it.
    fn print(&self, _release: Release) -> String {
        format!("{self:.6}")
    }

    fn as_number(&self) -> Option<Number> {
        Some(Number::Real(*self))
    }

    fn set_number(&mut self, number: Number) {
        if let Number::Real(real) = number {
            *self = real;
        }
    }
}

impl OptionValue for String {
    fn type_name() -> String {
        "string".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        *self = context.plain(strip_braces(text)).into_owned();
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        let escaped = escape(self);
        // Reading takes one pair of braces away.
        if inside_braces(self).is_some() { format!("{{{escaped}}}") } else { escaped.into_owned() }
    }
}

impl<T: OptionValue + Default> OptionValue for Vec<T> {
    fn type_name() -> String {
        format!("list of {}", T::type_name())
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        let text = context.plain(text);
        let texts = split_list(&text).map_err(SetError::BadValue)?;
        let escaped = std::mem::replace(&mut context.escaped, false);
        let items: Result<Self, SetError> = texts
            .into_iter()
            .map(|text| {
                let mut item = T::default();
                item.set(text, context).map(|()| item)
            })
            .collect();
        context.escaped = escaped;
        *self = items?;
        Ok(())
    }

    fn print(&self, release: Release) -> String {
        let mut printed = String::new();
        for item in self {
            let item = item.print(release);
            if !printed.is_empty() {
                printed.push(':');
            }
            let braced = item.contains(':');
            printed.extend(braced.then_some('{'));
            printed.push_str(&item);
            printed.extend(braced.then_some('}'));
        }
        if printed.contains('=') { format!("{{{printed}}}") } else { printed }
    }

    fn faults(&self) -> Vec<Fault> {
        self.iter().flat_map(OptionValue::faults).collect()
    }
}

#[cfg(test)]
mod tests;
