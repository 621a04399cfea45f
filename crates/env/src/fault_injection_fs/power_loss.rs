//! Losing the power: what survives of what was not synced, and making the wrapped file system so.

use super::unsynced::{Durable, FileNode, Node, NodeId, Place, Unsynced, read_all};
use crate::file_system::{FileOptions, FileSystem};
use crate::random::Random;
use base::Result;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What the operating system writes at once.
const PAGE_SIZE_BYTES: u64 = 4096;

/// Names that lost their place wait under names that start so.
const STAGED_PREFIX: &str = ".power-loss-";

/// What survives of the bytes that were not synced. Bytes that were not flushed never survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSurvival {
    /// Nothing: files are as at their last sync.
    None,
    /// All that was flushed.
    All,
    /// Some pages of 4 KiB, as the seed decides for each, whole or up to the end of some append;
    /// lost pages before surviving ones read as zeros. The file ends after its last surviving
    /// byte, or (sizes and data reach the disk separately) at its full size. A cut survives or is
    /// undone. In a reused file, lost pages have their old content.
    Subset(u64),
}

/// What survives of creations, deletions, links and renames in directories not synced since. One
/// can survive only with all earlier ones on the same name or the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectorySurvival {
    /// None: names are as at the last sync of their directory.
    None,
    /// All.
    All,
    /// Some, as the seed decides for each.
    Subset(u64),
    /// Those at these places of
    /// [`pending_directory_operations`](super::FaultInjectionFileSystem::pending_directory_operations).
    Only(Vec<usize>),
}

/// How a machine stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerLoss {
    /// What survives of content.
    pub data: DataSurvival,
    /// What survives of names.
    pub directories: DirectorySurvival,
}

impl PowerLoss {
    /// Only what was synced survives.
    pub fn strict() -> Self {
        Self { data: DataSurvival::None, directories: DirectorySurvival::None }
    }

    /// The process ends and the machine goes on: all that was flushed survives.
    pub fn process_crash() -> Self {
        Self { data: DataSurvival::All, directories: DirectorySurvival::All }
    }

    /// Anything allowed may survive, as the seed decides.
    pub fn subset(seed: u64) -> Self {
        Self {
            data: DataSurvival::Subset(seed),
            directories: DirectorySurvival::Subset(seed ^ 0x6469_7273),
        }
    }
}

/// What a power loss did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerLossReport {
    /// Directory operations that were undone, in their order.
    pub operations_lost: Vec<String>,
    /// Directory operations that survived though nothing made them safe.
    pub operations_kept: Vec<String>,
    /// Files that have other content than before the loss, by their path after it.
    pub files_changed: Vec<PathBuf>,
}

/// Makes `base` what the disk has after the loss.
pub(super) fn lose_power(
    base: &dyn FileSystem,
    unsynced: &mut Unsynced,
    loss: &PowerLoss,
) -> Result<PowerLossReport> {
    let survives = surviving_operations(unsynced, &loss.directories);
    let mut report = PowerLossReport::default();
    for (operation, survives) in unsynced.operations.iter().zip(&survives) {
        let list =
            if *survives { &mut report.operations_kept } else { &mut report.operations_lost };
        list.push(operation.to_string());
    }
    let contents = changed_contents(base, unsynced, loss.data)?;
    let places = names_after(unsynced, &survives);
    restore_names(base, unsynced, &places)?;
    for (id, content) in contents {
        let Some(path) = path_of(unsynced, id) else { continue };
        let mut file = base.new_writable_file(&path, &FileOptions::default())?;
        file.append(&content)?;
        file.close()?;
        report.files_changed.push(path);
    }
    report.files_changed.sort();
    unsynced.all_safe(base)?;
    Ok(report)
}

