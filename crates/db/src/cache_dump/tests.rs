use super::*;

fn files() -> Vec<DumpedFile> {
    let file = |number, offsets: &[u64]| DumpedFile {
        number,
        size: number * 1000,
        unique_id: [number as u8; 16],
        offsets: offsets.to_vec(),
    };
    vec![file(7, &[0, 4101, 8200, 1 << 40]), file(3, &[]), file(u64::MAX / 1000, &[5])]
}

#[test]
fn a_dump_is_read_as_it_was_written() {
    for files in [vec![], files()] {
        assert_eq!(decode(&encode(&files)).unwrap(), files);
    }
    let bytes = encode(&[DumpedFile {
        number: 9,
        size: 300,
        unique_id: *b"0123456789abcdef",
        offsets: vec![0, 130],
    }]);
    let body = b"tschdump\x09\xac\x020123456789abcdef\x02\x00\x82\x01\x00";
    assert_eq!(bytes[..bytes.len() - 4], body[..]);
}

#[test]
fn any_damage_is_found() {
    let bytes = encode(&files());
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).is_err(), "cut off at {length}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(decode(&damaged).is_err(), "a bit at {at}");
    }
}

/// With a checksum that fits.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut bytes = body.to_vec();
    put_fixed32(&mut bytes, crc32c::value(body));
    bytes
}

#[test]
fn what_no_dump_has_is_told_with_its_place() {
    let id = [0; 16];
    let many = [b"tschdump\x01\x01", &id[..], b"\xff\xff\xff\xff\xff\xff\x01\x00\x00"].concat();
    let overflow = {
        let mut body = [b"tschdump\x01\x01", &id[..], b"\x02"].concat();
        put_varint64(&mut body, u64::MAX);
        body.extend_from_slice(b"\x01\x00");
        body
    };
    for (body, offset, expected) in [
        (&b"otherdump\x00"[..], 0, "expected \"tschdump\""),
        (b"tschdump", 8, "expected a file, or the end"),
        (b"tschdump\x00\x00", 8, "expected a file, or the end"),
        (b"tschdump\x05\x01", 8, "expected a file, or the end"),
        (&many, 8, "expected a file, or the end"),
        (&overflow, 8, "expected a file, or the end"),
    ] {
        assert_eq!(decode(&sealed(body)), Err((offset, expected.to_owned())));
    }
}
