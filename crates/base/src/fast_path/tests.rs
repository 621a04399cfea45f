use super::*;

#[test]
fn the_variable_names_what_is_left_out() {
    let bits = |paths: &[FastPath]| paths.iter().fold(0, |bits, path| bits | *path as u16);
    assert_eq!(left_out(""), (0, vec![]));
    assert_eq!(left_out("all"), (bits(&FastPath::ALL), vec![]));
    let some = bits(&[FastPath::BlockRuns, FastPath::FrameLinks]);
    assert_eq!(left_out(" block_runs,frame_links, "), (some, vec![]));
    assert_eq!(
        left_out("frame-links,block_runs"),
        (FastPath::BlockRuns as u16, vec!["frame-links"])
    );
}

#[test]
fn each_has_a_bit_and_a_name_of_its_own() {
    for (index, path) in FastPath::ALL.into_iter().enumerate() {
        assert_eq!((path as u16, path as u16 & KNOWN), (1 << index, 0));
        assert_eq!(left_out(path.name()), (path as u16, vec![]));
    }
}

#[test]
fn what_the_environment_leaves_out_is_off() {
    let text = std::env::var(VARIABLE).unwrap_or_default();
    for path in FastPath::ALL {
        assert_eq!(path.is_on(), left_out(&text).0 & path as u16 == 0, "{}", path.name());
    }
}
