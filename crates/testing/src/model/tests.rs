//! The texts of steps, the generator, and the model itself.

use super::generator::{Profile, generate};
use super::{Answer, Entry, Model, Opening, parse, print};

const PROFILE: Profile =
    Profile { steps: 300, merges_onto_entities: true, power_losses: true, hands_over: true };

#[test]
fn sequences_are_the_same_after_printing_and_parsing() {
    for seed in 0..50 {
        let steps = generate(seed, PROFILE);
        assert_eq!(parse(&print(&steps)).unwrap(), steps);
        assert_eq!(generate(seed, PROFILE), steps);
    }
    assert!(parse("get default a\nfly away").unwrap_err().contains("fly away"));
    assert!(parse("get").is_err());
    assert!(parse("snapshot one").is_err());
    assert!(parse(r"get default \x0").is_err());
}

/// What the steps read.
fn answers(text: &str) -> String {
    let mut model = Model::new(None);
    let mut answers = Vec::new();
    for step in parse(text).unwrap() {
        match model.apply(&step) {
            Answer::Done => {}
            answer => answers.push(answer.to_string()),
        }
    }
    answers.join(" ")
}

#[test]
fn the_newest_visible_change_of_a_key_counts() {
    let text = "
        open db= family=
        create sums merge=uint64add order=reverse
        write put default a 1 ; put default b 2 ; put default c 3
        snapshot 1
        write delete default a ; merge default b x ; delete-range default c d ; merge default c y
        get default a b c
        get default a b c d at=1
        scan default
        scan default backward at=1 from=bb
        iterator 1 default lower=b at=1
        write put default bb 4
        move 1 first
        move 1 next=5
        move 1 seek-for-prev=bb
        scan default from=b upper=c
        write merge sums k \\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00 ; put sums m odd
        write merge sums k \\xff\\x00\\x00\\x00\\x00\\x00\\x00\\x00 ; delete-range sums z l
        scan sums
        write entity default e b=2 a=1 ; merge default e z
        scan default from=e
        get default e
        families";
    let expected = "[none 2,x y] [1 2 3 none] [b=2,x c=y] [b=2 a=1] [b=2] [c=3] [b=2] \
                    [b=2,x bb=4] [k=\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00] \
                    [e={'':,z,a:1,b:2}] [,z] [default sums]";
    assert_eq!(answers(text), expected);
}

#[test]
fn what_makes_no_sense_is_not_allowed() {
    let mut model = Model::new(None);
    let is_allowed = |model: &Model, line: &str| model.allows(&line.parse().unwrap());
    model.apply(&"open db= family=".parse().unwrap());
    for line in [
        "get other a",
        "get default a at=1",
        "release 1",
        "move 1 first",
        "drop default",
        "create default",
        "write single-delete default s1",
        "write put default s1 1 ; put default s1 2",
        "write delete default s1",
        "write delete-range default b a",
        "scan default prefix",
    ] {
        assert!(!is_allowed(&model, line), "{line}");
    }
    model.apply(&"write put default s1 1".parse().unwrap());
    assert!(!is_allowed(&model, "write put default s1 1"));
    model.apply(&"write single-delete default s1".parse().unwrap());
    assert!(is_allowed(&model, "write put default s1 1"));
}

#[test]
fn after_a_crash_what_was_safe_must_be_there_and_nothing_may_be_torn() {
    let begun = |db: &str| {
        let mut model = Model::new(None);
        let text = format!(
            "open db={db} family=\nwrite put default a 1\nflush-wal sync\n\
             write put default b 2 ; put default c 3"
        );
        for step in parse(&text).unwrap() {
            model.apply(&step);
        }
        model
    };
    let found = |keys: &str| {
        let entries = keys.split_whitespace().map(|pair| {
            let (key, value) = pair.split_once('=').unwrap();
            Entry::new(key.into(), vec![(Vec::new(), value.into())])
        });
        [("default".to_owned(), entries.collect::<Vec<_>>())].into()
    };
    let recovers = |db: &str, power: bool, keys: &str| {
        let opening = Opening::default();
        begun(db).recover(power, &opening, &found(keys)).is_ok()
    };
    assert!(recovers("", false, "a=1 b=2 c=3"));
    assert!(!recovers("", false, "a=1"));
    assert!(!recovers("", false, "a=1 b=2"));
    assert!(recovers("", true, "a=1"));
    assert!(!recovers("", true, ""));
    assert!(recovers("manual_wal_flush=true", false, "a=1"));
    assert!(!recovers("manual_wal_flush=true", false, "a=1 c=3"));
}

/// Of two logs that are both not synced the later one may survive a power loss alone; what was
/// synced may not be missing, nor something amid a log.
#[test]
fn a_power_loss_may_take_the_end_of_a_log() {
    let after = |synced: bool, logs: [u64; 3], found: [&str; 3]| {
        let mut model = Model::new(None);
        let Some(open) = parse("open db= family=").unwrap().pop() else { unreachable!() };
        model.apply(&open);
        for (key, log) in ["a", "b", "c"].into_iter().zip(logs) {
            let sync = if synced && key == "b" { " sync" } else { "" };
            let step = parse(&format!("write{sync} put default {key} 1")).unwrap();
            model.apply(&step[0]);
            model.wrote_to_log(Some(log));
        }
        let entry = |key: &&str| Entry::new(key.as_bytes().to_vec(), vec![(vec![], b"1".to_vec())]);
        let entries = found.iter().filter(|key| !key.is_empty()).map(entry).collect();
        model.recover(true, &Opening::default(), &[("default".to_owned(), entries)].into())
    };
    after(false, [4, 4, 5], ["a", "", "c"]).unwrap();
    after(false, [4, 4, 5], ["", "", "c"]).unwrap();
    after(false, [4, 5, 6], ["a", "b", ""]).unwrap();
    after(false, [4, 4, 4], ["a", "", "c"]).unwrap_err();
    after(false, [4, 4, 5], ["", "b", "c"]).unwrap_err();
    after(true, [4, 4, 5], ["a", "", "c"]).unwrap_err();
}
