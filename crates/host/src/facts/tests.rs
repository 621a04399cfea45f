use super::*;

fn good() -> HostFacts {
    HostFacts {
        governor: Some("performance".to_owned()),
        filesystem: Some("ext4".to_owned()),
        max_sectors_kb: [("sda".to_owned(), Some(1280)), ("md0".to_owned(), None)].into(),
        open_files_limit: Some(50_000),
        ..HostFacts::default()
    }
}

#[test]
fn a_good_machine_has_no_warnings() {
    assert_eq!(good().to_warn_of(), Vec::<String>::new());
    // A virtual machine that leaves frequencies to its host, and no limit at all.
    let machine = HostFacts { governor: None, open_files_limit: None, ..good() };
    assert_eq!(machine.to_warn_of(), Vec::<String>::new());
}

#[test]
fn what_spoils_results_is_said_with_its_value() {
    let only = |facts: HostFacts| {
        let warnings = facts.to_warn_of();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        warnings.into_iter().next().unwrap()
    };
    let governor = Some("performance,schedutil".to_owned());
    assert!(only(HostFacts { governor, ..good() }).contains("'performance,schedutil'"));
    let open_files_limit = Some(1024);
    assert!(only(HostFacts { open_files_limit, ..good() }).contains("1024 open files"));
    let max_sectors_kb = [("nvme0n1".to_owned(), Some(128))].into();
    let split = only(HostFacts { max_sectors_kb, ..good() });
    assert!(split.contains("nvme0n1 splits reads above 128 KiB"), "{split}");
    let filesystem = Some("tmpfs".to_owned());
    let memory = HostFacts { filesystem, max_sectors_kb: BTreeMap::new(), ..good() };
    assert!(only(memory).contains("tmpfs, which no block device"));
    let unknown = HostFacts { max_sectors_kb: BTreeMap::new(), ..good() };
    assert!(only(unknown).contains("ext4, and no block device of it is known"));
}

#[test]
fn this_machine_has_facts() {
    let directory = tempfile::tempdir().unwrap();
    let facts = HostFacts::of(directory.path());
    assert!(facts.cores > 0 && !facts.kernel.is_empty(), "{facts:?}");
    assert_eq!(facts.devices().count(), facts.max_sectors_kb.len());
    assert_eq!(facts.warnings, facts.to_warn_of());
}
