use super::{NumberForm, SortedNumbers, form_of};
use proptest::prelude::{any, prop_oneof, proptest};
use proptest::strategy::Strategy;

fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Every form that is true of the numbers says what the plain ones do, or, of high halves, does not say
/// more than they know.
fn check(numbers: &[u64], wanted: u64) {
    let whole = bytes_of(numbers);
    let start = numbers.partition_point(|&number| number < wanted);
    let end = numbers.partition_point(|&number| number <= wanted);
    for needs_all_bytes in [false, true] {
        let (form, rest, short) = form(numbers, needs_all_bytes);
        let short = SortedNumbers::new(&short, form, rest);
        assert!(!needs_all_bytes || form != NumberForm::HighOnly);
        for shown in [SortedNumbers::new(&whole, NumberForm::Whole, 0), short] {
            assert_eq!(shown.is_empty(), numbers.is_empty());
            assert_eq!(shown.get(numbers.len()), None);
            let has_high_only = matches!(shown, SortedNumbers::Halves(high) if !high.is_rest_known);
            let unknown = if has_high_only { 0xffff_ffff } else { 0 };
            for (index, number) in numbers.iter().enumerate() {
                assert_eq!(shown.get(index), Some(*number | unknown));
            }
            let (first, behind) = match has_high_only {
                true => (
                    numbers.partition_point(|&number| number >> 32 < wanted >> 32),
                    numbers.partition_point(|&number| number >> 32 <= wanted >> 32),
                ),
                false => (start, end),
            };
            assert_eq!(shown.lower_bound(wanted), first, "{wanted:#x} in {shown:?}");
            assert_eq!(shown.upper_bound(wanted), behind, "{wanted:#x} in {shown:?}");
            assert_eq!(shown.ties(first, wanted), behind - first, "{wanted:#x} in {shown:?}");
        }
    }
}

fn form(numbers: &[u64], needs_all_bytes: bool) -> (NumberForm, u64, Vec<u8>) {
    let (form, rest) = form_of(numbers, needs_all_bytes);
    let mut bytes = Vec::new();
    form.append(numbers, &mut bytes);
    (form, rest, bytes)
}

#[test]
fn high_halves_are_kept_where_they_do() {
    let high = vec![1, 0, 0, 0, 2, 0, 0, 0];
    let same = [0x0000_0001_dead_beef, 0x0000_0002_dead_beef];
    let expected = (NumberForm::SameLow, 0xdead_beef, high.clone());
    assert_eq!(form(&same, false), expected);
    assert_eq!(form(&same, true), expected);

    let apart = [0x0000_0001_dead_beef, 0x0000_0002_dead_bee0];
    assert_eq!(form(&apart, false), (NumberForm::HighOnly, 0xffff_ffff, high));
    assert_eq!(form(&apart, true), (NumberForm::Whole, 0, bytes_of(&apart)));
    let tied = [0x0000_0001_dead_bee0, 0x0000_0001_dead_bee0, 0x0000_0002_0000_0000];
    assert_eq!(form(&tied, false).0, NumberForm::HighOnly, "whole ones would not tell more");

    let close = [0x0000_0001_dead_bee0, 0x0000_0001_dead_beef, 0x0000_0002_0000_0000];
    assert_eq!(form(&close, false), (NumberForm::Whole, 0, bytes_of(&close)));
    assert_eq!(form(&[], false).0, NumberForm::Whole);
}

#[test]
fn quarters_are_kept_where_the_rest_is_the_same() {
    let rest = 0xcafe_dead_beef;
    let expected = (NumberForm::SameRest, rest, vec![1, 0, 2, 1]);
    let same = [0x0001_cafe_dead_beef, 0x0102_cafe_dead_beef];
    assert_eq!(form(&same, false), expected);
    assert_eq!(form(&same, true), expected);
    let half = [0x0001_cafe_dead_beef, 0x0102_cafd_dead_beef];
    assert_eq!(form(&half, true).0, NumberForm::SameLow, "a bit more differs");
    assert_eq!(form(&[7], true), (NumberForm::SameButFirst, 7, vec![0]));
    let byte = [0x01aa_cafe_dead_beef, 0x02aa_cafe_dead_beef];
    let expected = (NumberForm::SameButFirst, 0xaa_cafe_dead_beef, vec![1, 2]);
    assert_eq!(form(&byte, false), expected);
}

#[test]
fn places_at_the_edges_of_parts() {
    let low = 0x8000_0000;
    let halves: Vec<u64> =
        [0, 1, 1, 1, 5, 0x1_0000, u64::from(u32::MAX)].map(|high| high << 32 | low).into();
    assert_eq!(form(&halves, true).0, NumberForm::SameLow);
    let quarters: Vec<u64> =
        [0, 1, 1, 1, 5, u64::from(u16::MAX)].map(|high| high << 48 | low).into();
    assert_eq!(form(&quarters, true).0, NumberForm::SameRest);
    let eighths: Vec<u64> = [0, 1, 1, 1, 5, u64::from(u8::MAX)].map(|high| high << 56 | low).into();
    assert_eq!(form(&eighths, true).0, NumberForm::SameButFirst);
    for numbers in [halves, quarters, eighths] {
        for &number in &numbers {
            let masks = [0xffff_ffff, 0xffff_ffff_ffff, 0xff_ffff_ffff_ffff];
            let edges = masks.map(|mask| [number & !mask, number | mask]);
            for wanted in [number, number - 1, number + 1].into_iter().chain(edges.concat()) {
                check(&numbers, wanted);
            }
        }
        check(&numbers, 0);
        check(&numbers, u64::MAX);
    }
    check(&[], 5);
    check(&[u64::MAX; 40], u64::MAX);
}

proptest! {
    #[test]
    fn all_forms_say_the_same(
        mut numbers in prop_oneof![
            proptest::collection::vec(any::<u64>(), 0..60),
            proptest::collection::vec(0u64..20, 0..60),
            (proptest::collection::vec(0u64..20, 0..60), any::<u32>())
                .prop_map(|(high, low)| high.into_iter().map(|it| it << 32 | u64::from(low)).collect()),
            (proptest::collection::vec(0u64..20, 0..60), 0u64..1 << 48)
                .prop_map(|(high, low)| high.into_iter().map(|it| it << 48 | low).collect()),
            (proptest::collection::vec(0u64..256, 0..90), 0u64..1 << 56)
                .prop_map(|(high, low)| high.into_iter().map(|it| it << 56 | low).collect()),
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
            check(&numbers, near.saturating_add_signed(away << 48));
            check(&numbers, near.saturating_add_signed(away << 56));
        }
    }
}
