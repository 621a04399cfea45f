//! Names of a database and of one opening of it. Tables carry both.

use base::filename::{IDENTITY, temp_file_name};
use base::{Result, Status};
use env::{FileSystem, read_file_to_vec, write_file_atomically};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

/// Longest IDENTITY that is read: an id has 36 bytes.
const IDENTITY_SIZE_MAX: u64 = 4096;

/// Sixty-four bits that nobody can foresee: the seed of a fresh hash map.
fn random_u64() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

/// A new id of a database: a random UUID as text.
pub(crate) fn new_db_id() -> String {
    let high = random_u64() & !0xf000 | 0x4000;
    let low = random_u64() & !(0b11 << 62) | 0b10 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// A new id of one opening of a database: twenty digits of base 36, of which the last twelve count
/// and the others are random.
pub(crate) fn new_session_id() -> String {
    const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let digits = |mut value: u64, count: usize| {
        let mut text = vec![0; count];
        for digit in text.iter_mut().rev() {
            *digit = DIGITS[(value % 36) as usize];
            value /= 36;
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    format!("{}{}", digits(random_u64(), 8), digits(random_u64(), 12))
}

/// The id of the database in `path`: that of IDENTITY, else the one that the MANIFEST has, else a
/// new one. IDENTITY is written where it is missing, or says something else than the MANIFEST, if
/// `write_identity_file` asks for it.
pub(crate) fn settle_db_id(
    fs: &dyn FileSystem,
    path: &Path,
    in_manifest: Option<&[u8]>,
    write_identity_file: bool,
) -> Result<Vec<u8>> {
    let in_file = read_identity(fs, path)?;
    let id = match (in_manifest, &in_file) {
        (Some(id), _) => id.to_vec(),
        (None, Some(id)) => id.clone(),
        (None, None) => new_db_id().into_bytes(),
    };
    if write_identity_file && in_file.as_ref() != Some(&id) {
        write_identity(fs, path, &id)?;
    }
    Ok(id)
}

pub(crate) fn read_identity(fs: &dyn FileSystem, path: &Path) -> Result<Option<Vec<u8>>> {
    match read_file_to_vec(fs, &path.join(IDENTITY), IDENTITY_SIZE_MAX) {
        Ok(mut id) => {
            if id.last() == Some(&b'\n') {
                id.pop();
            }
            Ok(Some(id).filter(|id| !id.is_empty()))
        }
        Err(error) if error.is_path_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

fn write_identity(fs: &dyn FileSystem, path: &Path, id: &[u8]) -> Result<()> {
    let temp = temp_file_name(path, 0);
    write_file_atomically(fs, &path.join(IDENTITY), &temp, id)
        .map_err(|error: Status| error.context("writing IDENTITY"))
}

#[cfg(test)]
mod tests;
