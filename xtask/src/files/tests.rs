use super::{File, git_files, list, read, root, walk};

#[test]
fn this_file_is_listed_by_git_and_by_the_walk() {
    let here = "xtask/src/files/tests.rs".to_owned();
    let walked = walk(&root(), "").unwrap();
    assert!(walked.contains(&here));
    assert!(walked.iter().all(|path| !path.starts_with("target/") && !path.starts_with(".git/")));
    if let Some(paths) = git_files() {
        assert!(paths.contains(&here));
    }
    assert!(list().unwrap().contains(&here));
}

#[test]
fn text_is_read_and_data_is_not() {
    let paths = ["README.md", "xtask/src/main.rs", "fixtures/bench/db_bench-100k.json"];
    let files = read(&paths.map(str::to_owned)).unwrap();
    let found: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(found, ["README.md", "xtask/src/main.rs"]);
    assert!(read(&["no such file".to_owned()]).is_err());
}

#[test]
fn kinds_are_told_by_name() {
    let file = |path| File::new(path, "// fn");
    assert!(file("a/b.rs").is_rust() && !file("a/b.rs").is_test());
    assert!(file("a/b/tests.rs").is_test() && file("crates/a/tests/b.rs").is_test());
    assert!(file("a.md").is_markdown() && file("a.md").code.is_empty());
    assert_eq!(file("a.rs").code, "     ");
}
