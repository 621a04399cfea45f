//! Checksums of whole files, by a function of the user's.

use crate::fixture::{Fixture, compact, files, flush, put};
use base::status::Code;
use base::{FileChecksumGenContext, FileChecksumGenFactory, FileChecksumGenerator};
use db::ReadOptions;
use env::{FileOptions, FileSystem};
use std::path::Path;
use std::sync::Arc;

/// Length and sum of the bytes.
#[derive(Debug, Default)]
struct LengthAndSum(u64, u64);

impl FileChecksumGenerator for LengthAndSum {
    fn update(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
        self.1 += bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    }

    fn finalize(self: Box<Self>) -> Vec<u8> {
        [self.0.to_be_bytes(), self.1.to_be_bytes()].concat()
    }

    fn name(&self) -> &str {
        "LengthAndSum"
    }
}

#[derive(Debug)]
struct LengthAndSumFactory;

impl FileChecksumGenFactory for LengthAndSumFactory {
    fn name(&self) -> &str {
        "LengthAndSumFactory"
    }

    fn create(
        &self,
        context: &FileChecksumGenContext<'_>,
    ) -> Option<Box<dyn FileChecksumGenerator>> {
        let is_known = matches!(context.requested_function_name, "" | "LengthAndSum");
        is_known.then(|| Box::new(LengthAndSum::default()) as _)
    }
}

/// Changes one byte of a file.
fn damage(fs: &dyn FileSystem, path: &Path) {
    let mut bytes = env::file_util::read_file_to_vec(fs, path, 1 << 20).unwrap();
    bytes[10] ^= 1;
    let mut file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
    file.append(&bytes).unwrap();
    file.close().unwrap();
}

#[test]
fn files_have_the_checksums_of_the_users_function() {
    let mut fixture = Fixture::new();
    fixture.context.file_checksum_gen_factory = Some(Arc::new(LengthAndSumFactory));
    fixture.family.enable_blob_files = true;
    fixture.family.min_blob_size = 100;
    let db = fixture.open();
    put(&db, "a", "1");
    put(&db, "b", &"blob".repeat(100));
    flush(&db);
    compact(&db);
    for file in files(&db) {
        let checksum = file.checksum.unwrap();
        assert_eq!(checksum.function_name, b"LengthAndSum");
        assert_eq!(checksum.value[..8], file.size_bytes.to_be_bytes());
    }
    // Other options can still be changed.
    db.set_db_options(&[("max_background_jobs", "3")]).unwrap();
    assert_eq!(db.get_db_options().file_checksum_gen_factory.id(), "LengthAndSumFactory");
    db.verify_file_checksums(&ReadOptions::default()).unwrap();
    drop(db);

    let fs = fixture.context.file_system.clone();
    for suffix in [".sst", ".blob"] {
        let names = fs.get_children(Path::new("/db")).unwrap();
        let name = names.iter().find(|name| name.ends_with(suffix)).unwrap();
        let path = Path::new("/db").join(name);
        damage(&*fs, &path);
        let db = fixture.open();
        let status = db.verify_file_checksums(&ReadOptions::default()).unwrap_err();
        assert_eq!(status.code(), Code::Corruption);
        assert!(status.to_string().contains(name), "{status}");
        drop(db);
        damage(&*fs, &path);
    }
}

#[test]
fn without_the_function_nothing_is_verified() {
    let mut fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    flush(&db);
    assert_eq!(
        db.verify_file_checksums(&ReadOptions::default()).unwrap_err().code(),
        Code::InvalidArgument
    );
    drop(db);
    // What was written without a checksum has none.
    fixture.context.file_checksum_gen_factory = Some(Arc::new(LengthAndSumFactory));
    let db = fixture.open();
    db.verify_file_checksums(&ReadOptions::default()).unwrap();
    put(&db, "b", "1");
    flush(&db);
    drop(db);
    fixture.context.file_checksum_gen_factory = None;
    fixture.options.file_checksum_gen_factory =
        options::ObjectName::new("FileChecksumGenCrc32cFactory");
    let db = fixture.open();
    let status = db.verify_file_checksums(&ReadOptions::default()).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.to_string().contains("LengthAndSum"), "{status}");
}
