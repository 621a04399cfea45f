//! Wide-column entities: the value of a `WideColumnEntity` record.
//!
//! ```text
//! version 1:  varint32 1 | varint32 count
//!             count x (length-prefixed name, varint32 value size)
//!             values back to back
//! version 2:  varint32 2 | varint32 count
//!             varint32 name sizes length | varint32 value sizes length | varint32 names length
//!             count x u8 column type (0x01 inline value, 0x11 blob index)
//!             count x varint32 name size | count x varint32 value size
//!             names back to back | values back to back
//! ```
//!
//! Names ascend bytewise and are unique. The default column has the empty name and is what a plain
//! read of the key returns. RocksDB writes version 2 (11.0 and newer) only where a column is a
//! blob reference.

use crate::coding::{
    get_bytes, get_length_prefixed, get_varint32, put_length_prefixed, put_varint32,
};
use crate::dbformat::ValueType;
use crate::status::{Result, Status};

/// Name of the column that a plain read returns.
pub const DEFAULT_COLUMN_NAME: &[u8] = b"";

/// One column of a decoded entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The value, or a blob index if [`Column::is_blob_index`].
    pub value: &'a [u8],
    /// Whether the value is a blob index rather than the value itself.
    pub is_blob_index: bool,
}

const VERSION_1: u32 = 1;
const VERSION_2: u32 = 2;

/// Encodes columns, which must ascend by name, in version 1, or in version 2 if one is a blob
/// index.
pub fn encode(columns: &[Column<'_>]) -> Vec<u8> {
    debug_assert!(columns.is_sorted_by(|a, b| a.name < b.name));
    if columns.iter().any(|column| column.is_blob_index) {
        return encode_version_2(columns);
    }
    let mut output = Vec::new();
    put_varint32(&mut output, VERSION_1);
    put_varint32(&mut output, columns.len() as u32);
    for column in columns {
        put_length_prefixed(&mut output, column.name);
        put_varint32(&mut output, column.value.len() as u32);
    }
    for column in columns {
        output.extend_from_slice(column.value);
    }
    output
}

fn encode_version_2(columns: &[Column<'_>]) -> Vec<u8> {
    let [mut name_sizes, mut value_sizes, mut names] = [const { Vec::new() }; 3];
    for column in columns {
        put_varint32(&mut name_sizes, column.name.len() as u32);
        put_varint32(&mut value_sizes, column.value.len() as u32);
        names.extend_from_slice(column.name);
    }
    let mut output = Vec::new();
    put_varint32(&mut output, VERSION_2);
    put_varint32(&mut output, columns.len() as u32);
    for part in [&name_sizes, &value_sizes, &names] {
        put_varint32(&mut output, part.len() as u32);
    }
    output.extend(columns.iter().map(|column| {
        let value_type = if column.is_blob_index { ValueType::BlobIndex } else { ValueType::Value };
        value_type as u8
    }));
    for part in [&name_sizes, &value_sizes, &names] {
        output.extend_from_slice(part);
    }
    for column in columns {
        output.extend_from_slice(column.value);
    }
    output
}

/// Decodes an entity.
///
/// # Errors
/// `Corruption` if it is cut short, has bytes left over or names out of order; `NotSupported` if
/// its version is newer than 2.
pub fn decode(mut input: &[u8]) -> Result<Vec<Column<'_>>> {
    let input = &mut input;
    let columns = match get_varint32(input).ok_or_else(|| cut_short("version"))? {
        VERSION_1 => decode_version_1(input)?,
        VERSION_2 => decode_version_2(input)?,
        0 => return Err(Status::corruption("wide-column entity of version 0")),
        version => {
            return Err(Status::not_supported(format!("wide-column entity of version {version}")));
        }
    };
    if !input.is_empty() {
        return Err(Status::corruption(format!(
            "wide-column entity has {} bytes after its last value",
            input.len()
        )));
    }
    if !columns.is_sorted_by(|a, b| a.name < b.name) {
        return Err(Status::corruption("wide-column entity with column names out of order"));
    }
    Ok(columns)
}

fn cut_short(what: &str) -> Status {
    Status::corruption(format!("wide-column entity cut short in its {what}"))
}

/// Reads the column count; every column takes at least `bytes_min` bytes, which bounds it.
fn decode_count(input: &mut &[u8], bytes_min: usize) -> Result<usize> {
    let count = get_varint32(input).ok_or_else(|| cut_short("column count"))? as usize;
    if count > input.len() / bytes_min {
        return Err(cut_short("columns"));
    }
    Ok(count)
}

fn decode_version_1<'a>(input: &mut &'a [u8]) -> Result<Vec<Column<'a>>> {
    let count = decode_count(input, 2)?;
    let mut heads = Vec::with_capacity(count);
    for _ in 0..count {
        let name = get_length_prefixed(input).ok_or_else(|| cut_short("column names"))?;
        let size = get_varint32(input).ok_or_else(|| cut_short("value sizes"))?;
        heads.push((name, size as usize));
    }
    heads
        .into_iter()
        .map(|(name, size)| {
            let value = get_bytes(input, size).ok_or_else(|| cut_short("values"))?;
            Ok(Column { name, value, is_blob_index: false })
        })
        .collect()
}

