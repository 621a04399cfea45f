//! Version edits, the MANIFEST and the shape of the tree. Opens no table.
