use super::*;

fn generator(sizes: ValueSizes, compression_ratio: f64) -> ValueGenerator {
    ValueGenerator::new(ValueKind { sizes, compression_ratio, same_percent: 0 }, 1)
}

fn fixed(size: usize, compression_ratio: f64) -> ValueGenerator {
    generator(ValueSizes::Fixed(size), compression_ratio)
}

#[test]
fn values_repeat_what_is_random_in_them() {
    let mut values = fixed(100, 0.25);
    let value = values.next_value().to_vec();
    assert_eq!(value[..25], value[25..50]);
    assert_eq!(value[..25], value[75..]);
    assert_ne!(value, values.next_value());
    assert!(value.iter().all(|byte| (b' '..=b'~').contains(byte)));
}

#[test]
fn a_pool_starts_again_where_a_value_does_not_fit() {
    let mut values = fixed(400_000, 1.0);
    let first = values.next_value().to_vec();
    assert_ne!(first, values.next_value());
    // The third would end behind the pool of 1,048,600 bytes.
    assert_eq!(first, values.next_value());
    assert_eq!(fixed(2_000_000, 0.5).next_value().len(), 2_000_000);
}

#[test]
fn sizes_keep_to_their_distribution() {
    let mut uniform = generator(ValueSizes::Uniform(10, 12), 0.5);
    let mut counts = [0; 13];
    (0..3000).for_each(|_| counts[uniform.next_value().len()] += 1);
    assert!(counts[10..].iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    let mut normal = generator(ValueSizes::Normal(100, 700), 0.5);
    let sizes: Vec<_> = (0..3000).map(|_| normal.next_value().len()).collect();
    assert!(sizes.iter().all(|size| (100..=700).contains(size)));
    let within_one_deviation = sizes.iter().filter(|size| (300..=500).contains(*size)).count();
    assert!((1900..2200).contains(&within_one_deviation), "{within_one_deviation}");
}

#[test]
fn some_values_are_the_same() {
    let sizes = ValueSizes::Fixed(100);
    let kind = ValueKind { sizes, compression_ratio: 1.0, same_percent: 30 };
    let mut values = ValueGenerator::new(kind, 5);
    let first = fixed(100, 1.0).next_value().to_vec();
    let same = (0..5000).filter(|_| values.next_value() == first).count();
    assert!((1400..1650).contains(&same), "{same}");
}
