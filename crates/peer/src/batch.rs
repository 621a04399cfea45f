//! Write batches, byte by byte: not every release has a C function for every operation, but all of
//! them take a whole batch. `docs/formats/wal.md` has the layout.

use testing::judges::protocol::{Bytes, Operation};

/// A batch of these operations; `family_id` tells a family's number.
pub(crate) fn encode<E>(
    operations: &[Operation],
    mut family_id: impl FnMut(&Bytes) -> Result<u32, E>,
) -> Result<Vec<u8>, E> {
    let mut batch = vec![0; 8];
    let count = operations.iter().filter(|one| !matches!(one, Operation::LogData { .. })).count();
    batch.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    for operation in operations {
        // The record types in the default family and in others.
        let (family, types, strings) = match operation {
            Operation::Put { family, key, value } => (family, (0x1, 0x5), vec![&key.0, &value.0]),
            Operation::Merge { family, key, value } => (family, (0x2, 0x6), vec![&key.0, &value.0]),
            Operation::Delete { family, key } => (family, (0x0, 0x4), vec![&key.0]),
            Operation::SingleDelete { family, key } => (family, (0x7, 0x8), vec![&key.0]),
            Operation::DeleteRange { family, begin, end } => {
                (family, (0xf, 0xe), vec![&begin.0, &end.0])
            }
            Operation::PutEntity { family, key, columns } => {
                push_type(&mut batch, family_id(family)?, (0x16, 0x17));
                push_string(&mut batch, &key.0);
                push_string(&mut batch, &entity(columns));
                continue;
            }
            Operation::LogData { data } => {
                batch.push(0x3);
                push_string(&mut batch, &data.0);
                continue;
            }
        };
        push_type(&mut batch, family_id(family)?, types);
        for string in strings {
            push_string(&mut batch, string);
        }
    }
    Ok(batch)
}

fn push_type(batch: &mut Vec<u8>, family: u32, (in_default, in_other): (u8, u8)) {
    if family == 0 {
        batch.push(in_default);
    } else {
        batch.push(in_other);
        push_number(batch, family);
    }
}

/// The value that stands for wide columns: version 1, names with the sizes of the values, values.
fn entity(columns: &[(Bytes, Bytes)]) -> Vec<u8> {
    let mut columns: Vec<_> = columns.iter().collect();
    columns.sort();
    let mut value = vec![1];
    push_length(&mut value, columns.len());
    for (name, content) in &columns {
        push_string(&mut value, &name.0);
        push_length(&mut value, content.0.len());
    }
    for (_, content) in columns {
        value.extend_from_slice(&content.0);
    }
    value
}

fn push_string(bytes: &mut Vec<u8>, string: &[u8]) {
    push_length(bytes, string.len());
    bytes.extend_from_slice(string);
}

fn push_length(bytes: &mut Vec<u8>, length: usize) {
    push_number(bytes, u32::try_from(length).unwrap_or(u32::MAX));
}

fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
