//! A shape in a line.

use crate::measures::FamilyShape;

const KIB: f64 = 1024.0;

/// `memtable 38200 entries, L0 6 files 38 MiB, L6 12 files 87 MiB`; levels without files are left
/// out.
pub fn line(shape: &FamilyShape) -> String {
    let mut parts = vec![format!("memtable {} entries", shape.memtable_entries)];
    if shape.immutable_memtables > 0 {
        parts.push(format!("{} full memtables", shape.immutable_memtables));
    }
    for level in shape.levels.iter().filter(|level| level.files > 0) {
        let noun = if level.files == 1 { "file" } else { "files" };
        let bytes = bytes(level.bytes);
        parts.push(format!("L{} {} {noun} {bytes}", level.level, level.files));
    }
    parts.join(", ")
}

/// Bytes in the largest unit of which there are at least ten.
pub fn bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    let units = [("GiB", KIB * KIB * KIB), ("MiB", KIB * KIB), ("KiB", KIB)];
    match units.iter().find(|(_, unit)| bytes >= 10.0 * unit) {
        Some((name, unit)) => format!("{:.0} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests;
