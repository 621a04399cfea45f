//! Options whose value is one of a few words. Numbers are RocksDB's.

use crate::release::Release;
use crate::value::{Context, OptionValue, SetError, bad};

macro_rules! option_enum {
    ($(
        $(#[$doc:meta])*
        pub enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $number:literal => $text:literal, )+
        }
    )+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $( #[doc = concat!("`", $text, "`.")] $(#[$variant_meta])* $variant = $number, )+
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The word in option strings.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $text, )+
                }
            }
        }

        impl OptionValue for $name {
            fn type_name() -> String {
                stringify!($name).to_owned()
            }

            fn set(&mut self, text: &str, _context: &mut Context<'_>) -> Result<(), SetError> {
                *self = find_word(Self::ALL.iter().map(|&value| (value.name(), value)), text)?;
                Ok(())
            }

            fn print(&self, _release: Release) -> String {
                self.name().to_owned()
            }
        }
    )+};
}

fn find_word<T>(
    words: impl Iterator<Item = (&'static str, T)> + Clone,
    text: &str,
) -> Result<T, SetError> {
    use crate::option_string::{strip_braces, trim};
    let wanted = trim(strip_braces(trim(text)));
    if let Some((_, value)) = words.clone().find(|(word, _)| *word == wanted) {
        return Ok(value);
    }
    let words: Vec<&str> = words.map(|(word, _)| word).collect();
    bad(format!("expected one of {}, found {text:?}", words.join(", ")))
}

option_enum! {
    /// Least severe class of messages kept in the LOG.
    pub enum InfoLogLevel {
        Debug = 0 => "DEBUG_LEVEL",
        #[default]
        Info = 1 => "INFO_LEVEL",
        Warn = 2 => "WARN_LEVEL",
        Error = 3 => "ERROR_LEVEL",
        Fatal = 4 => "FATAL_LEVEL",
        Header = 5 => "HEADER_LEVEL",
    }

    /// What recovery does about damage in a WAL.
    pub enum WalRecoveryMode {
        TolerateCorruptedTailRecords = 0 => "kTolerateCorruptedTailRecords",
        AbsoluteConsistency = 1 => "kAbsoluteConsistency",
        #[default]
        PointInTimeRecovery = 2 => "kPointInTimeRecovery",
        SkipAnyCorruptedRecords = 3 => "kSkipAnyCorruptedRecords",
    }

    /// How write-ahead logs reach the operating system.
    pub enum WalIo {
        Write = 0 => "write",
        Mapped = 1 => "mapped",
        #[default]
        Auto = 2 => "auto",
    }

    /// How often a file is expected to be read. The default is unknown.
    pub enum Temperature {
        #[default]
        Unknown = 0 => "kUnknown",
        Hot = 4 => "kHot",
        Warm = 8 => "kWarm",
        Cool = 10 => "kCool",
        Cold = 12 => "kCold",
        Ice = 16 => "kIce",
    }

    /// The deepest cache asked for a block.
    pub enum CacheTier {
        Volatile = 0 => "kVolatileTier",
        VolatileCompressed = 1 => "kVolatileCompressedTier",
        #[default]
        NonVolatileBlock = 2 => "kNonVolatileBlockTier",
    }

    /// The shape compactions keep the tree in.
    pub enum CompactionStyle {
        #[default]
        Level = 0 => "kCompactionStyleLevel",
        Universal = 1 => "kCompactionStyleUniversal",
        Fifo = 2 => "kCompactionStyleFIFO",
        None = 3 => "kCompactionStyleNone",
    }

    /// Which file of a level is compacted first.
    pub enum CompactionPri {
        ByCompensatedSize = 0 => "kByCompensatedSize",
        OldestLargestSeqFirst = 1 => "kOldestLargestSeqFirst",
        OldestSmallestSeqFirst = 2 => "kOldestSmallestSeqFirst",
        #[default]
        MinOverlappingRatio = 3 => "kMinOverlappingRatio",
        RoundRobin = 4 => "kRoundRobin",
    }

    /// When universal compaction stops adding runs.
    pub enum CompactionStopStyle {
        SimilarSize = 0 => "kCompactionStopStyleSimilarSize",
        #[default]
        TotalSize = 1 => "kCompactionStopStyleTotalSize",
    }

    /// Whether flushes warm the blob cache.
    pub enum PrepopulateBlobCache {
        #[default]
        Disable = 0 => "kDisable",
        FlushOnly = 1 => "kFlushOnly",
    }

    /// What warms the block cache.
    pub enum PrepopulateBlockCache {
        #[default]
        Disable = 0 => "kDisable",
        FlushOnly = 1 => "kFlushOnly",
        FlushAndCompaction = 2 => "kFlushAndCompaction",
    }

    /// Layout of a table's index.
    pub enum IndexType {
        #[default]
        BinarySearch = 0 => "kBinarySearch",
        HashSearch = 1 => "kHashSearch",
        TwoLevelIndexSearch = 2 => "kTwoLevelIndexSearch",
        BinarySearchWithFirstKey = 3 => "kBinarySearchWithFirstKey",
    }

    /// How a place in an index block is searched.
    pub enum BlockSearchType {
        #[default]
        Binary = 0 => "kBinary",
        Interpolation = 1 => "kInterpolation",
        Auto = 2 => "kAuto",
    }

    /// How a place in a data block is found.
    pub enum DataBlockIndexType {
        #[default]
        BinarySearch = 0 => "kDataBlockBinarySearch",
        BinaryAndHash = 1 => "kDataBlockBinaryAndHash",
    }

    /// How far keys in the index are shortened.
    pub enum IndexShorteningMode {
        NoShortening = 0 => "kNoShortening",
        #[default]
        ShortenSeparators = 1 => "kShortenSeparators",
        ShortenSeparatorsAndSuccessor = 2 => "kShortenSeparatorsAndSuccessor",
    }

    /// Checksum of blocks.
    pub enum ChecksumType {
        NoChecksum = 0 => "kNoChecksum",
        Crc32c = 1 => "kCRC32c",
        XxHash = 2 => "kxxHash",
        XxHash64 = 3 => "kxxHash64",
        #[default]
        Xxh3 = 4 => "kXXH3",
    }

    /// Which metadata blocks stay in the cache.
    pub enum PinningTier {
        #[default]
        Fallback = 0 => "kFallback",
        None = 1 => "kNone",
        FlushedAndSimilar = 2 => "kFlushedAndSimilar",
        All = 3 => "kAll",
    }

    /// Whether memory of a use counts against the block cache.
    pub enum CacheUsage {
        Enabled = 0 => "kEnabled",
        Disabled = 1 => "kDisabled",
        #[default]
        Fallback = 2 => "kFallback",
    }

    /// How plain tables store keys.
    pub enum EncodingType {
        #[default]
        Plain = 0 => "kPlain",
        Prefix = 1 => "kPrefix",
    }
}

/// Codec of blocks, blobs or WAL records, as options name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CompressionType {
    /// `kNoCompression`.
    NoCompression,
    /// `kSnappyCompression`.
    Snappy,
    /// `kZlibCompression`.
    Zlib,
    /// `kBZip2Compression`.
    Bzip2,
    /// `kLZ4Compression`, the default of RocksDB.
    #[default]
    Lz4,
    /// `kLZ4HCCompression`.
    Lz4hc,
    /// `kXpressCompression`: Windows only, never supported here.
    Xpress,
    /// `kZSTD`.
    Zstd,
    /// `kZSTDNotFinalCompression`: the id of ZSTD before its format was final.
    ZstdNotFinal,
    /// `kCustomCompression80` to `kCustomCompressionFE`: what a compression manager brings.
    Custom(u8),
    /// `kDisableCompressionOption`: not set; another option decides.
    Disable,
}

