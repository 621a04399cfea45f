//! Deleting, renaming, linking.

use super::{Case, Subject, expect_not_found, expect_refused, pattern};

pub(super) const CASES: &[Case] = &[
    ("delete", delete),
    ("delete_while_open", delete_while_open),
    ("rename", rename),
    ("rename_over", rename_over),
    ("rename_while_open", rename_while_open),
    ("rename_to_itself", rename_to_itself),
    ("rename_refused", rename_refused),
    ("rename_directories", rename_directories),
    ("links", links),
    ("links_refused", links_refused),
    ("rename_over_a_link", rename_over_a_link),
];

fn delete(on: &Subject<'_>) {
    on.write("f", b"x");
    on.fs.delete_file(&on.path("f")).unwrap();
    assert!(!on.exists("f"));
    assert!(on.children("").is_empty());
    expect_not_found(on.fs.delete_file(&on.path("f")), &on.path("f"));
    on.write("f", b"y");
    assert_eq!(on.read("f"), b"y");
}

fn delete_while_open(on: &Subject<'_>) {
    on.write("f", b"content");
    let reader = on.reader("f");
    let mut sequential = on.sequential("f");
    let mut writer = on.reopen("f");
    on.fs.delete_file(&on.path("f")).unwrap();
    on.write("f", b"another");
    let mut buffer = [0; 7];
    assert_eq!(reader.read_at(0, &mut buffer).unwrap(), 7);
    assert_eq!(&buffer, b"content");
    sequential.read(&mut buffer).unwrap();
    assert_eq!(&buffer, b"content");
    writer.append(b" of nobody").unwrap();
    writer.close().unwrap();
    assert_eq!(on.read("f"), b"another");
}

fn rename(on: &Subject<'_>) {
    let content = pattern(5000);
    on.write("a", &content);
    on.fs.create_dir(&on.path("d")).unwrap();
    on.fs.rename_file(&on.path("a"), &on.path("b")).unwrap();
    assert_eq!(on.children(""), ["b", "d"]);
    on.fs.rename_file(&on.path("b"), &on.path("d/c")).unwrap();
    assert_eq!(on.children(""), ["d"]);
    assert_eq!(on.children("d"), ["c"]);
    assert!(on.read("d/c") == content);
}

fn rename_over(on: &Subject<'_>) {
    on.write("old", b"old content");
    on.write("new", b"new");
    let reader = on.reader("old");
    on.fs.rename_file(&on.path("new"), &on.path("old")).unwrap();
    assert_eq!(on.children(""), ["old"]);
    assert_eq!(on.read("old"), b"new");
    let mut buffer = [0; 11];
    assert_eq!(reader.read_at(0, &mut buffer).unwrap(), 11);
    assert_eq!(&buffer, b"old content", "who has it open keeps it");
}

fn rename_while_open(on: &Subject<'_>) {
    let mut writer = on.writer("a");
    writer.append(b"before ").unwrap();
    on.fs.rename_file(&on.path("a"), &on.path("b")).unwrap();
    writer.append(b"after").unwrap();
    writer.sync().unwrap();
    writer.close().unwrap();
    assert_eq!(on.read("b"), b"before after");
    assert!(!on.exists("a"));
}

fn rename_to_itself(on: &Subject<'_>) {
    on.write("f", b"x");
    on.fs.rename_file(&on.path("f"), &on.path("f")).unwrap();
    assert_eq!(on.read("f"), b"x");
    on.fs.create_dir(&on.path("d")).unwrap();
    on.fs.rename_file(&on.path("d"), &on.path("d")).unwrap();
    assert_eq!(on.children(""), ["d", "f"]);
}

fn rename_refused(on: &Subject<'_>) {
    let fs = on.fs;
    on.write("f", b"x");
    on.write("g", b"y");
    fs.create_dir(&on.path("d")).unwrap();
    fs.create_dir(&on.path("full")).unwrap();
    on.write("full/f", b"z");
    let refused: [(&str, &str); 6] =
        [("f", "d"), ("d", "f"), ("d", "full"), ("d", "d/e"), ("f", "g/h"), ("f", "full")];
    for (source, target) in refused {
        expect_refused(fs.rename_file(&on.path(source), &on.path(target)), &on.path(target));
    }
    for (source, target) in [("none", "h"), ("f", "none/f"), ("none", "f")] {
        expect_not_found(fs.rename_file(&on.path(source), &on.path(target)), &on.path(target));
    }
    assert_eq!(on.children(""), ["d", "f", "full", "g"]);
    assert_eq!(on.read("f"), b"x");
    assert_eq!(on.read("full/f"), b"z");
}

fn rename_directories(on: &Subject<'_>) {
    let fs = on.fs;
    fs.create_dir(&on.path("a")).unwrap();
    fs.create_dir(&on.path("a/sub")).unwrap();
    on.write("a/f", b"1");
    on.write("a/sub/g", b"2");
    fs.rename_file(&on.path("a"), &on.path("b")).unwrap();
    assert_eq!(on.children(""), ["b"]);
    assert_eq!(on.children("b"), ["f", "sub"]);
    assert_eq!(on.read("b/sub/g"), b"2");
    fs.create_dir(&on.path("empty")).unwrap();
    fs.rename_file(&on.path("b"), &on.path("empty")).unwrap();
    assert_eq!(on.children(""), ["empty"]);
    assert_eq!(on.read("empty/f"), b"1");
}

fn links(on: &Subject<'_>) {
    on.write("a", b"shared");
    on.fs.link_file(&on.path("a"), &on.path("b")).unwrap();
    assert_eq!(on.read("b"), b"shared");
    let mut writer = on.reopen("b");
    writer.append(b" by both").unwrap();
    writer.close().unwrap();
    assert_eq!(on.read("a"), b"shared by both");
    on.fs.delete_file(&on.path("a")).unwrap();
    assert_eq!(on.children(""), ["b"]);
    assert_eq!(on.read("b"), b"shared by both");
    on.fs.link_file(&on.path("b"), &on.path("a")).unwrap();
    // Two names of one file: both stay, says POSIX.
    on.fs.rename_file(&on.path("a"), &on.path("b")).unwrap();
    assert_eq!(on.children(""), ["a", "b"]);
}

fn links_refused(on: &Subject<'_>) {
    let fs = on.fs;
    on.write("f", b"x");
    on.write("g", b"y");
    fs.create_dir(&on.path("d")).unwrap();
    for (source, target) in [("f", "g"), ("f", "d"), ("f", "f"), ("d", "e")] {
        expect_refused(fs.link_file(&on.path(source), &on.path(target)), &on.path(target));
    }
    for (source, target) in [("none", "h"), ("f", "none/f")] {
        expect_not_found(fs.link_file(&on.path(source), &on.path(target)), &on.path(target));
    }
    assert_eq!(on.children(""), ["d", "f", "g"]);
    assert_eq!(on.read("g"), b"y");
}

fn rename_over_a_link(on: &Subject<'_>) {
    on.write("a", b"old");
    on.fs.link_file(&on.path("a"), &on.path("kept")).unwrap();
    on.write("b", b"new");
    on.fs.rename_file(&on.path("b"), &on.path("a")).unwrap();
    assert_eq!(on.read("a"), b"new");
    assert_eq!(on.read("kept"), b"old");
}
