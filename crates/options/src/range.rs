//! Which values an option can have, beyond what its type says.

use base::status::Code;
use std::fmt;

/// The values an option can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    values: Values,
    /// One more value, outside all others.
    also: Option<i128>,
    outside: Outside,
}

/// What happens to a value outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The database is not opened, with this code.
    Refused(Code),
    /// The nearest value is used.
    Corrected,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    Any,
    Integers { least: i128, most: i128 },
    Reals { least: f64, most: f64 },
    RealsAbove(f64),
    OneOf(&'static [i128]),
    PowersOfTwo { most: i128 },
}

/// A value that a range can be asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Real(f64),
}

const fn refused(values: Values) -> Range {
    Range { values, also: None, outside: Outside::Refused(Code::InvalidArgument) }
}

/// All integers from `least` on.
pub(crate) const fn at_least(least: i128) -> Range {
    between(least, i128::MAX)
}

/// All integers up to `most`.
pub(crate) const fn at_most(most: i128) -> Range {
    between(i128::MIN, most)
}

/// All integers from `least` to `most`.
pub(crate) const fn between(least: i128, most: i128) -> Range {
    refused(Values::Integers { least, most })
}

/// All real numbers from `least` to `most`.
pub(crate) const fn real_between(least: f64, most: f64) -> Range {
    refused(Values::Reals { least, most })
}

/// All real numbers from `least` on.
pub(crate) const fn real_at_least(least: f64) -> Range {
    real_between(least, f64::MAX)
}

/// All real numbers above `bound`.
pub(crate) const fn above(bound: f64) -> Range {
    refused(Values::RealsAbove(bound))
}

/// These integers.
pub(crate) const fn one_of(values: &'static [i128]) -> Range {
    refused(Values::OneOf(values))
}

/// 1, 2, 4, … up to `most`.
pub(crate) const fn power_of_two_up_to(most: i128) -> Range {
    refused(Values::PowersOfTwo { most })
}

impl Range {
    /// No value is outside.
    pub(crate) const ANY: Self = refused(Values::Any);

    /// This value too.
    pub(crate) const fn or(mut self, value: i128) -> Self {
        self.also = Some(value);
        self
    }

    /// Values outside are `NotSupported`.
    pub(crate) const fn not_supported(mut self) -> Self {
        self.outside = Outside::Refused(Code::NotSupported);
        self
    }

    /// Of values outside the nearest one inside is used.
    pub(crate) const fn corrected(mut self) -> Self {
        self.outside = Outside::Corrected;
        self
    }

    /// Whether no value is outside.
    pub fn is_any(&self) -> bool {
        self.values == Values::Any
    }

    /// What happens to a value outside.
    pub fn outside(&self) -> Outside {
        self.outside
    }

    /// Whether this value is inside.
    pub(crate) fn holds(&self, number: Number) -> bool {
        match (number, self.values) {
            (_, Values::Any) => true,
            (Number::Integer(integer), _) if self.also == Some(integer) => true,
            (Number::Integer(integer), Values::Integers { least, most }) => {
                (least..=most).contains(&integer)
            }
            (Number::Integer(integer), Values::OneOf(values)) => values.contains(&integer),
            (Number::Integer(integer), Values::PowersOfTwo { most }) => {
                (1..=most).contains(&integer) && integer & (integer - 1) == 0
            }
            (Number::Real(real), Values::Reals { least, most }) => (least..=most).contains(&real),
            (Number::Real(real), Values::RealsAbove(bound)) => real > bound,
            // A row that gives its option a range of another kind: a test finds it.
            (Number::Integer(_), Values::Reals { .. } | Values::RealsAbove(_))
            | (
                Number::Real(_),
                Values::Integers { .. } | Values::OneOf(_) | Values::PowersOfTwo { .. },
            ) => false,
        }
    }

    /// The nearest value inside, for ranges that correct.
    pub(crate) fn nearest(&self, number: Number) -> Number {
        match (number, self.values) {
            _ if self.holds(number) => number,
            (Number::Integer(integer), Values::Integers { least, most }) => {
                Number::Integer(integer.clamp(least, most))
            }
            (Number::Real(real), Values::Reals { least, most }) => {
                Number::Real(real.clamp(least, most))
            }
            _ => number,
        }
    }
}

/// `at least 1`, `0, 1 or 2`; nothing where all values are inside.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.values {
            Values::Any => return Ok(()),
            Values::Integers { least: i128::MIN, most } => write!(f, "at most {most}")?,
            Values::Integers { least, most: i128::MAX } => write!(f, "at least {least}")?,
            Values::Integers { least, most } => write!(f, "{least} to {most}")?,
            Values::Reals { least, most: f64::MAX } => write!(f, "at least {least}")?,
            Values::Reals { least, most } => write!(f, "{least} to {most}")?,
            Values::RealsAbove(bound) => write!(f, "above {bound}")?,
            Values::PowersOfTwo { most } => write!(f, "a power of 2 up to {most}")?,
            Values::OneOf(values) => {
                for (at, value) in values.iter().enumerate() {
                    let before = match at {
                        0 => "",
                        _ if at + 1 == values.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{before}{value}")?;
                }
            }
        }
        self.also.map_or(Ok(()), |also| write!(f, ", or {also}"))
    }
}

#[cfg(test)]
mod tests;
