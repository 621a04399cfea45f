//! What would be lost now: the model of what the disk has, beside what the wrapped file system has.
//!
//! Files and directories are *nodes*; a node is known from the first operation on it. Whatever was
//! there before is taken to be safe.
//!
//! Content: [`FileNode`] knows how much of a file is safe since its last sync, and keeps the safe
//! content where the file was cut since. Names: every creation, deletion, link and rename is a
//! [`DirectoryOperation`] until a directory it touched is synced. Operations on the same name or
//! the same node reach the disk in order (as in every journal): when one is safe, so are those
//! before it. Operations that have nothing in common are independent. A rename is one operation,
//! also between directories. A directory is a name in its parent: syncing it makes the names in it
//! safe, not its own.

use super::files::OpenHandle;
use crate::file_system::{FileOptions, FileSystem};
use crate::parent_directory;
use base::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Weak};

pub(super) type NodeId = u64;

/// A name in a directory.
pub(super) type Place = (NodeId, OsString);

#[derive(Debug)]
pub(super) enum Node {
    File(FileNode),
    Directory,
}

/// How much of a file the disk has.
#[derive(Debug)]
pub(super) struct FileNode {
    pub(super) durable: Durable,
    /// Bytes that the operating system has, as against a writer's buffer.
    pub(super) flushed: u64,
    /// Sizes after each append since the last sync: a page may be written between any two.
    pub(super) boundaries: Vec<u64>,
    /// What is beneath the bytes that are written over a reused file from its start: its content
    /// when it was reused. Empty for others.
    pub(super) underneath: Vec<u8>,
    /// The content, once the last name is gone and the wrapped file system may have dropped it.
    pub(super) orphan: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(super) enum Durable {
    /// The first bytes of the present content.
    Prefix(u64),
    /// Another content, of which the present one shares the first `shared` bytes: the file was cut
    /// or reused, and not synced since.
    Image { content: Vec<u8>, shared: u64 },
}

#[derive(Debug)]
pub(super) struct DirectoryOperation {
    pub(super) changes: Vec<NameChange>,
    description: String,
}

#[derive(Debug)]
pub(super) struct NameChange {
    pub(super) place: Place,
    pub(super) before: Option<NodeId>,
    pub(super) after: Option<NodeId>,
}

/// All nodes, their names and what is not safe.
#[derive(Debug, Default)]
pub(super) struct Unsynced {
    pub(super) nodes: BTreeMap<NodeId, Node>,
    /// Where nodes are at present.
    pub(super) names: BTreeMap<PathBuf, NodeId>,
    pub(super) operations: Vec<DirectoryOperation>,
    handles: Vec<Weak<dyn OpenHandle>>,
    next_id: NodeId,
}

/// The path without `.` and `..`, as the key of a name. Relative ones start with `.`, so that
/// every name has a directory.
pub(super) fn normalize(path: &Path) -> PathBuf {
    let mut normal = if path.has_root() { PathBuf::from("/") } else { PathBuf::from(".") };
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            Component::ParentDir => normal.push(".."),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    normal
}

/// All of a file of the wrapped file system.
pub(super) fn read_all(base: &dyn FileSystem, path: &Path) -> Result<Vec<u8>> {
    let file = base.new_random_access_file(path, &FileOptions::default())?;
    let size = file.size()?;
    crate::read_exact_at(&*file, 0, size as usize)
}

impl FileNode {
    /// One whose first `size` bytes, all there are, are safe.
    pub(super) fn safe(size: u64) -> Self {
        Self {
            durable: Durable::Prefix(size),
            flushed: size,
            boundaries: Vec::new(),
            underneath: Vec::new(),
            orphan: None,
        }
    }

    /// What the operating system has: of the present content what was flushed, and what is beneath.
    pub(super) fn flushed_content(&self, present: &[u8]) -> Vec<u8> {
        let flushed = (self.flushed as usize).min(present.len());
        let beneath = self.underneath.get(flushed..).unwrap_or_default();
        [&present[..flushed], beneath].concat()
    }

