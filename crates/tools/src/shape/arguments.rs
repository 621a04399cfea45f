//! The command line of `shape`.

use crate::any_database::Wanted;
use std::io::{self, Write};
use std::path::PathBuf;

/// What is asked for.
#[derive(Debug)]
pub(crate) enum Request {
    Help,
    Run(Arguments),
}

/// What to tell, and how.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// Of which database.
    pub(crate) wanted: Wanted,
    pub(crate) json: bool,
    /// Whether to ask tables how many entries they have.
    pub(crate) entries: bool,
}

/// The flags, each with its value if it has one, and what it is for.
const FLAGS: &[(&str, &str, &str)] = &[
    ("db", "DIR", "The directory of the database."),
    ("column_family", "NAME", "The column family; default if neither this nor --all is given."),
    ("all", "", "All column families."),
    ("json", "", "One line of JSON instead of a table; docs/shape.md tells what is in it."),
    (
        "no-entries",
        "",
        "Do not ask tables how many entries they have. Then no table is read at all, and deletions \
         do not count in scores.",
    ),
    (
        "try_load_options",
        "true|false",
        "Whether to take options from the newest OPTIONS file. Default: true.",
    ),
    (
        "ignore_unknown_options",
        "true|false",
        "Whether to pass over options that only a newer release knows. Default: true.",
    ),
];

/// Options that decide about targets and scores, and what they are for.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("num_levels", "N", "Levels there are."),
    ("compaction_style", "NAME", "As OPTIONS files spell it, or its number: 0 to 3."),
    ("max_bytes_for_level_base", "BYTES", "Target of L1, or of the base level at most."),
    ("max_bytes_for_level_multiplier", "FACTOR", "Ratio of neighbouring targets."),
    ("max_bytes_for_level_multiplier_additional", "LIST", "Further factors, with colons between."),
    (
        "level_compaction_dynamic_level_bytes",
        "true|false",
        "Whether targets follow the last level.",
    ),
    ("level0_file_num_compaction_trigger", "N", "Files in L0 from which on they are compacted."),
];

/// Reads the command line.
pub(crate) fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut db = None;
    let (mut column_family, mut all) = (None, false);
    let mut wanted = Wanted::all_families(PathBuf::new());
    let (mut json, mut entries) = (false, true);
    for argument in arguments {
        let Some(flag) = argument.strip_prefix("--") else {
            return Err(format!("{argument}: expected flags only, as in --db=DIR"));
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        match name {
            "help" => return Ok(Request::Help),
            "db" => db = Some(PathBuf::from(required(name, value)?)),
            "column_family" => column_family = Some(required(name, value)?.to_owned()),
            "all" => all = switch(name, value)?,
            "json" => json = switch(name, value)?,
            "no-entries" => entries = !switch(name, value)?,
            "try_load_options" => wanted.try_load_options = switch(name, value)?,
            "ignore_unknown_options" => wanted.ignore_unknown_options = switch(name, value)?,
            _ => {
                let Some((option, ..)) = OPTIONS.iter().find(|(option, ..)| *option == name) else {
                    return Err(format!("--{name}: unknown flag; --help lists those there are"));
                };
                wanted.options.push((option, required(name, value)?.to_owned()));
            }
        }
    }
    wanted.db = db.filter(|db| !db.as_os_str().is_empty()).ok_or("expected --db=DIR")?;
    if all && column_family.is_some() {
        return Err("expected --column_family or --all, not both".to_owned());
    }
    wanted.column_family = (!all).then(|| column_family.unwrap_or_else(|| "default".to_owned()));
    Ok(Request::Run(Arguments { wanted, json, entries }))
}

fn required<'a>(name: &str, value: Option<&'a str>) -> Result<&'a str, String> {
    value.ok_or_else(|| format!("--{name}: expected a value, as in --{name}=VALUE"))
}

fn switch(name: &str, value: Option<&str>) -> Result<bool, String> {
    match value {
        None | Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(other) => Err(format!("--{name}: expected true or false, found {other:?}")),
    }
}

/// Writes what there is to ask.
pub(crate) fn write_help(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "touchstone shape --db=DIR [FLAGS]\n")?;
    writeln!(out, "Tells the shape of a database: entries and bytes in memtables, sorted runs in")?;
    writeln!(out, "L0, and for each level files, bytes, entries, target and score.\n")?;
    write_flags(out, FLAGS)?;
    writeln!(out, "\nOptions that go before those of the OPTIONS file:\n")?;
    write_flags(out, OPTIONS)
}

fn write_flags(out: &mut dyn Write, flags: &[(&str, &str, &str)]) -> io::Result<()> {
    for (name, value, help) in flags {
        let equals = if value.is_empty() { "" } else { "=" };
        writeln!(out, "  --{name}{equals}{value}\n      {help}")?;
    }
    Ok(())
}
