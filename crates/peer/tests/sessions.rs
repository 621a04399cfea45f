//! What the driver does for each question, with every library.

use std::path::Path;

use tempfile::TempDir;
use testing::judges::protocol::{
    Bytes, Comparator, FamilyOpening, MergeOperator, Mode, Move, Opening, Operation,
};
use testing::judges::{self, Failure, Session};
use testing::parallel;

const DEFAULT: &[u8] = b"default";
/// A name that is no text.
const ODD: &[u8] = b"\xff \n";

fn create(session: &mut Session, directory: &Path) {
    let mut odd = FamilyOpening::new(ODD, "compression=kZSTD");
    odd.comparator = Some(Comparator::ShortLex);
    odd.merge_operator = Some(MergeOperator::Append);
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true;create_missing_column_families=true".to_owned(),
        latest: false,
        families: vec![FamilyOpening::new(DEFAULT, ""), odd],
        transactions: None,
    };
    session.open(&opening).expect("a new database");
}

fn put(family: &[u8], key: &str, value: &str) -> Operation {
    Operation::Put { family: family.into(), key: key.into(), value: value.into() }
}

fn of_every_library(check: impl Fn(&mut Session, &Path, &str) + Sync) {
    let judges: Vec<_> = judges::all();
    let libraries: Vec<_> =
        judges.into_iter().filter(|judge| !judge.to_string().starts_with("rocksdict")).collect();
    parallel::for_each(&libraries, |judge| -> Result<(), String> {
        let directory = TempDir::new().map_err(|error| error.to_string())?;
        check(&mut judge.session(), directory.path(), judge.release());
        Ok(())
    });
}

#[test]
fn batches_lookups_snapshots_and_iterators() {
    of_every_library(|session, directory, _| {
        create(session, directory);
        let merge = |value: &str| Operation::Merge {
            family: ODD.into(),
            key: "k".into(),
            value: value.into(),
        };
        session
            .write(vec![put(DEFAULT, "a", "1"), put(DEFAULT, "b", "2"), merge("x"), merge("y")])
            .unwrap();
        session.write(vec![put(ODD, "long", "3"), put(ODD, "", "4")]).unwrap();
        assert_eq!(session.latest_sequence(), Ok(6));
        assert_eq!(session.get(ODD, b"k", None), Ok(Some(b"x|y".to_vec())));
        assert_eq!(session.get(DEFAULT, b"c", None), Ok(None));

        let snapshot = session.snapshot().unwrap();
        let held = session.iterator(DEFAULT, None).unwrap();
        let (begin, end) = (Bytes::from("a"), Bytes::from("b"));
        let family = Bytes::from(DEFAULT);
        session
            .write(vec![
                Operation::DeleteRange { family: family.clone(), begin, end },
                Operation::SingleDelete { family: family.clone(), key: "b".into() },
                Operation::Delete { family, key: "z".into() },
                put(DEFAULT, "c", "5"),
            ])
            .unwrap();
        session.flush(&[]).unwrap();
        session.compact(DEFAULT).unwrap();
        assert_eq!(session.get(DEFAULT, b"a", None), Ok(None));
        assert_eq!(session.get(DEFAULT, b"a", Some(snapshot)), Ok(Some(b"1".to_vec())));
        let pair = |key: &str, value: &str| Ok(Some((key.into(), value.into())));
        assert_eq!(session.go(held, Move::SeekToFirst), pair("a", "1"));
        assert_eq!(session.go(held, Move::Next), pair("b", "2"));
        assert_eq!(session.go(held, Move::Next), Ok(None));
        assert!(matches!(session.go(held, Move::Next), Err(Failure::Refused(_))));
        assert_eq!(session.go(held, Move::SeekForPrev("ab".into())), pair("a", "1"));
        session.drop_iterator(held).unwrap();
        session.release_snapshot(snapshot).unwrap();
        assert!(session.get(DEFAULT, b"a", Some(snapshot)).is_err());

        let odd = session.iterator(ODD, None).unwrap();
        assert_eq!(session.go(odd, Move::SeekToLast), pair("long", "3"));
        assert_eq!(session.go(odd, Move::Prev), pair("k", "x|y"));
        let contents = session.dump().unwrap();
        assert_eq!(contents[&Bytes::from(DEFAULT)].count, 1);
        assert_eq!(contents[&Bytes::from(ODD)].count, 3);
        // With an iterator open: the session gives it back first.
        session.close().unwrap();
        assert_eq!(session.list_families(directory).unwrap().len(), 2);
    });
}

