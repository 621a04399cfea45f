//! Steps that print properties, and what is said of databases while threads run.

use crate::flags::Flags;
use crate::report;
use crate::workload::Target;
use base::Result;
use engines::Engine;

/// Properties that a step prints, by the step's name.
pub(crate) const PROPERTY_STEPS: &[(&str, &str)] = &[
    ("block_cache_entry_stats", "rocksdb.block-cache-entry-stats"),
    ("levelstats", "rocksdb.levelstats"),
    ("shape", "touchstone.shape"),
    ("sstables", "rocksdb.sstables"),
    ("stats", "rocksdb.stats"),
];

/// What `memstats` prints, a line each.
const MEMORY_PROPERTIES: &[&str] = &[
    "rocksdb.num-immutable-mem-table",
    "rocksdb.cur-size-active-mem-table",
    "rocksdb.cur-size-all-mem-tables",
    "rocksdb.size-all-mem-tables",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-entries-imm-mem-tables",
];

/// Prints a property of each database; of several with a line that says of which.
pub(super) fn print_property<E: Engine>(targets: &[Target<E>], property: &str) -> Result<()> {
    for Target { db, families } in targets {
        print_database_line(targets, db);
        let value = db.property(&families[0], property)?;
        println!("\n{}", value.as_deref().unwrap_or("(failed)"));
    }
    Ok(())
}

/// Prints what memtables take, a line each.
pub(super) fn print_memory<E: Engine>(targets: &[Target<E>]) -> Result<()> {
    for Target { db, families } in targets {
        print_database_line(targets, db);
        for property in MEMORY_PROPERTIES {
            let value = db.property(&families[0], property)?;
            println!("{property}: {}", value.as_deref().unwrap_or("(failed)"));
        }
    }
    Ok(())
}

/// Prints how far tickers came, second by second.
pub(super) fn print_history<E: Engine>(targets: &[Target<E>]) -> Result<()> {
    for Target { db, .. } in targets {
        print_database_line(targets, db);
        for (seconds, tickers) in db.stats_history()? {
            println!("------ {} ------", report::time_of(seconds));
            for (name, delta) in tickers {
                println!(" {seconds}   {name}  {delta}");
            }
        }
    }
    Ok(())
}

/// Says which of several databases comes next.
pub(crate) fn print_database_line<E: Engine>(targets: &[Target<E>], db: &E) {
    if targets.len() > 1 {
        println!("\n==== DB: {} ===", db.path().display());
    }
}

/// What is said of how the databases are: of all families where there are several.
pub(super) fn details_text<E: Engine>(flags: &Flags, targets: &[Target<E>]) -> String {
    let mut text = String::new();
    for Target { db, families } in targets {
        let mut add = |family: &E::Family, before: &str, property: &str, after: &str| {
            if let Ok(Some(value)) = db.property(family, property) {
                text += &format!("{before}{value}{after}");
            }
        };
        if families.len() > 1 {
            families.iter().for_each(|family| add(family, "", "rocksdb.cfstats", "\n"));
        } else {
            let family = &families[0];
            add(family, "", "rocksdb.stats", "");
            add(family, "num-running-compactions: ", "rocksdb.num-running-compactions", "\n");
            add(family, "num-running-flushes: ", "rocksdb.num-running-flushes", "\n\n");
        }
        if !flags.bool("show_table_properties") {
            continue;
        }
        for family in families {
            for level in 0..flags.int("num_levels") {
                let property = format!("rocksdb.aggregated-table-properties-at-level{level}");
                match db.property(family, &property) {
                    Ok(Some(value)) if !value.contains("# entries=0") => {
                        text += &format!("Level[{level}]: {value}\n");
                    }
                    _ => {}
                }
            }
        }
    }
    text
}
