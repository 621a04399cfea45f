use super::*;

fn key(format: &KeyFormat, number: u64) -> Vec<u8> {
    let mut key = Vec::new();
    format.write(number, &mut key);
    key
}

#[test]
fn keys_are_db_benchs() {
    let plain = KeyFormat { key_size: 20, key_count: 1_000_000, ..KeyFormat::default() };
    assert_eq!(key(&plain, 1), [&[0, 0, 0, 0, 0, 0, 0, 1][..], &[b'0'; 12]].concat());
    let short = KeyFormat { key_size: 4, ..plain };
    assert_eq!(key(&short, 0x01_0203_0405), [2, 3, 4, 5]);
    let eight = KeyFormat { key_size: 8, ..plain };
    assert_eq!(key(&eight, 258), [0, 0, 0, 0, 0, 0, 1, 2]);
}

#[test]
fn prefixes_come_first() {
    let format = KeyFormat {
        key_size: 24,
        prefix_size: 10,
        keys_per_prefix: 10,
        key_count: 1000,
        ..KeyFormat::default()
    };
    let expected = [&[0, 0, 0, 0, 0, 0, 0, 5][..], b"00", &[0, 0, 0, 0, 0, 0, 0, 105], b"000000"];
    assert_eq!(key(&format, 105), expected.concat());
    let narrow = KeyFormat { prefix_size: 3, ..format };
    assert_eq!(key(&narrow, 105)[..3], [0, 0, 5]);
}

#[test]
fn lengths_follow_from_numbers() {
    let format =
        KeyFormat { key_size: 8, key_size_max: 64, key_count: 100_000, ..KeyFormat::default() };
    let lengths = (0..format.key_count).map(|number| key(&format, number).len());
    let mut count_of = [0_u64; 65];
    lengths.clone().for_each(|length| count_of[length] += 1);
    assert_eq!(count_of[..8], [0; 8]);
    let mean = format.key_count / 57;
    assert!(count_of[8..].iter().all(|count| count.abs_diff(mean) < mean / 10), "{count_of:?}");
    assert!(lengths.eq((0..format.key_count).map(|number| key(&format, number).len())));
    let keys: Vec<_> = (0..1000).map(|number| key(&format, number)).collect();
    assert!(keys.is_sorted(), "keys are in the order of their numbers");
}

#[test]
fn skewed_choices_stay_in_range() {
    let chooser = KeyChooser { key_count: 1000, exp_range: 10.0 };
    let mut random = Random64::new(7);
    let mut hits = [0u32; 1000];
    for _ in 0..10_000 {
        hits[chooser.choose(&mut random) as usize] += 1;
    }
    assert!(hits.iter().max() > Some(&100), "some keys are popular");
}
