//! Objects of the user's that options name while a database is open, and in its OPTIONS file.

use crate::fixture::{Fixture, content, family, flush, put};
use base::file_checksum::FileChecksumGenCrc32cFactory;
use base::status::Code;
use base::{FileChecksumGenContext, FileChecksumGenFactory, FileChecksumGenerator, SliceTransform};
use options::{ConfigOptions, ObjectName, OptionsFile, Registry};
use std::path::Path;
use std::sync::Arc;

/// What is before the first colon.
#[derive(Debug)]
struct BeforeColon;

impl SliceTransform for BeforeColon {
    fn name(&self) -> &str {
        "example.BeforeColon"
    }

    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        key.split(|byte| *byte == b':').next().unwrap_or(key)
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        key.contains(&b':')
    }
}

/// The checksum that is built in, by another name.
#[derive(Debug)]
struct RenamedFactory;

impl FileChecksumGenFactory for RenamedFactory {
    fn name(&self) -> &str {
        "example.Renamed"
    }

    fn create(
        &self,
        context: &FileChecksumGenContext<'_>,
    ) -> Option<Box<dyn FileChecksumGenerator>> {
        FileChecksumGenCrc32cFactory.create(context)
    }
}

fn registered() -> Fixture {
    let mut registry = Registry::new();
    registry.register_slice_transform(Arc::new(BeforeColon));
    registry.register_file_checksum_gen_factory(Arc::new(RenamedFactory));
    let mut fixture = Fixture::new();
    fixture.context.registry = Arc::new(registry);
    fixture
}

#[test]
fn set_options_takes_the_names_of_registered_objects() {
    let fixture = registered();
    let db = fixture.open();
    put(&db, "a:1", "1");
    let name = ("prefix_extractor", "example.BeforeColon");
    assert_eq!(db.set_options(&family(&db), &[name]).unwrap(), []);
    put(&db, "a:2", "2");
    flush(&db);
    let extractor = db.get_options(&family(&db)).prefix_extractor.clone().unwrap();
    assert_eq!(extractor.transform(b"a:2"), b"a");
    assert_eq!(content(&db), "a:1=1 a:2=2");

    let config =
        ConfigOptions { registry: fixture.context.registry.clone(), ..ConfigOptions::default() };
    let file_system = &*fixture.context.file_system;
    let (_, file) = OptionsFile::latest(file_system, Path::new("/db"), &config).unwrap();
    let saved = file.column_families[0].options.prefix_extractor.clone().unwrap();
    assert_eq!(saved.name(), "example.BeforeColon");
    let (_, file) =
        OptionsFile::latest(file_system, Path::new("/db"), &ConfigOptions::default()).unwrap();
    assert!(file.column_families[0].options.prefix_extractor.is_none(), "nobody registered it");
}

#[test]
fn what_nobody_registered_is_refused_by_its_name() {
    let db = Fixture::new().open();
    let name = ("prefix_extractor", "example.BeforeColon");
    let status = db.set_options(&family(&db), &[name]).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("prefix_extractor=example.BeforeColon"), "{status}");
    assert!(db.get_options(&family(&db)).prefix_extractor.is_none());
}

#[test]
fn the_option_for_checksums_of_files_may_name_a_registered_factory() {
    let mut fixture = registered();
    fixture.options.file_checksum_gen_factory = ObjectName::new("example.Renamed");
    let db = fixture.open();
    put(&db, "a", "1");
    flush(&db);
    let checksum = db.live_files()[0].checksum.clone().unwrap();
    assert!(!checksum.value.is_empty(), "{checksum:?}");
    drop(db);
    fixture.context.registry = Arc::default();
    let status = fixture.try_open().unwrap_err();
    assert!(status.message().contains("example.Renamed is not registered"), "{status}");
}