    /// What the disk has for sure, where the operating system has `flushed`.
    pub(super) fn durable_content(&self, flushed: &[u8]) -> Vec<u8> {
        match &self.durable {
            Durable::Prefix(safe) => {
                let safe = (*safe as usize).min(flushed.len());
                let beneath = self.underneath.get(safe..).unwrap_or_default();
                [&flushed[..safe], beneath].concat()
            }
            Durable::Image { content, .. } => content.clone(),
        }
    }

    /// How many bytes from the start are on the disk as they are.
    pub(super) fn safe_size(&self) -> u64 {
        match self.durable {
            Durable::Prefix(safe) => safe,
            Durable::Image { shared, .. } => shared,
        }
    }

    pub(super) fn appended(&mut self, size: u64) {
        self.boundaries.push(size);
    }

    /// What was appended up to `size` was stored in a mapping, so that the operating system has it;
    /// the file ends at `end`, in zeros unless it was reused.
    pub(super) fn mapped(&mut self, size: u64, end: u64) {
        self.flushed = size;
        if self.underneath.len() as u64 <= end {
            self.underneath.resize(end as usize, 0);
        }
    }

    pub(super) fn synced(&mut self, size: u64) {
        let mut underneath = std::mem::take(&mut self.underneath);
        if underneath.len() as u64 <= size {
            underneath.clear();
        }
        *self = Self { orphan: self.orphan.take(), underneath, ..Self::safe(size) };
    }

    /// The file, now of content `present`, is to be written over from its start.
    fn reused(&mut self, present: &[u8]) {
        let flushed = self.flushed_content(present);
        let content = self.durable_content(&flushed);
        self.durable = Durable::Image { content, shared: 0 };
        self.underneath = flushed;
        self.flushed = 0;
        self.boundaries.clear();
    }

    /// Treats the present content of a reused file as one written from the start.
    fn forget_reuse(&mut self, present: &[u8]) {
        if self.underneath.is_empty() {
            return;
        }
        let content = self.durable_content(&self.flushed_content(present));
        self.durable = Durable::Image { content, shared: self.safe_size() };
        self.underneath.clear();
    }

    /// The file is cut, or extended with zeros, from now `present` bytes to `size`.
    fn resized(&mut self, present: &[u8], size: u64) {
        self.forget_reuse(present);
        match &mut self.durable {
            Durable::Prefix(safe) if *safe > size => {
                let safe = (*safe as usize).min(present.len());
                let content = present[..safe].to_vec();
                self.durable = Durable::Image { content, shared: size };
            }
            Durable::Prefix(_) => {}
            Durable::Image { shared, .. } => *shared = (*shared).min(size),
        }
        self.flushed = size;
        self.boundaries.retain(|&boundary| boundary < size);
        self.boundaries.push(size);
    }
}

impl Unsynced {
    fn add_node(&mut self, path: &Path, node: Node) -> NodeId {
        self.next_id += 1;
        self.nodes.insert(self.next_id, node);
        self.names.insert(path.to_path_buf(), self.next_id);
        self.next_id
    }

    /// The node at `path` (normalized), or none if the wrapped file system has nothing there.
    pub(super) fn node_at(&mut self, base: &dyn FileSystem, path: &Path) -> Result<Option<NodeId>> {
        if let Some(&id) = self.names.get(path) {
            return Ok(Some(id));
        }
        if !base.file_exists(path)? {
            return Ok(None);
        }
        let node = match base.get_file_size(path) {
            Ok(size) => Node::File(FileNode::safe(size)),
            // What exists and has no size is a directory.
            Err(_) => Node::Directory,
        };
        Ok(Some(self.add_node(path, node)))
    }

    pub(super) fn file_mut(&mut self, id: NodeId) -> Option<&mut FileNode> {
        match self.nodes.get_mut(&id) {
            Some(Node::File(file)) => Some(file),
            _ => None,
        }
    }

    /// The node of a directory that exists.
    pub(super) fn directory_at(&mut self, path: &Path) -> NodeId {
        match self.names.get(path) {
            Some(&id) => id,
            None => self.add_node(path, Node::Directory),
        }
    }

