use super::*;

fn step(name: &str, repeats: usize, warmups: usize) -> Step {
    Step { name: name.to_owned(), repeats, warmups }
}

#[test]
fn steps_repeat_and_warm_up() {
    assert_eq!(parse_step("readseq").unwrap(), step("readseq", 1, 0));
    assert_eq!(parse_step("readseq[X5]").unwrap(), step("readseq", 5, 0));
    assert_eq!(parse_step("readseq[X3-W1]").unwrap(), step("readseq", 3, 1));
    assert_eq!(parse_step("readseq[W2-X3]").unwrap(), step("readseq", 3, 2));
    for bad in ["readseq]", "readseq[X]", "readseq[Y3]", "readseq[Xa]", "readseq[X0]"] {
        assert!(parse_step(bad).unwrap_err().message().contains(bad), "{bad}");
    }
}

/// Rows of the document: what stands in its first column, and in its second.
fn documented() -> Vec<(String, String)> {
    let document = include_str!("../../../../docs/bench-missing.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    let cells = rows.filter_map(|row| row.split_once("` | "));
    cells.map(|(what, why)| (what.to_owned(), why.replace('`', ""))).collect()
}

#[test]
fn the_document_lists_what_is_not_there() {
    let flags = |wanted: fn(Support) -> Option<&'static str>| {
        crate::flags::all()
            .filter_map(move |flag| Some((format!("--{}", flag.name), wanted(flag.support)?)))
    };
    let refused = flags(|support| match support {
        Support::Refused(why) => Some(why),
        _ => None,
    });
    let only_with = flags(|support| match support {
        Support::OnlyWith(what) => Some(what),
        _ => None,
    });
    let benchmarks = NOT_THERE.iter().map(|(name, why)| ((*name).to_owned(), *why));
    let actual = benchmarks.chain(refused).chain(only_with);
    let actual: Vec<_> = actual.map(|(what, why)| (what, why.to_owned())).collect();
    assert_eq!(documented(), actual);
}
