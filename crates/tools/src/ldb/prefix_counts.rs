//! Counts and sizes of neighbouring keys that begin alike up to a delimiter (`--count_delim`).

use super::arguments::Arguments;
use super::failure::Outcome;
use std::io::Write;

/// What ends a prefix where no delimiter is given.
const DEFAULT_DELIMITER: u8 = b'.';

/// Counts of the keys that begin like the last one.
#[derive(Debug)]
pub(crate) struct PrefixCounts {
    delimiter: u8,
    prefix: Vec<u8>,
    count: u64,
    size_bytes: u64,
}

impl PrefixCounts {
    /// Counts by the delimiter that was given; none if `--count_delim` was not.
    pub(crate) fn from_arguments(arguments: &Arguments) -> Option<Self> {
        let delimiter = match arguments.option("count_delim") {
            Some(text) => text.bytes().next().unwrap_or(DEFAULT_DELIMITER),
            None if arguments.flag("count_delim") => DEFAULT_DELIMITER,
            None => return None,
        };
        Some(Self { delimiter, prefix: Vec::new(), count: 0, size_bytes: 0 })
    }

    /// What of `key` is before the delimiter; a zero byte ends it too.
    pub(crate) fn prefix<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        let end = key.iter().position(|&byte| byte == self.delimiter || byte == 0);
        &key[..end.unwrap_or(key.len())]
    }

    /// Takes a key. If it begins otherwise than the last, the counts so far are printed; as in
    /// RocksDB not those of an empty prefix, which go to the next one.
    pub(crate) fn add(&mut self, prefix: &[u8], size_bytes: u64, out: &mut dyn Write) -> Outcome {
        if !self.prefix.is_empty() && self.prefix != prefix {
            self.write(out)?;
            (self.count, self.size_bytes) = (0, 0);
        }
        self.count += 1;
        self.size_bytes += size_bytes;
        if self.prefix != prefix {
            self.prefix = prefix.to_vec();
        }
        Ok(())
    }

    /// Prints the counts so far.
    pub(crate) fn write(&self, out: &mut dyn Write) -> Outcome {
        out.write_all(&self.prefix)?;
        writeln!(out, " => count:{}\tsize:{}", self.count, self.size_bytes)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
