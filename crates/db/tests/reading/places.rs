//! Where files are, which families are opened, and what an open has to say.

use crate::{default_family, scan, total_order, unpack};
use base::status::Code;
use options::DbPath;

#[test]
fn tables_in_several_directories() {
    let mut opened = unpack("11.8.1", "q05");
    let all = {
        let db = opened.db();
        scan(&db, &total_order(), &default_family(&db))
    };
    // The paths of the family come before those of the database.
    let paths = std::mem::take(&mut opened.options.db.db_paths);
    assert_eq!(opened.options.open().unwrap_err().code(), Code::Corruption);
    opened.options.families[0].options.cf_paths = paths;
    let db = opened.db();
    assert_eq!(scan(&db, &total_order(), &default_family(&db)), all);
    opened.options.families[0].options.cf_paths = vec![DbPath::new("/no/such/directory", 0)];
    let error = opened.options.open().unwrap_err();
    assert_eq!(error.code(), Code::Corruption);
    assert!(error.message().contains("/no/such/directory"), "{error}");
}

#[test]
fn wals_in_their_own_directory() {
    let mut opened = unpack("11.8.1", "n06");
    let db = opened.db();
    let last = db.latest_sequence_number();
    assert!(!db.recovered().wal_numbers.is_empty());
    opened.options.db.wal_dir.clear();
    let db = opened.options.open().unwrap();
    assert!(db.recovered().wal_numbers.is_empty());
    assert!(db.latest_sequence_number() < last);
}

#[test]
fn archived_wals_are_not_replayed() {
    let opened = unpack("11.8.1", "q15");
    let archive = opened.unpacked.path().join("archive");
    let db = opened.db();
    assert!(archive.is_dir() && std::fs::read_dir(&archive).unwrap().next().is_some());
    for number in &db.recovered().wal_numbers {
        assert!(!archive.join(format!("{number:06}.log")).exists());
    }
    let before = scan(&db, &total_order(), &default_family(&db));
    std::fs::remove_dir_all(&archive).unwrap();
    let db = opened.db();
    assert_eq!(scan(&db, &total_order(), &default_family(&db)), before);
}

#[test]
fn only_the_families_asked_for() {
    let mut opened = unpack("11.8.1", "d01");
    let all = opened.db();
    let names: Vec<String> =
        all.column_families().map(|family| family.name().to_string()).collect();
    let (last, families) = (all.latest_sequence_number(), opened.options.families.clone());
    for name in &names {
        opened.options.families =
            families.iter().filter(|family| family.name == *name).cloned().collect();
        let db = opened.db();
        assert_eq!(db.latest_sequence_number(), last, "writes to other families count");
        assert_eq!(db.recovered().families_not_opened.len(), names.len() - 1);
        let (one, same) = (db.column_family(name).unwrap(), all.column_family(name).unwrap());
        assert_eq!(scan(&db, &total_order(), &one), scan(&all, &total_order(), &same));
        let other = names.iter().find(|other| *other != name).unwrap();
        assert!(db.column_family(other).is_none());
    }
}

#[test]
fn a_family_that_is_not_there() {
    let mut opened = unpack("11.8.1", "d01");
    opened.options.families[0].name = "colours".into();
    let error = opened.options.open().unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("column family not found: colours"), "{error}");
}

#[test]
fn tracked_wals_must_be_there() {
    let mut opened = unpack("10.10.1", "n03");
    assert!(opened.options.db.track_and_verify_wals_in_manifest);
    let db = opened.db();
    let number = *db.recovered().wal_numbers.first().expect("a WAL");
    let wal = opened.unpacked.path().join(format!("{number:06}.log"));
    std::fs::remove_file(wal).unwrap();
    let error = opened.options.open().unwrap_err();
    assert_eq!(error.code(), Code::Corruption);
    assert!(error.message().contains(&format!("Missing WAL with log number: {number}")), "{error}");
    opened.options.db.track_and_verify_wals_in_manifest = false;
    assert!(opened.options.open().is_ok());
}

/// In every release that keeps account of them; one that grew since its last sync is fine.
#[test]
fn tracked_wals_must_be_as_long_as_they_were_synced() {
    for release in ["6.29.5", "8.5.4", "8.11.4", "9.3.1", "9.10.0", "10.10.1"] {
        let mut opened = unpack(release, "n03");
        let number = *opened.db().recovered().wal_numbers.first().expect("a WAL");
        let wal = opened.unpacked.path().join(format!("{number:06}.log"));
        let content = std::fs::read(&wal).unwrap();
        std::fs::write(&wal, &content[..content.len() / 2]).unwrap();
        let error = opened.options.open().unwrap_err();
        assert_eq!(error.code(), Code::Corruption, "{release}");
        let expected = format!("Size mismatch: WAL (log number: {number})");
        assert!(error.message().contains(&expected), "{release}: {error}");
        // Zeros are where no record is.
        std::fs::write(&wal, [content, vec![0; 100]].concat()).unwrap();
        assert!(opened.options.open().is_ok(), "{release}");
        std::fs::remove_file(&wal).unwrap();
        let error = opened.options.open().unwrap_err();
        assert!(error.message().contains("Missing WAL with log number"), "{release}: {error}");
        opened.options.db.track_and_verify_wals_in_manifest = false;
        assert!(opened.options.open().is_ok(), "{release}");
    }
}

/// A table of another database under the right name has another unique id.
#[test]
fn tables_of_another_database_are_found_out() {
    let mut opened = unpack("11.8.1", "o07");
    let other = unpack("11.8.1", "o08");
    let db = opened.db();
    let family = default_family(&db);
    let mut replaced = 0;
    for (_, file) in family.version().files() {
        let name = format!("{:06}.sst", file.number);
        let from = other.unpacked.path().join(&name);
        // Files of other sizes are found out at once.
        if from.metadata().is_ok_and(|metadata| metadata.len() == file.file_size) {
            std::fs::copy(from, opened.unpacked.path().join(&name)).unwrap();
            replaced += 1;
        }
    }
    assert!(replaced > 0);
    let read_all = |db: &db::Db| {
        let family = default_family(db);
        crate::forward(db.new_iterator(&total_order(), &family).unwrap()).1
    };
    let error = read_all(&opened.db()).unwrap_err();
    assert!(error.message().contains("Mismatch in unique ID"), "{error}");
    opened.options.db.verify_sst_unique_id_in_manifest = false;
    let status = read_all(&opened.db());
    assert!(!status.is_err_and(|error| error.message().contains("unique ID")));
}

#[test]
fn what_is_set_and_not_honoured_is_said() {
    let mut opened = unpack("11.8.1", "a01");
    opened.options.db = options::DbOptions::default();
    opened.options.families[0].options = options::ColumnFamilyOptions::default();
    assert_eq!(opened.db().warnings(), [""; 0]);
    opened.options.db.allow_mmap_reads = true;
    opened.options.families[0].options.sample_for_compression = 7;
    assert_eq!(
        opened.db().warnings(),
        [
            "database: accepted, not honoured yet: allow_mmap_reads=true",
            "column family default: accepted, not honoured yet: sample_for_compression=7",
        ]
    );
}
