use super::*;

fn key(format: &KeyFormat, number: u64) -> Vec<u8> {
    let mut key = Vec::new();
    format.write(number, &mut key);
    key
}

#[test]
fn keys_are_db_benchs() {
    let plain =
        KeyFormat { key_size: 20, prefix_size: 0, keys_per_prefix: 0, key_count: 1_000_000 };
    assert_eq!(key(&plain, 1), [&[0, 0, 0, 0, 0, 0, 0, 1][..], &[b'0'; 12]].concat());
    let short = KeyFormat { key_size: 4, ..plain };
    assert_eq!(key(&short, 0x01_0203_0405), [2, 3, 4, 5]);
    let eight = KeyFormat { key_size: 8, ..plain };
    assert_eq!(key(&eight, 258), [0, 0, 0, 0, 0, 0, 1, 2]);
}

#[test]
fn prefixes_come_first() {
    let format = KeyFormat { key_size: 24, prefix_size: 10, keys_per_prefix: 10, key_count: 1000 };
    let expected = [&[0, 0, 0, 0, 0, 0, 0, 5][..], b"00", &[0, 0, 0, 0, 0, 0, 0, 105], b"000000"];
    assert_eq!(key(&format, 105), expected.concat());
    let narrow = KeyFormat { prefix_size: 3, ..format };
    assert_eq!(key(&narrow, 105)[..3], [0, 0, 5]);
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
