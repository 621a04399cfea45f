//! `diff`: where two OPTIONS files differ.

use super::{COMPLAINT, Failure, SUCCESS, arguments, read};
use options::difference::{OptionChange, SectionChange, difference};
use std::io::Write;

pub(super) fn run(arguments: &[String], out: &mut dyn Write) -> Result<i32, Failure> {
    let [old, new] = arguments::paths(arguments, "two OPTIONS files or directories")
        .map_err(Failure::Refused)?;
    let ((old_path, old), (new_path, new)) = (read(&old)?, read(&new)?);
    let sections = difference(&old, &new);
    if sections.is_empty() {
        return Ok(SUCCESS);
    }
    writeln!(out, "--- {}, by RocksDB {}", old_path.display(), old.rocksdb_version)?;
    writeln!(out, "+++ {}, by RocksDB {}", new_path.display(), new.rocksdb_version)?;
    for section in &sections {
        match section {
            SectionChange::Db(changes) => print("[DBOptions]", changes, out)?,
            SectionChange::ColumnFamily(name, changes) => {
                print(&format!("[CFOptions \"{name}\"]"), changes, out)?;
            }
            SectionChange::Table(name, changes) => {
                print(&format!("[TableOptions/BlockBasedTable \"{name}\"]"), changes, out)?;
            }
            SectionChange::Removed(name) => writeln!(out, "-[CFOptions \"{name}\"]")?,
            SectionChange::Added(name) => writeln!(out, "+[CFOptions \"{name}\"]")?,
        }
    }
    Ok(COMPLAINT)
}

fn print(title: &str, changes: &[OptionChange], out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{title}")?;
    for OptionChange { option, old, new } in changes {
        writeln!(out, "-  {option}={old}\n+  {option}={new}")?;
    }
    Ok(())
}
