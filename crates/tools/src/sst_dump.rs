//! `touchstone sst_dump`: looks into table files, with the command line and the output of RocksDB's
//! `sst_dump` 7.8.3.
//!
//! [`main`] takes the command line apart (`arguments`, whose flags are rows of `flags`) and goes
//! through the files; [`SstFileDumper`] does what is asked with each. What goes to standard output,
//! and to the file of a raw dump, is byte for byte what RocksDB's prints, and the exit status is the
//! same; sentences on standard error are our own. Where RocksDB's crashes, this fails with a
//! sentence.
//!
//! The exit status is 0 as soon as one file is a table, whatever is found in it: that a table is
//! damaged is said on standard error only.

mod arguments;
mod comparator;
mod flags;
mod internal_key;
mod properties;
mod raw;
mod sst_file_dumper;

pub use sst_file_dumper::{DumpOptions, KeyRange, SstFileDumper};

use crate::print::push_bytes;
use arguments::{Arguments, Command, Refusal, Request};
use base::Status;
use env::{FileOptions, FileSystem};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use table::TableProperties;

/// Exit status of a run that found a table.
const SUCCESS: i32 = 0;
/// Exit status of most failures.
const FAILURE: i32 = 1;
/// Exit status for an internal key that is none.
const FAILURE_OF_KEY: i32 = 255;

/// How far tables are read ahead unless `--readahead_size` says otherwise.
pub const READAHEAD_SIZE_BYTES: u64 = 2 << 20;

/// Bytes of output gathered before they are handed on.
const BUFFER_SIZE_BYTES: usize = 64 << 10;

/// Ends of the names of table files, and of those that raw dumps are written to.
const TABLE_SUFFIX: &str = ".sst";
const RAW_DUMP_SUFFIX: &str = "_dump.txt";

/// The one file system there is, as `--env_uri` and `--fs_uri` call it.
const POSIX_URIS: [&str; 2] = ["posix", "posix://"];

/// Runs `sst_dump` with `arguments`, the program's name not among them, and returns its exit
/// status.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE_BYTES, out);
    let result = run(arguments, &mut out, err);
    match result.and_then(|status| out.flush().map(|()| status)) {
        Ok(status) => status,
        Err(error) => {
            // There is nobody to tell that standard error is closed.
            let _ = writeln!(err, "IO error: writing the output: {error}");
            FAILURE
        }
    }
}

fn run(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> io::Result<i32> {
    match arguments::parse(arguments) {
        Ok(Request::Help) => {
            flags::write_help(out)?;
            Ok(SUCCESS)
        }
        Ok(Request::Version) => {
            writeln!(out, "sst_dump (Touchstone) {}", env!("CARGO_PKG_VERSION"))?;
            Ok(SUCCESS)
        }
        Ok(Request::ParseInternalKey(text)) => internal_key::print(&text, out, err),
        Ok(Request::Run(arguments)) => Session::new(&arguments, out, err).run(),
        Err(Refusal { message, shows_help }) => {
            writeln!(err, "{message}")?;
            if shows_help {
                flags::write_help(err)?;
            }
            Ok(FAILURE)
        }
    }
}

/// A path of the command line.
struct Source<'a> {
    path: &'a str,
    is_directory: bool,
}

/// Sums for `--show_summary`.
#[derive(Default)]
struct Summary {
    files: u64,
    data_blocks: u64,
    data_size: u64,
    index_size: u64,
    filter_size: u64,
}

/// Whether to go on with the next file.
enum Flow {
    Next,
    Stop,
    Exit(i32),
}