    /// The directory of `path` and the name in it. The directory exists, as something was done in
    /// it.
    fn place_of(&mut self, path: &Path) -> Place {
        let id = self.directory_at(&parent_directory(path));
        (id, path.file_name().unwrap_or(OsStr::new("")).to_os_string())
    }

    fn record(&mut self, description: String, changes: Vec<NameChange>) {
        self.operations.push(DirectoryOperation { changes, description });
    }

    /// Says that the wrapped file system created `node` at `path`.
    pub(super) fn created(&mut self, path: &Path, node: Node) -> NodeId {
        let id = self.add_node(path, node);
        let place = self.place_of(path);
        let change = NameChange { place, before: None, after: Some(id) };
        self.record(format!("create {}", path.display()), vec![change]);
        id
    }

    /// Says that it linked `id` to `path`.
    pub(super) fn linked(&mut self, id: NodeId, path: &Path) {
        self.names.insert(path.to_path_buf(), id);
        let place = self.place_of(path);
        let change = NameChange { place, before: None, after: Some(id) };
        self.record(format!("link {}", path.display()), vec![change]);
    }

    /// The content to keep before a name of `id` goes: all of it, if it is the last name.
    pub(super) fn content_before_unlink(
        &self,
        base: &dyn FileSystem,
        id: NodeId,
        path: &Path,
    ) -> Result<Option<Vec<u8>>> {
        let is_file = matches!(self.nodes.get(&id), Some(Node::File(_)));
        let is_last = self.names.values().filter(|&&named| named == id).count() == 1;
        if is_file && is_last { read_all(base, path).map(Some) } else { Ok(None) }
    }

    fn keep(&mut self, id: NodeId, content: Option<Vec<u8>>) {
        if let (Some(file), Some(content)) = (self.file_mut(id), content) {
            file.orphan = Some(content);
        }
    }

    /// Says that the name `path` of `id` is gone.
    pub(super) fn deleted(&mut self, id: NodeId, path: &Path, content: Option<Vec<u8>>) {
        self.keep(id, content);
        self.names.remove(path);
        let place = self.place_of(path);
        let change = NameChange { place, before: Some(id), after: None };
        self.record(format!("delete {}", path.display()), vec![change]);
    }

    /// Says that `id` moved from `source` to `target`, where `victim` was.
    pub(super) fn renamed(
        &mut self,
        id: NodeId,
        (source, target): (&Path, &Path),
        victim: Option<(NodeId, Option<Vec<u8>>)>,
    ) {
        let mut before = None;
        if let Some((victim, content)) = victim {
            self.keep(victim, content);
            self.names.remove(target);
            before = Some(victim);
        }
        self.move_names(source, target);
        let changes = vec![
            NameChange { place: self.place_of(source), before: Some(id), after: None },
            NameChange { place: self.place_of(target), before, after: Some(id) },
        ];
        self.record(format!("rename {} to {}", source.display(), target.display()), changes);
    }

    /// Moves a name and all below it.
    pub(super) fn move_names(&mut self, source: &Path, target: &Path) {
        let moved: Vec<PathBuf> =
            self.names.keys().filter(|path| path.starts_with(source)).cloned().collect();
        for path in moved {
            if let (Ok(rest), Some(id)) = (path.strip_prefix(source), self.names.remove(&path)) {
                // Joining an empty rest would add a slash.
                let path = if rest.as_os_str().is_empty() {
                    target.to_path_buf()
                } else {
                    target.join(rest)
                };
                self.names.insert(path, id);
            }
        }
    }

    /// Whether content that is safe needs to be kept before the file is resized to `size`.
    fn loses_safe_bytes(&self, id: NodeId, size: u64) -> bool {
        match self.nodes.get(&id) {
            Some(Node::File(file)) => {
                matches!(file.durable, Durable::Prefix(safe) if safe > size)
                    || !file.underneath.is_empty()
            }
            _ => false,
        }
    }

    /// The content to hand to [`Unsynced::resized`], read before resizing.
    pub(super) fn content_before_resize(
        &self,
        base: &dyn FileSystem,
        id: NodeId,
        path: &Path,
        size: u64,
    ) -> Result<Vec<u8>> {
        if self.loses_safe_bytes(id, size) { read_all(base, path) } else { Ok(Vec::new()) }
    }

