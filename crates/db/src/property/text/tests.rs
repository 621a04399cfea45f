use super::*;

#[test]
fn numbers_grow_units_at_ten_thousand() {
    for (number, text) in [
        (0, "0"),
        (9_999, "9999"),
        (10_000, "10K"),
        (9_999_999, "9999K"),
        (10_000_000, "10M"),
        (9_999_999_999, "9999M"),
        (10_000_000_000, "10G"),
    ] {
        assert_eq!(number_to_human(number), text);
    }
}

#[test]
fn bytes_start_at_kilobytes() {
    for (bytes, text) in [
        (0, "0.00 KB"),
        (6664, "6.51 KB"),
        ((1 << 20) - 1, "1024.00 KB"),
        (1 << 20, "1.00 MB"),
        (5 << 30, "5.00 GB"),
        (3 << 50, "3072.00 TB"),
    ] {
        assert_eq!(bytes_to_human(bytes), text);
    }
}

#[test]
fn clock_times_have_milliseconds() {
    assert_eq!(micros_to_clock(0), "00:00:0.000 H:M:S");
    assert_eq!(micros_to_clock(3_725_250_000), "01:02:5.250 H:M:S");
    assert_eq!(micros_to_clock(59_999_600), "00:00:60.000 H:M:S");
}

#[test]
fn general_numbers_as_a_stream_prints_them() {
    for (value, text) in [
        (0.0, "0"),
        (1.0, "1"),
        (1.5, "1.5"),
        (1.0 / 3.0, "0.333333"),
        (123_456.7, "123457"),
        (1_234_567.0, "1.23457e+06"),
        (0.0001, "0.0001"),
        (0.000_012_5, "1.25e-05"),
        (100.0, "100"),
        (999_999.5, "1e+06"),
        (f64::INFINITY, "inf"),
        (f64::NAN, "nan"),
    ] {
        assert_eq!(general(value), text, "{value}");
    }
}
