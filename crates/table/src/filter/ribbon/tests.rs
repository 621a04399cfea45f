use super::*;
use crate::filter::tests::{build, false_positives, from_hex};
use crate::filter::{FilterBitsReader, FilterKind};

/// Of RocksDB 7.8.3, `ribbonfilter:10:-1`: keys `key%08d` of the first 240 multiples of 7.
const GOLDEN: &str = "\
    04e09b0d86860f2bba074294b31400fdc62571638e599f4ab5ddc6c59f2473a61de17d12d95df987ac0160c0886b6d80 \
    9d55edb1dcc94af5da2a99b0bb364a3739202637de85d8f33f3f6ade1231a326882053e3cffaa921a854b3458293480d \
    4565418f39eca7c4461bec25583d4249e7d606aa8e27a59985266cc42a81030077ebae251e48deb33a2fdbe953300100 \
    53eba73f4ba5336ed5c03c9375be010000f4c4a142bbd7f66b2e1fcf976c0100a5769422976c4f7870b34f1e0f510000 \
    ebd0539afe09c857937689b9c249030043a24c198e1e0f22aeab4aaae9c80100feec020000";

fn golden_keys() -> Vec<Vec<u8>> {
    (0..240).map(|i| format!("key{:08}", 7 * i).into_bytes()).collect()
}

#[test]
fn golden_filter_of_rocksdb_7_8_3() {
    let contents = from_hex(GOLDEN);
    assert_eq!(contents.len(), 229);
    let reader = FilterBitsReader::new(&contents);
    let FilterKind::Ribbon(ribbon) = reader.kind() else { panic!("{:?}", reader.kind()) };
    assert_eq!(ribbon.layout, Layout { upper_columns: 7, upper_start: 0 });
    assert!(golden_keys().iter().all(|key| reader.may_match(key)));
    assert_eq!(false_positives(&contents), 75);
}

#[test]
fn the_builder_gives_the_golden_bytes() {
    assert_eq!(build(&mut RibbonBuilder::new(10_000, false), &golden_keys()), from_hex(GOLDEN));
}

#[test]
fn small_filters_are_bloom_filters_where_those_are_smaller() {
    let keys = |count| (0..count).map(|i| format!("key{i:06}").into_bytes()).collect::<Vec<_>>();
    let mut builder = RibbonBuilder::new(10_000, false);
    for count in [1, 50, 140] {
        let kind = FilterKind::parse(&build(&mut builder, &keys(count)));
        assert!(matches!(kind, FilterKind::FastLocalBloom(_)), "{count}: {kind:?}");
    }
    // Equal lengths make a Ribbon filter: so RocksDB 7.8.3 does for 444 keys of 1 bit.
    let contents = build(&mut RibbonBuilder::new(1000, false), &keys(444));
    assert!(matches!(FilterKind::parse(&contents), FilterKind::Ribbon(_)));
    assert_eq!((contents.len(), bloom::lines_length(444, 1000)), (69, 64));
}

#[test]
fn ribbon_filters_are_smaller_than_bloom_filters() {
    for (millibits, percent) in [(5000, 80), (10_000, 75), (20_000, 75)] {
        let ribbon = RibbonBuilder::new(millibits, false).calculate_space(100_000);
        let bloom = bloom::lines_length(100_000, millibits);
        assert!(ribbon * 100 < bloom * percent, "{millibits}: {ribbon} {bloom}");
    }
}

#[test]
fn blocks_with_fewer_columns_come_first() {
    // 5 segments over 3 blocks: one block with one column, two with two.
    let layout = Layout::new(5, 3);
    assert_eq!([0, 1, 2].map(|block| layout.columns(block)), [1, 2, 2]);
    assert_eq!([0, 1, 2].map(|block| layout.first(block)), [0, 1, 3]);
    let empty = Layout::new(0, 3);
    assert_eq!([0, 1, 2].map(|block| empty.columns(block)), [0, 0, 0]);
}

#[test]
fn parity_is_that_of_the_number_of_bits() {
    let mut bits = 1u128;
    for _ in 0..1000 {
        bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) ^ bits >> 71;
        assert_eq!(parity(bits), bits.count_ones() & 1, "{bits:x}");
    }
    assert_eq!([0, 1, 3, u128::MAX, 1 << 127].map(parity), [0, 1, 0, 0, 1]);
}
