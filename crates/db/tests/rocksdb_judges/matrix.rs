//! The directories that are judged: rows of a covering array, in which every two choices of two
//! different dimensions meet at least once.

use std::fmt;

use testing::judges::protocol::{Bytes, Comparator, FamilyOpening, MergeOperator, Operation};
use testing::random::Random;

/// A choice: how it is called, the options that it stands for, and the oldest release that reads
/// what comes of it (empty: all).
type Choice = (&'static str, &'static str, &'static str);

/// Options in these are of the table.
const FORMAT_VERSION: &[Choice] = &[
    ("format 5", "format_version=5", ""),
    ("format 2", "format_version=2", ""),
    ("format 3", "format_version=3", ""),
    ("format 4", "format_version=4", ""),
    ("format 6", "format_version=6", "8.6.0"),
    ("format 7", "format_version=7", "10.5.0"),
];
const CHECKSUM: &[Choice] = &[
    ("xxh3", "checksum=kXXH3", ""),
    ("crc32c", "checksum=kCRC32c", ""),
    ("xxhash", "checksum=kxxHash", ""),
    ("xxhash64", "checksum=kxxHash64", ""),
    ("no checksum", "checksum=kNoChecksum", ""),
];
const FILTER: &[Choice] = &[
    ("bloom", "filter_policy=bloomfilter:10:false", ""),
    ("no filter", "", ""),
    ("ribbon", "filter_policy=ribbonfilter:10", ""),
    ("prefix bloom", "filter_policy=bloomfilter:8:false;whole_key_filtering=false", ""),
];
const INDEX: &[Choice] = &[
    ("binary index", "index_type=kBinarySearch", ""),
    ("hash index", "index_type=kHashSearch", ""),
    (
        "partitions",
        "index_type=kTwoLevelIndexSearch;partition_filters=true;\
      metadata_block_size=256",
        "",
    ),
    ("first keys", "index_type=kBinarySearchWithFirstKey", ""),
];
const DATA_BLOCK: &[Choice] = &[
    ("plain blocks", "block_size=512", ""),
    (
        "hashed blocks",
        "block_size=1024;data_block_index_type=kDataBlockBinaryAndHash;\
      data_block_hash_table_util_ratio=0.7",
        "",
    ),
    (
        "odd blocks",
        "block_size=300;block_restart_interval=3;index_block_restart_interval=4;\
      use_delta_encoding=false",
        "",
    ),
];

/// Options in these are of the family.
const COMPRESSION: &[Choice] = &[
    ("snappy", "compression=kSnappyCompression", ""),
    ("none", "compression=kNoCompression", ""),
    ("zlib", "compression=kZlibCompression", ""),
    ("lz4", "compression=kLZ4Compression", ""),
    ("lz4hc", "compression=kLZ4HCCompression", ""),
    ("zstd", "compression=kZSTD", ""),
    (
        "zstd with dictionary",
        "compression=kZSTD;compression_opts={max_dict_bytes=1024;\
      zstd_max_train_bytes=16384}",
        "",
    ),
];
const STYLE: &[Choice] = &[
    ("leveled", "compaction_style=kCompactionStyleLevel", ""),
    ("universal", "compaction_style=kCompactionStyleUniversal", ""),
    ("fifo", "compaction_style=kCompactionStyleFIFO;num_levels=1", ""),
];
const BLOBS: &[Choice] = &[
    ("no blobs", "", ""),
    ("blobs", "enable_blob_files=true;min_blob_size=40", ""),
    (
        "blobs collected",
        "enable_blob_files=true;min_blob_size=40;blob_compression_type=kLZ4Compression;\
      enable_blob_garbage_collection=true;blob_garbage_collection_age_cutoff=1.0",
        "",
    ),
];

/// Options in these are of the database, or none at all.
const LOG: &[Choice] = &[
    ("flushed", "", ""),
    ("logged", "", ""),
    ("logged with zstd", "wal_compression=kZSTD", "7.4.0"),
];
const FAMILIES: &[Choice] = &[("one family", "", ""), ("three families", "", "")];
const RANGES: &[Choice] = &[("points", "", ""), ("ranges", "", "")];
const MERGES: &[Choice] = &[("no merges", "", ""), ("appends", "", ""), ("sums", "", "")];
const ENTITIES: &[Choice] = &[("values", "", ""), ("entities", "", "7.8.0")];

const DIMENSIONS: [&[Choice]; 13] = [
    FORMAT_VERSION,
    CHECKSUM,
    FILTER,
    INDEX,
    DATA_BLOCK,
    COMPRESSION,
    STYLE,
    BLOBS,
    LOG,
    FAMILIES,
    RANGES,
    MERGES,
    ENTITIES,
];

/// One directory.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    number: u64,
    row: [usize; DIMENSIONS.len()],
}

