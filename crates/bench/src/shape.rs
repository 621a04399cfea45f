//! `--shape`: the tree is brought into a shape before it is measured, and is shown to keep it.
//!
//! How fast reads are depends on the shape they meet: how full the memtable is, how many files are in
//! L0, how many levels there are. Left alone it is a matter of chance, so that two runs are of
//! different trees. Here it is made, by writes, flushes and compactions one after another, with
//! automatic compactions off.
//!
//! [`wanted`] says what the flag asks for, [`plan`] which steps lead there, [`difference`] what is
//! still missing, [`shaper`] does it, with [`draw_down`] where an engine lacks a call.

pub(crate) mod difference;
pub(crate) mod draw_down;
pub(crate) mod keeper;
pub(crate) mod plan;
pub(crate) mod shaper;
pub(crate) mod wanted;
