//! The help text, made from the table of commands.

use super::command::{Action, COMMANDS, Command};
use std::io::{self, Write};

const OPTIONS: &str = "\
options of most commands:
  --db=PATH                  the database
  --column_family=NAME       the column family; default: default
  --hex                      keys and values are typed and printed as hexadecimal, after 0x
  --key_hex, --value_hex     keys only, values only
  --try_load_options[=BOOL]  take options from the database's OPTIONS file; default: true with
                             --db, false with --ttl
  --ignore_unknown_options   pass over options that are not known in that file
  --ttl                      values end in the time of their writing
  --create_if_missing        make a database where there is none
  --compression_type=TYPE, --compression_max_dict_bytes=N, --bloom_bits=N, --block_size=N,
  --write_buffer_size=N, --file_size=N, --auto_compaction=BOOL, --enable_blob_files,
  --min_blob_size=N, --blob_file_size=N, --blob_compression_type=TYPE
                             how what is written is stored
  --disable_consistency_checks
                             do not check the order of files
  --fix_prefix_len=N         prefixes are the first N bytes of keys
  --secondary_path=PATH      as if another process had the database open; nothing is written there
";

/// Writes the help text.
pub(crate) fn write_help(output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "touchstone ldb: looks into a database and changes it\n")?;
    writeln!(output, "usage: touchstone ldb --db=PATH COMMAND [PARAMETER...] [--OPTION...]\n")?;
    writeln!(output, "{OPTIONS}\ncommands:")?;
    let runs = |command: &&Command| matches!(command.action, Action::Runs { .. });
    for command in COMMANDS.iter().filter(runs) {
        write_command(output, command)?;
    }
    writeln!(output, "\nknown, not implemented yet:")?;
    for command in COMMANDS.iter().filter(|command| !runs(command)) {
        write_command(output, command)?;
    }
    Ok(())
}

fn write_command(output: &mut dyn Write, command: &Command) -> io::Result<()> {
    let Command { name, parameters, summary, options, .. } = command;
    let space = if parameters.is_empty() { "" } else { " " };
    writeln!(output, "  {name}{space}{parameters}: {summary}")?;
    if !options.is_empty() {
        writeln!(output, "      --{}", options.join(" --"))?;
    }
    Ok(())
}
