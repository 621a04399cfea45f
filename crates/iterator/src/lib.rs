//! Iterators over internal keys: merging, range tombstones, merge operands.