/// The rows that cover all pairs.
pub(crate) fn plans() -> Vec<Plan> {
    let mut missing = pairs();
    let mut plans = Vec::new();
    while let Some(&seed) = missing.first() {
        let row = row_with(seed, &missing);
        missing.retain(|pair| !has(&row, *pair));
        plans.push(Plan { number: plans.len() as u64, row });
    }
    plans
}

/// Two choices, each as dimension and place in it.
type Pair = ((usize, usize), (usize, usize));

fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (left, choices) in DIMENSIONS.iter().enumerate() {
        for (right, others) in DIMENSIONS.iter().enumerate().skip(left + 1) {
            for choice in 0..choices.len() {
                pairs.extend((0..others.len()).map(|other| ((left, choice), (right, other))));
            }
        }
    }
    pairs
}

fn has(row: &[usize], ((left, choice), (right, other)): Pair) -> bool {
    row[left] == choice && row[right] == other
}

/// A row that has the pair; the other dimensions are chosen one by one for the most new pairs.
fn row_with((first, second): Pair, missing: &[Pair]) -> [usize; DIMENSIONS.len()] {
    let mut row = [usize::MAX; DIMENSIONS.len()];
    row[first.0] = first.1;
    row[second.0] = second.1;
    for dimension in 0..DIMENSIONS.len() {
        if row[dimension] == usize::MAX {
            let gain = |choice: &usize| {
                let mut filled = row;
                filled[dimension] = *choice;
                let is_new = |pair: &&Pair| {
                    has(&filled, **pair) && (pair.0.0 == dimension || pair.1.0 == dimension)
                };
                // Among equals the first: the defaults.
                (missing.iter().filter(is_new).count(), usize::MAX - choice)
            };
            row[dimension] = (0..DIMENSIONS[dimension].len()).max_by_key(gain).unwrap_or(0);
        }
    }
    row
}

impl Plan {
    fn choice(&self, of: &[Choice]) -> Choice {
        let same = |dimension: &&[Choice]| std::ptr::eq(*dimension, of);
        let position = DIMENSIONS.iter().position(same).expect("a dimension");
        of[self.row[position]]
    }

    fn is(&self, of: &[Choice], name: &str) -> bool {
        self.choice(of).0 == name
    }

