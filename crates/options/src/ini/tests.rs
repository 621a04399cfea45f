use super::*;

fn statements(text: &str) -> Vec<(&str, &str, u32)> {
    let sections = parse(text.as_bytes()).unwrap();
    let statements = sections.into_iter().flat_map(|section| section.statements);
    statements.map(|Statement { name, value, line }| (name, value, line)).collect()
}

#[test]
fn blanks_and_comments_do_not_count() {
    let text = "# c\n\n \t[A]\r\n  a = b c \t# d\n#e=f\ng=h\\#i#j\n";
    assert_eq!(statements(text), [("a", "b c", 4), ("g", "h\\#i", 6)]);
}

#[test]
fn values_may_be_empty_and_have_anything_in_them() {
    let text = "[A]\na=\nb==c\nd=[e]\nf={g=h;}";
    assert_eq!(
        statements(text),
        [("a", "", 2), ("b", "=c", 3), ("d", "[e]", 4), ("f", "{g=h;}", 5)]
    );
}

#[test]
fn headers_have_titles_and_arguments() {
    for (text, title, argument) in [
        ("[A]", "A", ""),
        ("[ A ]", "A", ""),
        ("[A \"b\"]", "A", "b"),
        ("[A/B \"two [x]=\"y\"\\#\\\\z\"]", "A/B", "two [x]=\"y\"#\\z"),
        ("[A \"\"]", "A", ""),
        ("[A \"]", "A \"", ""),
        ("[]", "", ""),
    ] {
        let sections = parse(text.as_bytes()).unwrap();
        assert_eq!(
            (sections[0].title, sections[0].argument.as_str()),
            (title, Some(argument)),
            "{text}"
        );
    }
}

#[test]
fn other_lines_are_refused() {
    for (text, message) in [
        ("[A]\n[B", "line 2: expected name=value, found \"[B\""),
        ("[A]\n\nb", "line 3: expected name=value, found \"b\""),
        ("[A]\n = b", "line 2: expected a name before '='"),
        ("[", "line 1: expected name=value, found \"[\""),
        ("a=b", "line 1: a is in no section"),
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap_err().message(), message, "{text}");
    }
}
