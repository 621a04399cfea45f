//! The shape of trees, as records have it.

use crate::workload::Target;
use base::status::Code;
use base::{Result, Status};
use engines::Engine;
use record::Shape;

/// The shape of all families of all databases; none for engines without levels. Of several
/// databases names begin with their number: `0/default`.
///
/// # Errors
/// What asking for it gave.
pub(crate) fn of_all<E: Engine>(targets: &[Target<E>]) -> Result<Option<Shape>> {
    let mut all = Shape::new();
    for (index, target) in targets.iter().enumerate() {
        for (family_index, family) in (0..).zip(&target.families) {
            let name = crate::target::family_name(family_index);
            let name = if targets.len() > 1 { format!("{index}/{name}") } else { name };
            match target.db.tree_shape(family) {
                Ok(shape) => _ = all.insert(name, shape),
                Err(status) if is_lacking(&status) => return Ok(None),
                Err(status) => return Err(status),
            }
        }
    }
    Ok(Some(all))
}

/// Whether an engine says that it has no such thing.
pub(crate) fn is_lacking(status: &Status) -> bool {
    status.code() == Code::NotSupported
}
