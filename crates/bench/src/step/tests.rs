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
