//! The command line of sst_dump taken apart.
//!
//! Every flag is one row of [`FLAGS`]: its name, what value it takes, its help, and what it does.
//! Arguments are read from left to right and the first that ends the run, such as `--help` or one
//! that is wrong, ends it: what follows is not looked at.

use super::flags::FLAGS;
use crate::print::decode_hex;

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Look at files.
    Run(Box<Arguments>),
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// `--parse_internal_key`, with its value.
    ParseInternalKey(String),
}

/// Why a command line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What is wrong.
    pub(super) message: String,
    /// Whether the help is worth showing.
    pub(super) shows_help: bool,
}

impl Refusal {
    #[cold]
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), shows_help: false }
    }

    #[cold]
    pub(super) fn with_help(message: impl Into<String>) -> Self {
        Self { message: message.into(), shows_help: true }
    }
}

/// What to do with each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Command {
    /// Read all entries and print nothing but errors.
    #[default]
    Check,
    /// Print entries.
    Scan,
    /// Write everything as text to a file beside the table.
    Raw,
    /// Verify the checksum of every block.
    Verify,
    /// Compare sizes under other codecs.
    Recompress,
    /// Say which files are tables.
    Identify,
    /// A name that means nothing: files are opened and no more, as RocksDB's sst_dump has it.
    Unknown(String),
}

impl Command {
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "" | "check" => Self::Check,
            "scan" => Self::Scan,
            "raw" => Self::Raw,
            "verify" => Self::Verify,
            "recompress" => Self::Recompress,
            "identify" => Self::Identify,
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// Whether it goes through entries.
    pub(super) fn reads_entries(&self) -> bool {
        matches!(self, Self::Check | Self::Scan)
    }
}

/// A command line that looks at files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// `--file`; the last one given.
    pub(super) file: Option<String>,
    /// Arguments that are no flags.
    pub(super) paths: Vec<String>,
    pub(super) env_uri: String,
    pub(super) fs_uri: String,
    pub(super) command: Command,
    pub(super) output_hex: bool,
    pub(super) decode_blob_index: bool,
    pub(super) verify_checksum: bool,
    pub(super) input_key_hex: bool,
    pub(super) show_properties: bool,
    pub(super) show_summary: bool,
    pub(super) from: Option<Vec<u8>>,
    pub(super) to: Option<Vec<u8>>,
    pub(super) prefix: Option<Vec<u8>>,
    /// Entries to read over all files; 0 is no limit.
    pub(super) read_num: u64,
    pub(super) readahead_size_bytes: u64,
    pub(super) compression_type_count: usize,
    pub(super) has_compression_level_from: bool,
    pub(super) has_compression_level_to: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            file: None,
            paths: Vec::new(),
            env_uri: String::new(),
            fs_uri: String::new(),
            command: Command::default(),
            output_hex: false,
            decode_blob_index: false,
            verify_checksum: false,
            input_key_hex: false,
            show_properties: false,
            show_summary: false,
            from: None,
            to: None,
            prefix: None,
            read_num: u64::MAX,
            readahead_size_bytes: super::READAHEAD_SIZE_BYTES,
            compression_type_count: 0,
            has_compression_level_from: false,
            has_compression_level_to: false,
        }
    }
}

/// Takes a command line apart.
pub(super) fn parse(command_line: &[String]) -> Result<Request, Refusal> {
    let mut arguments = Arguments::default();
    for argument in command_line {
        if !argument.starts_with('-') {
            arguments.paths.push(argument.clone());
            continue;
        }
        if let Some(request) = take(&mut arguments, argument)? {
            return Ok(request);
        }
    }
    arguments.finish().map(|arguments| Request::Run(Box::new(arguments)))
}

fn take(arguments: &mut Arguments, argument: &str) -> Result<Option<Request>, Refusal> {
    let unrecognized = || Refusal::with_help(format!("Unrecognized argument '{argument}'\n"));
    let (name, value) = match argument.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (argument, None),
    };
    let name = name.strip_prefix("--").ok_or_else(unrecognized)?;
    let flag = FLAGS
        .iter()
        .find(|flag| flag.name == name && flag.value.is_some() == value.is_some())
        .ok_or_else(unrecognized)?;
    (flag.apply)(arguments, value.unwrap_or_default())
}

impl Arguments {
    /// What can be told only of the whole command line.
    fn finish(mut self) -> Result<Self, Refusal> {
        match (self.has_compression_level_from, self.has_compression_level_to) {
            (true, true) if self.compression_type_count != 1 => {
                return Err(Refusal::new("Specify one compression type.\n"));
            }
            (true, false) | (false, true) => {
                return Err(Refusal::new(
                    "Specify both --compression_level_from and --compression_level_to.\n",
                ));
            }
            _ => {}
        }
        if self.prefix.is_some() && self.from.is_some() {
            return Err(Refusal::new("Cannot specify --prefix and --from\n"));
        }
        if self.input_key_hex {
            for key in [&mut self.from, &mut self.prefix, &mut self.to].into_iter().flatten() {
                *key = decode_key(key)?;
            }
        }
        if self.file.is_none() && self.paths.is_empty() {
            return Err(Refusal::with_help("file or directory must be specified.\n"));
        }
        Ok(self)
    }
}

/// The key that `0x...` stands for.
fn decode_key(text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let digits = text.strip_prefix(b"0x").ok_or_else(|| {
        let text = String::from_utf8_lossy(text);
        Refusal::new(format!("Invalid hex input {text}.  Must start with 0x"))
    })?;
    decode_hex(digits).ok_or_else(|| {
        let text = String::from_utf8_lossy(text);
        Refusal::new(format!("Invalid hex input {text}: expected pairs of hexadecimal digits"))
    })
}

/// A signed number at the start of `text`, behind blanks; what follows its digits does not matter.
/// None without digits or beyond 64 bits.
pub(super) fn leading_int(text: &str) -> Option<i64> {
    let text = skip_blanks(text);
    let digits_at = usize::from(text.starts_with(['+', '-']));
    let digits = text[digits_at..].bytes().take_while(u8::is_ascii_digit).count();
    text[..digits_at + digits].parse().ok()
}

/// The unsigned number that is all of `text` but for leading blanks. As for C's `strtoul`, a
/// negative number counts down from 2^64, and one beyond 64 bits is the largest.
pub(super) fn whole_unsigned(text: &str) -> Option<u64> {
    let text = skip_blanks(text);
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    match digits.parse::<u64>() {
        Ok(number) if is_negative => Some(number.wrapping_neg()),
        Ok(number) => Some(number),
        Err(_) => Some(u64::MAX),
    }
}

fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b')
}

#[cfg(test)]
mod tests;
