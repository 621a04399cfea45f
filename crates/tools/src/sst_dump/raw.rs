//! `--command=raw`: all that a table holds, as text.

use crate::print::push_bytes;
use base::dbformat::TRAILER_SIZE;
use base::{InternalIterator, Result};
use env::WritableFile;
use iterator::FragmentedRangeTombstoneList;
use table::block_based::DataBlockInfo;
use table::format::{BLOCK_BASED_MAGIC, BlockHandle};

use table::metaindex::{
    COMPRESSION_DICTIONARY_BLOCK_NAME, INDEX_BLOCK_NAME, PROPERTIES_BLOCK_NAME,
    RANGE_DEL_BLOCK_NAME,
};
use table::{BlockBasedTable, TableProperties};

/// Set under each headline.
const RULE: &str = "--------------------------------------";

/// Text is handed on when it is longer than this.
const BUFFER_SIZE_BYTES: usize = 256 << 10;

/// Writes the table as text: footer, metaindex, properties, index, dictionary, range tombstones,
/// entries. A data block that cannot be read is named and left out.
///
/// # Errors
/// `Corruption` if anything but a data block cannot be read; what writing gives.
pub(super) fn write(
    table: &BlockBasedTable,
    properties: Option<&TableProperties>,
    output: &mut dyn WritableFile,
) -> Result<()> {
    let mut dump = Dump { table, text: Vec::new(), output };
    dump.footer();
    dump.metaindex();
    if let Some(properties) = properties {
        dump.headline("Table Properties");
        dump.line(&format!("  {}", properties.to_text("\n  ", ": ")));
    }
    let blocks = table.data_blocks()?;
    dump.index(&blocks);
    dump.dictionary()?;
    if let Some(tombstones) = table.range_tombstones() {
        dump.range_tombstones(tombstones)?;
    }
    dump.data_blocks(&blocks)?;
    dump.flush()
}

struct Dump<'a> {
    table: &'a BlockBasedTable,
    text: Vec<u8>,
    output: &'a mut dyn WritableFile,
}

