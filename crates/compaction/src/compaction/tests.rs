use super::*;

#[test]
fn sizes_are_written_in_the_unit_of_which_there_are_ten() {
    let cases = [(0, "0B"), (10_239, "10239B"), (10_240, "10KB"), (10 << 20, "10MB")];
    for (bytes, text) in cases {
        assert_eq!(human_bytes(bytes), text);
    }
    assert_eq!(human_bytes((10 << 30) - 1), "10239MB");
    assert_eq!(human_bytes(20 << 40), "20TB");
}
