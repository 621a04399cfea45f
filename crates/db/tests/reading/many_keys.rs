//! Several keys at once, and operands before they are merged.

use crate::{default_family, scan, total_order, unpack};
use base::status::Code;
use db::ReadOptions;

#[test]
fn keys_in_any_order_repeated_and_missing() {
    let opened = unpack("10.10.1", "a02");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &total_order(), &family);
    let mut keys: Vec<Vec<u8>> = all.iter().rev().map(|(key, _)| key.clone()).collect();
    keys.extend(all.iter().step_by(3).map(|(key, _)| key.clone()));
    keys.extend(all.iter().map(|(key, _)| [key, &b"?"[..]].concat()));
    keys.push(Vec::new());
    let several = db.multi_get(&ReadOptions::default(), &family, &keys);
    assert_eq!(several.len(), keys.len());
    let mut found_count = 0;
    for (key, found) in keys.iter().zip(several) {
        let expected = all.iter().find(|(other, _)| other == key).map(|(_, value)| &value[..]);
        assert_eq!(found.as_ref().map(|value| value.as_deref()), Ok(expected));
        found_count += usize::from(expected.is_some());
    }
    assert_eq!(found_count, all.len() + all.len().div_ceil(3));
    assert!(db.multi_get::<&[u8]>(&ReadOptions::default(), &family, &[]).is_empty());
}

#[test]
fn several_families() {
    let opened = unpack("11.8.1", "d01");
    let db = opened.db();
    let families: Vec<_> = db.column_families().collect();
    assert!(families.len() > 2);
    let mut keys = Vec::new();
    for family in families.iter().rev() {
        for (key, value) in scan(&db, &total_order(), family) {
            keys.push((family, key, value));
        }
    }
    // In turn from both ends, so that families alternate.
    let half = keys.len() / 2;
    let keys: Vec<_> = (0..half).flat_map(|i| [&keys[i], &keys[keys.len() - 1 - i]]).collect();
    let wanted: Vec<_> = keys.iter().map(|(family, key, _)| (*family, &key[..])).collect();
    let several = db.multi_get_cf(&ReadOptions::default(), &wanted);
    for ((family, key, value), found) in keys.iter().zip(several) {
        let name = family.name();
        assert_eq!(found.unwrap().as_deref(), Some(&value[..]), "{key:02x?} of {name}");
    }
}

#[test]
fn values_beyond_the_soft_limit_are_given_up() {
    let opened = unpack("11.8.1", "a01");
    let db = opened.db();
    let family = default_family(&db);
    let all = scan(&db, &total_order(), &family);
    let keys: Vec<_> = all.iter().rev().map(|(key, _)| key).collect();
    let limit = (all[0].1.len() + all[1].1.len()) as u64;
    let options = ReadOptions { value_size_soft_limit: limit, ..ReadOptions::default() };
    let several = db.multi_get(&options, &family, &keys);
    // The value that goes beyond the limit is still given.
    for (index, found) in several.iter().rev().enumerate() {
        match found {
            Ok(value) => {
                assert!(index < 3, "value {index} was to be given up");
                assert_eq!(value.as_deref(), Some(&all[index].1[..]));
            }
            Err(error) => {
                assert!(index >= 3, "{error}");
                assert_eq!(error.code(), Code::Aborted);
                assert!(error.message().contains("value_size_soft_limit"), "{error}");
            }
        }
    }
}

/// `golden.append` joins base and operands with `|`, and no operand of the case has one in it.
#[test]
fn merge_operands_join_to_the_value() {
    let mut opened = unpack("11.8.1", "e02");
    let all = {
        let db = opened.db();
        scan(&db, &total_order(), &default_family(&db))
    };
    opened.options.families[0].options.merge_operator = None;
    let db = opened.db();
    let family = default_family(&db);
    let mut counts = Vec::new();
    for (key, value) in &all {
        let operands =
            db.get_merge_operands(&ReadOptions::default(), &family, key).unwrap().unwrap();
        let parts: Vec<&[u8]> = operands.iter().map(|operand| &**operand).collect();
        assert_eq!(parts.join(&b'|'), *value);
        counts.push(parts.len());
    }
    assert!(counts.iter().any(|count| *count > 3) && counts.contains(&1), "{counts:?}");
    let missing = db.get_merge_operands(&ReadOptions::default(), &family, b"no such key");
    assert_eq!(missing.unwrap(), None);
}
