//! Footer, metaindex and properties of a table.

use crate::block_based::perf_counts::count_metadata_read;
use crate::block_fetcher::BlockFetcher;
use crate::format::{BlockHandle, FOOTER_SIZE, Footer};
use crate::metaindex::MetaIndex;
use crate::properties::{TableProperties, find_global_seqno};
use base::{Result, Status};
use env::{RandomAccessFile, read_exact_at};
use statistics::{Statistics, Ticker};

/// What can be read of a table without knowing how its keys are ordered.
#[derive(Clone, Debug)]
pub struct TableTail {
    /// The footer.
    pub footer: Footer,
    /// The names and places of the other blocks.
    pub metaindex: MetaIndex,
    /// The properties; files without any are tolerated.
    pub properties: Option<TableProperties>,
}

impl TableTail {
    /// Reads the tail of a file of `file_size` bytes. Checksums are verified.
    ///
    /// # Errors
    /// `Corruption` naming file and offset if anything is not as it must be; `NotSupported` for
    /// plain and cuckoo tables.
    pub fn read(file: &dyn RandomAccessFile, file_size: u64) -> Result<Self> {
        Self::read_counted(file, file_size, None)
    }

    /// As [`TableTail::read`], counted.
    pub(super) fn read_counted(
        file: &dyn RandomAccessFile,
        file_size: u64,
        statistics: Option<&Statistics>,
    ) -> Result<Self> {
        let footer = read_footer(file, file_size).inspect_err(|status| {
            if let Some(statistics) = statistics
                && status.is_corruption()
            {
                statistics.record_tick(Ticker::SstFooterCorruptionCount, 1);
            }
        })?;
        let fetcher =
            BlockFetcher { file, footer: &footer, verify_checksums: true, statistics, limit: None };
        let handle = footer.metaindex_handle;
        count_metadata_read(handle);
        let block = fetcher.fetch(handle, None, None)?;
        let metaindex =
            MetaIndex::decode(&block).map_err(|status| fetcher.explain(handle, &status))?;
        let properties = match metaindex.properties() {
            Some(handle) => Some(read_properties(&fetcher, handle)?),
            None => None,
        };
        Ok(Self { footer, metaindex, properties })
    }
}

fn read_footer(file: &dyn RandomAccessFile, file_size: u64) -> Result<Footer> {
    let length = file_size.min(FOOTER_SIZE as u64);
    let offset = file_size - length;
    let tail = read_exact_at(file, offset, length as usize)?;
    Footer::decode(&tail, file_size).map_err(|status| {
        status.context(format_args!("{} at offset {offset}", file.path().display()))
    })
}

/// Reads and checks the properties block. Its checksum may be that from before the file got a
/// global sequence number.
pub(super) fn read_properties(
    fetcher: &BlockFetcher<'_>,
    handle: BlockHandle,
) -> Result<TableProperties> {
    let explain = |status: Status| fetcher.explain(handle, &status);
    count_metadata_read(handle);
    let block = match fetcher.fetch(handle, None, None) {
        Ok(block) => block,
        Err(error) if !error.is_corruption() => return Err(error),
        Err(mismatch) => {
            let unverified = BlockFetcher { verify_checksums: false, ..*fetcher };
            let block = unverified.fetch(handle, None, None)?;
            let Ok(Some(range)) = find_global_seqno(&block) else { return Err(mismatch) };
            if unverified.fetch_raw(handle, None)?.contents != block {
                return Err(mismatch);
            }
            fetcher.verify_with_zeros(handle, range)?;
            block
        }
    };
    TableProperties::decode(&block).map_err(explain)
}
