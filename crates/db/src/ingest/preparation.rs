//! Bringing files into the directory of the database, before anything refers to them.

use super::external_file::ExternalFile;
use super::global_seqno::Patch;
use super::{IngestExternalFileArg, IngestedFile, Ingestion};
use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use crate::file_checks::file_checksum;
use crate::ingest_options::IngestExternalFileOptions;
use base::filename::table_file_name;
use base::status::Code;
use base::{FileChecksumGenFactory, Result, Status, dbformat::hex};
use env::{FileOptions, FileSystem, WritableFile};
use std::collections::BTreeSet;
use std::path::Path;
use table::{ReadOptions, TableOptions};
use version::{FileChecksum, Temperature};

/// Bytes copied at once.
const COPY_BYTES: usize = 1 << 20;

impl DbImpl {
    /// Checks all files and brings them into the directory. If that fails none is left there.
    pub(super) fn prepare_ingestions(
        &self,
        writing: &Writing,
        args: &[IngestExternalFileArg],
    ) -> Result<Vec<Ingestion>> {
        self.check_ingestion(args)?;
        let mut ingestions = Vec::with_capacity(args.len());
        for arg in args {
            match self.prepare_ingestion(writing, arg) {
                Ok(ingestion) => ingestions.push(ingestion),
                Err(status) => {
                    self.discard_ingestions(writing, &ingestions);
                    return Err(status);
                }
            }
        }
        Ok(ingestions)
    }

    fn check_ingestion(&self, args: &[IngestExternalFileArg]) -> Result<()> {
        if args.is_empty() {
            return Err(Status::invalid_argument("ingestion arg list is empty"));
        }
        let mut ids = BTreeSet::new();
        for arg in args {
            let IngestExternalFileArg { column_family, external_files, options, .. } = arg;
            if !ids.insert(column_family.id()) {
                return Err(Status::invalid_argument("ingestion args have duplicate CFs"));
            }
            if external_files.is_empty() {
                return Err(Status::invalid_argument("external files list is empty"));
            }
            let is_allowed = self.options().allow_ingest_behind
                || column_family.options().cf_allow_ingest_behind;
            if options.ingest_behind && !is_allowed {
                return Err(Status::invalid_argument(
                    "Can't ingest_behind file in DB with cf_allow_ingest_behind=false",
                ));
            }
            if options.move_files && options.link_files {
                return Err(Status::invalid_argument(
                    "`move_files` and `link_files` can't both be true.",
                ));
            }
            if arg.atomic_replace_range.is_some() {
                return Err(Status::not_supported(
                    "atomic_replace_range is not supported: put a range deletion of the same keys \
                     into the first of the files, which are then taken in together",
                ));
            }
            let checksums = arg.files_checksums.len();
            if checksums != 0 && checksums != external_files.len() {
                return Err(Status::invalid_argument(format!(
                    "{} files and {checksums} checksums of files: give one for each or none",
                    external_files.len()
                )));
            }
        }
        Ok(())
    }

    fn prepare_ingestion(
        &self,
        writing: &Writing,
        arg: &IngestExternalFileArg,
    ) -> Result<Ingestion> {
        let (family, options) = (&arg.column_family.0, &arg.options);
        let files = self.examine_files(writing, arg)?;
        let ingestion = Ingestion::new(family, *options, files);
        if ingestion.files_overlap {
            check_overlap(family, options)?;
        }
        let mut ingestions = [ingestion];
        let brought = self.bring_in(arg, &mut ingestions[0]);
        if let Err(status) = brought {
            self.discard_ingestions(writing, &ingestions);
            return Err(status);
        }
        let [ingestion] = ingestions;
        Ok(ingestion)
    }

    fn examine_files(
        &self,
        writing: &Writing,
        arg: &IngestExternalFileArg,
    ) -> Result<Vec<IngestedFile>> {
        let (family, options) = (&arg.column_family.0, &arg.options);
        let read = ReadOptions {
            readahead_size: options.verify_checksums_readahead_size,
            total_order_seek: true,
            ..ReadOptions::default()
        };
        let shared = TableOptions::clone(&family.tables.options.load());
        let examine = |path: &std::path::PathBuf| {
            let number = writing.file_numbers.next();
            // Nothing of it may be found in a cache later: keys will read otherwise.
            let table_options =
                TableOptions { block_cache: None, file_number: number, ..shared.clone() };
            let external = ExternalFile::examine(
                &*self.context.file_system,
                path,
                &table_options,
                &read,
                family.id,
                options,
            )?;
            let directory = family.tables.paths.first().map_or(&*self.path, |path| path.as_path());
            Ok(IngestedFile {
                external,
                number,
                path: table_file_name(directory, number),
                is_copy: false,
                checksum: FileChecksum::default(),
                temperature: arg.file_temperature,
                level: 0,
                sequence: 0,
            })
        };
        arg.external_files.iter().map(examine).collect()
    }

