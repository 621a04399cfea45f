//! What Prometheus calls what RocksDB calls something else.

use crate::metric::Kind;

/// Endings that Prometheus keeps for parts of other metrics.
const KEPT: [&str; 4] = ["_count", "_sum", "_bucket", "_total"];

/// The name of a metric for a dotted name: other characters than letters and digits become
/// underscores. Counters end in `_total`, and nothing else does.
pub(crate) fn metric_name(dotted: &str, kind: Kind) -> String {
    let is_allowed = |character: char| character.is_ascii_alphanumeric();
    let mut name: String = dotted
        .chars()
        .map(|character| if is_allowed(character) { character.to_ascii_lowercase() } else { '_' })
        .collect();
    if kind == Kind::Counter {
        if !name.ends_with("_total") {
            name.push_str("_total");
        }
    } else if let Some(kept) = KEPT.iter().find(|kept| name.ends_with(*kept)) {
        name.truncate(name.len() - kept.len());
        name.push_str("_number");
    }
    name
}

#[cfg(test)]
mod tests;
