//! A program's own code does the same in this engine as in RocksDB 11.8.1.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod user_code;

#[test]
fn the_same_code_gives_the_same_database() {
    user_code::compare_with("11.8.1");
}

#[test]
fn the_same_code_is_not_called_much_more_often() {
    user_code::compare_calls_with("11.8.1", 1.2);
}
