use super::{blank, line_of, word_offsets};

#[test]
fn comments_and_strings_are_blanked_and_code_stays() {
    // A dot stands for a blank.
    let cases = [
        ("a // b {\nc", "a ......\nc"),
        ("a /* b /* c */ { */ d", "a ................. d"),
        ("f(\"}\\\"{\") + 1", "f(......) + 1"),
        ("r#\"a\"{\"#;x", "........;x"),
        ("br\"{\" y", "..... y"),
        ("'{' '\\'' '\\u{7b}' z", "... .... ........ z"),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ("for\"a\" r#type", "for... r#type"),
        ("\"un\nclosed", "...\n......"),
    ];
    for (text, expected) in cases {
        assert_eq!(blank(text), expected.replace('.', " "), "{text}");
    }
}

#[test]
fn lines_and_lengths_are_kept() {
    let text = include_str!("../source.rs");
    assert_eq!(blank(text).lines().count(), text.lines().count());
    assert_eq!(line_of("a\nb\nc", 2), 2);
}

#[test]
fn words_are_found_only_by_themselves() {
    let code = "unsafe fn not_unsafe() { unsafely(); unsafe {} }";
    assert_eq!(word_offsets(code, "unsafe").collect::<Vec<_>>(), [0, 37]);
}
