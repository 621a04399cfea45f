//! Where WALs are mapped (`wal_io`), and where they are not.

use crate::machine::SmallDisk;
use crate::place::Place;
use env::FileOptions;
use options::WalIo;
use std::path::Path;

/// Whether files in `directory` can be appended to through a mapping.
pub(crate) fn can_map(directory: &Path) -> bool {
    let options = FileOptions { use_mapped_writes: true, ..FileOptions::default() };
    let path = directory.join("tried");
    let file = env::default_file_system().new_writable_file(&path, &options).unwrap();
    file.mapped_size().is_some()
}

/// Whether the newest WAL of a database is mapped: it is as long as what was prepared.
pub(crate) fn maps_its_wal(place: &Place) -> bool {
    let files = place.files();
    let wals = files.iter().filter(|(name, _)| name.ends_with(".log"));
    wals.map(|(_, bytes)| bytes.len()).next_back().unwrap() >= 64 << 10
}

/// Writes there, and reads it in the database and in one that is opened again. Returns whether the WAL was mapped.
fn write_and_read(directory: &Path, wal_io: WalIo) -> bool {
    let mut place = Place::new(&directory.join(format!("{wal_io:?}")));
    place.options.wal_io = wal_io;
    place.options.avoid_flush_during_recovery = true;
    for round in 0..2 {
        let db = place.open();
        let family = db.column_family("default").unwrap();
        for number in 0..100 {
            let key = format!("key{round}{number:03}");
            place.try_put(&db, &family, key.as_bytes(), &[b'v'; 100]).unwrap();
        }
        place.check(&db);
        let is_mapped = maps_its_wal(&place);
        drop(family);
        db.close().unwrap();
        place.check(&place.try_open_for_reading().unwrap());
        let log = std::fs::read_to_string(place.path.join("LOG")).unwrap();
        let says_so = log.contains("is written by system calls in spite of wal_io=mapped");
        assert_eq!(says_so, wal_io == WalIo::Mapped && !is_mapped, "{wal_io:?}");
        if round == 1 {
            return is_mapped;
        }
    }
    unreachable!("there are two rounds")
}

#[test]
fn wals_are_written_where_files_cannot_be_mapped() {
    let disks = [
        (SmallDisk::mount(8), false),
        (SmallDisk::mount_overlay(), false),
        (SmallDisk::mount_btrfs(), false),
        (SmallDisk::mount_ext4(12), true),
    ];
    for (disk, maps) in disks {
        let Some(disk) = disk else { continue };
        assert_eq!(can_map(disk.path()), maps, "{}", disk.path().display());
        for (wal_io, may_map) in [(WalIo::Auto, true), (WalIo::Mapped, true), (WalIo::Write, false)]
        {
            let is_mapped = write_and_read(disk.path(), wal_io);
            assert_eq!(is_mapped, maps && may_map, "{wal_io:?}");
        }
    }
}
