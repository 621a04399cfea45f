use super::*;

fn parse_words(words: &[&str]) -> Result<Request, Refusal> {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    parse(&words)
}

fn run(words: &[&str]) -> Arguments {
    match parse_words(words) {
        Ok(Request::Run(arguments)) => *arguments,
        other => panic!("{words:?}: {other:?}"),
    }
}

fn refusal(words: &[&str]) -> Refusal {
    match parse_words(words) {
        Err(refusal) => refusal,
        other => panic!("{words:?}: {other:?}"),
    }
}

#[test]
fn flags_reach_their_fields() {
    let arguments = run(&[
        "--file=db/1.sst",
        "db/2.sst",
        "--command=scan",
        "--output_hex",
        "--decode_blob_index",
        "--verify_checksum",
        "--show_properties",
        "--show_summary",
        "--input_key_hex",
        "--from=0x6B",
        "--to=0x6b7a",
        "--read_num=7",
        "--readahead_size=4096",
        "--set_block_size=1",
    ]);
    let expected = Arguments {
        file: Some("db/1.sst".into()),
        paths: vec!["db/2.sst".into()],
        command: Command::Scan,
        output_hex: true,
        decode_blob_index: true,
        verify_checksum: true,
        show_properties: true,
        show_summary: true,
        input_key_hex: true,
        from: Some(b"k".to_vec()),
        to: Some(b"kz".to_vec()),
        read_num: 7,
        readahead_size_bytes: 4096,
        ..Arguments::default()
    };
    assert_eq!(arguments, expected);
}

#[test]
fn values_may_hold_equal_signs_and_the_last_one_counts() {
    let arguments = run(&["--file=a", "--file=b=c.sst", "--prefix=x=", "--command="]);
    assert_eq!(arguments.file.as_deref(), Some("b=c.sst"));
    assert_eq!(arguments.prefix.as_deref(), Some(&b"x="[..]));
    assert_eq!(arguments.command, Command::Check);
}

#[test]
fn the_first_argument_that_ends_the_run_ends_it() {
    assert_eq!(parse_words(&["--help", "--nonsense"]), Ok(Request::Help));
    assert_eq!(parse_words(&["--file=x", "--version"]), Ok(Request::Version));
    let key = "--parse_internal_key=0x00";
    assert_eq!(parse_words(&[key]), Ok(Request::ParseInternalKey("0x00".into())));
    assert!(refusal(&["--nonsense", "--help"]).shows_help);
}

#[test]
fn wrong_arguments_are_refused_with_a_sentence() {
    let table: &[(&[&str], &str)] = &[
        (&[], "file or directory must be specified."),
        (&["--output_hex=1", "--file=x"], "Unrecognized argument '--output_hex=1'"),
        (&["--file"], "Unrecognized argument '--file'"),
        (&["-file=x"], "Unrecognized argument '-file=x'"),
        (&["--file=x", "--read_num=1x"], "Unrecognized argument '--read_num=1x'"),
        (&["--file=x", "--read_num="], "Unrecognized argument '--read_num='"),
        (&["--file=x", "--set_block_size=x"], "block size must be numeric"),
        (&["--file=x", "--readahead_size="], "readahead_size must be numeric"),
        (&["--file=x", "--compression_types=kZSTD,x"], "x is not a valid CompressionType"),
        (&["--file=x", "--compression_types=,"], " is not a valid CompressionType"),
        (&["--file=x", "--compression_level_from=1"], "Specify both --compression_level_from"),
        (
            &["--file=x", "--compression_level_from=1", "--compression_level_to=2"],
            "Specify one compression type.",
        ),
        (&["--file=x", "--compression_max_dict_bytes=-1"], "must be a uint32_t"),
        (&["--file=x", "--compression_zstd_max_train_bytes=4294967296"], "must be a uint32_t"),
        (&["--file=x", "--compression_max_dict_buffer_bytes=-1"], "must be positive"),
        (&["--file=x", "--from=a", "--prefix=a"], "Cannot specify --prefix and --from"),
        (&["--file=x", "--input_key_hex", "--from=6B"], "Must start with 0x"),
        (&["--file=x", "--input_key_hex", "--to=0x6"], "expected pairs of hexadecimal digits"),
    ];
    for (words, sentence) in table {
        let refusal = refusal(words);
        assert!(refusal.message.contains(sentence), "{words:?}: {refusal:?}");
    }
}

#[test]
fn what_only_recompress_needs_is_accepted() {
    run(&[
        "--file=x",
        "--compression_types=kZSTD",
        "--compression_level_from=1",
        "--compression_level_to=2",
        "--compression_max_dict_bytes=4294967295",
        "--compression_zstd_max_train_bytes=0",
        "--compression_max_dict_buffer_bytes=9",
        "--compression_use_zstd_finalize_dict",
    ]);
}

#[test]
fn numbers_are_read_as_c_reads_them() {
    assert_eq!(leading_int(" \t-12abc"), Some(-12));
    assert_eq!(leading_int("+7"), Some(7));
    assert_eq!(leading_int("0x10"), Some(0));
    assert_eq!(leading_int("9223372036854775808"), None);
    for none in ["", "-", "x1", "- 1"] {
        assert_eq!(leading_int(none), None, "{none:?}");
    }
    assert_eq!(whole_unsigned(" 12"), Some(12));
    assert_eq!(whole_unsigned("-1"), Some(u64::MAX));
    assert_eq!(whole_unsigned("99999999999999999999"), Some(u64::MAX));
    for none in ["", "+", "12 ", "0x10", "1x"] {
        assert_eq!(whole_unsigned(none), None, "{none:?}");
    }
}
