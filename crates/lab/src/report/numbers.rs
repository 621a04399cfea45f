//! Numbers as people read them.

/// A rate or a count with three digits or more that mean something: `1.25M`, `340k`, `87.2`.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 9.995e6 => format!("{:.1}M", value / 1e6),
        size if size >= 999_500.0 => format!("{:.2}M", value / 1e6),
        size if size >= 99_950.0 => format!("{:.0}k", value / 1e3),
        size if size >= 9_995.0 => format!("{:.1}k", value / 1e3),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// As [`short`], or a dash where there is none.
pub(super) fn short_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), short)
}

/// What figures are made of, as a sentence begins.
pub(super) fn of_rounds(rounds: usize) -> String {
    match rounds {
        1 => "Of one round alone".to_owned(),
        rounds => format!("Medians of {rounds} rounds"),
    }
}
