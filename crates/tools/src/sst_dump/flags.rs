//! The flags of sst_dump, each once.

use super::arguments::{Arguments, Command, Refusal, Request, leading_int, whole_unsigned};
use compression::CompressionType;
use std::io::{self, Write};

/// What a flag does to the arguments; a request ends the reading of arguments.
type Apply = fn(&mut Arguments, &str) -> Result<Option<Request>, Refusal>;

/// A flag: `--name`, or `--name=value`.
pub(super) struct Flag {
    pub(super) name: &'static str,
    /// What stands for its value in the help; none if it takes none.
    pub(super) value: Option<&'static str>,
    pub(super) help: &'static str,
    pub(super) apply: Apply,
}

const fn switch(name: &'static str, help: &'static str, apply: Apply) -> Flag {
    Flag { name, value: None, help, apply }
}

const fn valued(name: &'static str, value: &'static str, help: &'static str, apply: Apply) -> Flag {
    Flag { name, value: Some(value), help, apply }
}

/// Applies a flag that goes on to the next argument.
macro_rules! set {
    (|$arguments:ident, $value:ident| $body:expr) => {
        |$arguments, $value| {
            $body;
            Ok(None)
        }
    };
    (|$arguments:ident| $body:expr) => {
        |$arguments, _| {
            $body;
            Ok(None)
        }
    };
}

/// All flags, in the order of the help.
pub(super) const FLAGS: &[Flag] = &[
    valued(
        "file",
        "PATH",
        "A table file, or a directory whose table files are taken one by one. Paths without a \
         flag are taken too.",
        set!(|arguments, value| arguments.file = Some(value.to_owned())),
    ),
    valued(
        "command",
        "check|scan|raw|verify|recompress|identify",
        "check (default) reads every entry and prints only errors; scan prints entries; raw \
         writes all there is as text to NAME_dump.txt beside NAME.sst; verify compares the \
         checksum of every block; recompress is not implemented yet; identify says which files \
         are tables.",
        set!(|arguments, value| arguments.command = Command::from_name(value)),
    ),
    switch(
        "output_hex",
        "With scan: keys and values in hexadecimal.",
        set!(|arguments| arguments.output_hex = true),
    ),
    switch(
        "decode_blob_index",
        "With scan: where a value is in a blob file, in words.",
        set!(|arguments| arguments.decode_blob_index = true),
    ),
    valued(
        "from",
        "KEY",
        "With check and scan: the first user key.",
        set!(|arguments, value| arguments.from = Some(value.into())),
    ),
    valued(
        "to",
        "KEY",
        "With check and scan: the user key to stop before.",
        set!(|arguments, value| arguments.to = Some(value.into())),
    ),
    valued(
        "prefix",
        "KEY",
        "With check and scan: only user keys that begin so. Not together with --from.",
        set!(|arguments, value| arguments.prefix = Some(value.into())),
    ),
    switch(
        "input_key_hex",
        "The keys of --from, --to and --prefix are hexadecimal, after 0x.",
        set!(|arguments| arguments.input_key_hex = true),
    ),
    valued(
        "read_num",
        "COUNT",
        "With check and scan: stop after this many entries, counted over all files.",
        |arguments, value| match whole_unsigned(value) {
            Some(count) => {
                arguments.read_num = count;
                Ok(None)
            }
            None => {
                Err(Refusal::with_help(format!("Unrecognized argument '--read_num={value}'\n")))
            }
        },
    ),
    switch(
        "verify_checksum",
        "With check and scan: compare the checksums of data blocks too.",
        set!(|arguments| arguments.verify_checksum = true),
    ),
    switch(
        "show_properties",
        "With check, scan and identify: print the properties of each table.",
        set!(|arguments| arguments.show_properties = true),
    ),
    switch(
        "show_summary",
        "Print sums over all tables at the end.",
        set!(|arguments| arguments.show_summary = true),
    ),
    valued(
        "parse_internal_key",
        "0xKEY",
        "Take this internal key apart and print it; no file is needed.",
        |_, value| Ok(Some(Request::ParseInternalKey(value.to_owned()))),
    ),
    valued(
        "readahead_size",
        "BYTES",
        "How far to read ahead; 2 MiB unless given.",
        |arguments, value| {
            arguments.readahead_size_bytes =
                number(value, "readahead_size must be numeric")? as u64;
            Ok(None)
        },
    ),
    valued(
        "env_uri",
        "URI",
        "Only posix:// is there. Not together with --fs_uri.",
        set!(|arguments, value| arguments.env_uri = value.to_owned()),
    ),
    valued(
        "fs_uri",
        "URI",
        "Only posix:// is there. Not together with --env_uri.",
        set!(|arguments, value| arguments.fs_uri = value.to_owned()),
    ),
    valued("set_block_size", "BYTES", "For recompress.", |_, value| {
        number(value, "block size must be numeric").map(|_| None)
    }),
    valued(
        "compression_types",
        "TYPE,...",
        "For recompress: names such as kSnappyCompression.",
        compression_types,
    ),
    valued("compression_level_from", "LEVEL", "For recompress.", |arguments, value| {
        arguments.has_compression_level_from = true;
        number(value, "compression_level_from must be numeric").map(|_| None)
    }),
    valued("compression_level_to", "LEVEL", "For recompress.", |arguments, value| {
        arguments.has_compression_level_to = true;
        number(value, "compression_level_to must be numeric").map(|_| None)
    }),
    valued("compression_max_dict_bytes", "BYTES", "For recompress.", |_, value| {
        unsigned("compression_max_dict_bytes", value)
    }),
    valued("compression_zstd_max_train_bytes", "BYTES", "For recompress.", |_, value| {
        unsigned("compression_zstd_max_train_bytes", value)
    }),
    valued("compression_max_dict_buffer_bytes", "BYTES", "For recompress.", |_, value| {
        let name = "compression_max_dict_buffer_bytes";
        if number(value, &format!("{name} must be numeric"))? < 0 {
            let message = format!("{name} must be positive: '--{name}={value}'");
            return Err(Refusal::with_help(message));
        }
        Ok(None)
    }),
    switch("compression_use_zstd_finalize_dict", "For recompress.", |_, _| Ok(None)),
    switch("help", "Print this.", |_, _| Ok(Some(Request::Help))),
    switch("version", "Print the version.", |_, _| Ok(Some(Request::Version))),
];

