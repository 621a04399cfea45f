//! `list_live_files_metadata`: the tables and blob files that make up the database.

use super::failure::Outcome;
use super::open::OpenDb;
use super::session::Session;
use super::version_files::{blob_path, level_files, table_path};
use base::ColumnFamilyName;
use db::ColumnFamilyHandle;

const RULE: &str = "------------------------------";

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let OpenDb { db, .. } = session.open()?;
    let families: Vec<_> = db.column_families().collect();
    match session.arguments.flag("sort_by_filename") {
        true => write_by_name(session, &families)?,
        false => write_by_family(session, &families)?,
    }
    writeln!(session.out, "{RULE}")?;
    Ok(())
}

fn write_by_family(session: &mut Session<'_>, families: &[ColumnFamilyHandle]) -> Outcome {
    for family in families {
        write!(session.out, "===== Column Family: ")?;
        session.out.write_all(family.name())?;
        writeln!(session.out, " =====")?;
        writeln!(session.out, "Live SST Files:")?;
        let version = family.version();
        for level in 0..version.num_levels() {
            writeln!(session.out, "---------- level {level} ----------")?;
            for file in level_files(&version, level) {
                writeln!(session.out, "{}", table_path(family, file))?;
            }
        }
        writeln!(session.out, "Live Blob Files:")?;
        for file in version.blob_files() {
            writeln!(session.out, "{}", blob_path(family, file))?;
        }
    }
    Ok(())
}

fn write_by_name(session: &mut Session<'_>, families: &[ColumnFamilyHandle]) -> Outcome {
    // Blob files are on no level and come before tables of the same name.
    let mut files = Vec::<(String, Option<usize>, &ColumnFamilyName)>::new();
    for family in families {
        let version = family.version();
        for (level, file) in version.files() {
            files.push((table_path(family, file), Some(level), family.name()));
        }
        for file in version.blob_files() {
            files.push((blob_path(family, file), None, family.name()));
        }
    }
    files.sort();
    writeln!(session.out, "Live SST and Blob Files:")?;
    for (path, level, family) in files {
        let level = level.map(|level| format!(" : level {level}")).unwrap_or_default();
        write!(session.out, "{path}{level}, column family '")?;
        session.out.write_all(family)?;
        writeln!(session.out, "'")?;
    }
    Ok(())
}
