use super::*;

fn print_text(text: &str) -> (i32, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = print(text, &mut out, &mut err).unwrap();
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn a_key_is_taken_apart() {
    let (status, out, err) = print_text("0x6B65790101000000000000");
    assert_eq!((status, out.as_str(), err.as_str()), (0, "key='6B6579' seq:1, type:1\n", ""));
}

#[test]
fn malformed_keys_fail_and_show_what_there_is() {
    let (status, out, err) = print_text("0x6B65793F01000000000000");
    assert_eq!((status, out.as_str()), (255, "key='6B6579' seq:1, type:63\n"));
    assert!(err.contains("unknown value type 0x3f"), "{err}");

    let (status, out, err) = print_text("0x6B65790301000000000000");
    assert_eq!((status, out.as_str()), (255, "key='6B6579' seq:1, type:3\n"));
    assert!(err.contains("type 3"), "{err}");

    let (status, out, err) = print_text("0x01");
    assert_eq!((status, out.as_str()), (255, "key='' seq:72057594037927935, type:0\n"));
    assert!(err.contains("found 1"), "{err}");

    for text in ["", "6B", "0x0", "0xzz"] {
        let (status, out, err) = print_text(text);
        assert_eq!((status, out.as_str()), (255, ""), "{text}");
        assert!(err.contains("hexadecimal"), "{err}");
    }
}
