use super::*;
use crate::config::ConfigOptions;
use base::filename::{FileType, parse_file_name};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::{fixtures, parallel};

fn read(content: &[u8]) -> OptionsFile {
    OptionsFile::parse(Path::new("O"), content, &ConfigOptions::default()).unwrap()
}

/// The lines that say something: no comments, no versions, no blanks.
fn lines(content: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(content).unwrap();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| {
        !line.starts_with('#') && !line.contains("_version=") || line.starts_with("format_version")
    });
    lines.map(str::to_owned).collect()
}

#[test]
fn files_of_all_releases_are_saved_as_they_were() {
    let count = AtomicUsize::new(0);
    parallel::for_each(&fixtures::all(), |fixture| -> std::result::Result<(), String> {
        for (name, content) in fixture.files() {
            if !matches!(parse_file_name(&name), Some((_, FileType::Options))) {
                continue;
            }
            let file = read(&content);
            let saved = file.to_content_like(&content, file.rocksdb_version).unwrap();
            let (before, after) = (lines(&content), lines(&saved));
            let pairs = before.iter().zip(&after);
            if let Some((before, after)) = pairs.clone().find(|(before, after)| before != after) {
                return Err(format!("{name}: {before}\n{after}"));
            }
            if before.len() != after.len() {
                return Err(format!("{name}: {} lines, expected {}", after.len(), before.len()));
            }
            let again = read(&saved).to_content_like(&saved, file.rocksdb_version).unwrap();
            if again != saved {
                return Err(format!("{name}: not stable"));
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert!(count.into_inner() > 1000);
}

const ORIGINAL: &[u8] = b"[Version]
  rocksdb_version=9.10.0
[DBOptions]
  wal_dir=
  max_open_files=0100
  access_hint_on_compaction_start=NORMAL
  db_write_buffer_size=64M
[CFOptions \"default\"]
  compaction_options_fifo={allow_compaction=false;ttl=0;max_table_files_size=5;}
  num_levels=3
[TableOptions/BlockBasedTable \"default\"]
  block_size=16K
";

#[test]
fn what_has_changed_alone_differs() {
    let mut file = read(ORIGINAL);
    let saved = file.to_content_like(ORIGINAL, file.rocksdb_version).unwrap();
    assert_eq!(lines(&saved), lines(ORIGINAL));

    file.db.max_open_files = 7;
    file.db.use_fsync = true;
    file.column_families[0].options.compaction_options_fifo.max_table_files_size = 6;
    file.column_families[0].options.table.block_size = 1;
    let saved = file.to_content_like(ORIGINAL, file.rocksdb_version).unwrap();
    let before = lines(ORIGINAL);
    let after = lines(&saved);
    let new: Vec<&String> = after.iter().filter(|line| !before.contains(*line)).collect();
    assert_eq!(
        new,
        [
            "max_open_files=7",
            "use_fsync=true",
            "compaction_options_fifo={allow_compaction=false;ttl=0;max_table_files_size=6;}",
            "block_size=1",
        ]
    );
    assert_eq!(after.len(), before.len() + 1);
}

#[test]
fn for_another_release_what_was_given_up_is_left_out() {
    let file = read(ORIGINAL);
    let saved = file.to_content_like(ORIGINAL, Release::NEWEST_KNOWN).unwrap();
    let before = lines(ORIGINAL);
    let after = lines(&saved);
    let gone: Vec<&String> = before.iter().filter(|line| !after.contains(*line)).collect();
    assert_eq!(gone, ["access_hint_on_compaction_start=NORMAL"]);
    assert_eq!(after.len() + 1, before.len());
}

#[test]
fn a_family_that_was_not_there_is_written_whole() {
    let mut file = read(ORIGINAL);
    let mut family = file.column_families[0].clone();
    family.name = "new".into();
    file.column_families.push(family);
    let saved = file.to_content_like(ORIGINAL, Release::NEWEST_KNOWN).unwrap();
    let again = read(&saved);
    let options = again.column_family("new").unwrap();
    assert_eq!((options.num_levels, options.table.block_size), (3, 16 << 10));
    assert!(lines(&saved).len() > 100);
}
