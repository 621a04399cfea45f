use super::*;
use record::FamilyShape;

fn keeper(arguments: &[&str]) -> Result<Option<ShapeKeeper>> {
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    ShapeKeeper::from_flags(&Flags::parse(&arguments).unwrap())
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    assert!(keeper(&[]).unwrap().is_none());
    let refused = |arguments: &[&str]| keeper(arguments).unwrap_err().message().to_owned();
    assert!(refused(&["--shape=l0=6", "--as-published"]).contains("stages"));
    assert!(refused(&["--shape=l0=6", "--readonly"]).contains("--readonly"));
    assert!(refused(&["--shape=round"]).contains("pre_flush"));
}

#[test]
fn only_reads_must_leave_a_shape_as_it_is() {
    let keeper = keeper(&["--shape=compact_all"]).unwrap().unwrap();
    let shape = |memtable_entries| {
        let shape = FamilyShape { memtable_entries, ..FamilyShape::default() };
        Some(Shape::from([("default".to_owned(), shape)]))
    };
    let (one, two) = (shape(1), shape(2));
    let prove = |changes| keeper.prove(changes, one.as_ref(), two.as_ref());
    let error = prove(Changes::Nothing).unwrap_err();
    assert!(error.message().contains("before: memtable 1 entries"), "{error}");
    assert!(error.message().contains("after: memtable 2 entries"), "{error}");
    prove(Changes::Database).unwrap();
    keeper.prove(Changes::Nothing, one.as_ref(), one.as_ref()).unwrap();
}
