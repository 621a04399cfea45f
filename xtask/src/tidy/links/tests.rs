use super::{check, headings, resolve};
use crate::files::File;

fn findings(text: &str) -> Vec<String> {
    let files = [
        File::new("docs/a.md", text),
        File::new("docs/b.md", "# The B, of `A`\n\n```\n# no heading\n```\n"),
        File::new("README.md", "# Top\n"),
    ];
    let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    check(&files, &paths).iter().map(ToString::to_string).collect()
}

#[test]
fn dead_links_are_found() {
    assert_eq!(findings("one\nsee [b](c.md)\n"), ["docs/a.md:2: dead link: c.md"]);
    assert_eq!(findings("[b](../../b.md)"), ["docs/a.md:1: dead link: ../../b.md"]);
    assert_eq!(findings("[b](b.md#nothing)"), ["docs/a.md:1: no such heading: b.md#nothing"]);
    assert_eq!(findings("# X\n[x](b.md) [x](#x) [y](#y)"), ["docs/a.md:2: no such heading: #y"]);
}

#[test]
fn named_sources_exist() {
    let files = [File::new("README.md", "`db/db.rs`, `foo/tests.rs`,\n`db/old.rs` and `x.rs`\n")];
    let paths = ["README.md".to_owned(), "crates/db/src/db.rs".to_owned()];
    let found: Vec<String> = check(&files, &paths).iter().map(ToString::to_string).collect();
    assert_eq!(found, ["README.md:2: no such source: db/old.rs"]);
}

#[test]
fn links_that_lead_somewhere_are_not() {
    let text = "[b](b.md), [b](./b.md#the-b-of-a), [dir](../docs/), [top](../README.md)\n\
                [web](https://example.com/x) `[code](nowhere.md)`\n\
                ```\n[fenced](nowhere.md)\n```\n";
    assert_eq!(findings(text), [] as [String; 0]);
}

#[test]
fn headings_and_paths_are_normalised() {
    let anchors = headings("# Read what's *there*\n## two_words\n");
    assert!(anchors.contains("read-whats-there") && anchors.contains("two_words"), "{anchors:?}");
    assert_eq!(resolve("docs/formats/a.md", "../../x/./y.md"), "x/y.md");
}