impl Dump<'_> {
    fn line(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
    }

    fn headline(&mut self, headline: &str) {
        self.line(&format!("{headline}:\n{RULE}"));
    }

    fn flush(&mut self) -> Result<()> {
        self.output.append(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn flush_if_long(&mut self) -> Result<()> {
        if self.text.len() > BUFFER_SIZE_BYTES { self.flush() } else { Ok(()) }
    }

    fn footer(&mut self) {
        let footer = *self.table.footer();
        let index = footer.index_handle.or_else(|| self.table.metaindex().find(INDEX_BLOCK_NAME));
        self.headline("Footer Details");
        self.line(&format!("  metaindex handle: {}", handle_text(footer.metaindex_handle)));
        self.line(&format!("  index handle: {}", handle_text(index.unwrap_or_default())));
        // Whichever number is in the file, this is the one that RocksDB prints.
        self.line(&format!("  table_magic_number: {BLOCK_BASED_MAGIC}"));
        self.line(&format!("  format version: {}\n  ", footer.format_version));
    }

    fn metaindex(&mut self) {
        self.headline("Metaindex Details");
        let entries: Vec<_> = self.table.metaindex().entries().collect();
        for (name, handle) in entries {
            if let Some(what) = describe(name) {
                self.line(&format!("  {what} block handle: {}", handle_text(handle)));
            }
        }
        self.line("");
    }

    fn index(&mut self, blocks: &[DataBlockInfo]) {
        let keys_are_user_keys = self.table.index_keys_are_user_keys();
        self.headline("Index Details");
        self.line("  Block key hex dump: Data block handle\n  Block key ascii\n");
        for DataBlockInfo { key, handle, first_internal_key } in blocks {
            let user_key = if keys_are_user_keys { key } else { without_trailer(key) };
            let mut value = Vec::new();
            handle.encode_to(&mut value);
            if let Some(first) = first_internal_key {
                base::coding::put_length_prefixed(&mut value, first);
            }
            self.text.extend_from_slice(b"  HEX    ");
            push_bytes(&mut self.text, user_key, true);
            self.text.extend_from_slice(b": ");
            push_bytes(&mut self.text, &value, true);
            self.text.extend_from_slice(b"\n  ASCII  ");
            for &byte in user_key {
                self.text.extend_from_slice(&[byte, b' ']);
            }
            self.line("\n  ------");
        }
        self.line("");
    }

    fn dictionary(&mut self) -> Result<()> {
        let Some(handle) = self.table.metaindex().find(COMPRESSION_DICTIONARY_BLOCK_NAME) else {
            return Ok(());
        };
        let dictionary = self.table.raw_block(handle)?.contents;
        self.headline("Compression Dictionary");
        self.line(&format!("  size (bytes): {}\n", dictionary.len()));
        self.text.extend_from_slice(b"  HEX    ");
        push_bytes(&mut self.text, &dictionary, true);
        self.line("\n");
        Ok(())
    }

    fn range_tombstones(&mut self, tombstones: &FragmentedRangeTombstoneList) -> Result<()> {
        self.headline("Range deletions");
        for fragment in tombstones.fragments() {
            for _ in &fragment.tombstones {
                self.key_value(fragment.start_key, fragment.end_key);
                self.flush_if_long()?;
            }
        }
        self.line("");
        Ok(())
    }

    fn data_blocks(&mut self, blocks: &[DataBlockInfo]) -> Result<()> {
        for (index, DataBlockInfo { handle, .. }) in blocks.iter().enumerate() {
            self.line(&format!("Data Block # {} @ {}\n{RULE}", index + 1, handle_text(*handle)));
            let Ok(mut entries) = self.table.data_block_iter(*handle) else {
                self.line("Error reading the block - Skipped \n");
                continue;
            };
            entries.seek_to_first()?;
            while entries.valid() {
                self.key_value(without_trailer(entries.key()), entries.value());
                self.flush_if_long()?;
                entries.next()?;
            }
            self.line("");
        }
        self.summary(blocks);
        Ok(())
    }

    fn summary(&mut self, blocks: &[DataBlockInfo]) {
        let sizes = || blocks.iter().map(|block| block.handle.size);
        let (Some(smallest), Some(largest)) = (sizes().min(), sizes().max()) else { return };
        let average = sizes().fold(0u64, u64::wrapping_add) as f64 / blocks.len() as f64;
        self.headline("Data Block Summary");
        self.line(&format!("  # data blocks: {}", blocks.len()));
        self.line(&format!("  min data block size: {smallest}"));
        self.line(&format!("  max data block size: {largest}"));
        self.line(&format!("  avg data block size: {average:.6}"));
    }

    fn key_value(&mut self, user_key: &[u8], value: &[u8]) {
        self.text.extend_from_slice(b"  HEX    ");
        push_bytes(&mut self.text, user_key, true);
        self.text.extend_from_slice(b": ");
        push_bytes(&mut self.text, value, true);
        self.text.extend_from_slice(b"\n  ASCII  ");
        push_spaced(&mut self.text, user_key);
        self.text.extend_from_slice(b": ");
        push_spaced(&mut self.text, value);
        self.line("\n  ------");
    }
}

/// What a block is called; none for those that go without mention.
fn describe(name: &[u8]) -> Option<&'static str> {
    const FILTER: &[u8] = b"filter.rocksdb.";
    if name == PROPERTIES_BLOCK_NAME.as_bytes() {
        Some("Properties")
    } else if name == COMPRESSION_DICTIONARY_BLOCK_NAME.as_bytes() {
        Some("Compression dictionary")
    } else if name.windows(FILTER.len()).any(|part| part == FILTER) {
        Some("Filter")
    } else if name == RANGE_DEL_BLOCK_NAME.as_bytes() {
        Some("Range deletion")
    } else {
        None
    }
}

/// The handle as stored, in hexadecimal.
fn handle_text(handle: BlockHandle) -> String {
    let mut bytes = Vec::new();
    handle.encode_to(&mut bytes);
    base::dbformat::hex(&bytes)
}

fn without_trailer(internal_key: &[u8]) -> &[u8] {
    &internal_key[..internal_key.len().saturating_sub(TRAILER_SIZE)]
}

/// Appends each byte and a space; `\0` for zero bytes.
fn push_spaced(text: &mut Vec<u8>, bytes: &[u8]) {
    text.reserve(2 * bytes.len());
    for &byte in bytes {
        match byte {
            0 => text.extend_from_slice(b"\\0 "),
            byte => text.extend_from_slice(&[byte, b' ']),
        }
    }
}