#[test]
fn families_files_and_reopening() {
    of_every_library(|session, directory, _| {
        create(session, directory);
        let name = b"third";
        session.create_family(&FamilyOpening::new(name, "write_buffer_size=65536")).unwrap();
        session.write(vec![put(name, "a", "1"), put(name, "b", "1")]).unwrap();
        session.flush(&[name]).unwrap();
        session.wait_for_idle().unwrap();
        let files = session.live_files().unwrap();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        assert_eq!((file.level, &file.smallest, &file.largest), (0, &"a".into(), &"b".into()));
        assert_eq!(file.family, Some(Bytes::from(&name[..])));
        let size = directory.join(&file.name).metadata().unwrap().len();
        assert_eq!(file.size_bytes, size);
        let files_at_level0 = session.property(name, "rocksdb.num-files-at-level0");
        assert_eq!(files_at_level0.unwrap().as_deref(), Some("1"));
        assert_eq!(session.property(name, "rocksdb.no-such"), Ok(None));

        // Opening without a family's comparator is refused, and names it.
        let opening = Opening { directory: directory.to_owned(), ..Opening::default() };
        match session.open(&opening) {
            Err(Failure::Refused(status)) => {
                assert!(status.contains("golden.shortlex"), "{status}");
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(session.dump(), Err(Failure::Refused(_))));
        create_again(session, directory);
        session.drop_family(name).unwrap();
        assert!(session.get(name, b"a", None).is_err());
    });
}

fn create_again(session: &mut Session, directory: &Path) {
    let mut odd = FamilyOpening::new(ODD, "");
    odd.comparator = Some(Comparator::ShortLex);
    odd.merge_operator = Some(MergeOperator::Append);
    let families = vec![FamilyOpening::new(DEFAULT, ""), odd, FamilyOpening::new(b"third", "")];
    let mode = Mode::ReadWrite;
    let directory = directory.to_owned();
    session
        .open(&Opening { directory, mode, families, ..Opening::default() })
        .expect("the database again");
}

#[test]
fn entities_are_for_releases_that_have_them() {
    of_every_library(|session, directory, release| {
        create(session, directory);
        let columns = vec![(Bytes::from("b"), Bytes::from("2")), (Bytes::from(""), "1".into())];
        let entity = Operation::PutEntity { family: DEFAULT.into(), key: "k".into(), columns };
        let written = session.write(vec![entity]);
        if release == "6.29.5" {
            assert_eq!(written, Err(Failure::Unsupported("wide columns".to_owned())));
            return;
        }
        written.unwrap();
        assert_eq!(session.get(DEFAULT, b"k", None), Ok(Some(b"1".to_vec())));
        let found = session.dump().unwrap().remove(&Bytes::from(DEFAULT)).unwrap();
        let mut expected = testing::content::ColumnsHash::new();
        expected.push(b"k", &[("", "1"), ("b", "2")]);
        assert_eq!(found.columns_sha256, Some(expected.sha256()));
    });
}

#[test]
fn what_a_release_lacks_is_said_and_not_called() {
    let Some(oldest) = judges::library("6.29.5") else { return };
    let directory = TempDir::new().unwrap();
    let mut session = oldest.session();
    create(&mut session, directory.path());
    let opening =
        Opening { directory: directory.path().to_owned(), latest: true, ..Opening::default() };
    let missing = "rocksdb_load_latest_options".to_owned();
    assert_eq!(session.open(&opening), Err(Failure::Unsupported(missing)));
}
