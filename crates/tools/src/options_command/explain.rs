//! `explain`: options for a budget with their reasons, or what an option does.

use super::arguments::{self, Explain};
use super::{Failure, SUCCESS};
use options::budget::{Budget, Choice, Owner, size};
use options::{
    BlockBasedTableOptions, ColumnFamilyOptions, ColumnFamilySection, DbOptions, OptionInfo,
    OptionsFile, Release,
};
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &[String], out: &mut dyn Write) -> Result<i32, Failure> {
    match arguments::explain(arguments).map_err(Failure::Refused)? {
        Explain::Names(names) => {
            for name in names {
                explain_name(&name, out)?;
            }
        }
        Explain::Budget { budget, output, release } => {
            // The file first: whoever reads only the beginning of the text closes the rest.
            if let Some(path) = &output {
                write_file(&budget, path, release)?;
            }
            print_budget(&budget, out)?;
            if let Some(path) = output {
                writeln!(out, "\nwritten to {}", path.display())?;
            }
        }
    }
    Ok(SUCCESS)
}

fn title(owner: Owner) -> &'static str {
    match owner {
        Owner::Db => "[DBOptions]",
        Owner::ColumnFamily => "[CFOptions \"default\"]",
        Owner::Table => TABLE_TITLE,
    }
}

const TABLE_TITLE: &str = "[TableOptions/BlockBasedTable \"default\"]";

fn print_budget(budget: &Budget, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "Memory:")?;
    for part in budget.memory() {
        writeln!(out, "  {:>8}  {}", size(part.bytes), part.name)?;
    }
    let choices = budget.choices();
    for owner in [Owner::Db, Owner::ColumnFamily, Owner::Table] {
        writeln!(out, "\n{}", title(owner))?;
        for Choice { option, value, because, .. } in choices.iter().filter(|c| c.owner == owner) {
            writeln!(out, "  {option}={value}\n      {because}")?;
        }
    }
    Ok(())
}

/// What an option is, in each struct that has one of this name.
fn explain_name(name: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let of_db = DbOptions::infos().map(|info| (Owner::Db, info, DbOptions::default().get(name)));
    let family = ColumnFamilyOptions::default();
    let of_family =
        ColumnFamilyOptions::infos().map(|info| (Owner::ColumnFamily, info, family.get(name)));
    let of_table =
        BlockBasedTableOptions::infos().map(|info| (Owner::Table, info, family.table.get(name)));
    let mut is_known = false;
    for (owner, info, default) in of_db.chain(of_family).chain(of_table) {
        if info.name == name {
            is_known = true;
            print_info(owner, info, &default.unwrap_or_default(), out)?;
        }
    }
    match is_known {
        true => Ok(()),
        false => Err(Failure::Refused(format!("{name}: there is no such option"))),
    }
}

fn print_info(
    owner: Owner,
    info: &OptionInfo,
    default: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let section = title(owner).replace(" \"default\"", "");
    writeln!(out, "{} {section}", info.name)?;
    writeln!(out, "  {}", info.doc.trim())?;
    let default = if default.is_empty() { "(empty)" } else { default };
    writeln!(out, "  type {}, default {default}, since {}", info.type_name(), info.since)?;
    let changes = match info.mutable {
        true => "can be changed while the database is open",
        false => "is fixed while the database is open",
    };
    let honoured = match info.honoured {
        true => "honoured",
        false => "accepted and not honoured yet",
    };
    writeln!(out, "  {changes}; {honoured}")?;
    Ok(())
}

/// An OPTIONS file; the block cache, which such files do not have by themselves, is in it too.
fn write_file(budget: &Budget, path: &Path, release: Release) -> Result<(), Failure> {
    let options = budget.options();
    let file = OptionsFile {
        db: options.db,
        column_families: vec![ColumnFamilySection {
            name: "default".into(),
            options: options.column_family,
        }],
        ..OptionsFile::default()
    };
    let content = String::from_utf8(file.to_content(release))
        .map_err(|error| Failure::Refused(error.to_string()))?;
    let choices = budget.choices();
    let cache = choices.iter().find(|choice| choice.option == "block_cache");
    let content = match cache {
        None => content,
        Some(Choice { option, value, .. }) => {
            content.replacen(TABLE_TITLE, &format!("{TABLE_TITLE}\n  {option}={value}"), 1)
        }
    };
    std::fs::write(path, content)
        .map_err(|error| Failure::Refused(format!("{}: {error}", path.display())))
}
