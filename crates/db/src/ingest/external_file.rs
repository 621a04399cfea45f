//! A table that was made apart from the database, as it says of itself.

use crate::ingest_options::IngestExternalFileOptions;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{
    InternalIterator, InternalKey, InternalKeyComparator, ParsedInternalKey, Result, Status,
    ValueType,
};
use compaction::compare_boundaries;
use env::FileSystem;
use iterator::FragmentedRangeTombstoneList;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::properties::UNKNOWN_COLUMN_FAMILY_ID;
use table::{BlockBasedTable, ReadOptions, TableOptions, TableProperties, unique_id};

/// Versions of the format of external files that are taken in: those whose keys may all get one
/// sequence number.
const VERSION: u32 = 2;

/// What is known of an external table.
#[derive(Clone, Debug)]
pub(super) struct ExternalFile {
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) smallest: InternalKey,
    pub(super) largest: InternalKey,
    pub(super) properties: Arc<TableProperties>,
    pub(super) unique_id: Option<[u8; 16]>,
    /// Where in the file the sequence number of its keys may be written, if that is wanted and there
    /// is a place for it.
    pub(super) global_seqno_offset: Option<u64>,
}

impl ExternalFile {
    /// Reads what has to be known of the table at `path`. All its blocks are checked if
    /// `verify_checksums_before_ingest`.
    ///
    /// # Errors
    /// `Corruption` if it is damaged or was not made to be taken in; `InvalidArgument` if it was made for
    /// another column family or order, or holds nothing; `IoError`.
    pub(super) fn examine(
        file_system: &dyn FileSystem,
        path: &Path,
        options: &TableOptions,
        read: &ReadOptions,
        family_id: u32,
        ingestion: &IngestExternalFileOptions,
    ) -> Result<Self> {
        let size = file_system.get_file_size(path)?;
        let file = file_system.new_random_access_file(path, &env::FileOptions::default())?;
        let table = BlockBasedTable::open(file, size, options)?;
        let name = |status: Status| status.context(path.display());
        check_properties(table.properties(), family_id).map_err(name)?;
        if ingestion.verify_checksums_before_ingest {
            table.verify_checksum(read)?;
        }
        let (smallest, largest) = boundaries(&table, read).map_err(name)?;
        let unique_id = table.properties().origin().internal_id().map(unique_id::to_bytes);
        let global_seqno_offset = match ingestion.write_global_seqno {
            true => table.global_seqno_offset()?,
            false => None,
        };
        let (path, properties) = (path.to_owned(), table.properties().clone());
        Ok(Self { path, size, smallest, largest, properties, unique_id, global_seqno_offset })
    }

    /// Whether both may hold the same key.
    pub(super) fn overlaps(&self, other: &Self, comparator: &InternalKeyComparator) -> bool {
        ranges_meet(comparator, (&self.smallest, &self.largest), (&other.smallest, &other.largest))
    }
}

/// Whether a key may be in both ranges, bounds of files.
pub(super) fn ranges_meet(
    comparator: &InternalKeyComparator,
    a: (&InternalKey, &InternalKey),
    b: (&InternalKey, &InternalKey),
) -> bool {
    compare_boundaries(comparator, a.0, b.1).is_le()
        && compare_boundaries(comparator, b.0, a.1).is_le()
}

fn check_properties(properties: &TableProperties, family_id: u32) -> Result<()> {
    let Some(version) = properties.external_sst_file_version()? else {
        return Err(Status::corruption("External file version not found"));
    };
    if version != VERSION {
        return Err(Status::invalid_argument(format!(
            "External file version {version} is not supported: expected {VERSION}"
        )));
    }
    if properties.key_largest_seqno != u64::MAX && properties.key_largest_seqno > 0 {
        return Err(Status::corruption(format!(
            "External file has non zero largest sequence number {}",
            properties.key_largest_seqno
        )));
    }
    let made_for = properties.column_family_id;
    if made_for != UNKNOWN_COLUMN_FAMILY_ID && made_for != u64::from(family_id) {
        return Err(Status::invalid_argument(format!(
            "External file column family id don't match: made for {made_for}, given for {family_id}"
        )));
    }
    if properties.num_entries == 0 && properties.num_range_deletions == 0 {
        return Err(Status::invalid_argument("File contain no entries"));
    }
    Ok(())
}

/// The first and the last key, range tombstones included.
fn boundaries(
    table: &Arc<BlockBasedTable>,
    read: &ReadOptions,
) -> Result<(InternalKey, InternalKey)> {
    let mut entries = table.new_iterator(read);
    entries.seek_to_first()?;
    let smallest = if entries.valid() { Some(checked(entries.key())?) } else { None };
    entries.seek_to_last()?;
    let largest = if entries.valid() { Some(checked(entries.key())?) } else { None };
    let tombstones = table.range_tombstones().map(|list| tombstone_bounds(list)).transpose()?;
    let (first, last) = match tombstones.flatten() {
        Some((first, last)) => (Some(first), Some(last)),
        None => (None, None),
    };
    let comparator = table.comparator();
    let order = |a: &InternalKey, b: &InternalKey| comparator.compare(a.as_bytes(), b.as_bytes());
    let smallest = [smallest, first].into_iter().flatten().min_by(order);
    let largest = [largest, last].into_iter().flatten().max_by(order);
    smallest.zip(largest).ok_or_else(|| Status::corruption("Can not find largest key in sst file"))
}

/// From the first key of the tombstones to the first one after them.
fn tombstone_bounds(
    list: &FragmentedRangeTombstoneList,
) -> Result<Option<(InternalKey, InternalKey)>> {
    let mut bounds: Option<(InternalKey, InternalKey)> = None;
    for fragment in list.fragments() {
        if fragment.tombstones.iter().any(|tombstone| tombstone.sequence > 0) {
            return Err(Status::corruption(
                "External file has a range deletion with non zero sequence number.",
            ));
        }
        let end = InternalKey::new(fragment.end_key, MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
        bounds = Some(match bounds {
            Some((first, _)) => (first, end),
            None => (InternalKey::new(fragment.start_key, 0, ValueType::RangeDeletion), end),
        });
    }
    Ok(bounds)
}

/// A key of the table, all of which have the sequence number 0.
fn checked(key: &[u8]) -> Result<InternalKey> {
    if ParsedInternalKey::parse(key)?.sequence > 0 {
        return Err(Status::corruption("External file has non zero sequence number"));
    }
    InternalKey::from_encoded(key.to_vec())
        .ok_or_else(|| Status::corruption("Corrupted key in external file"))
}
