use super::*;
use crate::config::ConfigOptions;

fn set<T: OptionValue + Default>(text: &str) -> Result<T, SetError> {
    let config = ConfigOptions::default();
    let mut value = T::default();
    value.set(text, &mut Context::new(&config)).map(|()| value)
}

#[test]
fn words_are_read_and_printed() {
    for &style in CompactionStyle::ALL {
        assert_eq!(set(style.name()), Ok(style));
        assert_eq!(style.print(Release::NEWEST_KNOWN), style.name());
    }
    assert_eq!(set(" {kIce} "), Ok(Temperature::Ice));
    assert_eq!(Temperature::Ice as u8, 16);
    assert_eq!(WalRecoveryMode::default() as u8, 2);
}

#[test]
fn other_words_are_refused_with_the_right_ones() {
    assert_eq!(
        set::<EncodingType>("kplain"),
        bad("expected one of kPlain, kPrefix, found \"kplain\"")
    );
    assert!(set::<EncodingType>("").is_err());
    assert!(set::<EncodingType>("0").is_err());
}

#[test]
fn codecs_are_read_and_printed() {
    for (word, value) in COMPRESSION_WORDS {
        assert_eq!(set(word), Ok(value));
        assert_eq!(value.print(Release::NEWEST_KNOWN), word);
    }
    for (word, number) in [("kCustomCompression80", 0x80), ("kCustomCompressionFE", 0xfe)] {
        assert_eq!(set(word), Ok(CompressionType::Custom(number)));
        assert_eq!(CompressionType::Custom(number).print(Release::NEWEST_KNOWN), word);
    }
    for word in ["kCustomCompression7F", "kCustomCompressionFF", "kCustomCompression+8", "zstd"] {
        assert!(set::<CompressionType>(word).is_err(), "{word}");
    }
    assert_eq!(CompressionType::Zstd.number(), 7);
    assert_eq!(CompressionType::Disable.number(), 255);
}
