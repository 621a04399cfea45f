//! Values that move to blob files, and out of old ones.

use super::{CompactionIterator, ValueSource};
use base::dbformat::extract_user_key;
use base::wide_columns::{self, Column};
use base::{PinnableSlice, Result, ValueType};
use blob::{BlobIndex, BlobReference};

impl CompactionIterator<'_> {
    /// Puts the current plain value into a blob file if it is large enough.
    pub(super) fn extract_large_value(&mut self) -> Result<()> {
        let Some(mut builder) = self.context.blob_builder.take() else { return Ok(()) };
        let reference = builder.add(self.user_key(), self.value());
        self.context.blob_builder = Some(builder);
        if let Some(reference) = reference? {
            self.value_buffer = reference.to_index();
            self.value = ValueSource::Buffer;
            self.set_type(ValueType::BlobIndex);
        }
        Ok(())
    }

    /// If the current value is in an old blob file, moves it to a new one, or into the table.
    pub(super) fn collect_blob_garbage(&mut self) -> Result<()> {
        let Some(cutoff) = self.context.blob_cutoff else { return Ok(()) };
        let BlobIndex::Blob(reference) = BlobIndex::decode(self.value())? else { return Ok(()) };
        if reference.file_number >= cutoff {
            return Ok(());
        }
        let value = self.relocate(&reference)?;
        self.value_buffer = value.to_vec();
        self.value = ValueSource::Buffer;
        self.set_type(ValueType::Value);
        self.extract_large_value()
    }

    fn relocate(&mut self, reference: &BlobReference) -> Result<PinnableSlice> {
        let value = self.read_blob(reference)?;
        self.stats.blobs_relocated += 1;
        self.stats.blob_bytes_relocated += reference.size;
        Ok(value)
    }

    pub(super) fn read_blob(&mut self, reference: &BlobReference) -> Result<PinnableSlice> {
        let user_key = extract_user_key(&self.key);
        let value = self.context.environment.read_blob(user_key, reference)?;
        self.stats.blobs_read += 1;
        self.stats.blob_bytes_read += value.len() as u64;
        Ok(value)
    }

    /// As [`Self::collect_blob_garbage`], for the columns of an entity.
    pub(super) fn collect_entity_blob_garbage(&mut self) -> Result<()> {
        let Some(cutoff) = self.context.blob_cutoff else { return Ok(()) };
        if !wide_columns::may_have_blob_index(self.value()) {
            return Ok(());
        }
        let entity = self.value().to_vec();
        let mut moved = Vec::new();
        let columns = wide_columns::decode(&entity)?;
        for column in &columns {
            let value = match column.is_blob_index {
                true => self.move_column(column, cutoff)?,
                false => None,
            };
            moved.push(value);
        }
        if moved.iter().all(Option::is_none) {
            return Ok(());
        }
        let columns: Vec<_> = std::iter::zip(columns, &moved)
            .map(|(column, moved)| match moved {
                Some((value, is_blob_index)) => {
                    Column { name: column.name, value, is_blob_index: *is_blob_index }
                }
                None => column,
            })
            .collect();
        self.value_buffer = wide_columns::encode(&columns);
        self.value = ValueSource::Buffer;
        Ok(())
    }

    /// The new value of a column, and whether it is a blob index; none if it stays.
    fn move_column(&mut self, column: &Column<'_>, cutoff: u64) -> Result<Option<(Vec<u8>, bool)>> {
        let BlobIndex::Blob(reference) = BlobIndex::decode(column.value)? else { return Ok(None) };
        if reference.file_number >= cutoff {
            return Ok(None);
        }
        let value = self.relocate(&reference)?;
        let user_key = extract_user_key(&self.key);
        let stored = match &mut self.context.blob_builder {
            Some(builder) => builder.add(user_key, &value)?,
            None => None,
        };
        Ok(Some(match stored {
            Some(reference) => (reference.to_index(), true),
            None => (value.to_vec(), false),
        }))
    }
}
