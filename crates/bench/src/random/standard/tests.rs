use super::*;

/// What a program of C++ printed.
#[test]
fn draws_are_those_of_libstdcxx() {
    let mut engine = MinimalStandard::new(7);
    let drawn: Vec<u8> = (0..20).map(|_| u8::from(engine.is_true(0.3))).collect();
    assert_eq!(drawn, [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]);
    let mut normal = Normal::new(500.0, 200.0, MinimalStandard::new(1));
    let expected = [
        475.606_843_171_68,
        282.636_391_147_73,
        636.857_988_759_31,
        284.962_170_096_39,
        506.653_895_284_1,
        648.967_119_544_56,
    ];
    for expected in expected {
        assert!((normal.next() - expected).abs() < 1e-9);
    }
    assert_eq!(MinimalStandard::new(0).next(), 16_807);
}
