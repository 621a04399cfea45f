//! What whoever opens a database should know about the options they gave.

use crate::column_family::ColumnFamilyDescriptor;
use options::{ColumnFamilyOptions, DbOptions};

/// Options that name an object, and what a missing one means for reads.
const OBJECTS: [(&str, &str); 2] = [
    ("merge_operator", "keys that have merge operands cannot be read"),
    ("prefix_extractor", "filters of prefixes are not used"),
];

/// One sentence for each thing to say.
pub(crate) fn warnings(db: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(unhonoured("database", &db.unhonoured()));
    for ColumnFamilyDescriptor { name, options } in families {
        let owner = format!("column family {name}");
        warnings.extend(unhonoured(&owner, &options.unhonoured()));
        warnings.extend(unregistered(&owner, options));
    }
    warnings
}

fn unhonoured(owner: &str, options: &[(&'static str, String)]) -> Option<String> {
    if options.is_empty() {
        return None;
    }
    let values: Vec<_> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Some(format!("{owner}: accepted, not honoured yet: {}", values.join(", ")))
}

fn unregistered(owner: &str, options: &ColumnFamilyOptions) -> impl Iterator<Item = String> {
    OBJECTS.into_iter().filter_map(move |(option, consequence)| {
        let name = options.unregistered(option)?;
        Some(format!("{owner}: {option}={name} is not registered: {consequence}"))
    })
}

#[cfg(test)]
mod tests;
