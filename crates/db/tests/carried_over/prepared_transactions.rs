//! Transactions that RocksDB prepared and did not end before it was killed.

use crate::engine;
use base::status::Code;
use db::{
    ColumnFamilyDescriptor, CompactRangeOptions, Db, FlushOptions, OpenContext,
    TransactionWritePolicy, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::collections::BTreeMap;
use std::path::Path;
use testing::judges::protocol::{
    Bytes, FamilyOpening, MergeOperator, Mode, Opening, Operation, TransactionPolicy,
    TransactionStep,
};
use testing::judges::{self, Judge, Session};
use testing::parallel;

const DEFAULT: &str = "default";
const OTHER: &str = "other";

/// Since 7.8 the C functions can prepare.
const SINCE: &str = "7.8.3";

/// Options under which WALs are kept, made and given up in different ways.
const OPTIONS: [&str; 5] = [
    "",
    "recycle_log_file_num=3;wal_recovery_mode=kPointInTimeRecovery",
    "WAL_ttl_seconds=3600",
    "avoid_flush_during_recovery=true;max_total_wal_size=2000",
    "atomic_flush=true;avoid_flush_during_shutdown=true",
];

fn families() -> Vec<FamilyOpening> {
    let mut other = FamilyOpening::new(OTHER.as_bytes(), "disable_auto_compactions=true");
    other.merge_operator = Some(MergeOperator::StringAppend);
    vec![FamilyOpening::new(DEFAULT.as_bytes(), ""), other]
}

fn open(judge: &Judge, directory: &Path, policy: TransactionPolicy) -> Session {
    let mut session = judge.session();
    let opening = Opening {
        directory: directory.to_owned(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true;create_missing_column_families=true".to_owned(),
        latest: false,
        families: families(),
        transactions: Some(policy),
    };
    session.open(&opening).unwrap();
    session
}

fn put(family: &str, key: &str, value: &str) -> Operation {
    Operation::Put { family: family.into(), key: key.into(), value: value.into() }
}

fn prepare(session: &mut Session, name: &str, operations: Vec<Operation>) {
    for step in
        [TransactionStep::Begin, TransactionStep::Write(operations), TransactionStep::Prepare]
    {
        session.transaction(name.as_bytes(), step).unwrap();
    }
}

fn end(session: &mut Session, name: &str, step: TransactionStep) {
    session.transaction(name.as_bytes(), step).unwrap();
}

/// `old` and `older than its WAL` are left prepared, in an old WAL and in the newest; others were
/// ended in later WALs than they were prepared in.
fn leave_prepared(session: &mut Session) {
    session.write(vec![put(DEFAULT, "a", "1"), put(OTHER, "a", "1")]).unwrap();
    let merge =
        Operation::Merge { family: OTHER.into(), key: "merged".into(), value: "old".into() };
    let delete = Operation::Delete { family: DEFAULT.into(), key: "a".into() };
    prepare(session, "committed", vec![put(DEFAULT, "committed", "yes"), put(OTHER, "c", "yes")]);
    prepare(session, "old", vec![put(DEFAULT, "old", "of a transaction"), merge, delete]);
    prepare(session, "undone", vec![put(DEFAULT, "undone", "never to be seen")]);
    session.flush(&[]).unwrap();
    session.write(vec![put(DEFAULT, "b", "2"), put(OTHER, "b", "2")]).unwrap();
    end(session, "committed", TransactionStep::Commit);
    session.flush(&[]).unwrap();
    session.write(vec![put(DEFAULT, "c", "3")]).unwrap();
    end(session, "undone", TransactionStep::Rollback);
    session.flush(&[]).unwrap();
    prepare(session, "new", vec![put(OTHER, "new", "of a transaction"), put(DEFAULT, "b", "4")]);
}

fn descriptors() -> Vec<ColumnFamilyDescriptor> {
    let families = families().into_iter();
    let descriptors = families.map(|family| {
        let mut options = ColumnFamilyOptions::from_string(&family.options).unwrap();
        if family.merge_operator.is_some() {
            options.merge_operator =
                base::merge_operator::builtin_with_delimiter("stringappend", b",");
        }
        ColumnFamilyDescriptor::new(family.name.to_text(), options)
    });
    descriptors.collect()
}

fn open_for_writing(
    directory: &Path,
    options: &str,
    policy: TransactionWritePolicy,
) -> base::Result<Db> {
    let options = DbOptions::from_string(options)?;
    let context = OpenContext { transaction_write_policy: policy, ..OpenContext::default() };
    Db::open(&options, directory, &descriptors(), &context)
}

/// Writes, flushes and compacts; some rounds end with a close, others as a crash would.
fn write_round(directory: &Path, options: &str, round: usize, expected: &[&str]) {
    let options = format!("allow_2pc=true;{options}");
    let db = open_for_writing(directory, &options, TransactionWritePolicy::WriteCommitted).unwrap();
    let prepared: Vec<_> = db.prepared_transactions().keys().cloned().collect();
    assert_eq!(prepared, expected.iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
    for step in 0..3 {
        for family in db.column_families() {
            let write = WriteOptions::default();
            db.put(&write, &family, format!("r{round}").as_bytes(), b"now").unwrap();
            db.put(&write, &family, format!("r{round}{step}").as_bytes(), &[b'x'; 900]).unwrap();
            if step < 2 {
                db.flush(&FlushOptions::default(), &[&family]).unwrap();
            }
        }
    }
    for family in db.column_families() {
        db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
        db.put(&WriteOptions::default(), &family, format!("end of r{round}").as_bytes(), b"in WAL")
            .unwrap();
    }
    if round.is_multiple_of(2) {
        db.close().unwrap();
    }
}

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let of_database = |name: &str| !name.starts_with("LOG") && name != "LOCK";
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| of_database(name))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}

fn libraries() -> Vec<Judge> {
    let mut libraries: Vec<_> = judges::all();
    libraries.retain(|judge| judge.is_since(SINCE) && !judge.to_string().starts_with("rocksdict"));
    libraries
}

#[test]
fn rocksdb_commits_what_it_prepared_before_this_engine_wrote() {
    let libraries = libraries();
    let count = libraries.len();
    let cases: Vec<_> = (0..count * OPTIONS.len()).collect();
    parallel::for_each(&cases, |case| -> Result<(), String> {
        let options = OPTIONS[case / count];
        // A later release ends them than the one that began them.
        let (judge, next) =
            (&libraries[case % count], &libraries[(case % count + 1).min(count - 1)]);
        let scratch = crate::scratch();
        let directory = scratch.path().join("db");
        let mut session = open(judge, &directory, TransactionPolicy::WriteCommitted);
        leave_prepared(&mut session);
        session.kill();
        for round in 0..4 {
            write_round(&directory, options, round, &["new", "old"]);
        }
        let (before, _, _) = engine::read_with(&directory, "allow_2pc=true", &families())?;
        let mut session = open(next, &directory, TransactionPolicy::WriteCommitted);
        judges::compare(&before, &session.dump().unwrap())?;
        let names = session.prepared_transactions().unwrap();
        assert_eq!(names, [Bytes::from("new"), Bytes::from("old")]);
        end(&mut session, "new", TransactionStep::Rollback);
        end(&mut session, "old", TransactionStep::Commit);
        let get = |session: &mut Session, family: &str, key: &str| {
            session.get(family.as_bytes(), key.as_bytes(), None).unwrap()
        };
        let text = |value: &str| Some(value.as_bytes().to_vec());
        assert_eq!(get(&mut session, DEFAULT, "old"), text("of a transaction"));
        assert_eq!(get(&mut session, OTHER, "merged"), text("old"));
        assert_eq!(get(&mut session, DEFAULT, "a"), None);
        assert_eq!(get(&mut session, DEFAULT, "b"), text("2"));
        assert_eq!(get(&mut session, OTHER, "new"), None);
        assert_eq!(get(&mut session, DEFAULT, "committed"), text("yes"));
        assert_eq!(get(&mut session, DEFAULT, "undone"), None);
        assert_eq!(get(&mut session, OTHER, "r3"), text("now"));
        assert_eq!(session.prepared_transactions(), Ok(Vec::new()));
        let after = session.dump().unwrap();
        session.kill();
        write_round(&directory, options, 4, &[]);
        let (now, _, _) = engine::read_with(&directory, "allow_2pc=true", &families())?;
        assert_eq!(now[&Bytes::from(OTHER)].count, after[&Bytes::from(OTHER)].count + 5);
        Ok(())
    });
}

/// Even where only WALs have it that no table needs: RocksDB drops it there.
#[test]
fn without_two_phase_commit_what_is_prepared_is_not_dropped_but_refused() {
    for judge in libraries() {
        for is_flushed in [false, true] {
            let scratch = crate::scratch();
            let directory = scratch.path().join("db");
            let mut session = open(&judge, &directory, TransactionPolicy::WriteCommitted);
            prepare(&mut session, "one", vec![put(DEFAULT, "one", "1")]);
            prepare(&mut session, "two", vec![put(OTHER, "two", "2")]);
            session.write(vec![put(DEFAULT, "a", "1"), put(OTHER, "a", "1")]).unwrap();
            if is_flushed {
                session.flush(&[]).unwrap();
            }
            session.kill();
            let before = files(&directory);
            let policy = TransactionWritePolicy::WriteCommitted;
            let error = open_for_writing(&directory, "", policy).err().unwrap();
            assert_eq!(error.code(), Code::NotSupported, "{judge}: {error}");
            assert!(error.message().contains("prepared transactions"), "{judge}: {error}");
            assert_eq!(files(&directory), before, "{judge}");
            let mut session = open(&judge, &directory, TransactionPolicy::WriteCommitted);
            assert_eq!(session.prepared_transactions().unwrap().len(), 2, "{judge}");
        }
    }
}

#[test]
fn a_directory_of_the_other_policies_is_refused_and_left_as_it_is() {
    let Some(judge) = judges::library("11.8.1") else { return };
    for (theirs, ours) in [
        (TransactionPolicy::WritePrepared, TransactionWritePolicy::WritePrepared),
        (TransactionPolicy::WriteUnprepared, TransactionWritePolicy::WriteUnprepared),
    ] {
        let scratch = crate::scratch();
        let directory = scratch.path().join("db");
        let mut session = open(&judge, &directory, theirs);
        leave_prepared(&mut session);
        let content = session.dump().unwrap();
        session.kill();
        let before = files(&directory);
        for options in ["", "allow_2pc=true"] {
            for policy in [ours, TransactionWritePolicy::WriteCommitted] {
                let error = open_for_writing(&directory, options, policy).err().unwrap();
                assert_eq!(error.code(), Code::NotSupported, "{theirs:?}: {error}");
                assert_eq!(files(&directory), before, "{theirs:?}");
            }
        }
        let mut session = open(&judge, &directory, theirs);
        assert_eq!(session.dump(), Ok(content), "{theirs:?}");
        assert_eq!(session.prepared_transactions().unwrap().len(), 2, "{theirs:?}");
    }
}
