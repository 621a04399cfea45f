//! Which directory a test gets.

use super::*;

#[test]
fn the_first_place_that_can_is_taken() {
    let first = directory("anything", |_| true).unwrap();
    assert!(first.path().starts_with(env::temp_dir()));
    let program = env::current_exe().unwrap();
    let beside = directory("the program's", |path| path.starts_with(program.parent().unwrap()));
    assert!(beside.unwrap().path().starts_with(program.parent().unwrap()));
}
