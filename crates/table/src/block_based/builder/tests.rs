//! What the builder writes, read back.

mod matrix;
