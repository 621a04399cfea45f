//! The limits of the machine: descriptors, permissions, space, and who else has the database. At each
//! of them there is a status that names the file, and nothing is lost.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod child;
mod cut_wals;
mod descriptors;
mod full_disk;
mod huge_pages;
mod machine;
mod mapped_places;
mod open_files;
mod permissions;
mod place;
mod second_opener;
