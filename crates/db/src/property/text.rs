//! Numbers as RocksDB's statistics print them.

/// Bytes in a megabyte, as a ratio.
pub(crate) const MB: f64 = 1_048_576.0;
/// Bytes in a gigabyte, as a ratio.
pub(crate) const GB: f64 = MB * 1024.0;

/// Up to 9999 as it is, else in thousands, millions or thousands of millions: `9999`, `10K`.
pub(crate) fn number_to_human(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1_000),
        10_000_000..10_000_000_000 => format!("{}M", number / 1_000_000),
        _ => format!("{}G", number / 1_000_000_000),
    }
}

/// With two decimals in the unit that fits, KB at least: `0.01 KB`, `6.51 GB`.
pub(crate) fn bytes_to_human(bytes: u64) -> String {
    let mut size = bytes as f64 / 1024.0;
    let mut units = ["KB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    format!("{size:.2} {unit}")
}

/// Hours, minutes and seconds: `00:01:2.500 H:M:S`.
pub(crate) fn micros_to_clock(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    let rest = (micros % 60_000_000) as f64 / 1e6;
    format!("{:02}:{:02}:{rest:5.3} H:M:S", seconds / 3600, seconds / 60 % 60)
}

/// Six significant digits, without zeros at the end, as C++ streams print a `double`.
pub(crate) fn general(value: f64) -> String {
    const PRECISION: i32 = 6;
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let scientific = format!("{value:.*e}", PRECISION as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..PRECISION).contains(&exponent) {
        let decimals = (PRECISION - 1 - exponent) as usize;
        return without_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests;
