//! The requests to the system: whether there is memory at addresses, and that it goes to one page.

use crate::huge_pages::regions::{Region, SIZE};
use host::HugePages;
use rustix::thread::transparent_huge_pages_are_disabled;
use std::fs;

/// Why a region is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no huge page just now, or this group of processes may have none.
    NoPage,
    /// Too little of it is there, something else than such memory is, or the kernel was at its pages just now.
    ThisRegion,
}

/// The size of huge pages.
const PAGE_SIZE: &str = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";
/// Of other sizes of ordinary pages huge ones are none of 2 MiB.
const ORDINARY_SIZE: usize = 4096;
/// So many of a region's pages may be missing: they are there afterwards.
const MISSING_MAX: usize = SIZE / ORDINARY_SIZE / 16;
const MADV_COLLAPSE: libc::c_int = 25;

/// Whether the system gives huge pages to those who ask, of the size of a region, and this process may ask.
pub(super) fn is_possible() -> bool {
    let size = fs::read_to_string(PAGE_SIZE).ok().and_then(|text| text.trim().parse().ok());
    size == Some(SIZE)
        && matches!(HugePages::of_system(), Some(HugePages::Always | HugePages::Madvise))
        && !transparent_huge_pages_are_disabled().unwrap_or(true)
        && is_known()
}

/// Has the system bring `region` together in one page. Takes as long as copying it, and longer where such a page has
/// to be made first; who reads or writes in it meanwhile waits.
#[cfg(target_os = "linux")]
pub(super) fn collapse(region: Region) -> Result<(), Refusal> {
    if !is_there(region) {
        return Err(Refusal::ThisRegion);
    }
    match advise(region, SIZE) {
        0 => Ok(()),
        libc::ENOMEM | libc::EBUSY => Err(Refusal::NoPage),
        _ => Err(Refusal::ThisRegion),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn collapse(_: Region) -> Result<(), Refusal> {
    Err(Refusal::ThisRegion)
}

/// Whether this kernel has the request: what it knows it grants for no bytes.
#[cfg(target_os = "linux")]
fn is_known() -> bool {
    advise(Region(0), 0) == 0
}

#[cfg(not(target_os = "linux"))]
fn is_known() -> bool {
    false
}

/// Whether nearly all pages of `region` have memory, and the last has: where the region goes on as something else, the
/// end of an arena say, the system grants each part that it has nothing to join there.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a call into libc")]
fn is_there(region: Region) -> bool {
    let mut pages = [0_u8; SIZE / ORDINARY_SIZE];
    let start = std::ptr::without_provenance_mut(region.start());
    // SAFETY: it is asked about addresses, whatever is there, and writes a byte for each ordinary page of them; where
    // pages are larger it writes fewer.
    let result = unsafe { libc::mincore(start, SIZE, pages.as_mut_ptr()) };
    let missing = pages.iter().filter(|page| **page & 1 == 0).count();
    result == 0 && missing <= MISSING_MAX && pages.last().is_some_and(|page| page & 1 == 1)
}

/// The request for so many bytes at the begin of `region`. Returns 0, or the number of an error.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a call into libc, which has no name for this request everywhere")]
fn advise(region: Region, length: usize) -> i32 {
    let start = std::ptr::without_provenance_mut(region.start());
    // SAFETY: the request changes no byte and no right of what is at these addresses, whoever has it and whatever it
    // is. So nothing has to hold of them.
    match unsafe { libc::madvise(start, length, MADV_COLLAPSE) } {
        0 => 0,
        _ => std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL),
    }
}
