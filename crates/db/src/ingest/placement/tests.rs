#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use super::{LevelView, Placement, Rules, place};
use base::status::Code;

/// A letter for each level: `.` is free, `k` has keys of the file, `x` has none but is in the way.
fn levels(text: &str) -> Vec<LevelView> {
    let view = |letter| LevelView { overlaps: letter == 'k', fits: letter == '.' };
    text.chars().map(view).collect()
}

fn at(level: usize, needs_sequence: bool) -> Placement {
    Placement { level, needs_sequence }
}

#[test]
fn a_file_goes_as_deep_as_nothing_above_has_its_keys() {
    let rules = Rules { base_level: 1, ..Rules::default() };
    for (text, expected) in [
        ("....", at(3, false)),
        ("...k", at(2, true)),
        ("k...", at(0, true)),
        (".k..", at(0, true)),
        // What is only in the way lets it pass below.
        ("..x.", at(3, false)),
        ("...x", at(2, false)),
        ("..xk", at(1, true)),
    ] {
        assert_eq!(place(&levels(text), &rules).unwrap(), expected, "{text}");
    }
}

#[test]
fn levels_above_the_base_level_are_left_out() {
    let rules = Rules { base_level: 3, ..Rules::default() };
    assert_eq!(place(&levels("...k"), &rules).unwrap(), at(0, true));
    assert_eq!(place(&levels("...."), &rules).unwrap(), at(3, false));
}

#[test]
fn snapshots_and_files_with_the_same_keys_need_sequence_numbers() {
    let hidden = Rules { hides_from_snapshots: true, ..Rules::default() };
    assert_eq!(place(&levels("..."), &hidden).unwrap(), at(2, true));
    let second = Rules { files_overlap: true, above_level: Some(2), ..Rules::default() };
    assert_eq!(place(&levels("..."), &second).unwrap(), at(1, true));
    let third = Rules { files_overlap: true, above_level: Some(0), ..Rules::default() };
    assert_eq!(place(&levels("..."), &third).unwrap(), at(0, true));
    let fifo = Rules { has_one_level: true, ..Rules::default() };
    assert_eq!(place(&levels("."), &fifo).unwrap(), at(0, true));
}

#[test]
fn nothing_but_the_last_level_will_do_where_that_is_asked_for() {
    let rules = Rules { only_last_level: true, ..Rules::default() };
    assert_eq!(place(&levels("..."), &rules).unwrap(), at(2, false));
    assert_eq!(place(&levels("..k"), &rules).unwrap_err().code(), Code::TryAgain);
}
