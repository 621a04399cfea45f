use super::*;

fn addition(number: u64, synced_size_bytes: Option<u64>) -> WalAddition {
    WalAddition { number, synced_size_bytes }
}

#[test]
fn additions_round_trip() {
    for wal in [addition(4, None), addition(300, Some(0)), addition(7, Some(1 << 40))] {
        let mut bytes = Vec::new();
        wal.encode_to(&mut bytes);
        let mut input = Decoder::new(&bytes);
        assert_eq!(WalAddition::decode(&mut input), Ok(wal));
        assert!(input.is_empty());
    }
}

#[test]
fn an_unknown_tag_of_a_log_is_corruption() {
    let error = WalAddition::decode(&mut Decoder::new(&[4, 3, 0, 1])).unwrap_err();
    assert!(error.is_corruption());
    assert!(error.message().contains("unknown tag 3"), "{error}");
}

#[test]
fn the_largest_synced_size_counts() {
    let mut set = WalSet::default();
    set.add(addition(4, None)).unwrap();
    set.add(addition(4, Some(20))).unwrap();
    set.add(addition(4, Some(10))).unwrap();
    set.add(addition(6, None)).unwrap();
    assert_eq!(set.wals(), &BTreeMap::from([(4, Some(20)), (6, None)]));
}

#[test]
fn a_log_created_twice_is_corruption() {
    let mut set = WalSet::default();
    set.add(addition(4, Some(3))).unwrap();
    assert!(set.add(addition(4, None)).unwrap_err().is_corruption());
}

#[test]
fn deleted_logs_stay_deleted() {
    let mut set = WalSet::default();
    for number in [4, 5, 6] {
        set.add(addition(number, None)).unwrap();
    }
    set.delete_before(6);
    set.delete_before(5);
    set.add(addition(5, Some(100))).unwrap();
    assert_eq!(set.wals(), &BTreeMap::from([(6, None)]));
}

#[test]
fn synced_logs_must_be_there_in_full() {
    let tracked = BTreeMap::from([(4, Some(100)), (6, None)]);
    let check = |found: Option<u64>| {
        check_tracked_wals(&tracked, |number| Ok(found.filter(|_| number == 4)))
    };
    assert_eq!(check(Some(100)), Ok(()));
    assert_eq!(check(Some(101)), Ok(()));
    let status = check(Some(99)).unwrap_err();
    assert!(status.is_corruption() && status.message().contains("is 100 bytes"), "{status}");
    let status = check(None).unwrap_err();
    assert!(status.is_corruption() && status.message().contains("Missing WAL"), "{status}");
    let failing = check_tracked_wals(&tracked, |_| Err(Status::io_error("no")));
    assert_eq!(failing, Err(Status::io_error("no")));
}
