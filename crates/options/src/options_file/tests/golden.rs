//! The files that released versions of RocksDB wrote.

use super::*;
use crate::option_string::split_pairs;
use crate::schema::OptionStruct;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::parallel;

type Check = std::result::Result<(), String>;

/// Every OPTIONS file of a fixture.
fn options_files(fixture: &fixtures::Fixture) -> Vec<(String, Vec<u8>)> {
    let is_options = |name: &str| matches!(parse_file_name(name), Some((_, FileType::Options)));
    fixture.files().into_iter().filter(|(name, _)| is_options(name)).collect()
}

#[test]
fn every_file_is_read_and_printed_alike() {
    let count = AtomicUsize::new(0);
    parallel::for_each(&fixtures::all(), |fixture| -> Check {
        for (name, content) in options_files(fixture) {
            read_and_print(&name, &content).map_err(|error| format!("{name}: {error}"))?;
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert!(count.into_inner() > 1000);
}

fn read_and_print(name: &str, content: &[u8]) -> Check {
    let file = OptionsFile::parse(Path::new(name), content, &ConfigOptions::default())
        .map_err(|status| status.to_string())?;
    let text = std::str::from_utf8(content).map_err(|error| error.to_string())?;
    let sections = ini::parse(text.as_bytes()).map_err(|status| status.to_string())?;
    let wrong: Vec<String> = sections
        .iter()
        .flat_map(|section| section.statements.iter().map(move |statement| (section, statement)))
        .filter_map(|(section, Statement { name, value, .. })| {
            let printed = print(&file, section, name);
            let alike = is_alike(file.rocksdb_version, section, name, value, printed.as_deref());
            (!alike).then(|| format!("[{section}] {name}={value} printed as {printed:?}"))
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn print(file: &OptionsFile, section: &Section<'_>, name: &str) -> Option<String> {
    match section.title {
        "Version" => Some(match name {
            "rocksdb_version" => file.rocksdb_version.to_string(),
            _ => "1.1".to_owned(),
        }),
        "DBOptions" => file.db.get(name),
        "CFOptions" => file.column_family(&section.argument)?.get(name),
        _ => {
            let options = file.column_family(&section.argument)?;
            let mut printed = options.print_table_options(Release::NEWEST_KNOWN).into_iter();
            printed.find(|(other, _)| *other == name).map(|(_, value)| value)
        }
    }
}

/// Whether a value is printed as it was written, but for:
/// - options RocksDB gave up, which are not printed;
/// - braces, where the order of fields and the set of fields differ from release to release;
/// - `max_bytes_for_level_multiplier`, an integer in 4.13;
/// - `read_amp_bytes_per_bit`, written with four bytes too many up to 6.14;
/// - `ribbonfilter`, written with its level twice since 8.x.
fn is_alike(
    release: Release,
    section: &Section<'_>,
    name: &str,
    value: &str,
    printed: Option<&str>,
) -> bool {
    let Some(printed) = printed else {
        let legacy = match section.title {
            "DBOptions" => DbOptions::legacy(),
            "CFOptions" => ColumnFamilyOptions::legacy(),
            _ => crate::BlockBasedTableOptions::legacy(),
        };
        return legacy.iter().any(|legacy| legacy.name == name);
    };
    if printed == value {
        return true;
    }
    match name {
        "max_bytes_for_level_multiplier" if release < Release::new(5, 0, 0) => {
            printed.strip_suffix(".000000") == Some(value)
        }
        "read_amp_bytes_per_bit" if release < Release::new(6, 15, 0) => {
            value.parse().map(|wide: u64| (wide as u32).to_string()).as_deref() == Ok(printed)
        }
        "filter_policy" => value == format!("{{id={printed};bloom_before_level=0;}}"),
        _ => value.starts_with('{') && has_fields(printed, value),
    }
}

/// Whether every field in the braces of `value` is in those of `printed`, except `ttl` of
/// `compaction_options_fifo`, which RocksDB gave up.
fn has_fields(printed: &str, value: &str) -> bool {
    let printed: BTreeSet<_> = split_pairs(printed).unwrap().into_iter().collect();
    split_pairs(value)
        .unwrap()
        .iter()
        .all(|field| printed.contains(field) || *field == ("ttl", "0"))
}

#[test]
fn nothing_in_them_is_unknown() {
    parallel::for_each(&fixtures::all(), |fixture| -> Check {
        for (name, content) in options_files(fixture) {
            let file = OptionsFile::parse(Path::new(&name), &content, &ConfigOptions::default())
                .map_err(|status| status.to_string())?;
            for diagnostic in &file.diagnostics {
                let own =
                    ["golden.append", "golden.shortlex", "TtlMergeOperator", "TtlCompactionFilter"];
                let expected = match diagnostic.remark {
                    Remark::NotHonoured | Remark::Legacy => true,
                    Remark::NotRegistered => own.iter().any(|id| diagnostic.value.contains(id)),
                    Remark::Unknown | Remark::BadValue | Remark::Repeated => false,
                };
                if !expected {
                    return Err(format!("{name}: {diagnostic}"));
                }
            }
        }
        Ok(())
    });
}

/// As Debian's `ldb` 7.8.3 does.
#[test]
fn release_7_8_reads_what_it_knows() {
    let reader = |ignore_unknown_options| ConfigOptions {
        ignore_unknown_options,
        reader: Release::new(7, 8, 3),
        ..ConfigOptions::default()
    };
    parallel::for_each(&fixtures::all(), |fixture| -> Check {
        for (name, content) in options_files(fixture) {
            let parse = |config| OptionsFile::parse(Path::new(&name), &content, &config);
            let strict = parse(reader(false));
            let newer = Release::parse(&fixture.release).unwrap() >= Release::new(8, 0, 0);
            if strict.is_err() != newer {
                return Err(format!("{name}: read as 7.8.3: {:?}", strict.err()));
            }
            if let Err(status) = parse(reader(true)) {
                return Err(format!("{name}: read as 7.8.3, unknown options ignored: {status}"));
            }
        }
        Ok(())
    });
}
