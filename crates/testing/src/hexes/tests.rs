use super::{hex, try_unhex, unhex};

#[test]
fn every_byte_round_trips() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(unhex(&hex(&all)), all);
    assert_eq!(hex(&[0x00, 0x9f, 0xa0, 0xff]), "009fa0ff");
}

#[test]
fn white_space_and_upper_case_are_read() {
    assert_eq!(unhex("00 0A\n fF"), [0x00, 0x0a, 0xff]);
    assert!(unhex("").is_empty());
}

#[test]
fn what_is_not_hexadecimal_is_refused() {
    assert_eq!(try_unhex("0g").unwrap_err(), "'g' is not a hexadecimal digit in \"0g\"");
    assert_eq!(try_unhex("abc").unwrap_err(), "an odd number of hexadecimal digits in \"abc\"");
}
