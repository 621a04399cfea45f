//! `dump`: the pairs of a range, how many there are, or what is in one file (`--path`).

use super::blob_file_dump::{BlobFormat, dump_blob_file};
use super::dump_wal::{WalFormat, dump_wal_file};
use super::failure::{Failure, Outcome};
use super::get_property::write_stats;
use super::manifest_dump::{ManifestFormat, dump_manifest_file};
use super::open::OpenDb;
use super::prefix_counts::PrefixCounts;
use super::print::plain_or_0x;
use super::session::Session;
use super::table_file_dump::{TableFormat, dump_table_file};
use super::ttl::{TimeRange, TimedValue, local_time};
use crate::print::until_zero;
use crate::sst_dump::KeyRange;
use base::filename::{FileType, parse_file_name};
use base::histogram::Histogram;
use db::{DEFAULT_COLUMN_FAMILY_NAME, DbIterator};
use table::ReadOptions;

/// What is printed of which pairs.
struct Dump {
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    /// No limit if negative.
    max_keys: i32,
    count_only: bool,
    times: TimeRange,
    print_times: bool,
}

/// What is counted on the way.
struct Counts {
    pairs: u64,
    by_prefix: Option<PrefixCounts>,
    by_time: Option<TimeBuckets>,
    value_sizes: Histogram,
}

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let arguments = session.arguments;
    let dump = Dump {
        from: arguments.key("from", session.is_key_hex)?,
        to: arguments.key("to", session.is_key_hex)?,
        max_keys: arguments.int("max_keys")?.unwrap_or(-1),
        count_only: arguments.flag("count_only"),
        times: TimeRange::from_arguments(arguments)?,
        print_times: session.is_ttl && arguments.flag("timestamp"),
    };
    if let Some(path) = arguments.option("path") {
        if arguments.option("db").is_some() {
            return Err(Failure::new("--db and --path are two things to dump: give one"));
        }
        return dump_file(session, path, &dump);
    }
    let OpenDb { db, family } = session.open()?;
    if arguments.flag("stats") {
        // Those of the default family, whatever family is dumped.
        let default = db.column_family(DEFAULT_COLUMN_FAMILY_NAME);
        write_stats(session, &db, default.as_ref().unwrap_or(&family))?;
    }
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let mut iterator = db.new_iterator(&options, &family)?;
    match &dump.from {
        Some(from) => iterator.seek(from),
        None => iterator.seek_to_first(),
    }
    if dump.times.is_backwards() {
        writeln!(session.err, "Error: End time can't be less than start time")?;
        return Ok(());
    }
    dump_pairs(session, &dump, &mut iterator)?;
    iterator.status().map_err(Failure::from)
}

/// Prints a file by what its name says it is. Damage in a file is no failure of the command.
fn dump_file(session: &mut Session<'_>, path: &str, dump: &Dump) -> Outcome {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, file_type)) = parse_file_name(name) else {
        return Err(Failure::new(format!("Can't parse file type: {path}")));
    };
    let (is_key_hex, is_value_hex) = (session.is_key_hex, session.is_value_hex);
    let arguments = session.arguments;
    match file_type {
        FileType::Wal => dump_wal_file(session, path, WalFormat::EVERYTHING),
        FileType::Table => {
            let [from, to] =
                [&dump.from, &dump.to].map(|key| key.clone().filter(|key| !key.is_empty()));
            let format = TableFormat {
                is_hex: is_key_hex,
                decode_blob_index: arguments.flag("decode_blob_index"),
                range: KeyRange { from, to, prefix: None },
            };
            dump_table_file(session, path, &format)
        }
        FileType::Descriptor => {
            let format = ManifestFormat { print_edits: false, is_hex: is_key_hex };
            dump_manifest_file(session, path, format)
        }
        FileType::Blob => {
            let uncompressed = arguments.flag("dump_uncompressed_blobs");
            dump_blob_file(session, path, BlobFormat { is_key_hex, is_value_hex, uncompressed })
        }
        _ => Err(Failure::new(format!("File type not supported: {path}"))),
    }
}

