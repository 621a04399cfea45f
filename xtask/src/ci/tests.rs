use super::{STEPS, is_step, run_step};

#[test]
fn steps_have_names_of_their_own_and_end_with_the_tests() {
    for (index, step) in STEPS.iter().enumerate() {
        assert!(STEPS[..index].iter().all(|other| other.name != step.name), "{}", step.name);
    }
    assert_eq!(STEPS.last().unwrap().name, "test");
    assert!(!is_step("no such step"));
    assert_eq!(run_step("no such step"), Err("no step no such step".to_owned()));
}
