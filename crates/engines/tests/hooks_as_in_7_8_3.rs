//! A program's own code does the same in this engine as in RocksDB 7.8.3.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod user_code;

#[test]
fn the_same_code_gives_the_same_database() {
    user_code::compare_with("7.8.3");
}

#[test]
fn the_same_code_is_not_called_much_more_often() {
    // A scan within a prefix asks of each key whether it has one and which, as in later releases; this
    // one asks only which.
    user_code::compare_calls_with("7.8.3", 2.0);
}