const COMPRESSION_WORDS: [(&str, CompressionType); 10] = [
    ("kNoCompression", CompressionType::NoCompression),
    ("kSnappyCompression", CompressionType::Snappy),
    ("kZlibCompression", CompressionType::Zlib),
    ("kBZip2Compression", CompressionType::Bzip2),
    ("kLZ4Compression", CompressionType::Lz4),
    ("kLZ4HCCompression", CompressionType::Lz4hc),
    ("kXpressCompression", CompressionType::Xpress),
    ("kZSTD", CompressionType::Zstd),
    ("kZSTDNotFinalCompression", CompressionType::ZstdNotFinal),
    ("kDisableCompressionOption", CompressionType::Disable),
];

const CUSTOM_COMPRESSION: &str = "kCustomCompression";

impl CompressionType {
    /// The number that stands for it on disk (`rocksdb::CompressionType`).
    pub fn number(self) -> u8 {
        match self {
            Self::NoCompression => 0,
            Self::Snappy => 1,
            Self::Zlib => 2,
            Self::Bzip2 => 3,
            Self::Lz4 => 4,
            Self::Lz4hc => 5,
            Self::Xpress => 6,
            Self::Zstd => 7,
            Self::ZstdNotFinal => 0x40,
            Self::Custom(number) => number,
            Self::Disable => 0xff,
        }
    }
}

impl OptionValue for CompressionType {
    fn type_name() -> String {
        "CompressionType".to_owned()
    }

    fn set(&mut self, text: &str, _context: &mut Context<'_>) -> Result<(), SetError> {
        let custom = text.strip_prefix(CUSTOM_COMPRESSION).filter(|digits| digits.len() == 2);
        let number = custom.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        *self = match number {
            Some(number @ 0x80..=0xfe) => Self::Custom(number),
            _ => find_word(COMPRESSION_WORDS.into_iter(), text)?,
        };
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        match self {
            Self::Custom(number) => format!("{CUSTOM_COMPRESSION}{number:02X}"),
            _ => {
                let word = COMPRESSION_WORDS.iter().find(|(_, value)| value == self);
                word.map_or_else(String::new, |(word, _)| (*word).to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests;
