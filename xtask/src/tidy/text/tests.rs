use super::{MENTIONS, mentions, white_space};
use crate::files::File;

#[test]
fn white_space_at_the_end_is_found() {
    let lines = |path, text| -> Vec<usize> {
        white_space(&File::new(path, text)).iter().map(|finding| finding.line).collect()
    };
    assert_eq!(lines("a.md", "one \ntwo\t\nthree\r\n"), [1, 2, 3]);
    assert_eq!(lines("a.toml", "[a]\nb = 1"), [2]);
    assert_eq!(lines("a.md", "one\n\n two\n"), [] as [usize; 0]);
    assert_eq!(lines("a.md", ""), [] as [usize; 0]);
    assert_eq!(lines("testdata/output", "as is "), [] as [usize; 0]);
    assert_eq!(lines("scripts/setup", "#!/bin/sh\nx \n"), [2]);
}

#[test]
fn every_unwanted_name_is_found() {
    for name in MENTIONS {
        let file = File::new("a.md", &format!("fine\nsee {name} there\n"));
        assert!(mentions(&file).iter().any(|finding| finding.line == 2), "{name}");
        assert!(mentions(&File::new("Cargo.lock", &file.text)).is_empty());
    }
    assert!(mentions(&File::new("a.md", "a framework/library\n")).is_empty());
}
