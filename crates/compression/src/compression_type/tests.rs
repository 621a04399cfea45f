use super::*;
use base::status::Code;

#[test]
fn numbers_and_names_round_trip() {
    for kind in CompressionType::all() {
        assert_eq!(CompressionType::from_u8(kind as u8), Ok(kind));
        assert_eq!(kind.names().0, kind);
        assert_eq!(CompressionType::from_property_name(kind.property_name()), Some(kind));
        assert_eq!(CompressionType::from_option_name(kind.option_name()), Some(kind));
        assert_eq!(CompressionType::from_flag_name(kind.flag_name()), Some(kind));
    }
    assert_eq!(CompressionType::all().count(), 9);
    assert_eq!(CompressionType::from_option_name("kDisableCompressionOption"), None);
    assert_eq!(CompressionType::from_flag_name("SNAPPY"), Some(CompressionType::Snappy));
}

#[test]
fn other_numbers_are_refused_by_name() {
    let known: Vec<u8> = CompressionType::all().map(|kind| kind as u8).collect();
    for number in (0..=255).filter(|number| !known.contains(number)) {
        let error = CompressionType::from_u8(number).unwrap_err();
        let code = if number == 0xff { Code::Corruption } else { Code::NotSupported };
        assert_eq!(error.code(), code, "{number}");
        assert!(error.message().contains(&format!("0x{number:02X}")), "{error}");
    }
}
