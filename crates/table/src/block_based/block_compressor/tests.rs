use super::*;

/// For each of some blocks, whether it was tried; `is_kept` says what comes of trying it.
fn tried(count: usize, is_kept: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut discouragement = Discouragement::default();
    let block = |number| {
        let is_tried = !discouragement.leaves_out();
        if is_tried {
            discouragement.note(is_kept(number));
        }
        is_tried
    };
    (0..count).map(block).collect()
}

#[test]
fn blocks_that_get_small_are_all_tried() {
    assert_eq!(tried(100, |_| true), [true; 100]);
    assert_eq!(tried(100, |number| number % 5 == 4), [true; 100]);
}

#[test]
fn where_no_block_gets_small_one_in_sixteen_is_tried() {
    let tried = tried(1000, |_| false);
    assert_eq!(tried[..5], [true; 5]);
    assert_eq!(tried[5..13], [false, true, false, false, false, true, false, false]);
    let late = &tried[200..];
    assert_eq!(late.iter().filter(|tried| **tried).count(), late.len() / 16);
    assert!(late.split(|tried| *tried).all(|left_out| left_out.len() <= 15));
}

#[test]
fn one_that_gets_small_has_the_next_ones_tried() {
    let tried = tried(1000, |number| number >= 500);
    let first = (500..).find(|&number| tried[number]).unwrap();
    assert!(first < 516);
    assert!(tried[first..].iter().all(|tried| *tried));
}

#[test]
fn blocks_left_out_count_as_rejected() {
    let options = CompressionOptions::default();
    let kind = CompressionType::Lz4;
    let mut compressor = BlockCompressor::new(kind, &options, 5, false, None);
    let mut number = 7_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        (number >> 56) as u8
    })
    .take(4096)
    .collect();
    for _ in 0..100 {
        assert!(matches!(compressor.compress(&noise, true), Ok(Compressed::Rejected)));
    }
    assert!(matches!(compressor.compress(&[7; 4096], false), Ok(Compressed::Kept(_))), "an index");
    let kept =
        (0..20).find(|_| matches!(compressor.compress(&[7; 4096], true), Ok(Compressed::Kept(_))));
    assert!(kept.is_some_and(|after| after < 16), "{kept:?}");
}
