use super::{
    MAX_FILE_LINES, MAX_FUNCTION_LINES, compare, functions, measure, parse_allowed, warnings,
};
use crate::files::File;

const PATH: &str = "crates/a/src/b.rs";

fn function_of(lines: usize) -> String {
    format!(
        "//! A.\nfn long(x: [u8; 3]) -> u8 {{\n{}}}\nfn short() {{}}\n",
        "    x();\n".repeat(lines - 2)
    )
}

#[test]
fn functions_are_measured_to_their_last_brace() {
    let code = "fn a() {\n    if x { y } else { z }\n}\n\ntrait T {\n    fn b(&self);\n    fn c(f: fn(u8) -> u8) where X: Y {\n    }\n}\n";
    let found: Vec<_> = functions(code).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
    assert_eq!(found, [("a".to_owned(), 1, 3), ("c".to_owned(), 7, 2)]);
}

#[test]
fn a_long_function_is_found() {
    let at_limit = File::new(PATH, &function_of(MAX_FUNCTION_LINES));
    assert_eq!(measure(&at_limit), []);
    let over = measure(&File::new(PATH, &function_of(MAX_FUNCTION_LINES + 1)));
    let problems = compare(&over, &parse_allowed("").unwrap());
    assert_eq!(problems, ["function crates/a/src/b.rs long (line 2): 71 lines, over 70"]);
}

#[test]
fn a_long_file_is_found_and_a_longish_one_warned_of() {
    let file = |lines| File::new(PATH, &"// a\n".repeat(lines));
    let over = measure(&file(MAX_FILE_LINES + 1));
    let problems = compare(&over, &parse_allowed("").unwrap());
    assert_eq!(problems, ["file crates/a/src/b.rs (line 1): 1001 lines, over 1000"]);
    assert_eq!(measure(&file(MAX_FILE_LINES)), []);
    assert_eq!(warnings(&[file(600), file(601)]), ["crates/a/src/b.rs has 601 lines"]);
}

#[test]
fn the_list_is_a_ratchet() {
    let over = measure(&File::new(PATH, &function_of(100)));
    let against = |list: &str| compare(&over, &parse_allowed(list).unwrap());
    assert_eq!(against("# why\n\n100 function crates/a/src/b.rs long\n"), [] as [String; 0]);
    for listed in ["99", "101"] {
        let problems = against(&format!("{listed} function crates/a/src/b.rs long\n"));
        assert!(problems[0].ends_with(&format!("says {listed}")), "{problems:?}");
    }
    let gone = compare(&[], &parse_allowed("100 function crates/a/src/b.rs long").unwrap());
    assert!(gone[0].ends_with("is no longer too long"), "{gone:?}");
    assert!(parse_allowed("no number").is_err());
}
