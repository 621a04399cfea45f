//! Scripts: what is done with a database, and what is looked at afterwards.
//!
//! ```text
//! fill count=1000 [from=0] [stride=1] [value=100] [batch=20] [key=8] [tail=0] [settled]     puts:
//!                         so many bytes of values, of numbers in keys, and of letters behind them;
//!                         with background work done after each batch
//! rounds of=8 count=1000 [shift=0] …     so many times as fill with other values, each time flushed
//!                         and settled, and of numbers that are so many higher than before
//! delete count=10 [from=0] [stride=1]     single_delete …     delete_range begin=10 end=20
//! flush     compact     settle     reopen     set NAME=VALUE...     (for the next reopen)
//! levels [bytes]          files of each level
//! bounds                  the first key of each table, level by level
//! sizes                   the size of each table, level by level
//! tables PROPERTY...      what each table says of itself
//! files WORD [DIRECTORY] [bytes]     how many have names that begin or end so
//! blobs                   blob files, their bytes, and how much of them is garbage
//! property NAME           a property of the database
//! ```
//!
//! and what only this engine knows; see `engine.rs`.

use crate::subject::{Command, LiveTable, Subject, table_tail};
use std::collections::BTreeMap;
use table::TableProperties;
use testing::judges::protocol::Operation;
use testing::random::Random;

/// Carries out a script; what it shows, a line each.
pub(crate) fn run(subject: &mut dyn Subject, script: &str) -> Vec<String> {
    let mut shown = Vec::new();
    let mut round = 0;
    for line in script.lines() {
        let command = Command::parse(line);
        match command.name {
            "fill" => fill(subject, command, 0, &mut round),
            "rounds" => {
                for index in 0..command.number("of", 1) {
                    fill(subject, command, index, &mut round);
                    subject.flush();
                    subject.settle();
                }
            }
            "delete" => delete(subject, command, false),
            "single_delete" => delete(subject, command, true),
            "delete_range" => {
                let bound = |name| key(command.number(name, 0), command).as_slice().into();
                subject.write(&[Operation::DeleteRange {
                    family: "default".into(),
                    begin: bound("begin"),
                    end: bound("end"),
                }]);
            }
            "flush" => subject.flush(),
            "compact" => subject.compact(),
            "settle" => subject.settle(),
            "reopen" => subject.reopen(),
            "levels" => shown.push(levels(subject, command.has("bytes"))),
            "bounds" => shown.push(bounds(subject)),
            "sizes" => shown.push(sizes(subject)),
            "tables" => shown.extend(tables(subject, command)),
            "files" => shown.push(files(subject, command)),
            "blobs" => shown.push(blobs(subject)),
            "property" => {
                let name = command.words().next().unwrap();
                shown.push(subject.property(name).unwrap_or_else(|| "none".to_owned()));
            }
            _ => match subject.special(command) {
                None => panic!("no such command here: {line}"),
                Some(text) if text.is_empty() => {}
                Some(text) => shown.push(text),
            },
        }
    }
    shown
}

fn key(number: u64, command: Command<'_>) -> Vec<u8> {
    let width = usize::try_from(command.number("key", 8)).unwrap();
    let mut key = format!("{number:0width$}").into_bytes();
    let tail = usize::try_from(command.number("tail", 0)).unwrap();
    key.extend(letters(number).take(tail));
    key
}

fn letters(seed: u64) -> impl Iterator<Item = u8> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || b'a' + (random.next() % 26) as u8)
}

/// Half of it is random, the other half the same again, so that codecs make something of it.
fn value(number: u64, round: u64, length: usize) -> Vec<u8> {
    let half: Vec<u8> = letters(number ^ (round << 32)).take(length.div_ceil(2)).collect();
    let mut value = half.repeat(2);
    value.truncate(length);
    value
}

fn numbers(command: Command<'_>) -> impl Iterator<Item = u64> {
    let (from, stride) = (command.number("from", 0), command.number("stride", 1));
    (0..command.number("count", 1)).map(move |index| from + index * stride)
}

fn write_in_batches(
    subject: &mut dyn Subject,
    command: Command<'_>,
    operations: impl Iterator<Item = Operation>,
) {
    let batch_size = usize::try_from(command.number("batch", 20)).unwrap();
    let operations: Vec<_> = operations.collect();
    for batch in operations.chunks(batch_size) {
        subject.write(batch);
        if command.has("settled") {
            subject.settle();
        }
    }
}

fn fill(subject: &mut dyn Subject, command: Command<'_>, index: u64, round: &mut u64) {
    *round += 1;
    let shift = index * command.number("shift", 0);
    let length = usize::try_from(command.number("value", 100)).unwrap();
    let puts = numbers(command).map(|number| number + shift).map(|number| Operation::Put {
        family: "default".into(),
        key: key(number, command).as_slice().into(),
        value: value(number, *round, length).as_slice().into(),
    });
    write_in_batches(subject, command, puts);
}

fn delete(subject: &mut dyn Subject, command: Command<'_>, is_single: bool) {
    let deletions = numbers(command).map(|number| {
        let (family, key) = ("default".into(), key(number, command).as_slice().into());
        match is_single {
            true => Operation::SingleDelete { family, key },
            false => Operation::Delete { family, key },
        }
    });
    write_in_batches(subject, command, deletions);
}

