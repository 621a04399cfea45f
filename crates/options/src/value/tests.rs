use super::*;

fn set<T: OptionValue + Default>(text: &str) -> Result<T, String> {
    let config = ConfigOptions::default();
    let mut value = T::default();
    match value.set(text, &mut Context::new(&config)) {
        Ok(()) => Ok(value),
        Err(SetError::BadValue(why) | SetError::UnknownName(why)) => Err(why),
    }
}

fn print(value: &impl OptionValue) -> String {
    value.print(Release::NEWEST_KNOWN)
}

#[test]
fn integers_have_signs_and_units() {
    assert_eq!(set::<i32>("-5"), Ok(-5));
    assert_eq!(set::<i32>("+5"), Ok(5));
    assert_eq!(set::<u64>(" {64M} "), Ok(64 << 20));
    for (text, number) in [("3k", 3 << 10), ("3MB", 3 << 20), ("3GiB", 3 << 30), ("3t", 3 << 40)] {
        assert_eq!(set::<u64>(text), Ok(number), "{text}");
    }
    assert_eq!(set::<i64>("-2K"), Ok(-2048));
    assert_eq!(set::<u8>("255"), Ok(255));
}

#[test]
fn integers_that_do_not_fit_are_refused() {
    assert_eq!(set::<u8>("256"), Err("expected a number from 0 to 255, found 256".to_owned()));
    assert!(set::<i32>("2147483648").is_err());
    assert!(set::<i32>("2G").is_err());
    assert!(set::<u32>("-1").is_err());
    assert!(set::<u64>("18446744073709551616").is_err());
    assert!(set::<u64>("18446744073709551615T").is_err());
    assert!(set::<u64>("99999999999999999999999999999999999999999").is_err());
}

#[test]
fn minus_one_is_the_largest_64_bit_number() {
    assert_eq!(set::<u64>("-1"), Ok(u64::MAX));
    assert_eq!(set::<u64>("-2"), Ok(u64::MAX - 1));
    assert!(set::<u64>("-9223372036854775809").is_err());
}

#[test]
fn what_is_no_number_is_refused() {
    for text in ["", " ", "-", "k", "1 k", "0x10", "1.5", "12abc", "1e3", "1Mb/s", "１"] {
        assert!(set::<u64>(text).is_err(), "{text}");
    }
    for text in ["", "nan", "inf", "1.5x", "1,5"] {
        assert!(set::<f64>(text).is_err(), "{text}");
    }
}

#[test]
fn booleans_are_words_or_digits() {
    assert_eq!(set::<bool>("true"), Ok(true));
    assert_eq!(set::<bool>("1"), Ok(true));
    assert_eq!(set::<bool>("false"), Ok(false));
    assert_eq!(set::<bool>("0"), Ok(false));
    for text in ["on", "TRUE", "yes", "", "2"] {
        assert!(set::<bool>(text).is_err(), "{text}");
    }
}

#[test]
fn doubles_have_six_decimals() {
    assert_eq!(print(&set::<f64>("10").unwrap()), "10.000000");
    assert_eq!(print(&set::<f64>("-1").unwrap()), "-1.000000");
    assert_eq!(print(&set::<f64>("2.5e-1").unwrap()), "0.250000");
}

#[test]
fn strings_lose_one_pair_of_braces() {
    assert_eq!(set::<String>("a;b").unwrap(), "a;b");
    assert_eq!(set::<String>("{a;b}").unwrap(), "a;b");
    assert_eq!(set::<String>("{a}:{b}").unwrap(), "{a}:{b}");
    assert_eq!(print(&"{a}".to_owned()), "{{a}}");
    assert_eq!(print(&"a:b#".to_owned()), r"a\:b\#");
}

#[test]
fn lists_replace_what_was_there() {
    assert_eq!(set::<Vec<i32>>("1:2:3").unwrap(), [1, 2, 3]);
    assert_eq!(set::<Vec<i32>>("{1:2}").unwrap(), [1, 2]);
    assert!(set::<Vec<i32>>("").unwrap().is_empty());
    assert!(set::<Vec<i32>>("1::2").is_err());
    assert_eq!(print(&vec![1, 2, 3]), "1:2:3");
    assert_eq!(print(&Vec::<i32>::new()), "");
}