    /// The oldest release that reads the directory; empty for all.
    pub(crate) fn since(&self) -> &'static str {
        if self.is(FORMAT_VERSION, "format 7") && self.has_blobs() && self.has_entities() {
            // Written by the newest release alone, with the columns in the blob files.
            return "11.6.0";
        }
        if self.has_entities() && !self.is(MERGES, "no merges") {
            return self.newest_of("8.0.0");
        }
        self.newest_of("")
    }

    fn newest_of(&self, other: &'static str) -> &'static str {
        let choices = DIMENSIONS.iter().map(|dimension| self.choice(dimension).2);
        let all = choices.chain([other]);
        all.max_by_key(|release| testing::fixtures::version_numbers(release)).unwrap_or("")
    }

    /// Codecs that not every judge has.
    pub(crate) fn codecs(&self) -> Vec<&'static str> {
        if self.is(COMPRESSION, "zlib") { vec!["Zlib"] } else { Vec::new() }
    }

    /// Whether there are blob files, and values large enough for them.
    pub(crate) fn fills_blob_files(&self) -> bool {
        self.has_blobs() && !self.is(MERGES, "sums")
    }

    fn has_blobs(&self) -> bool {
        !self.is(BLOBS, "no blobs")
    }

    fn has_entities(&self) -> bool {
        self.is(ENTITIES, "entities")
    }

    /// Options of the database.
    pub(crate) fn options(&self) -> String {
        self.choice(LOG).1.to_owned()
    }

    /// Whether the last round stays in the log.
    pub(crate) fn leaves_log(&self) -> bool {
        !self.is(LOG, "flushed")
    }

    /// The families with all options, as a writer opens them.
    pub(crate) fn families(&self) -> Vec<FamilyOpening> {
        let table = [FORMAT_VERSION, CHECKSUM, FILTER, INDEX, DATA_BLOCK];
        let table = join(table.map(|dimension| self.choice(dimension).1));
        let options = [COMPRESSION, STYLE, BLOBS].map(|dimension| self.choice(dimension).1);
        let options = join(options);
        let mut families = self.needed();
        for family in &mut families {
            let prefix = family.options.clone();
            family.options = format!(
                "{prefix};{options};disable_auto_compactions=true;\
                 block_based_table_factory={{{table}}}"
            );
        }
        families
    }

    /// The families with what every reader must know.
    pub(crate) fn needed(&self) -> Vec<FamilyOpening> {
        let names: &[&[u8]] = match self.is(FAMILIES, "one family") {
            true => &[b"default"],
            false => &[b"default", b"backward", "Köln 1".as_bytes()],
        };
        let mut families: Vec<FamilyOpening> = Vec::new();
        for name in names {
            let style = self.choice(STYLE).1;
            let mut family = FamilyOpening::new(name, &format!("prefix_extractor=fixed:3;{style}"));
            family.comparator = (*name == b"backward").then_some(Comparator::Reverse);
            family.merge_operator = match self.choice(MERGES).0 {
                "appends" => Some(MergeOperator::StringAppend),
                "sums" => Some(MergeOperator::Uint64Add),
                _ => None,
            };
            families.push(family);
        }
        families
    }

    /// The operations of a round, in batches.
    pub(crate) fn batches(&self, round: u64) -> Vec<Vec<Operation>> {
        let mut random = Random::new(self.number * 16 + round);
        let families = self.needed();
        (0..12)
            .map(|_| {
                (0..25)
                    .map(|_| {
                        let family = &families[random.below(families.len() as u64) as usize];
                        self.operation(family, &mut random)
                    })
                    .collect()
            })
            .collect()
    }

    fn operation(&self, family: &FamilyOpening, random: &mut Random) -> Operation {
        let key = random_key(random);
        let family_name = family.name.clone();
        let sums = family.merge_operator == Some(MergeOperator::Uint64Add);
        let value =
            if sums { Bytes(random.next().to_le_bytes().to_vec()) } else { random_value(random) };
        match random.below(10) {
            0 => Operation::Delete { family: family_name, key },
            1 if self.is(RANGES, "ranges") => {
                let mut ends = [key, random_key(random)];
                ends.sort();
                if family.comparator == Some(Comparator::Reverse) {
                    ends.reverse();
                }
                let [begin, end] = ends;
                Operation::DeleteRange { family: family_name, begin, end }
            }
            2..4 if family.merge_operator.is_some() => {
                Operation::Merge { family: family_name, key, value }
            }
            4..6 if self.has_entities() => {
                let columns =
                    [("", value), ("b", random_value(random)), ("column", random_value(random))];
                let columns = columns.map(|(name, value)| (Bytes::from(name), value)).to_vec();
                Operation::PutEntity { family: family_name, key, columns }
            }
            _ => Operation::Put { family: family_name, key, value },
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices = DIMENSIONS.map(|dimension| self.choice(dimension).0);
        write!(formatter, "#{} ({})", self.number, choices.join(", "))
    }
}

fn join<const N: usize>(options: [&str; N]) -> String {
    options.into_iter().filter(|one| !one.is_empty()).collect::<Vec<_>>().join(";")
}

fn random_key(random: &mut Random) -> Bytes {
    let group = [b'k', b'l'][random.below(2) as usize] as char;
    Bytes(format!("{group}ey{:03}", random.below(400)).into_bytes())
}

/// Up to 120 bytes that compress.
fn random_value(random: &mut Random) -> Bytes {
    let word = random.next().to_le_bytes();
    let length = random.below(120) as usize;
    Bytes(word.iter().copied().cycle().take(length).collect())
}
