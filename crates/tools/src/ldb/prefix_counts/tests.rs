use super::*;

fn counts(argument: &str) -> PrefixCounts {
    PrefixCounts::from_arguments(&Arguments::parse(&[argument.to_owned()])).expect("a delimiter")
}

fn run(mut counts: PrefixCounts, keys: &[&str]) -> String {
    let mut out = Vec::new();
    for key in keys {
        let prefix = counts.prefix(key.as_bytes());
        counts.add(prefix, 10, &mut out).expect("written");
    }
    counts.write(&mut out).expect("written");
    String::from_utf8(out).expect("text")
}

#[test]
fn neighbours_that_begin_alike_are_one_line() {
    let text = run(counts("--count_delim=/x"), &["a/1", "a/2", "b", "b/3", "a/4"]);
    let expected = "a => count:2\tsize:20\nb => count:2\tsize:20\na => count:1\tsize:10\n";
    assert_eq!(text, expected);
}

#[test]
fn keys_before_the_delimiter_alone_go_to_the_next() {
    assert_eq!(run(counts("--count_delim"), &[".1", "a.2"]), "a => count:2\tsize:20\n");
    assert_eq!(run(counts("--count_delim"), &[]), " => count:0\tsize:0\n");
}

#[test]
fn only_where_it_is_asked_for() {
    assert!(PrefixCounts::from_arguments(&Arguments::default()).is_none());
}
