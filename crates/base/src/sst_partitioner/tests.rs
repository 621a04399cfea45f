use super::*;

#[test]
fn a_fixed_prefix_divides_where_it_changes() {
    let factory = builtin("SstPartitionerFixedPrefixFactory", &[("length", "2")]).unwrap();
    assert_eq!(factory.properties(), [("length", "2".to_owned())]);
    let context = SstPartitionerContext {
        is_full_compaction: false,
        is_manual_compaction: false,
        output_level: 1,
        smallest_user_key: b"",
        largest_user_key: b"z",
    };
    let mut partitioner = factory.create(&context).unwrap();
    let mut divides = |prev: &[u8], current: &[u8]| {
        assert_eq!(
            partitioner.can_do_trivial_move(prev, current),
            !partitioner.should_partition(&PartitionerRequest {
                prev_user_key: prev,
                current_user_key: current,
                current_output_file_size: 0,
            })
        );
        !partitioner.can_do_trivial_move(prev, current)
    };
    assert!(!divides(b"aab", b"aac"));
    assert!(divides(b"aab", b"abb"));
    assert!(divides(b"a", b"aa"));
    assert!(!divides(b"aa", b"aa1"));
    assert!(divides(b"", b"a"));
}

#[test]
fn only_what_is_known_is_built_in() {
    assert!(builtin("SstPartitionerFixedPrefixFactory", &[]).is_some());
    assert!(builtin("SstPartitionerFixedPrefixFactory", &[("length", "x")]).is_none());
    assert!(builtin("SstPartitionerFixedPrefixFactory", &[("width", "1")]).is_none());
    assert!(builtin("Mine", &[]).is_none());
}
