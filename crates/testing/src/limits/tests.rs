use std::hint::black_box;

use super::{Limits, run};

const SMALL: Limits = Limits { memory_mib: 256, cpu_seconds: 2 };

#[test]
fn a_modest_test_passes() {
    run("limits::tests::a_modest_test_passes", SMALL, || {
        assert_eq!(black_box(vec![1_u8; 1 << 20]).len(), 1 << 20);
    });
}

#[test]
#[should_panic(expected = "memory allocation of 1073741824 bytes failed")]
fn too_much_memory_fails() {
    run("limits::tests::too_much_memory_fails", SMALL, || {
        black_box(vec![1_u8; 1 << 30]);
    });
}

#[test]
#[should_panic(expected = "with at most 256 MiB and 2 s: signal")]
fn a_hang_fails() {
    run("limits::tests::a_hang_fails", SMALL, || while black_box(true) {});
}

#[test]
#[should_panic(expected = "no test is named limits::tests::misspelt")]
fn a_misspelt_name_does_not_pass() {
    run("limits::tests::misspelt", SMALL, || {});
}
