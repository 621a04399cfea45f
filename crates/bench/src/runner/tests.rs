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
    for bad in ["readseq]", "readseq[X]", "readseq[Y3]", "readseq[Xa]"] {
        assert!(parse_step(bad).unwrap_err().message().contains(bad), "{bad}");
    }
}

#[test]
fn command_lines_that_make_no_sense_are_refused() {
    let error = |arguments: &[&str]| {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        run(&Flags::parse(&arguments).unwrap()).unwrap_err().message().to_owned()
    };
    assert!(error(&["--benchmarks=readseq"]).contains("--use_existing_db"));
    assert!(error(&["--use_existing_db", "--num=0"]).contains("--num"));
    assert!(error(&["--use_existing_db", "--threads=0"]).contains("--threads"));
    assert!(error(&["--use_existing_db", "--db=/nowhere/at/all"]).contains("/nowhere/at/all"));
}