/// One run over files.
struct Session<'a> {
    arguments: &'a Arguments,
    file_system: Arc<dyn FileSystem>,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    range: KeyRange,
    /// Entries read so far, over all files.
    total_read: u64,
    valid_files: Vec<String>,
    summary: Summary,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a Arguments, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        let range = KeyRange {
            from: arguments.from.clone(),
            to: arguments.to.clone(),
            prefix: arguments.prefix.clone(),
        };
        Self {
            arguments,
            file_system: env::default_file_system(),
            out,
            err,
            range,
            total_read: 0,
            valid_files: Vec::new(),
            summary: Summary::default(),
        }
    }

    fn run(&mut self) -> io::Result<i32> {
        if let Err(status) = check_uris(self.arguments) {
            writeln!(self.err, "CreateEnvFromUri: {status}")?;
            return Ok(FAILURE);
        }
        let address = Arc::as_ptr(&self.file_system).cast::<()>();
        writeln!(self.out, "options.env is {address:p}")?;
        let Some((sources, files)) = self.find_files()? else {
            return Ok(FAILURE);
        };
        if let Command::Unknown(name) = &self.arguments.command {
            writeln!(self.err, "There is no command '{name}': files are opened and no more")?;
        }
        for file in &files {
            match self.visit(file)? {
                Flow::Next => {}
                Flow::Stop => break,
                Flow::Exit(status) => return Ok(status),
            }
        }
        if self.arguments.show_summary {
            self.print_summary()?;
        }
        self.conclude(&sources)
    }

    /// What the command line names, and the files that may be tables; none if something is missing.
    fn find_files(&mut self) -> io::Result<Option<(Vec<Source<'a>>, Vec<String>)>> {
        let mut sources = Vec::new();
        let mut files = Vec::new();
        let paths = self.arguments.file.iter().chain(&self.arguments.paths);
        for path in paths {
            let children = self.file_system.get_children(Path::new(path)).unwrap_or_default();
            let is_directory = !children.is_empty();
            if is_directory {
                let tables = children.iter().filter(|name| is_table_name(name));
                files.extend(tables.map(|name| format!("{path}/{name}")));
            } else if !matches!(self.file_system.file_exists(Path::new(path)), Ok(true)) {
                writeln!(self.err, "NotFound: {path}: No such file or directory")?;
                return Ok(None);
            } else if is_table_name(path) {
                files.push(path.clone());
            }
            sources.push(Source { path, is_directory });
        }
        Ok(Some((sources, files)))
    }

    fn visit(&mut self, file: &str) -> io::Result<Flow> {
        let arguments = self.arguments;
        let options = DumpOptions {
            verify_checksums: arguments.verify_checksum,
            output_hex: arguments.output_hex,
            decode_blob_index: arguments.decode_blob_index,
            readahead_size_bytes: arguments.readahead_size_bytes,
        };
        let dumper = match SstFileDumper::open(&*self.file_system, file, options, self.out)? {
            Ok(dumper) => dumper,
            Err(status) => {
                writeln!(self.err, "{file}: {status}")?;
                return Ok(Flow::Next);
            }
        };
        self.valid_files.push(file.to_owned());
        if self.valid_files.len() == 1 && arguments.command.reads_entries() {
            self.print_range()?;
        }
        match arguments.command {
            Command::Recompress => {
                let status = Status::not_supported("recompress");
                writeln!(self.err, "{file}: {status}")?;
                Ok(Flow::Exit(FAILURE))
            }
            Command::Raw => self.write_raw_dump(file, &dumper),
            Command::Verify => {
                match dumper.verify_checksum() {
                    Ok(()) => writeln!(self.out, "The file is ok")?,
                    Err(status) => writeln!(self.err, "{file} is corrupted: {status}")?,
                }
                Ok(Flow::Next)
            }
            Command::Check | Command::Scan => {
                if self.read_entries(file, &dumper)? {
                    return Ok(Flow::Stop);
                }
                self.take_properties(file, &dumper)
            }
            Command::Identify | Command::Unknown(_) => self.take_properties(file, &dumper),
        }
    }

    /// Says which keys are asked for.
    fn print_range(&mut self) -> io::Result<()> {
        let mut line = b"from [".to_vec();
        push_bytes(&mut line, self.range.start().unwrap_or_default(), true);
        line.extend_from_slice(b"] to [");
        push_bytes(&mut line, self.range.to.as_deref().unwrap_or_default(), true);
        line.extend_from_slice(b"]\n");
        self.out.write_all(&line)
    }

    fn write_raw_dump(&mut self, file: &str, dumper: &SstFileDumper) -> io::Result<Flow> {
        let stem = file.strip_suffix(TABLE_SUFFIX).unwrap_or(file);
        let target = format!("{stem}{RAW_DUMP_SUFFIX}");
        let write = || {
            let options = FileOptions::default();
            let mut output = self.file_system.new_writable_file(Path::new(&target), &options)?;
            let result = raw::write(dumper.table(), dumper.properties(), &mut *output);
            result.and(output.close())
        };
        match write() {
            Ok(()) => {
                writeln!(self.out, "raw dump written to file {target}")?;
                Ok(Flow::Next)
            }
            Err(status) => {
                writeln!(self.err, "{file}: {status}")?;
                Ok(Flow::Exit(FAILURE))
            }
        }
    }

    /// Reads entries, and returns whether `--read_num` has been reached.
    fn read_entries(&mut self, file: &str, dumper: &SstFileDumper) -> io::Result<bool> {
        let limit = self.arguments.read_num;
        // As RocksDB counts, nothing left is no limit, and the entry that a reading stops at counts
        // as read. So the total may pass the limit, and only then does the run end.
        let left = if limit == 0 { 0 } else { limit.wrapping_sub(self.total_read) };
        let prints = self.arguments.command == Command::Scan;
        let (read, result) =
            dumper.read_sequential(prints, left, &self.range, self.out, self.err)?;
        if let Err(status) = result {
            writeln!(self.err, "{file}: {status}")?;
        }
        self.total_read = self.total_read.saturating_add(read);
        Ok(limit > 0 && self.total_read > limit)
    }

    /// Prints properties and adds them up, if that is asked for.
    fn take_properties(&mut self, file: &str, dumper: &SstFileDumper) -> io::Result<Flow> {
        if !self.arguments.show_properties && !self.arguments.show_summary {
            return Ok(Flow::Next);
        }
        let Some(properties) = dumper.properties() else {
            writeln!(self.err, "{file}: the table has no properties")?;
            return Ok(Flow::Next);
        };
        if self.arguments.show_properties
            && let Err(status) = properties::print(dumper.table(), properties, self.out)?
        {
            writeln!(self.err, "{file}: {status}")?;
        }
        self.summary.add(properties);
        Ok(Flow::Next)
    }

    fn print_summary(&mut self) -> io::Result<()> {
        let Summary { files, data_blocks, data_size, index_size, filter_size } = self.summary;
        let rows = [
            ("number of files", files),
            ("number of data blocks", data_blocks),
            ("data block size", data_size),
            ("index block size", index_size),
            ("filter block size", filter_size),
        ];
        rows.iter().try_for_each(|(name, total)| writeln!(self.out, "total {name}: {total}"))
    }

    /// Says what was found, and returns the exit status.
    fn conclude(&mut self, sources: &[Source<'_>]) -> io::Result<i32> {
        if self.valid_files.is_empty() {
            for Source { path, is_directory } in sources {
                if *is_directory {
                    writeln!(self.out, "{RULE}")?;
                    writeln!(self.err, "No valid SST files found in {path}")?;
                } else {
                    writeln!(self.err, "{path} is not a valid SST file")?;
                }
            }
            return Ok(FAILURE);
        }
        if self.arguments.command == Command::Identify {
            self.print_valid_files(sources)?;
        }
        Ok(SUCCESS)
    }

    fn print_valid_files(&mut self, sources: &[Source<'_>]) -> io::Result<()> {
        match sources {
            [Source { path, is_directory: false }] => {
                return writeln!(self.out, "{path} is a valid SST file");
            }
            [Source { path, .. }] => {
                writeln!(self.out, "{RULE}\nList of valid SST files found in {path}:")?;
            }
            _ => writeln!(self.out, "{RULE}\nList of valid SST files:")?,
        }
        for file in &self.valid_files {
            writeln!(self.out, "{file}")?;
        }
        writeln!(self.out, "Number of valid SST files: {}", self.valid_files.len())
    }
}

/// Sets parts of the output apart.
const RULE: &str = "------------------------------";

impl Summary {
    fn add(&mut self, properties: &TableProperties) {
        self.files += 1;
        let sums = [
            (&mut self.data_blocks, properties.num_data_blocks),
            (&mut self.data_size, properties.data_size),
            (&mut self.index_size, properties.index_size),
            (&mut self.filter_size, properties.filter_size),
        ];
        for (sum, number) in sums {
            // Properties may say anything.
            *sum = sum.wrapping_add(number);
        }
    }
}

/// Whether a file of this name is taken for a table.
fn is_table_name(name: &str) -> bool {
    name.len() > TABLE_SUFFIX.len() && name.ends_with(TABLE_SUFFIX)
}

fn check_uris(arguments: &Arguments) -> base::Result<()> {
    let Arguments { env_uri, fs_uri, .. } = arguments;
    if !env_uri.is_empty() && !fs_uri.is_empty() {
        return Err(Status::invalid_argument("cannot specify both fs_uri and env_uri"));
    }
    for (flag, uri) in [("env_uri", env_uri), ("fs_uri", fs_uri)] {
        if !uri.is_empty() && !POSIX_URIS.contains(&uri.as_str()) {
            return Err(Status::not_supported(format!(
                "--{flag}={uri}: only {} is there",
                POSIX_URIS[1]
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
