use super::{Directive, execute_all, run, run_directory};

const FILE: &str = "\
# Says what it is given.

say to=you words=(a, b c) twice n=3
one
two
----
say
one
two

blank
----
----
first

last
----
----

nothing
----
";

fn execute(directive: &Directive) -> String {
    match directive.command.as_str() {
        "say" => format!("{}\n{}", directive.command, directive.input),
        "blank" => "first\n\nlast".to_owned(),
        _ => String::new(),
    }
}

#[test]
fn commands_arguments_and_output_are_parsed() {
    let mut seen = Vec::new();
    let outcome = execute_all("file", FILE, |directive| {
        seen.push(directive.clone());
        execute(directive)
    })
    .unwrap();
    assert_eq!(outcome.failures, [] as [String; 0]);
    assert_eq!(seen.len(), 3);
    let say = &seen[0];
    assert_eq!(say.position, "file:3");
    assert_eq!(say.value("to"), Some("you"));
    assert_eq!(say.arguments[1].values, ["a", "b c"]);
    assert!(say.has("twice") && !say.has("thrice"));
    assert_eq!((say.parse_or("n", 0), say.parse_or("m", 7)), (3, 7));
    assert_eq!(say.input, "one\ntwo\n");
    assert_eq!(seen[1].expected, "first\n\nlast\n");
    assert_eq!(seen[2].expected, "");
}

#[test]
fn a_difference_fails_and_a_rewrite_repairs_it() {
    let wrong = FILE.replace("say\none\ntwo\n\n", "something else\n\n").replace("last", "");
    let outcome = execute_all("file", &wrong, execute).unwrap();
    assert_eq!(outcome.failures.len(), 2);
    assert!(outcome.failures[0].starts_with("file:3: say to=you"), "{}", outcome.failures[0]);
    assert_eq!(outcome.rewritten.trim_end(), FILE.trim_end());
    let again = execute_all("file", &outcome.rewritten, execute).unwrap();
    assert_eq!(again.failures, [] as [String; 0]);
    assert_eq!(again.rewritten, outcome.rewritten, "a rewrite settles at once");
}

#[test]
fn malformed_files_are_refused() {
    let error = |text| execute_all("f", text, execute).err().unwrap();
    assert_eq!(error("say\none\n"), "f:1: no ---- after the command");
    assert_eq!(error("blank\n----\n----\nfirst\n"), "f:1: the doubled ---- has no end");
    assert_eq!(error("say a=(b\n----\n"), "f:1: no closing parenthesis after a=");
    assert_eq!(error("blank\n----\n----\n----\n----\nx\n"), "f:6: expected an empty line");
}

#[test]
fn files_of_a_directory_run_each_from_a_fresh_state() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        std::fs::write(directory.path().join(name), "count\n----\n1\n").unwrap();
    }
    run_directory(
        directory.path(),
        || 0,
        |count, _| {
            *count += 1;
            count.to_string()
        },
    );
}

#[test]
#[should_panic(expected = "expected:\n1\nactual:\n2\n")]
fn run_panics_on_a_difference() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    std::fs::write(&file, "count\n----\n1\n").unwrap();
    run(&file, |_| "2".to_owned());
}
