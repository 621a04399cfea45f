//! Which file system a path is on, from `/proc/self/mountinfo`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Major and minor number, as `stat` has it for files there. Some file systems (btrfs, overlay)
    /// have one that belongs to no device.
    pub device: (u32, u32),
    /// Where it is mounted.
    pub point: PathBuf,
    /// `ext4`, `xfs`, `tmpfs`, …
    pub filesystem: String,
    /// What is mounted: a device's path, or a word.
    pub source: String,
    /// Options of the mount and of the file system, separated by commas.
    pub options: String,
}

/// The file system that holds `path`; `None` where that is not known.
pub fn mount_of(path: &Path) -> Option<Mount> {
    let mounts = parse(&fs::read_to_string("/proc/self/mountinfo").ok()?);
    let path = fs::canonicalize(path).ok()?;
    let device = fs::metadata(&path).ok()?.dev();
    find(mounts, &path, (rustix::fs::major(device), rustix::fs::minor(device)))
}

/// The mount that holds a path without links: the innermost one around it, and of several on one
/// directory the one on top, which is the last. `device` is that of the path, which decides where a
/// part of a mount is hidden by another.
fn find(mounts: Vec<Mount>, path: &Path, device: (u32, u32)) -> Option<Mount> {
    let holds = mounts.into_iter().filter(|mount| path.starts_with(&mount.point));
    holds.max_by_key(|mount| (mount.device == device, mount.point.components().count()))
}

/// `/proc/self/mountinfo`; lines that are something else are left out.
///
/// ```text
/// 36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/sda1 rw,errors=continue
/// id parent device root point options [fields]… - filesystem source options
/// ```
pub fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(2);
    let (device, _root, point, options) = (left.next()?, left.next()?, left.next()?, left.next()?);
    let (major, minor) = device.split_once(':')?;
    let mut right = right.split(' ');
    let (filesystem, source) = (right.next()?, right.next()?);
    let super_options = right.next().unwrap_or_default();
    Some(Mount {
        device: (major.parse().ok()?, minor.parse().ok()?),
        point: unescape(point).into(),
        filesystem: filesystem.to_owned(),
        source: unescape(source),
        options: format!("{options},{super_options}").trim_end_matches(',').to_owned(),
    })
}

/// Blanks and the like stand there as a backslash and three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (first, code) {
            (b'\\', Some(code)) => {
                bytes.push(code);
                rest = &after[3..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
