//! RocksDB as the primary, release by release, step by step.

use crate::place::{Place, family, scan};
use crate::writer::{Change, next_change};
use db::Db;
use std::fmt;
use testing::content::ContentHash;
use testing::judges::protocol::{
    Bytes, FamilyOpening, MergeOperator, Mode, Opening, Operation, TransactionPolicy,
    TransactionStep,
};
use testing::judges::{self, Judge, Session};
use testing::parallel;
use testing::random::Random;

const FAMILIES: [&str; 2] = ["default", "other"];

struct Case<'a> {
    judge: &'a Judge,
    options: &'static str,
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.judge, self.options)
    }
}

fn opening(place: &Place, options: &str) -> Opening {
    let family = |name: &&str| FamilyOpening {
        name: name.as_bytes().into(),
        options: "write_buffer_size=65536;target_file_size_base=32768;\
                  max_bytes_for_level_base=131072;level0_file_num_compaction_trigger=2"
            .to_owned(),
        merge_operator: Some(MergeOperator::Uint64Add),
        ..FamilyOpening::default()
    };
    Opening {
        directory: place.primary(),
        mode: Mode::ReadWrite,
        options: format!(
            "create_if_missing=true;create_missing_column_families=true;\
             max_manifest_file_size=1500;{options}"
        ),
        families: FAMILIES.iter().map(family).collect(),
        ..Opening::default()
    }
}

fn apply(session: &mut Session, change: Change) -> Result<(), String> {
    let name = |index: usize| FAMILIES[index].as_bytes();
    let operation = match change {
        Change::Put(index, key, value) => {
            Operation::Put { family: name(index).into(), key: Bytes(key), value: Bytes(value) }
        }
        Change::Delete(index, key) => {
            Operation::Delete { family: name(index).into(), key: Bytes(key) }
        }
        Change::DeleteRange(index, begin, end) => Operation::DeleteRange {
            family: name(index).into(),
            begin: Bytes(begin),
            end: Bytes(end),
        },
        Change::Add(index, key, number) => Operation::Merge {
            family: name(index).into(),
            key: Bytes(key),
            value: Bytes(number.to_le_bytes().to_vec()),
        },
        Change::Flush(index) => {
            return session.flush(&[name(index)]).map_err(|failure| failure.to_string());
        }
        Change::Compact(index) => {
            return session.compact(name(index)).map_err(|failure| failure.to_string());
        }
    };
    session.write(vec![operation]).map_err(|failure| failure.to_string())
}

/// That the secondary has what RocksDB has.
fn compare(session: &mut Session, secondary: &Db, when: &str) -> Result<(), String> {
    secondary.try_catch_up_with_primary().map_err(|status| format!("{when}: {status}"))?;
    let expected = session.dump().map_err(|failure| failure.to_string())?;
    let sequence = session.latest_sequence().map_err(|failure| failure.to_string())?;
    if sequence != secondary.latest_sequence_number() {
        return Err(format!("{when}: {} for {sequence}", secondary.latest_sequence_number()));
    }
    for name in FAMILIES {
        let mut hash = ContentHash::new();
        scan(secondary, name).iter().for_each(|(key, value)| hash.push(key, value));
        let expected = &expected[&name.as_bytes().into()];
        if (hash.count(), hash.sha256()) != (expected.count, expected.sha256.clone()) {
            return Err(format!("{when}: {name}: {} pairs for {}", hash.count(), expected.count));
        }
    }
    Ok(())
}

fn follow(judge: &Judge, options: &str, seed: u64) -> Result<(), String> {
    let mut place = Place::new();
    place.families = FAMILIES.map(str::to_owned).into();
    let mut session = judge.session();
    let opened = session.open(&opening(&place, options));
    opened.map_err(|failure| failure.to_string())?;
    let mut random = Random::new(seed);
    apply(&mut session, next_change(&mut random, 2))?;
    let secondary = place.try_open_secondary().map_err(|status| status.to_string())?;
    for step in 0..300 {
        apply(&mut session, next_change(&mut random, FAMILIES.len()))?;
        if step % 20 == 0 {
            compare(&mut session, &secondary, &format!("step {step}"))?;
        }
    }
    compare(&mut session, &secondary, "at the end")?;
    // Opened anew it has another MANIFEST, and its WALs are in tables.
    session.open(&opening(&place, options)).map_err(|failure| failure.to_string())?;
    compare(&mut session, &secondary, "opened anew")
}

#[test]
fn each_release_is_followed() {
    let mut judges = judges::all();
    // The Python package only reads here.
    judges.retain(|judge| !judge.to_string().starts_with("rocksdict"));
    let options = ["", "recycle_log_file_num=2", "avoid_flush_during_recovery=true"];
    let of = |judge| options.map(|options| Case { judge, options });
    let cases: Vec<Case<'_>> = judges.iter().flat_map(of).collect();
    parallel::for_each(&cases, |case| follow(case.judge, case.options, 5));
}

/// A transaction that is prepared in one WAL and committed in a later one shows with its commit.
#[test]
fn prepared_transactions_show_when_they_are_committed() {
    let Some(judge) = judges::library("9.10.0") else { return };
    let mut place = Place::new();
    place.options.allow_2pc = true;
    let mut session = judge.session();
    let opening = Opening {
        directory: place.primary(),
        mode: Mode::ReadWrite,
        options: "create_if_missing=true".to_owned(),
        families: vec![FamilyOpening { name: b"default"[..].into(), ..FamilyOpening::default() }],
        transactions: Some(TransactionPolicy::WriteCommitted),
        ..Opening::default()
    };
    session.open(&opening).unwrap();
    let put = |key: &[u8]| Operation::Put {
        family: b"default"[..].into(),
        key: key.into(),
        value: b"v"[..].into(),
    };
    session.write(vec![put(b"a")]).unwrap();
    let secondary = place.open_secondary();
    let steps =
        [TransactionStep::Begin, TransactionStep::Write(vec![put(b"t")]), TransactionStep::Prepare];
    for step in steps {
        session.transaction(b"one", step).unwrap();
    }
    let keys = |db: &Db| scan(db, "default").into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(keys(&secondary), [b"a"]);
    session.write(vec![put(b"b")]).unwrap();
    session.flush(&[b"default"]).unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(keys(&secondary), [b"a", b"b"]);
    session.transaction(b"one", TransactionStep::Commit).unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(keys(&secondary), [b"a", b"b", b"t"]);
    assert_eq!(family(&secondary, "default").version().files().count(), 1);
}
