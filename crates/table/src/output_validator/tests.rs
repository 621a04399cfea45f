use super::*;
use crate::read_options::ReadOptions;
use crate::table_builder_options::TableBuilderOptions;
use crate::table_options::TableOptions;
use crate::test_files::{build_table, open};
use base::{InternalKey, ValueType};

fn validator() -> OutputValidator {
    OutputValidator::new(InternalKeyComparator::bytewise(), true, true)
}

fn key(user_key: &str, sequence: u64) -> Vec<u8> {
    InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value).as_bytes().to_vec()
}

#[test]
fn keys_must_ascend() {
    let mut validator = validator();
    validator.add(&key("a", 2), b"").unwrap();
    validator.add(&key("a", 1), b"").unwrap();
    validator.add(&key("b", 5), b"").unwrap();
    for bad in [key("b", 5), key("b", 6), key("a", 0), b"short".to_vec()] {
        assert!(validator.add(&bad, b"").unwrap_err().is_corruption());
    }
    assert_eq!(validator.entries_count(), 3);
}

#[test]
fn a_table_that_lost_or_changed_an_entry_is_noticed() {
    let entries: Vec<_> =
        (0..100).map(|number| (key(&format!("k{number:03}"), 7), vec![number; 9])).collect();
    let mut validator = validator();
    for (key, value) in &entries {
        validator.add(key, value).unwrap();
    }
    let check = |entries: &[(Vec<u8>, Vec<u8>)]| {
        let (bytes, _) = build_table(&TableBuilderOptions::default(), entries).unwrap();
        let table = open(bytes, &TableOptions::default()).unwrap();
        validator.check_written(&mut table.new_iterator(&ReadOptions::default()))
    };
    check(&entries).unwrap();
    assert!(check(&entries[1..]).unwrap_err().is_corruption());
    let mut changed = entries.clone();
    changed[50].1[0] ^= 1;
    assert!(check(&changed).unwrap_err().is_corruption());
    changed = entries.clone();
    changed[50].0[1] = b'0';
    changed[50].0[2] = b'4';
    changed[50].0[3] = b'x';
    assert!(check(&changed).unwrap_err().is_corruption());
}