fn dump_pairs(session: &mut Session<'_>, dump: &Dump, iterator: &mut DbIterator) -> Outcome {
    let mut counts = Counts {
        pairs: 0,
        by_prefix: PrefixCounts::from_arguments(session.arguments),
        by_time: TimeBuckets::from_arguments(session, dump.times)?,
        value_sizes: Histogram::default(),
    };
    if dump.print_times && !dump.count_only && counts.by_prefix.is_none() {
        writeln!(session.out, "Dumping key-values from {}", dump.times.describe()?)?;
    }
    let mut left = dump.max_keys;
    while iterator.valid() && dump.to.as_deref().is_none_or(|to| iterator.key() < to) && left != 0 {
        if dump_pair(session, dump, iterator, &mut counts)? {
            left -= i32::from(left > 0);
        }
        iterator.next();
    }
    match (&counts.by_time, &counts.by_prefix) {
        (Some(by_time), _) => by_time.write(session)?,
        (None, Some(by_prefix)) => by_prefix.write(session.out)?,
        (None, None) => writeln!(session.out, "Keys in range: {}", counts.pairs)?,
    }
    if dump.count_only {
        writeln!(session.out, "Value size distribution: ")?;
        writeln!(session.out, "{}", counts.value_sizes)?;
    }
    Ok(())
}

/// Takes the pair under the iterator. False if it is not of the times that are asked for.
fn dump_pair(
    session: &mut Session<'_>,
    dump: &Dump,
    iterator: &DbIterator,
    counts: &mut Counts,
) -> Outcome<bool> {
    let (key, mut value) = (iterator.key(), iterator.value());
    let mut time = 0;
    if session.is_ttl {
        let Some(timed) = TimedValue::decode_in(value, dump.times)? else {
            return Ok(false);
        };
        (value, time) = (timed.value, timed.time);
    }
    if let Some(by_time) = &mut counts.by_time {
        by_time.add(time);
    }
    counts.pairs += 1;
    if let Some(by_prefix) = &mut counts.by_prefix {
        let size = (key.len() + value.len()) as u64;
        by_prefix.add(by_prefix.prefix(key), size, session.out)?;
    }
    if dump.count_only {
        counts.value_sizes.add(value.len() as u64);
    }
    if !dump.count_only && counts.by_prefix.is_none() {
        if dump.print_times {
            write!(session.out, "{} ", local_time(time)?)?;
        }
        let mut line = plain_or_0x(key, session.is_key_hex);
        line.extend(b" ==> ");
        line.extend(plain_or_0x(value, session.is_value_hex));
        session.out.write_all(until_zero(&line))?;
        session.out.write_all(b"\n")?;
    }
    Ok(true)
}

/// Counts of pairs by the time of their writing (`--bucket`).
struct TimeBuckets {
    times: TimeRange,
    /// Seconds.
    width: i64,
    counts: Vec<u64>,
}

/// More buckets than anybody reads; RocksDB takes memory for any number.
const BUCKETS_MAX: i64 = 1 << 20;

impl TimeBuckets {
    /// None where one bucket takes all, or times are not known.
    fn from_arguments(session: &Session<'_>, times: TimeRange) -> Outcome<Option<Self>> {
        let range = i64::from(times.end) - i64::from(times.start);
        let width = match session.arguments.int("bucket")? {
            Some(width) if width > 0 => i64::from(width),
            _ => range,
        };
        if !session.is_ttl || width >= range {
            return Ok(None);
        }
        let count = (range + width - 1) / width;
        if count > BUCKETS_MAX {
            return Err(Failure::new(format!(
                "bucket is too small: {count} buckets, expected at most {BUCKETS_MAX}"
            )));
        }
        Ok(Some(Self { times, width, counts: vec![0; count as usize] }))
    }

    fn add(&mut self, time: i32) {
        let bucket = (i64::from(time) - i64::from(self.times.start)) / self.width;
        if let Some(count) = self.counts.get_mut(bucket as usize) {
            *count += 1;
        }
    }

    fn write(&self, session: &mut Session<'_>) -> Outcome {
        let mut start = i64::from(self.times.start);
        for count in &self.counts {
            let end = (start + self.width).min(i64::from(self.times.end));
            let bucket = TimeRange { start: start as i32, end: end as i32 };
            writeln!(session.out, "Keys in range {} : {count}", bucket.describe()?)?;
            start = end;
        }
        Ok(())
    }
}