    /// Links or copies the files into the directory, safe from a power loss.
    fn bring_in(&self, arg: &IngestExternalFileArg, ingestion: &mut Ingestion) -> Result<()> {
        let (fs, use_fsync) = (&*self.context.file_system, self.options().use_fsync);
        let family_options = ingestion.family.options();
        let options = &ingestion.options;
        let to_last_level = options.ingest_behind || options.fail_if_not_bottommost_level;
        let copied_temperature = match to_last_level {
            true => family_options.last_level_temperature,
            false => family_options.default_write_temperature,
        };
        for file in &mut ingestion.files {
            let (from, to) = (&file.external.path, &file.path);
            file.is_copy = !link_in(fs, from, to, options)?;
            if file.is_copy {
                copy_file(fs, from, to, use_fsync, None)?;
                file.temperature = Temperature(copied_temperature as u8);
            }
        }
        let directories: BTreeSet<_> =
            ingestion.files.iter().map(|file| env::parent_directory(&file.path)).collect();
        for directory in directories {
            fs.new_directory(&directory)?.fsync()?;
        }
        match self.file_checksum_gen_factory() {
            Some(factory) => checksum_files(fs, &*factory, arg, ingestion),
            None => Ok(()),
        }
    }
}

fn check_overlap(family: &ColumnFamilyData, options: &IngestExternalFileOptions) -> Result<()> {
    if options.ingest_behind {
        return Err(Status::not_supported(
            "Files with overlapping ranges cannot be ingested with ingestion behind mode.",
        ));
    }
    if !options.allow_global_seqno {
        return Err(Status::invalid_argument(
            "Global seqno is required, but disabled (because external files key range overlaps).",
        ));
    }
    if family.comparator.timestamp_size() > 0 {
        return Err(Status::not_supported(
            "Files with overlapping ranges cannot be ingested to column family with user-defined \
             timestamp enabled.",
        ));
    }
    Ok(())
}

/// Gives the file another name in the database, if that is wanted. Whether it has that now.
fn link_in(
    fs: &dyn FileSystem,
    from: &Path,
    to: &Path,
    options: &IngestExternalFileOptions,
) -> Result<bool> {
    if !options.move_files && !options.link_files {
        return Ok(false);
    }
    match fs.link_file(from, to) {
        // Whoever wrote it may not have made it safe.
        Ok(()) => fs.sync_file(to).map(|()| true),
        Err(status)
            if status.code() == Code::NotSupported && options.failed_move_fall_back_to_copy =>
        {
            Ok(false)
        }
        Err(status) => Err(status),
    }
}

/// Copies a file, with other bytes at one place if there is a patch, and makes it safe.
pub(super) fn copy_file(
    fs: &dyn FileSystem,
    from: &Path,
    to: &Path,
    use_fsync: bool,
    patch: Option<Patch>,
) -> Result<()> {
    let mut source = fs.new_sequential_file(from, &FileOptions::default())?;
    let mut target: Box<dyn WritableFile> = fs.new_writable_file(to, &FileOptions::default())?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut offset = 0;
    loop {
        let chunk = match source.read(&mut buffer)? {
            0 => break,
            count => &mut buffer[..count],
        };
        if let Some(patch) = patch {
            patch.apply(offset, chunk);
        }
        offset += chunk.len() as u64;
        target.append(chunk)?;
    }
    match use_fsync {
        true => target.fsync(),
        false => target.sync(),
    }?;
    target.close()
}

/// The checksum of a file whose content has changed, by the function of the one it had.
pub(super) fn file_checksum_of(
    fs: &dyn FileSystem,
    factory: &dyn FileChecksumGenFactory,
    file: &IngestedFile,
) -> Result<FileChecksum> {
    file_checksum(fs, &file.path, factory, &file.checksum.function_name)
}

/// Makes the checksums that the MANIFEST gets, and compares them with those that are given. With
/// `verify_file_checksum` off those that are given are taken at their word.
fn checksum_files(
    fs: &dyn FileSystem,
    factory: &dyn FileChecksumGenFactory,
    arg: &IngestExternalFileArg,
    ingestion: &mut Ingestion,
) -> Result<()> {
    for (index, file) in ingestion.files.iter_mut().enumerate() {
        let given = arg.files_checksums.get(index);
        if let Some(given) = given.filter(|_| !arg.options.verify_file_checksum) {
            file.checksum = given.clone();
            continue;
        }
        let function = given.map_or(&b""[..], |given| &given.function_name);
        let found = file_checksum(fs, &file.path, factory, function)?;
        if let Some(given) = given.filter(|given| given.value != found.value) {
            return Err(Status::corruption(format!(
                "Checksum verification mismatch for ingestion file {} using function {}. Expected: \
                 {} Computed: {}",
                file.external.path.display(),
                String::from_utf8_lossy(&found.function_name),
                hex(&given.value),
                hex(&found.value)
            )));
        }
        file.checksum = found;
    }
    Ok(())
}
