use super::*;
use crate::fault_injection_fs::FaultInjectionFileSystem;
use crate::file_system::{FileOptions, FileSystem};
use crate::{MemFileSystem, read_exact_at};
use base::status::Code;
use std::sync::Arc;

const OPTIONS: FileOptions = FileOptions::DEFAULT;

fn memory() -> FaultInjectionFileSystem {
    FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new()))
}

fn write(fs: &dyn FileSystem, path: &str, content: &[u8]) -> Result<()> {
    let mut file = fs.new_writable_file(Path::new(path), &OPTIONS)?;
    file.append(content)?;
    file.sync()?;
    file.close()
}

/// Open, append, sync, close, rename, open, size, read: eight operations.
fn eight_operations(fs: &dyn FileSystem) -> Result<Vec<u8>> {
    write(fs, "/000001.dbtmp", b"content")?;
    fs.rename_file(Path::new("/000001.dbtmp"), Path::new("/CURRENT"))?;
    let file = fs.new_random_access_file(Path::new("/CURRENT"), &OPTIONS)?;
    let size = file.size()?;
    read_exact_at(&*file, 0, size as usize)
}

#[test]
fn every_operation_is_counted_and_can_fail() {
    let fs = memory();
    fs.plan().start_trace();
    assert_eq!(eight_operations(&fs).unwrap(), b"content");
    assert_eq!(fs.plan().operation_count(), 8);
    assert_eq!(fs.plan().operation_count_of(OperationKind::Sync), 1);
    let kinds: Vec<_> = fs.plan().take_trace().into_iter().map(|record| record.kind).collect();
    use OperationKind as Kind;
    let expected = [
        Kind::OpenForWriting,
        Kind::Append,
        Kind::Sync,
        Kind::Close,
        Kind::Rename,
        Kind::OpenForReading,
        Kind::Inspect,
        Kind::Read,
    ];
    assert_eq!(kinds, expected);

    for k in 0..8 {
        let fs = memory();
        fs.plan().fail_operation(k, FaultError::Io);
        let status = eight_operations(&fs).unwrap_err();
        assert_eq!(status.code(), Code::IoError);
        assert!(status.message().starts_with(&expected[k as usize].to_string()), "{status}");
        assert!(status.message().contains(&format!("(operation {k}): injected")), "{status}");
        assert_eq!(fs.plan().injected_count(), 1);
        // The fault has passed.
        assert_eq!(eight_operations(&fs).unwrap(), b"content");
    }
    let fs = memory();
    fs.plan().fail_operation(8, FaultError::Io);
    eight_operations(&fs).unwrap();
    fs.plan().reset_counts();
    assert_eq!((fs.plan().operation_count(), fs.plan().injected_count()), (0, 0));
}

#[test]
fn errors_are_what_was_chosen() {
    let fs = memory();
    fs.plan().fail_operation(0, FaultError::NoSpace);
    let status = eight_operations(&fs).unwrap_err();
    assert_eq!((status.code(), status.subcode()), (Code::IoError, SubCode::NoSpace));
    fs.plan().fail_operation(0, FaultError::Status(Status::try_again("later")));
    let status = eight_operations(&fs).unwrap_err();
    assert_eq!(status.code(), Code::TryAgain);
    assert!(status.message().ends_with("later"));
}

#[test]
fn kinds_and_paths_choose() {
    let fs = memory();
    fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Append]).on(".sst"),
        when: When::Nth(1),
        effect: Effect::Error(FaultError::Io),
    });
    for path in ["/1.log", "/2.log", "/3.sst", "/4.log"] {
        write(&fs, path, b"x").unwrap();
    }
    let status = write(&fs, "/5.sst", b"x").unwrap_err();
    assert!(status.message().starts_with("append to /5.sst"), "{status}");
    write(&fs, "/6.sst", b"x").unwrap();

    // A rename counts under both its names.
    for part in ["7.log", "8.log"] {
        write(&fs, "/7.log", b"x").unwrap();
        fs.plan().clear();
        fs.plan().add(Fault {
            operations: Operations::all().on(part),
            when: When::Nth(0),
            effect: Effect::Error(FaultError::Io),
        });
        assert!(fs.rename_file(Path::new("/7.log"), Path::new("/8.log")).is_err());
    }
}

#[test]
fn from_the_nth_on_all_fail() {
    let fs = memory();
    fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::OpenForWriting]),
        when: When::FromNth(2),
        effect: Effect::Error(FaultError::Io),
    });
    let outcomes: Vec<bool> = (0..5).map(|_| write(&fs, "/f", b"x").is_ok()).collect();
    assert_eq!(outcomes, [true, true, false, false, false]);
    fs.plan().clear();
    write(&fs, "/f", b"x").unwrap();
}