/// Level by level, by key; those of L0 from the newest to the oldest.
fn sorted_tables(subject: &mut dyn Subject) -> Vec<LiveTable> {
    let mut tables = subject.tables();
    tables.sort_by(|one, other| {
        one.level.cmp(&other.level).then_with(|| match one.level {
            0 => other.name.cmp(&one.name),
            _ => one.smallest.cmp(&other.smallest),
        })
    });
    tables
}

fn by_level(subject: &mut dyn Subject) -> BTreeMap<u32, Vec<LiveTable>> {
    let mut levels: BTreeMap<u32, Vec<LiveTable>> = BTreeMap::new();
    for table in sorted_tables(subject) {
        levels.entry(table.level).or_default().push(table);
    }
    levels
}

fn levels(subject: &mut dyn Subject, with_bytes: bool) -> String {
    let levels = by_level(subject);
    let shown = levels.into_iter().map(|(level, tables)| {
        let bytes: u64 = tables.iter().map(|table| table.size_bytes).sum();
        let bytes = if with_bytes { format!(" {bytes} bytes") } else { String::new() };
        format!("L{level} {} files{bytes}", tables.len())
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    if shown.is_empty() { "no tables".to_owned() } else { shown }
}

fn bounds(subject: &mut dyn Subject) -> String {
    let levels = by_level(subject);
    let shown = levels.into_iter().map(|(level, tables)| {
        let keys: Vec<_> =
            tables.iter().map(|table| table.smallest.escape_ascii().to_string()).collect();
        format!("L{level} {}", keys.join(" "))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn sizes(subject: &mut dyn Subject) -> String {
    let levels = by_level(subject);
    let shown = levels.into_iter().map(|(level, tables)| {
        let sizes: Vec<_> = tables.iter().map(|table| table.size_bytes.to_string()).collect();
        format!("L{level} {}", sizes.join(" "))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn tables(subject: &mut dyn Subject, command: Command<'_>) -> Vec<String> {
    let tables = sorted_tables(subject);
    let shown = tables.iter().map(|table| {
        let tail = table_tail(subject, table);
        let properties = tail.properties.clone().unwrap_or_default();
        let shown = command.words().map(|name| match name {
            "format_version" => format!("{name}={}", tail.footer.format_version),
            "filter_probes" => format!("{name}={}", filter_probes(subject, table, &tail)),
            "checksum" => format!("{name}={:?}", tail.footer.checksum_type),
            _ => format!("{name}={}", property(&properties, name)),
        });
        format!("L{} {}", table.level, shown.collect::<Vec<_>>().join(" "))
    });
    shown.collect()
}

/// The number of probes, which stands near the end of a Bloom filter.
fn filter_probes(subject: &dyn Subject, table: &LiveTable, tail: &table::TableTail) -> u8 {
    const FROM_END: u64 = 3;
    let handle = tail.metaindex.find("fullfilter.rocksdb.BuiltinBloomFilter").unwrap();
    let path = subject.directory().join(&table.name);
    let file = subject.file_system().new_random_access_file(&path, &env::FileOptions::default());
    let offset = handle.offset + handle.size - FROM_END;
    env::read_exact_at(&*file.unwrap(), offset, 1).unwrap()[0]
}

fn property(properties: &TableProperties, name: &str) -> String {
    match name {
        "data_blocks" => properties.num_data_blocks.to_string(),
        "entries" => properties.num_entries.to_string(),
        "deletions" => properties.num_deletions.to_string(),
        "range_deletions" => properties.num_range_deletions.to_string(),
        "data_size" => properties.data_size.to_string(),
        "index_size" => properties.index_size.to_string(),
        "index_partitions" => properties.index_partitions.to_string(),
        "filter_size" => properties.filter_size.to_string(),
        "filter_policy" => properties.filter_policy_name.clone(),
        "compression" => properties.compression_name.clone(),
        "compression_options" => properties.compression_options.clone(),
        "db_host_id" => properties.db_host_id.clone(),
        "prefix_extractor" => properties.prefix_extractor_name.clone(),
        "merge_operator" => properties.merge_operator_name.clone(),
        _ => {
            let user = &properties.user_collected_properties;
            let value = user.get(format!("rocksdb.block.based.table.{name}").as_bytes());
            value.map_or_else(|| "none".to_owned(), |bytes| bytes.escape_ascii().to_string())
        }
    }
}

fn blobs(subject: &mut dyn Subject) -> String {
    let mut number = |name: &str| subject.property(&format!("rocksdb.{name}")).unwrap();
    let (files, bytes) = (number("num-blob-files"), number("total-blob-file-size"));
    let garbage = number("live-blob-file-garbage-size");
    format!("{files} files, {bytes} bytes, {garbage} of garbage")
}

fn files(subject: &dyn Subject, command: Command<'_>) -> String {
    let wanted = command.words().next().unwrap();
    let mut directory = subject.directory().to_owned();
    directory.extend(command.words().nth(1).filter(|word| *word != "bytes"));
    let fs = subject.file_system();
    let (mut count, mut bytes) = (0, 0);
    for name in fs.get_children(&directory).unwrap_or_default() {
        if name.starts_with(wanted) || name.ends_with(wanted) {
            count += 1;
            bytes += fs.get_file_size(&directory.join(name)).unwrap();
        }
    }
    match command.has("bytes") {
        true => format!("{count} {wanted}, {bytes} bytes"),
        false => format!("{count} {wanted}"),
    }
}
