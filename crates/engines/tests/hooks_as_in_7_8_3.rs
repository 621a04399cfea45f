//! A program's own code does the same in this engine as in RocksDB 7.8.3.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod user_code;

#[test]
fn the_same_code_gives_the_same_database() {
    user_code::compare_with("7.8.3");
}