#[test]
fn a_seed_decides_the_same_again() {
    let outcomes = |seed| {
        let fs = memory();
        let when = When::OneIn { n: 4, seed };
        let effect = Effect::Error(FaultError::Io);
        fs.plan().add(Fault { operations: Operations::all(), when, effect });
        (0..200).map(|_| fs.file_exists(Path::new("/")).is_ok()).collect::<Vec<_>>()
    };
    let first = outcomes(1);
    assert_eq!(first, outcomes(1));
    assert_ne!(first, outcomes(2));
    let failed = first.iter().filter(|ok| !**ok).count();
    assert!((25..75).contains(&failed), "{failed} of 200");
}

#[test]
fn an_error_after_the_fact() {
    let fs = memory();
    fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Rename]),
        when: When::Nth(0),
        effect: Effect::ErrorAfter(FaultError::Io),
    });
    assert!(eight_operations(&fs).is_err());
    assert!(fs.file_exists(Path::new("/CURRENT")).unwrap());
    assert!(!fs.file_exists(Path::new("/000001.dbtmp")).unwrap());
}

#[test]
fn short_reads_look_like_the_end() {
    let fs = memory();
    write(&fs, "/f", b"0123456789").unwrap();
    let short =
        Fault { operations: Operations::all(), when: When::Nth(1), effect: Effect::ShortRead(3) };
    fs.plan().add(short.clone());
    let file = fs.new_random_access_file(Path::new("/f"), &OPTIONS).unwrap();
    assert_eq!(read_exact_at(&*file, 0, 10).unwrap(), b"0123456789");
    let status = read_exact_at(&*file, 0, 10).unwrap_err();
    assert!(status.message().contains("expected 10 bytes, found 3"), "{status}");

    fs.plan().add(short);
    let mut file = fs.new_sequential_file(Path::new("/f"), &OPTIONS).unwrap();
    let mut buffer = [0; 4];
    assert_eq!(file.read(&mut buffer).unwrap(), 4);
    assert_eq!(file.read(&mut buffer).unwrap(), 3);
    assert_eq!(&buffer[..3], b"456");
    assert_eq!(file.read(&mut buffer).unwrap(), 3, "what was held back comes next");
    assert_eq!(&buffer[..3], b"789");
}

#[test]
fn short_writes_keep_a_prefix_and_end_the_file() {
    let fs = memory();
    fs.plan().add(Fault {
        operations: Operations::all(),
        when: When::Nth(1),
        effect: Effect::ShortWrite(4, FaultError::NoSpace),
    });
    let mut file = fs.new_writable_file(Path::new("/f"), &OPTIONS).unwrap();
    file.append(b"first ").unwrap();
    assert_eq!(file.append(b"second").unwrap_err().subcode(), SubCode::NoSpace);
    assert_eq!(file.size(), 10);
    for status in [
        file.append(b"third").unwrap_err(),
        file.flush().unwrap_err(),
        file.sync().unwrap_err(),
        file.close().unwrap_err(),
    ] {
        assert!(status.message().starts_with("an earlier operation on it failed"), "{status}");
        assert_eq!(status.subcode(), SubCode::NoSpace);
    }
    let file = fs.new_random_access_file(Path::new("/f"), &OPTIONS).unwrap();
    assert_eq!(read_exact_at(&*file, 0, 10).unwrap(), b"first seco");
    assert_eq!(file.size().unwrap(), 10);
}

#[test]
fn flipped_bytes_stay_flipped() {
    let fs = memory();
    write(&fs, "/f", b"0123456789").unwrap();
    write(&fs, "/g", b"0123456789").unwrap();
    let path = Path::new("/f");
    fs.plan().flip_byte(path, 0, 0x80);
    fs.plan().flip_byte(path, 7, 1);
    fs.plan().flip_byte(path, 100, 1);
    let file = fs.new_random_access_file(path, &OPTIONS).unwrap();
    for _ in 0..2 {
        assert_eq!(read_exact_at(&*file, 0, 10).unwrap(), b"\xb0123456689");
    }
    assert_eq!(read_exact_at(&*file, 7, 1).unwrap(), b"6");
    assert_eq!(read_exact_at(&*file, 1, 6).unwrap(), b"123456");
    let mut sequential = fs.new_sequential_file(path, &OPTIONS).unwrap();
    sequential.skip(5).unwrap();
    let mut buffer = [0; 8];
    assert_eq!(sequential.read(&mut buffer).unwrap(), 5);
    assert_eq!(&buffer[..5], b"56689");
    let other = fs.new_random_access_file(Path::new("/g"), &OPTIONS).unwrap();
    assert_eq!(read_exact_at(&*other, 0, 10).unwrap(), b"0123456789");

    fs.plan().flip_byte(path, 0, 0);
    assert_eq!(read_exact_at(&*file, 0, 8).unwrap(), b"01234566");
    fs.plan().clear();
    assert_eq!(read_exact_at(&*file, 0, 8).unwrap(), b"01234567");
}

