use super::bloom::FastLocalBloomBuilder;
use super::legacy_bloom::LegacyBloomBuilder;
use super::ribbon::RibbonBuilder;
use super::*;
use proptest::prelude::*;

pub(super) fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(u8::is_ascii_hexdigit)
        .map(|c| (c as char).to_digit(16).unwrap() as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

pub(super) fn build(builder: &mut dyn FilterBitsBuilder, keys: &[Vec<u8>]) -> Vec<u8> {
    keys.iter().for_each(|key| builder.add_key(key));
    builder.finish()
}

/// How many of 10,000 keys that were not added pass.
pub(super) fn false_positives(contents: &[u8]) -> usize {
    let reader = FilterBitsReader::new(contents);
    (0..10_000).filter(|number| reader.may_match(format!("no{number}").as_bytes())).count()
}

fn builders() -> [Box<dyn FilterBitsBuilder>; 3] {
    [
        Box::new(LegacyBloomBuilder::new(10)),
        Box::new(FastLocalBloomBuilder::new(10_000, false)),
        Box::new(RibbonBuilder::new(10_000, false)),
    ]
}

#[test]
fn every_added_key_matches() {
    for count in [1, 2, 3, 10, 100, 240, 500, 1000, 5000, 40_000] {
        let keys: Vec<Vec<u8>> = (0..count).map(|i| format!("key{i:08}").into_bytes()).collect();
        for mut builder in builders() {
            let contents = build(&mut *builder, &keys);
            let reader = FilterBitsReader::new(&contents);
            assert!(keys.iter().all(|key| reader.may_match(key)), "{:?} {count}", reader.kind());
            if count >= 240 {
                let percent = false_positives(&contents) as f64 / 100.0;
                assert!((0.4..1.7).contains(&percent), "{:?} {count}: {percent}", reader.kind());
            }
            let planned = builder.calculate_space(count);
            assert!(planned.abs_diff(contents.len()) <= 16, "{planned} {}", contents.len());
        }
    }
}

#[test]
fn no_keys_match_nothing_and_a_builder_can_be_used_again() {
    for mut builder in builders() {
        assert_eq!(builder.finish(), b"");
        builder.add_key(b"a");
        builder.add_key(b"a");
        builder.add_key(b"b");
        assert_eq!(builder.entries_count(), 2);
        let first = builder.finish();
        assert_eq!(builder.entries_count(), 0);
        builder.add_key(b"a");
        builder.add_key(b"b");
        assert_eq!(builder.finish(), first);
        assert_eq!(builder.finish(), b"");
    }
    assert!(!FilterBitsReader::new(b"").may_match(b"a"));
    assert!(!FilterBitsReader::new([0xff, 0, 6, 0, 0]).may_match(b"a"));
}

#[test]
fn unknown_and_broken_metadata_match_everything() {
    let metadata = [
        "0000000000", // no probes
        "8000000000", // reserved
        "fd00000000", // reserved
        "ff01060000", // another kind of Bloom filter
        "ff00000000", // no probes
        "ff001f0000", // 31 probes are reserved
        "ff00260000", // lines of 128 bytes
        "ff00060100", // reserved bits
        "fe00000000", // Ribbon without a block
        "fe00010000", // Ribbon with one
        "0600000000", // legacy without a line
        "0603000000", // legacy lines of no whole length
        "0681000000", // legacy with more lines than bytes
        "06ffffffff",
    ];
    for text in metadata {
        let contents = [vec![0; 128], from_hex(text)].concat();
        let reader = FilterBitsReader::new(contents);
        assert_eq!(reader.kind(), FilterKind::AlwaysMatch, "{text}");
        assert!(reader.may_match(b"any"));
    }
    // Too short for a line of 64 bytes.
    assert!(FilterBitsReader::new([vec![0; 63], from_hex("ff00060000")].concat()).may_match(b"a"));
}

proptest! {
    #[test]
    fn arbitrary_contents_never_panic(
        mut contents in prop::collection::vec(any::<u8>(), 0..700),
        marker in prop_oneof![Just(0xfe), Just(0xff), 0u8..8, any::<u8>()],
        small in any::<[u8; 4]>(),
        keys: Vec<Vec<u8>>,
    ) {
        contents.push(marker);
        for byte in small {
            // Mostly small numbers, so that metadata often makes sense.
            contents.push(if byte < 200 { byte % 8 } else { byte });
        }
        let reader = FilterBitsReader::new(&contents);
        for key in &keys {
            let direct = FilterKind::parse(&contents).may_match(&contents, KeyHash::new(key));
            prop_assert_eq!(reader.may_match(key), direct);
        }
    }

    #[test]
    fn arbitrary_keys_match(keys: Vec<Vec<u8>>) {
        for mut builder in builders() {
            let contents = build(&mut *builder, &keys);
            let reader = FilterBitsReader::new(&contents);
            prop_assert!(keys.iter().all(|key| reader.may_match(key)));
        }
    }
}
