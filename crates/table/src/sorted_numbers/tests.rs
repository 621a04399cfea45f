use super::{SortedNumbers, shorten};
use proptest::prelude::{any, prop_oneof, proptest};
use proptest::strategy::Strategy;

fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Both forms, or the one that there is, say what the plain numbers do.
fn check(numbers: &[u64], wanted: u64) {
    let whole = bytes_of(numbers);
    let mut short = whole.clone();
    let low = shorten(&mut short);
    let forms = [SortedNumbers::new(&whole, None), SortedNumbers::new(&short, low)];
    let start = numbers.partition_point(|&number| number < wanted);
    let end = numbers.partition_point(|&number| number <= wanted);
    for form in forms {
        assert_eq!(form.is_empty(), numbers.is_empty());
        assert_eq!(form.lower_bound(wanted), start, "{wanted:#x} in {form:?}");
        assert_eq!(form.ties(start, wanted), end - start, "{wanted:#x} in {form:?}");
        assert_eq!(form.get(numbers.len()), None);
        for (index, number) in numbers.iter().enumerate() {
            assert_eq!(form.get(index), Some(*number));
        }
    }
}

#[test]
fn numbers_with_the_same_low_half_become_short() {
    let mut bytes = bytes_of(&[0x0000_0001_dead_beef, 0x0000_0002_dead_beef]);
    assert_eq!(shorten(&mut bytes), Some(0xdead_beef));
    assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0]);

    let numbers = [0x0000_0001_dead_beef, 0x0000_0002_dead_bee0];
    let mut bytes = bytes_of(&numbers);
    assert_eq!(shorten(&mut bytes), None);
    assert_eq!(bytes, bytes_of(&numbers));
    assert_eq!(shorten(&mut Vec::new()), None);
}

#[test]
fn places_at_the_edges_of_halves() {
    let low = 0x8000_0000;
    let numbers: Vec<u64> =
        [0, 1, 1, 1, 5, u64::from(u32::MAX)].map(|high| high << 32 | low).into();
    for number in &numbers {
        for wanted in [*number, number - 1, number + 1, number & !0xffff_ffff, number | 0xffff_ffff]
        {
            check(&numbers, wanted);
        }
    }
    check(&numbers, 0);
    check(&numbers, u64::MAX);
    check(&[], 5);
    check(&[u64::MAX; 40], u64::MAX);
}

proptest! {
    #[test]
    fn both_forms_say_the_same(
        mut numbers in prop_oneof![
            proptest::collection::vec(any::<u64>(), 0..60),
            proptest::collection::vec(0u64..20, 0..60),
            (proptest::collection::vec(0u64..20, 0..60), any::<u32>())
                .prop_map(|(high, low)| high.into_iter().map(|it| it << 32 | u64::from(low)).collect()),
        ],
        wanted in any::<u64>(),
        at in any::<usize>(),
        away in -2i64..3,
    ) {
        numbers.sort_unstable();
        check(&numbers, wanted);
        if !numbers.is_empty() {
            let near = numbers[at % numbers.len()];
            check(&numbers, near.saturating_add_signed(away));
            check(&numbers, near.saturating_add_signed(away << 32));
        }
    }
}