    /// Says that the file was cut or extended to `size`; `content` is what it had.
    pub(super) fn resized(&mut self, id: NodeId, content: &[u8], size: u64) {
        if let Some(file) = self.file_mut(id) {
            file.resized(content, size);
        }
    }

    /// Says that the file, of content `present`, is to be written over from its start.
    pub(super) fn reused(&mut self, id: NodeId, present: &[u8]) {
        if let Some(file) = self.file_mut(id) {
            file.reused(present);
        }
    }

    /// Says that a directory was synced.
    pub(super) fn directory_synced(&mut self, directory: NodeId) {
        let touched: Vec<bool> = self.operations.iter().map(|op| op.touches(directory)).collect();
        let mut safe = self.with_predecessors(&touched).into_iter();
        self.operations.retain(|_| !safe.next().unwrap_or(false));
        self.forget_unreachable();
    }

    /// Adds to the chosen operations all earlier ones that must be on the disk with them.
    fn with_predecessors(&self, chosen: &[bool]) -> Vec<bool> {
        let mut chosen = chosen.to_vec();
        let mut wanted = BTreeSet::new();
        for (index, operation) in self.operations.iter().enumerate().rev() {
            if chosen[index] || operation.marks().any(|mark| wanted.contains(&mark)) {
                chosen[index] = true;
                wanted.extend(operation.marks());
            }
        }
        chosen
    }

    /// Leaves of the chosen operations those whose predecessors are all chosen too.
    pub(super) fn without_orphaned(&self, chosen: &[bool]) -> Vec<bool> {
        let mut chosen = chosen.to_vec();
        let mut missing = BTreeSet::new();
        for (index, operation) in self.operations.iter().enumerate() {
            if !chosen[index] || operation.marks().any(|mark| missing.contains(&mark)) {
                chosen[index] = false;
                missing.extend(operation.marks());
            }
        }
        chosen
    }

    /// Drops operations in directories that are gone for good, and nodes that no name and no
    /// operation leads to.
    fn forget_unreachable(&mut self) {
        let named: BTreeSet<NodeId> = self.names.values().copied().collect();
        loop {
            let changes = self.operations.iter().flat_map(|operation| &operation.changes);
            let moved = changes.flat_map(|change| [change.before, change.after]).flatten();
            let alive: BTreeSet<NodeId> = moved.chain(named.iter().copied()).collect();
            let before = self.operations.len();
            self.operations.retain(|operation| {
                operation.changes.iter().any(|change| alive.contains(&change.place.0))
            });
            if self.operations.len() == before {
                self.nodes.retain(|id, _| alive.contains(id));
                return;
            }
        }
    }

    /// Says that the disk has everything. Nodes stay known, for the links between their names.
    pub(super) fn all_safe(&mut self, base: &dyn FileSystem) -> Result<()> {
        self.operations.clear();
        self.forget_unreachable();
        for (path, id) in &self.names {
            if let Some(Node::File(file)) = self.nodes.get_mut(id) {
                *file = FileNode::safe(base.get_file_size(path)?);
            }
        }
        Ok(())
    }

    /// Remembers a handle that a power loss must close.
    pub(super) fn opened(&mut self, handle: &Arc<dyn OpenHandle>) {
        self.handles.retain(|handle| handle.strong_count() > 0);
        self.handles.push(Arc::downgrade(handle));
    }

    pub(super) fn take_handles(&mut self) -> Vec<Arc<dyn OpenHandle>> {
        self.handles.drain(..).filter_map(|handle| handle.upgrade()).collect()
    }
}

/// What two operations can have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Name(Place),
    Node(NodeId),
}

impl DirectoryOperation {
    fn touches(&self, directory: NodeId) -> bool {
        self.changes.iter().any(|change| change.place.0 == directory)
    }

    fn marks(&self) -> impl Iterator<Item = Mark> {
        self.changes.iter().flat_map(|change| {
            [Some(Mark::Name(change.place.clone())), change.after.map(Mark::Node)]
                .into_iter()
                .chain([change.before.map(Mark::Node)])
                .flatten()
        })
    }
}

impl fmt::Display for DirectoryOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description)
    }
}