fn surviving_operations(unsynced: &Unsynced, survival: &DirectorySurvival) -> Vec<bool> {
    let count = unsynced.operations.len();
    let chosen: Vec<bool> = match survival {
        DirectorySurvival::None => vec![false; count],
        DirectorySurvival::All => vec![true; count],
        DirectorySurvival::Only(places) => {
            (0..count).map(|index| places.contains(&index)).collect()
        }
        DirectorySurvival::Subset(seed) => {
            let mut random = Random::new(*seed);
            // From nearly nothing to nearly everything, not always half.
            let quarters = random.below(5);
            (0..count).map(|_| random.below(4) < quarters).collect()
        }
    };
    unsynced.without_orphaned(&chosen)
}

/// The content after the loss of every file that has another now, or that has no name now.
fn changed_contents(
    base: &dyn FileSystem,
    unsynced: &Unsynced,
    survival: DataSurvival,
) -> Result<BTreeMap<NodeId, Vec<u8>>> {
    let mut contents = BTreeMap::new();
    for (&id, node) in &unsynced.nodes {
        let Node::File(file) = node else { continue };
        let path = path_of(unsynced, id);
        let present = match (&path, &file.orphan) {
            (Some(path), _) if is_safe(file, base.get_file_size(path)?) => continue,
            (Some(path), _) => read_all(base, path)?,
            (None, orphan) => orphan.clone().unwrap_or_default(),
        };
        let content = content_after(file, &present, survival, path.as_deref());
        if path.is_none() || content != present {
            contents.insert(id, content);
        }
    }
    Ok(contents)
}

fn is_safe(file: &FileNode, size: u64) -> bool {
    let Durable::Prefix(safe) = file.durable else { return false };
    safe == size && file.flushed == size && file.underneath.is_empty()
}

fn content_after(
    file: &FileNode,
    present: &[u8],
    survival: DataSurvival,
    path: Option<&Path>,
) -> Vec<u8> {
    let flushed = file.flushed_content(present);
    let seed = match survival {
        DataSurvival::All => return flushed,
        DataSurvival::None => return file.durable_content(&flushed),
        DataSurvival::Subset(seed) => seed,
    };
    // By name, so that one file's fate does not hang on another's size.
    let name = path.and_then(Path::file_name).unwrap_or_default();
    let mut random = Random::for_text(seed, name.as_encoded_bytes());
    match &file.durable {
        Durable::Image { content, .. } if random.one_in(2) => content.clone(),
        // A cut survived, so that nothing is left of the content before it.
        _ if file.underneath.is_empty() => {
            let safe = file.safe_size().min(flushed.len() as u64);
            surviving_pages(flushed[..safe as usize].to_vec(), file, &flushed, &mut random)
        }
        _ => surviving_pages(file.durable_content(&flushed), file, &flushed, &mut random),
    }
}

/// `content` with some pages of what was written since the last sync put over it.
fn surviving_pages(
    mut content: Vec<u8>,
    file: &FileNode,
    flushed: &[u8],
    random: &mut Random,
) -> Vec<u8> {
    let boundaries = &file.boundaries;
    let size = file.flushed.min(flushed.len() as u64);
    let safe = file.safe_size().min(size);
    let quarters = random.below(5);
    let mut start = safe;
    while start < size {
        let end = (start - start % PAGE_SIZE_BYTES + PAGE_SIZE_BYTES).min(size);
        let survives = random.below(4) < quarters;
        let torn = random.one_in(8);
        let survived_end = if torn {
            // The page was written between two appends.
            let first = boundaries.partition_point(|&boundary| boundary <= start);
            let last = boundaries.partition_point(|&boundary| boundary < end);
            let inside = &boundaries[first..last.max(first)];
            match inside.len() as u64 {
                0 => start,
                count => inside[random.below(count) as usize],
            }
        } else if survives {
            end
        } else {
            start
        };
        if survived_end > start {
            let page = start as usize..survived_end as usize;
            content.resize(content.len().max(page.end), 0);
            content[page.clone()].copy_from_slice(&flushed[page]);
        }
        start = end;
    }
    if random.one_in(4) {
        content.resize(content.len().max(flushed.len()), 0);
    }
    content
}

