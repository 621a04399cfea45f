//! The reference of options, made from their rows: the larger part of `docs/options.md`, to which
//! `db` adds the options of calls.

use crate::range::{Outside, Range};
use crate::release::Release;
use crate::schema::block_based::{BlockBasedTableOptions, CacheUsageOptions, MetadataCacheOptions};
use crate::schema::cache::LruCacheOptions;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::compaction::{
    CompactionOptionsFifo, CompactionOptionsUniversal, FileTemperatureAge,
};
use crate::schema::compression::CompressionOptions;
use crate::schema::db::DbOptions;
use crate::schema::db_path::DbPath;
use crate::schema::plain::{CuckooTableOptions, PlainTableOptions};
use crate::schema::{ObjectInfo, OptionStruct};
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Options

Every option that Touchstone knows, by the name it has in option strings and OPTIONS files. Made
from the tables in `crates/options/src/schema/`; do not edit.

- **Honoured**: whether the engine acts on the option. What is not honoured yet is accepted, kept,
  written back, and reported when it is set. With what is *refused* set, no database opens.
- **Mutable**: whether it can be changed while the database is open.
- **Range**: the values it can have, where not all of its type. Outside of it no database opens;
  *corrected*: the nearest value is used.
- **Since**: the first release of RocksDB that knows the name, as far as releases still at hand
  tell; *own*: none does, and OPTIONS files do not have it.
- Sizes are in bytes unless the text says otherwise; in option strings numbers may end in `K`, `M`,
  `G` or `T`.
";

/// The part about options of databases and column families.
pub fn reference() -> String {
    let mut text = INTRODUCTION.to_owned();
    section::<DbOptions>(&mut text, "Section `[DBOptions]`.");
    section::<ColumnFamilyOptions>(&mut text, "Section `[CFOptions \"name\"]`.");
    section::<BlockBasedTableOptions>(
        &mut text,
        "Section `[TableOptions/BlockBasedTable \"name\"]`, or `table_factory.` before the name.",
    );
    section::<LruCacheOptions>(
        &mut text,
        "A block cache; a number alone is `capacity`, and no value a cache of the default size.",
    );
    section::<MetadataCacheOptions>(&mut text, "The value of `metadata_cache_options`.");
    section::<CacheUsageOptions>(
        &mut text,
        "The value of `cache_usage_options`: memory that counts against the block cache, by its use. \
         RocksDB takes it from programs alone, as a map of roles.",
    );
    section::<CompressionOptions>(
        &mut text,
        "The value of `compression_opts`, `bottommost_compression_opts` and \
         `blob_compression_opts`.",
    );
    section::<CompactionOptionsUniversal>(
        &mut text,
        "The value of `compaction_options_universal`.",
    );
    section::<CompactionOptionsFifo>(&mut text, "The value of `compaction_options_fifo`.");
    section::<FileTemperatureAge>(&mut text, "An item of `file_temperature_age_thresholds`.");
    section::<DbPath>(&mut text, "An item of `db_paths` and `cf_paths`.");
    section::<PlainTableOptions>(
        &mut text,
        "Section `[TableOptions/PlainTable \"name\"]`. Such tables are not read.",
    );
    section::<CuckooTableOptions>(
        &mut text,
        "Section `[TableOptions/CuckooTable \"name\"]`. Such tables are not read.",
    );
    text
}

/// The release of options that RocksDB does not have.
const OWN: &str = "0.0";

pub(crate) fn section<S: OptionStruct>(text: &mut String, what: &str) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\n## {}\n\n{what}\n\n", S::NAME);
    text.push_str(
        "| Option | Type | Default | Honoured | Mutable | Range | Since | What it does |\n",
    );
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for row in S::rows() {
        let info = &row.info;
        let default = (row.print)(S::defaults(), Release::NEWEST_KNOWN);
        let default = match default.as_str() {
            "" => "(empty)".to_owned(),
            braced if braced.starts_with('{') => "(its defaults)".to_owned(),
            other => format!("`{other}`"),
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {default} | {} | {} | {} | {} | {} |",
            info.name,
            info.type_name(),
            if info.refused { "refused" } else { yes_or_no(info.honoured) },
            yes_or_no(info.mutable),
            range_text(&info.range),
            if info.since == OWN { "own" } else { info.since },
            info.doc.trim(),
        );
    }
    objects(text, S::objects());
    let aliases = S::aliases().iter();
    let aliases: Vec<String> =
        aliases.map(|alias| format!("`{}` for `{}`", alias.name, alias.target)).collect();
    if !aliases.is_empty() {
        let _ = write!(text, "\nOther names: {}.\n", aliases.join(", "));
    }
    let legacy: Vec<String> =
        S::legacy().iter().map(|legacy| format!("`{}`", legacy.name)).collect();
    if !legacy.is_empty() {
        let _ = write!(
            text,
            "\nGiven up by RocksDB, accepted without effect: {}.\n",
            legacy.join(", ")
        );
    }
}

/// What only programs give.
fn objects(text: &mut String, objects: &[ObjectInfo]) {
    if objects.is_empty() {
        return;
    }
    text.push_str("\nGiven by programs alone, in no text:\n\n");
    text.push_str("| Object | Type in RocksDB | Given as | What it does |\n");
    text.push_str("| --- | --- | --- | --- |\n");
    for ObjectInfo { name, doc, type_name, given_as } in objects {
        let given = given_as.map_or_else(|| "not offered".to_owned(), |given| format!("`{given}`"));
        let _ = writeln!(text, "| `{name}` | `{type_name}` | {given} | {} |", doc.trim());
    }
}

fn range_text(range: &Range) -> String {
    match range.outside() {
        _ if range.is_any() => String::new(),
        Outside::Corrected => format!("{range}; corrected"),
        Outside::Refused(_) => range.to_string(),
    }
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

#[cfg(test)]
mod tests;