fn decode_version_2<'a>(input: &mut &'a [u8]) -> Result<Vec<Column<'a>>> {
    let count = decode_count(input, 3)?;
    let mut part =
        |what| get_varint32(input).map(|length| length as usize).ok_or_else(|| cut_short(what));
    let (name_sizes_length, value_sizes_length, names_length) =
        (part("name sizes")?, part("value sizes")?, part("names")?);
    let types = get_bytes(input, count).ok_or_else(|| cut_short("column types"))?;
    let mut name_sizes =
        get_bytes(input, name_sizes_length).ok_or_else(|| cut_short("name sizes"))?;
    let mut value_sizes =
        get_bytes(input, value_sizes_length).ok_or_else(|| cut_short("value sizes"))?;
    let mut names = get_bytes(input, names_length).ok_or_else(|| cut_short("names"))?;
    let columns = types
        .iter()
        .map(|&column_type| {
            let is_blob_index = match ValueType::from_u8(column_type) {
                Some(ValueType::Value) => false,
                Some(ValueType::BlobIndex) => true,
                _ => {
                    return Err(Status::not_supported(format!(
                        "wide-column entity with a column of type {column_type:#04x}"
                    )));
                }
            };
            let size = get_varint32(&mut name_sizes).ok_or_else(|| cut_short("name sizes"))?;
            let name =
                get_bytes(&mut names, size as usize).ok_or_else(|| cut_short("column names"))?;
            let size = get_varint32(&mut value_sizes).ok_or_else(|| cut_short("value sizes"))?;
            let value = get_bytes(input, size as usize).ok_or_else(|| cut_short("values"))?;
            Ok(Column { name, value, is_blob_index })
        })
        .collect::<Result<_>>()?;
    if !(name_sizes.is_empty() && value_sizes.is_empty() && names.is_empty()) {
        return Err(Status::corruption(
            "wide-column entity with sections longer than their columns",
        ));
    }
    Ok(columns)
}

/// Whether a column of the encoded entity may be a blob index: false without decoding for version 1,
/// which has none.
#[inline]
pub fn may_have_blob_index(entity: &[u8]) -> bool {
    entity.first() != Some(&(VERSION_1 as u8))
}

/// The default column of decoded columns; none if the entity lacks it.
pub fn default_column<'c, 'a>(columns: &'c [Column<'a>]) -> Option<&'c Column<'a>> {
    columns.first().filter(|column| column.name == DEFAULT_COLUMN_NAME)
}

/// As [`encode`], of columns in any order that are not in blob files. Of columns of one name the last
/// one counts.
pub fn encode_unordered(columns: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut columns: Vec<_> =
        columns.iter().map(|(name, value)| Column { name, value, is_blob_index: false }).collect();
    columns.sort_by(|a, b| a.name.cmp(b.name));
    columns.reverse();
    columns.dedup_by(|a, b| a.name == b.name);
    columns.reverse();
    encode(&columns)
}

#[cfg(test)]
mod tests;
