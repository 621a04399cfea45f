//! What is printed around the results: header and clock.

use crate::flags::Flags;
use crate::key_generator::average_key_size;
use engines::{Identity, Kind};
use env::ThreadStatus;
use host::Cpu;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// `YYYY/MM/DD-HH:MM:SS`, local.
pub(crate) fn timestamp() -> String {
    Zoned::now().strftime("%Y/%m/%d-%H:%M:%S").to_string()
}

/// The form of C's `ctime`, which scripts take apart.
fn ctime(time: &Zoned) -> String {
    time.strftime("%a %b %e %H:%M:%S %Y").to_string()
}

/// A time in seconds since 1970, local, in the form of `ctime`.
pub(crate) fn time_of(unix_seconds: u64) -> String {
    let time = i64::try_from(unix_seconds).ok().and_then(|at| Timestamp::from_second(at).ok());
    let time = time.map(|time| ctime(&time.to_zoned(TimeZone::system())));
    time.unwrap_or_else(|| unix_seconds.to_string())
}

/// Prints which engine runs.
fn print_engine(engine: &Identity) {
    let title = match engine.kind {
        Kind::CApi => "RocksDB:",
        Kind::Null => "Null:",
        Kind::Native | Kind::Crate => "Touchstone:",
    };
    eprintln!("{title:<11} version {}", engine.version);
    if let Some(library) = &engine.library {
        eprintln!("Library:    {}", library.display());
    }
}

/// Prints what ran where: the first lines of a run.
pub(crate) fn print_header(flags: &Flags, engine: &Identity) {
    print_engine(engine);
    eprintln!("Date:       {}", ctime(&Zoned::now()));
    let cpu = Cpu::of_this_machine();
    eprintln!("CPU:        {} * {}", cpu.processors, known(&cpu.model));
    eprintln!("CPUCache:   {}", known(&cpu.cache));
    let key_size = average_key_size(flags) as i64;
    let key_average = if flags.uint("key_size_max") > 0 { " avg" } else { "" };
    let (num, ratio) = (flags.int("num"), flags.double("compression_ratio"));
    let timestamp_size = flags.int("user_timestamp_size");
    let (low, high) = (flags.int("value_size_min"), flags.int("value_size_max"));
    let distribution = flags.text("value_size_distribution_type");
    let (value_size, average) = match distribution {
        "fixed" => (flags.int("value_size"), ""),
        _ => ((low + high) / 2, " avg"),
    };
    let compressed = (value_size as f64 * ratio + 0.5) as i64;
    let megabytes = |bytes: f64| bytes * num as f64 / 1_048_576.0;
    println!(
        "Keys:       {key_size}{key_average} bytes each (+ {timestamp_size} bytes user-defined timestamp)"
    );
    println!("Values:     {value_size}{average} bytes each ({compressed} bytes after compression)");
    if !average.is_empty() {
        println!("Values Distribution: {distribution} (min: {low}, max: {high})");
    }
    println!("Entries:    {num}");
    println!("Prefix:    {} bytes", flags.int("prefix_size"));
    println!("Keys per prefix:    {}", flags.int("keys_per_prefix"));
    println!("RawSize:    {:.1} MB (estimated)", megabytes((key_size + value_size) as f64));
    println!(
        "FileSize:   {:.1} MB (estimated)",
        megabytes(key_size as f64 + value_size as f64 * ratio)
    );
    println!("Write rate: {} bytes/second", crate::runner::shared::write_rate(flags));
    println!("Read rate: {} ops/second", flags.uint("benchmark_read_rate_limit"));
    println!("Compression: {}", compression_name(flags.text("compression_type")));
    println!("Compression sampling rate: {}", flags.int("sample_for_compression"));
    println!("Memtablerep: {}", memtable_name(flags.text("memtablerep")));
    println!("Perf Level: {}", flags.int("perf_level"));
    if engine.assertions {
        println!("WARNING: Assertions are enabled; benchmarks unnecessarily slow");
    }
    println!("{}", "-".repeat(48));
}

/// What is said of the blob cache when options were made.
pub(crate) fn blob_cache_line(flags: &Flags) -> String {
    if !flags.bool("use_blob_cache") {
        return "Integrated BlobDB: blob cache disabled".to_owned();
    }
    let is_shared = flags.bool("use_shared_block_and_blob_cache");
    let own = match is_shared {
        true => String::new(),
        false => format!(
            ", blob cache size {}, blob cache num shard bits: {}",
            flags.uint("blob_cache_size"),
            flags.int("blob_cache_numshardbits")
        ),
    };
    format!(
        "Integrated BlobDB: blob cache enabled, block and blob caches shared: {}{own}, \
         blob cache prepopulated: 0",
        u8::from(is_shared)
    )
}

/// What threads do, as a table with a line for each.
pub(crate) fn thread_status_table(threads: &[ThreadStatus]) -> String {
    let mut table = format!(
        "\n{:>18} {:>10} {:>12} {:>20} {:>13} {:>45} {:>12} OperationProperties\n",
        "ThreadID", "ThreadType", "cfName", "Operation", "ElapsedTime", "Stage", "State"
    );
    for thread in threads {
        table += &format!(
            "{:>18} {:>10} {:>12} {:>20} {:>13} {:>45} {:>12}",
            thread.thread_id,
            thread.thread_type.name(),
            thread.cf_name.to_string(),
            thread.operation_type.name(),
            elapsed(thread.op_elapsed_micros),
            thread.operation_stage.name(),
            thread.state_type.name(),
        );
        for (name, value) in thread.properties() {
            table += &format!(" {name} {value} |");
        }
        table.push('\n');
    }
    table
}

/// A duration of whatever size, for people; nothing for none.
fn elapsed(micros: u64) -> String {
    const SECOND: u64 = 1_000_000;
    let (minutes, seconds) = (micros / SECOND / 60, (micros % (60 * SECOND)) as f64 / 1e6);
    match micros {
        0 => String::new(),
        1..10_000 => format!("{micros} us"),
        10_000..10_000_000 => format!("{:.3} ms", micros as f64 / 1e3),
        10_000_000..60_000_000 => format!("{:.3} sec", micros as f64 / 1e6),
        60_000_000..3_600_000_000 => format!("{minutes:02}:{seconds:05.3} M:S"),
        _ => format!("{:02}:{:02}:{seconds:05.3} H:M:S", minutes / 60, minutes % 60),
    }
}

fn compression_name(flag: &str) -> &str {
    match flag {
        "none" => "NoCompression",
        "snappy" => "Snappy",
        "zlib" => "Zlib",
        "bzip2" => "BZip2",
        "lz4" => "LZ4",
        "lz4hc" => "LZ4HC",
        "xpress" => "Xpress",
        "zstd" => "ZSTD",
        other => other,
    }
}

fn memtable_name(flag: &str) -> &str {
    match flag {
        "skip_list" => "SkipListFactory",
        "vector" => "VectorRepFactory",
        "prefix_hash" => "HashSkipListRepFactory",
        "hash_linkedlist" => "HashLinkListRepFactory",
        other => other,
    }
}

/// What the kernel says; a word for nothing.
fn known(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}

#[cfg(test)]
mod tests;
