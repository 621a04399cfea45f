//! A block of memory that one memtable can leave to the next: mapped apart from the allocator.
//!
//! What is left again and again stays, and [`env::huge_pages`] brings it together in huge pages. The largest blocks
//! have the size of one: Linux maps such at an address that a huge page can have, from 6.7 on.

use env::huge_pages;
use memmap2::{Advice, MmapMut, MmapOptions};

/// No system has huge pages as small as this. RocksDB, whose pages have the system's default size whatever is
/// asked for, is asked for 2048 bytes by its own `db_bench`.
const HUGE_PAGE_SIZE_MIN: usize = 64 << 10;
/// What a size below that means: the default of most systems.
const HUGE_PAGE_SIZE_DEFAULT: usize = 2 << 20;

/// Bytes of the largest blocks of ordinary pages, of which memtables mostly are.
pub(crate) const KEPT_BLOCK_SIZE: usize = 2 << 20;
/// Bytes of the smallest ones, which are as large as a few pages of any system: what is smaller comes from the
/// allocator.
pub(crate) const KEPT_BLOCK_SIZE_MIN: usize = 64 << 10;

/// Memory that is the system's again when dropped, with anything in it. Aligned to pages.
#[derive(Debug)]
pub(crate) struct KeptBlock {
    map: MmapMut,
    form: BlockForm,
    stay: Stay,
}

/// Whether a block is memory that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    /// It may go before anybody else takes it.
    Unknown,
    /// It was left to others. If they leave it to others again they have filled it, and there is a need for such.
    Left,
    /// [`huge_pages`] was told that it stays, and is to be told that it goes.
    Lasting,
}

/// What blocks have in common that can stand for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockForm {
    pages: Pages,
    size: usize,
}

/// What a block is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pages {
    Ordinary,
    /// Of so many bytes, which are 2 to this power.
    Huge {
        power: u8,
    },
}

impl BlockForm {
    /// The largest blocks of ordinary pages.
    #[cfg(test)]
    pub(crate) const LARGEST: Self = Self { pages: Pages::Ordinary, size: KEPT_BLOCK_SIZE };

    /// Blocks of `size` bytes and ordinary pages. None if there are none of this size.
    pub(crate) fn of_size(size: usize) -> Option<Self> {
        let is_kept =
            (KEPT_BLOCK_SIZE_MIN..=KEPT_BLOCK_SIZE).contains(&size) && size.is_power_of_two();
        is_kept.then_some(Self { pages: Pages::Ordinary, size })
    }

    /// Blocks of pages of `huge_page_size` bytes. None if no pages have such a size.
    pub(crate) fn of_huge_pages(huge_page_size: usize) -> Option<Self> {
        let page_size = match huge_page_size {
            1..HUGE_PAGE_SIZE_MIN => HUGE_PAGE_SIZE_DEFAULT,
            size => size,
        };
        let power = page_size.is_power_of_two().then_some(page_size.trailing_zeros() as u8)?;
        Some(Self { pages: Pages::Huge { power }, size: KEPT_BLOCK_SIZE.max(page_size) })
    }

    /// Bytes of one.
    pub(crate) fn size(self) -> usize {
        self.size
    }
}

impl KeptBlock {
    /// None where the system refuses.
    pub(crate) fn new(form: BlockForm) -> Option<Self> {
        let map = match form.pages {
            Pages::Ordinary => MmapMut::map_anon(form.size).ok()?,
            Pages::Huge { power } => {
                let map = MmapOptions::new().len(form.size).huge(Some(power)).map_anon().ok()?;
                // Pages that were promised may be refused when they are touched (control groups limit them):
                // by SIGBUS then, and by an error here.
                map.advise(Advice::PopulateWrite).ok()?;
                map
            }
        };
        Some(Self { map, form, stay: Stay::Unknown })
    }

    /// One memtable leaves it to the next. From the second time on it stays.
    pub(crate) fn leave(&mut self) {
        match self.stay {
            Stay::Unknown => self.stay = Stay::Left,
            Stay::Left if self.form.pages == Pages::Ordinary => {
                self.stay = Stay::Lasting;
                huge_pages::begin_lasting(self.map.as_ptr(), self.map.len());
            }
            Stay::Left | Stay::Lasting => {}
        }
    }

    #[cfg(test)]
    pub(crate) fn is_lasting(&self) -> bool {
        self.stay == Stay::Lasting
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }

    pub(crate) fn form(&self) -> BlockForm {
        self.form
    }
}

impl Drop for KeptBlock {
    fn drop(&mut self) {
        if self.stay == Stay::Lasting {
            huge_pages::end_lasting(self.map.as_ptr(), self.map.len());
        }
    }
}

/// A block that says to be of this form, and is of ordinary pages.
#[cfg(test)]
pub(crate) fn block_that_says(form: BlockForm) -> KeptBlock {
    KeptBlock { map: MmapMut::map_anon(form.size).expect("a block"), form, stay: Stay::Unknown }
}

#[cfg(test)]
mod tests;