/// For every place that some pending operation touched, what is there after the loss.
fn names_after(unsynced: &Unsynced, survives: &[bool]) -> BTreeMap<Place, Option<NodeId>> {
    let mut places = BTreeMap::new();
    for (operation, survives) in unsynced.operations.iter().zip(survives) {
        for change in &operation.changes {
            let at = places.entry(change.place.clone()).or_insert(change.before);
            if *survives {
                *at = change.after;
            }
        }
    }
    places
}

/// Where a node is now, under its own name rather than a staged one.
fn path_of(unsynced: &Unsynced, id: NodeId) -> Option<PathBuf> {
    let mut paths = unsynced.names.iter().filter(|(_, named)| **named == id);
    paths.find(|(path, _)| !is_staged(path)).map(|(path, _)| path.clone())
}

fn is_staged(path: &Path) -> bool {
    path.components().any(|component| is_staged_name(component.as_os_str()))
}

fn is_staged_name(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(STAGED_PREFIX.as_bytes())
}

/// Moves every name that is wrong out of its place, then puts what belongs there, parents before
/// children, and removes what is left.
fn restore_names(
    base: &dyn FileSystem,
    unsynced: &mut Unsynced,
    places: &BTreeMap<Place, Option<NodeId>>,
) -> Result<()> {
    let mut wrong = Vec::new();
    for ((directory, name), wanted) in places {
        // A directory that is gone has nothing in it.
        let Some(directory) = path_of(unsynced, *directory) else { continue };
        let path = directory.join(name);
        let present = unsynced.names.get(&path).copied();
        if present.is_some() && present != *wanted {
            wrong.push(path);
        }
    }
    wrong.sort_by_key(|path| std::cmp::Reverse(path.components().count()));
    for (index, path) in wrong.iter().enumerate() {
        let staged = path.with_file_name(format!("{STAGED_PREFIX}{index}"));
        base.rename_file(path, &staged)?;
        unsynced.move_names(path, &staged);
    }
    let mut missing: Vec<(&Place, NodeId)> =
        places.iter().filter_map(|(place, wanted)| Some((place, (*wanted)?))).collect();
    loop {
        let before = missing.len();
        let mut rest = Vec::new();
        for (place, id) in missing {
            match path_of(unsynced, place.0) {
                Some(directory) => put(base, unsynced, id, &directory.join(&place.1))?,
                None => rest.push((place, id)),
            }
        }
        if rest.len() == before || rest.is_empty() {
            break;
        }
        missing = rest;
    }
    let staged: Vec<PathBuf> = unsynced
        .names
        .keys()
        .filter(|path| is_staged(path) && !path.parent().is_some_and(is_staged))
        .cloned()
        .collect();
    for path in staged {
        delete_recursively(base, &path)?;
        unsynced.names.retain(|name, _| !name.starts_with(&path));
    }
    Ok(())
}

/// Puts a node at a path where nothing is, or it is already.
fn put(base: &dyn FileSystem, unsynced: &mut Unsynced, id: NodeId, path: &Path) -> Result<()> {
    if unsynced.names.contains_key(path) {
        return Ok(());
    }
    let mut others = unsynced.names.iter().filter(|(_, named)| **named == id).map(|(at, _)| at);
    // A name that lost its place moves here; one that merely went along with its directory stays.
    let staged = others.clone().find(|at| at.file_name().is_some_and(is_staged_name));
    if let Some(staged) = staged.cloned() {
        base.rename_file(&staged, path)?;
        unsynced.move_names(&staged, path);
        return Ok(());
    }
    if let Some(other) = others.next() {
        base.link_file(other, path)?;
    } else if matches!(unsynced.nodes.get(&id), Some(Node::Directory)) {
        base.create_dir(path)?;
    } else {
        base.new_writable_file(path, &FileOptions::default())?.close()?;
    }
    unsynced.names.insert(path.to_path_buf(), id);
    Ok(())
}

fn delete_recursively(base: &dyn FileSystem, path: &Path) -> Result<()> {
    let Ok(children) = base.get_children(path) else { return base.delete_file(path) };
    for child in children {
        delete_recursively(base, &path.join(child))?;
    }
    base.delete_dir(path)
}

#[cfg(test)]
mod tests;
