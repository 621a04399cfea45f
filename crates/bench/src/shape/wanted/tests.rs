use super::*;

#[test]
fn stages_and_parts_are_understood() {
    for (name, stage) in Stage::ALL {
        assert_eq!(Wanted::parse(name).unwrap(), Wanted::Stage(stage));
    }
    let parts = |text: &str| match Wanted::parse(text).unwrap() {
        Wanted::Parts(parts) => parts,
        Wanted::Stage(stage) => panic!("{text}: {stage:?}"),
    };
    let expected = Parts { memtable: 38_200, l0: 6, levels: vec![(1, 87 << 20)] };
    assert_eq!(parts("memtable=38200,l0=6,l1=87M"), expected);
    let two = vec![(1, 512 << 10), (2, 3 << 29)];
    assert_eq!(parts("l2=1.5g,l1=512K").levels, two);
    assert_eq!(parts("l1=4096").levels, [(1, 4096)]);
}

#[test]
fn what_is_none_is_refused_with_what_would_be_one() {
    for (text, expected) in [
        ("preflush", "pre_flush, post_flush, compact_l0, compact_l1, compact_all, l0_and_lmax"),
        ("", "memtable=38200"),
        ("l0=6,l0=7", "'l0=7': given twice"),
        ("l0=six", "'l0=six': a number of files"),
        ("l0=6,memtable", "'memtable': NAME=VALUE expected"),
        ("memtable=80%", "'memtable=80%': a number of entries"),
        ("lmax=87M", "'lmax=87M': it is memtable, l0, l1"),
        ("l1=87T", "'l1=87T': a size such as 87M"),
        ("l1=0", "a size"),
        ("l1=-5M", "a size"),
        ("l1=", "a size"),
        ("l1=NaN", "a size"),
        ("l1=87é", "a size"),
    ] {
        let error = Wanted::parse(text).unwrap_err();
        assert!(error.message().contains(expected), "{text}: {error}");
    }
}
