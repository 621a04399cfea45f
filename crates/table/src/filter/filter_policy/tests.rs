use super::*;
use crate::filter::{FilterBitsReader, FilterKind};

fn kind(policy: FilterPolicy, format_version: u32, level: i32) -> Option<FilterKind> {
    let context = FilterContext { format_version, level, optimize_filters_for_memory: false };
    let mut builder = policy.new_bits_builder(&context)?;
    for number in 0..5000u32 {
        builder.add_key(&number.to_le_bytes());
    }
    Some(FilterBitsReader::new(builder.finish()).kind())
}

fn bloom(bits_per_key: f64) -> FilterPolicy {
    FilterPolicy::Bloom { bits_per_key }
}

#[test]
fn bits_per_key_have_limits() {
    let cases = [
        (-1.0, 0),
        (0.0, 0),
        (0.49, 0),
        (0.5, 1000),
        (1.0, 1000),
        (9.9, 9900),
        (99.9, 99_900),
        (100.0, 100_000),
        (1e9, 100_000),
        (f64::NAN, 100_000),
        (f64::INFINITY, 100_000),
    ];
    for (bits, expected) in cases {
        assert_eq!(bloom(bits).millibits_per_key(), expected, "{bits}");
    }
    assert!(kind(bloom(0.4), 5, 0).is_none());
}

#[test]
fn old_formats_get_legacy_filters() {
    assert!(matches!(kind(bloom(10.0), 4, 0), Some(FilterKind::LegacyBloom(_))));
    assert!(matches!(kind(bloom(10.0), 5, 0), Some(FilterKind::FastLocalBloom(_))));
}

#[test]
fn ribbon_comes_from_its_level_on() {
    let ribbon = |level, bloom_before_level| {
        let policy =
            FilterPolicy::Ribbon { bloom_equivalent_bits_per_key: 10.0, bloom_before_level };
        matches!(kind(policy, 5, level), Some(FilterKind::Ribbon(_)))
    };
    assert!(!ribbon(-1, 0), "flush");
    assert!(ribbon(0, 0));
    assert!(ribbon(-1, -1), "always");
    assert!(!ribbon(1, 2));
    assert!(ribbon(2, 2));
    assert!(ribbon(FilterContext::LEVEL_UNKNOWN, 100));
    assert!(!ribbon(FilterContext::LEVEL_UNKNOWN, i32::MAX), "never");
}

#[test]
fn as_many_entries_fit_as_are_said_to() {
    let policies = [
        (bloom(10.0), 4),
        (bloom(10.0), 5),
        (bloom(1.0), 5),
        (FilterPolicy::Ribbon { bloom_equivalent_bits_per_key: 10.0, bloom_before_level: -1 }, 5),
        (FilterPolicy::Ribbon { bloom_equivalent_bits_per_key: 1.0, bloom_before_level: -1 }, 5),
    ];
    for (policy, format_version) in policies {
        let level = FilterContext::LEVEL_UNKNOWN;
        let context = FilterContext { format_version, level, optimize_filters_for_memory: false };
        let builder = policy.new_bits_builder(&context).unwrap();
        for length in [0, 1, 64, 69, 100, 500, 1024, 4096, 3687, 100_000, 5 << 20] {
            let count = builder.approximate_entries_count(length);
            let space = builder.calculate_space(count);
            assert!(count == 0 || space <= length + length / 50, "{policy:?} {length} {count}");
            let more = builder.calculate_space(count + count / 20 + 200);
            assert!(more > length, "{policy:?}: {length} bytes for {count}");
        }
    }
}
