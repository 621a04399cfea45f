//! `check`: what an OPTIONS file means to this engine.

use super::{COMPLAINT, Failure, SUCCESS, arguments, read};
use base::Status;
use db::ColumnFamilyDescriptor;
use options::dangers::{Danger, column_family_dangers, db_dangers};
use options::{ColumnFamilySection, Diagnostic, OptionsFile, rules};
use std::io::Write;

pub(super) fn run(arguments: &[String], out: &mut dyn Write) -> Result<i32, Failure> {
    let [path] = arguments::paths(arguments, "an OPTIONS file or the directory of a database")
        .map_err(Failure::Refused)?;
    let (path, file) = read(&path)?;
    let families = file.column_families.len();
    writeln!(
        out,
        "{}: by RocksDB {}, column families: {families}",
        path.display(),
        file.rocksdb_version
    )?;
    let is_refused = print_faults(&file, out)?;
    print_remarks(&file.diagnostics, out)?;
    print_dangers(&file, out)?;
    Ok(if is_refused { COMPLAINT } else { SUCCESS })
}

/// Says why a database cannot be opened with these options, and which it would correct. Returns
/// whether it cannot.
fn print_faults(file: &OptionsFile, out: &mut dyn Write) -> Result<bool, Failure> {
    let families = file.column_families.iter().map(|section| (&section.name, &section.options));
    let faults = rules::faults(&file.db, families);
    let mut is_refused = false;
    for fault in &faults {
        match fault.status() {
            Some(status) => writeln!(out, "\nrefused: {status}")?,
            None => writeln!(out, "\ncorrected: {fault}")?,
        }
        is_refused |= fault.status().is_some();
    }
    // What the rules do not know, such as objects that nobody registered, the database does.
    if !is_refused && let Some(status) = refusal(file) {
        writeln!(out, "\nrefused: {status}")?;
        is_refused = true;
    }
    Ok(is_refused)
}

fn refusal(file: &OptionsFile) -> Option<Status> {
    let descriptor = |section: &ColumnFamilySection| ColumnFamilyDescriptor {
        name: section.name.clone(),
        options: section.options.clone(),
    };
    let families: Vec<_> = file.column_families.iter().map(descriptor).collect();
    db::validate_options(&file.db, &families).err()
}

fn print_remarks(remarks: &[Diagnostic], out: &mut dyn Write) -> Result<(), Failure> {
    if remarks.is_empty() {
        writeln!(out, "\nhonoured: all that differs from the defaults")?;
        return Ok(());
    }
    writeln!(out, "\nnot honoured ({}):", remarks.len())?;
    for remark in remarks {
        writeln!(out, "  {remark}")?;
    }
    Ok(())
}

fn print_dangers(file: &OptionsFile, out: &mut dyn Write) -> Result<(), Failure> {
    let mut dangers: Vec<(String, Danger)> = Vec::new();
    let owned = |owner: &str, list: Vec<Danger>| {
        let owner = owner.to_owned();
        list.into_iter().map(move |danger| (owner.clone(), danger))
    };
    dangers.extend(owned("DBOptions", db_dangers(&file.db)));
    for section in &file.column_families {
        let owner = format!("CFOptions \"{}\"", section.name);
        dangers.extend(owned(&owner, column_family_dangers(&section.options)));
    }
    if dangers.is_empty() {
        writeln!(out, "\ndangerous: nothing")?;
        return Ok(());
    }
    dangers.sort_by_key(|(_, danger)| danger.harm);
    writeln!(out, "\ndangerous ({}):", dangers.len())?;
    for (owner, Danger { option, harm, value, sentence }) in dangers {
        writeln!(out, "  {}: [{owner}] {option}={value}\n      {sentence}", harm.word())?;
    }
    Ok(())
}
