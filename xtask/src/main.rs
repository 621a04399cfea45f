//! The checks of the project.
fn main() {}
