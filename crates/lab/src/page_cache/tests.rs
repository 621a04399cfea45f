use super::*;

#[test]
fn both_states_name_what_was_done() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("0")).expect("made");
    fs::write(directory.path().join("0/000001.sst"), vec![7; 3 << 20]).expect("written");
    fs::write(directory.path().join("CURRENT"), "x").expect("written");
    let warm = prepare(directory.path(), Cache::Warm).expect("it can be read");
    assert!(warm.contains("read"), "{warm}");
    let cold = prepare(directory.path(), Cache::Cold).expect("it can be dropped");
    assert!(cold.contains("posix_fadvise"), "{cold}");
    let kept = fs::read(directory.path().join("0/000001.sst")).expect("it is there");
    assert_eq!(kept, vec![7; 3 << 20]);
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let error = prepare(Path::new("/nowhere/at/all"), Cache::Warm).expect_err("it is not there");
    assert!(error.contains("/nowhere/at/all"), "{error}");
}

#[test]
fn the_copy_of_an_empty_directory_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let to = directory.path().join("to");
    copy_directory(&directory.path().join("."), &to).expect("it can be copied");
    assert!(to.is_dir());
}

#[test]
fn copies_have_all_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let (from, to) = (directory.path().join("from"), directory.path().join("to"));
    fs::create_dir_all(from.join("journal")).expect("made");
    fs::write(from.join("journal/1"), "one").expect("written");
    fs::write(from.join("CURRENT"), "two").expect("written");
    copy_directory(&from, &to).expect("it can be copied");
    assert_eq!(fs::read_to_string(to.join("journal/1")).expect("it is there"), "one");
    assert_eq!(fs::read_to_string(to.join("CURRENT")).expect("it is there"), "two");
}
