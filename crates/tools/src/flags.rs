//! Command lines of the form `--name=value`.

/// The value of a flag.
pub(crate) fn required<'a>(name: &str, value: Option<&'a str>) -> Result<&'a str, String> {
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| format!("--{name}: expected a value, as in --{name}=VALUE"))
}

/// A flag without a value.
pub(crate) fn without_value(name: &str, value: Option<&str>) -> Result<(), String> {
    match value {
        None => Ok(()),
        Some(value) => Err(format!("--{name}: expected no value, found {value:?}")),
    }
}

/// Name and value of an argument.
pub(crate) fn split(argument: &str) -> Result<(&str, Option<&str>), String> {
    let flag = argument
        .strip_prefix("--")
        .ok_or_else(|| format!("{argument}: expected flags only, as in --db=DIR"))?;
    Ok(match flag.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (flag, None),
    })
}

/// A number of seconds, with a fraction or not.
pub(crate) fn seconds(name: &str, value: Option<&str>) -> Result<std::time::Duration, String> {
    let text = required(name, value)?;
    let number = text.parse::<f64>().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds));
    number
        .map(std::time::Duration::from_secs_f64)
        .ok_or_else(|| format!("--{name}: expected seconds from 0 to 86400, found {text:?}"))
}