#[test]
fn an_inactive_file_system_does_nothing() {
    let fs = memory();
    write(&fs, "/f", b"before").unwrap();
    let reader = fs.new_random_access_file(Path::new("/f"), &OPTIONS).unwrap();
    let mut writer = fs.reopen_writable_file(Path::new("/f"), &OPTIONS).unwrap();
    fs.set_filesystem_active(false);
    assert!(!fs.plan().is_filesystem_active());
    let status = eight_operations(&fs).unwrap_err();
    assert!(status.message().ends_with("the file system is inactive"), "{status}");
    assert!(reader.read_at(0, &mut [0]).is_err());
    assert!(writer.append(b" after").is_err());
    assert!(fs.delete_file(Path::new("/f")).is_err());
    assert_eq!(fs.plan().injected_count(), 0);
    fs.set_filesystem_active(true);
    assert_eq!(read_exact_at(&*reader, 0, 6).unwrap(), b"before");
    assert_eq!(reader.size().unwrap(), 6);
}

#[test]
fn power_off_at_an_operation() {
    let fs = memory();
    fs.plan().power_off_at(2, Operations::of(OperationKind::CHANGES));
    assert!(eight_operations(&fs).unwrap_err().message().starts_with("sync /000001.dbtmp"));
    assert!(!fs.plan().is_filesystem_active());
    assert!(fs.file_exists(Path::new("/000001.dbtmp")).is_err());
}

#[test]
fn faults_choose_files_by_their_type() {
    let fs = memory();
    let fault = |file_type| Fault {
        operations: Operations::of(&[OperationKind::Sync, OperationKind::Rename])
            .on_files(&[file_type]),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::NoSpace),
    };
    fs.plan().set_faults(vec![fault(FileType::Wal), fault(FileType::Current)]);
    write(&fs, "/MANIFEST-000005", b"x").unwrap();
    write(&fs, "/000006.dbtmp", b"x").unwrap();
    write(&fs, "/log", b"no file of a database").unwrap();
    let status = write(&fs, "/000004.log", b"x").unwrap_err();
    assert_eq!(status.subcode(), SubCode::NoSpace, "{status}");
    let rename = || fs.rename_file(Path::new("/000006.dbtmp"), Path::new("/CURRENT"));
    assert!(rename().is_err());
    // Others take their place at run time.
    fs.plan().set_faults(vec![fault(FileType::Descriptor)]);
    rename().unwrap();
    write(&fs, "/000004.log", b"x").unwrap();
    assert!(write(&fs, "/MANIFEST-000005", b"x").is_err());
}

#[test]
fn reuse_hints_and_syncs_by_name_can_fail() {
    let (old, new) = (Path::new("/000004.log"), Path::new("/000009.log"));
    for kind in [OperationKind::Reuse, OperationKind::Sync, OperationKind::Allocate] {
        let fs = memory();
        write(&fs, "/000004.log", b"old").unwrap();
        fs.plan().add(Fault {
            operations: Operations::of(&[kind]),
            when: When::Nth(0),
            effect: Effect::Error(FaultError::Io),
        });
        let run = || {
            fs.sync_file(old)?;
            let mut file = fs.reuse_writable_file(new, old, &OPTIONS)?;
            file.allocate(0, 100)?;
            file.range_sync(0, 100)
        };
        let status = run().unwrap_err();
        assert!(status.message().starts_with(&kind.to_string()), "{status}");
        assert_eq!(fs.file_exists(old).unwrap(), kind != OperationKind::Allocate);
    }
    // After a range could not be synced, nobody knows what is on the disk.
    let fs = memory();
    let mut file = fs.new_writable_file(new, &OPTIONS).unwrap();
    fs.plan().fail_operation(0, FaultError::Io);
    file.range_sync(0, 100).unwrap_err();
    let status = file.append(b"x").unwrap_err();
    assert!(status.message().starts_with("an earlier operation on it failed"), "{status}");
}