fn number(text: &str, message: &str) -> Result<i64, Refusal> {
    leading_int(text).ok_or_else(|| Refusal::new(message))
}

fn unsigned(name: &str, value: &str) -> Result<Option<Request>, Refusal> {
    let number = number(value, &format!("{name} must be numeric"))?;
    if u32::try_from(number).is_err() {
        let message = format!("{name} must be a uint32_t: '--{name}={value}'");
        return Err(Refusal::with_help(message));
    }
    Ok(None)
}

fn compression_types(arguments: &mut Arguments, list: &str) -> Result<Option<Request>, Refusal> {
    for name in list.split_terminator(',') {
        let kind = CompressionType::from_option_name(name);
        if kind.is_none_or(|kind| kind == CompressionType::ZstdNotFinal) {
            return Err(Refusal::new(format!("{name} is not a valid CompressionType")));
        }
        arguments.compression_type_count += 1;
    }
    Ok(None)
}

/// Columns that the help is laid out for.
const HELP_WIDTH: usize = 80;
const HELP_INDENT: &str = "      ";

/// Writes the help.
pub(super) fn write_help(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "touchstone sst_dump: look into table files, as RocksDB's sst_dump does")?;
    writeln!(out, "\nusage: sst_dump --file=PATH [--command=COMMAND] [FLAG ...]\n")?;
    for flag in FLAGS {
        match flag.value {
            Some(value) => writeln!(out, "    --{}={value}", flag.name)?,
            None => writeln!(out, "    --{}", flag.name)?,
        }
        write_wrapped(out, flag.help)?;
    }
    Ok(())
}

fn write_wrapped(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut column = 0;
    for word in text.split(' ') {
        if column > 0 && column + 1 + word.len() > HELP_WIDTH {
            writeln!(out)?;
            column = 0;
        }
        let before = if column == 0 { HELP_INDENT } else { " " };
        write!(out, "{before}{word}")?;
        column += before.len() + word.len();
    }
    writeln!(out)
}
