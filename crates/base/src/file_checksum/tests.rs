use super::*;

fn crc32c_of(pieces: &[&[u8]]) -> Vec<u8> {
    let factory = builtin("FileChecksumGenCrc32cFactory").unwrap();
    let mut generator = factory.create(&FileChecksumGenContext::default()).unwrap();
    for piece in pieces {
        generator.update(piece);
    }
    generator.finalize()
}

#[test]
fn highest_byte_first_and_not_masked() {
    assert_eq!(crc32c_of(&[b"123456789"]), [0xe3, 0x06, 0x92, 0x83]);
    assert_eq!(crc32c_of(&[b"1234", b"", b"56789"]), [0xe3, 0x06, 0x92, 0x83]);
    assert_eq!(crc32c_of(&[]), [0; 4]);
}

#[test]
fn only_the_known_function_can_be_requested() {
    let factory = builtin(FileChecksumGenCrc32cFactory::NAME).unwrap();
    assert_eq!(factory.name(), "FileChecksumGenCrc32cFactory");
    let create = |requested_function_name| {
        factory.create(&FileChecksumGenContext { file_name: "000007.sst", requested_function_name })
    };
    assert_eq!(create("FileChecksumCrc32c").unwrap().name(), "FileChecksumCrc32c");
    assert!(create("FileChecksumHash").is_none());
    assert!(builtin("FileChecksumCrc32c").is_none());
}
