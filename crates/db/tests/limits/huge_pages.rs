//! Memtables of huge pages (`memtable_huge_page_size`), where the machine has some, and where it has none.

use crate::place::Place;
use db::{Db, FlushOptions};
use memmap2::{Advice, MmapOptions};
use testing::wait::until;

const REFUSAL: &str = "the system has no such huge pages free";
const NR_HUGEPAGES: &str = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
const PAGE_SIZE: u64 = 2 << 20;

/// Writes `mib` MiB, and flushes them.
fn write_and_flush(place: &mut Place, db: &Db, mib: u32) {
    let family = db.column_family("default").unwrap();
    for number in 0..mib << 10 {
        let value = [number as u8; 1024];
        place.try_put(db, &family, &number.to_be_bytes(), &value).unwrap();
    }
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
}

fn refusals(place: &Place) -> usize {
    let log = std::fs::read_to_string(place.path.join("LOG")).unwrap();
    log.matches(REFUSAL).count()
}

#[test]
fn memtables_without_huge_pages_have_ordinary_ones_and_the_log_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let mut place = Place::new(directory.path());
    let db = place.open();
    write_and_flush(&mut place, &db, 3);
    assert_eq!(refusals(&place), 0);
    // No machine has pages of a tebibyte.
    let family = db.column_family("default").unwrap();
    let size = (1_u64 << 40).to_string();
    db.set_options(&family, &[("memtable_huge_page_size", &size)]).unwrap();
    // The memtable that takes writes was made before.
    write_and_flush(&mut place, &db, 1);
    assert_eq!(refusals(&place), 0);
    for _ in 0..3 {
        write_and_flush(&mut place, &db, 3);
        assert_eq!(refusals(&place), 1, "told each time");
    }
    place.check(&db);
}

/// Huge pages that the machine sets aside for a test; as many as before when dropped.
struct Reserved {
    before: String,
}

impl Reserved {
    /// None where this process may not, or where there is no room.
    fn new(count: u64) -> Option<Self> {
        let before = std::fs::read_to_string(NR_HUGEPAGES).ok()?;
        let wanted = before.trim().parse::<u64>().ok()? + count;
        if std::fs::write(NR_HUGEPAGES, wanted.to_string()).is_ok() {
            let reserved = Self { before };
            let now = std::fs::read_to_string(NR_HUGEPAGES).ok()?;
            // A control group may forbid to use them nevertheless.
            if now.trim() == wanted.to_string() && can_use_one() {
                return Some(reserved);
            }
        }
        println!("skipped: no huge pages can be set aside here");
        None
    }
}

fn can_use_one() -> bool {
    let mut huge = MmapOptions::new();
    let map = huge.len(PAGE_SIZE as usize).huge(Some(21)).map_anon();
    map.is_ok_and(|map| map.advise(Advice::PopulateWrite).is_ok())
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let _ = std::fs::write(NR_HUGEPAGES, self.before.trim());
    }
}

/// Bytes of huge pages that this process has.
fn huge_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("HugetlbPages:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn memtables_have_huge_pages_where_there_are_some() {
    let Some(_reserved) = Reserved::new(16) else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut place = Place::new(directory.path());
    place.family_options.memtable_huge_page_size = PAGE_SIZE;
    let db = place.open();
    let family = db.column_family("default").unwrap();
    for number in 0..6_000_u32 {
        place.try_put(&db, &family, &number.to_be_bytes(), &[1; 1024]).unwrap();
    }
    // Of six MiB all but the first two.
    let used = huge_bytes();
    assert!((2 * PAGE_SIZE..=4 * PAGE_SIZE).contains(&used), "{used}");
    place.check(&db);
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    // Those of one memtable are kept for the next one for a moment.
    for _ in 0..4 {
        write_and_flush(&mut place, &db, 6);
        let used = huge_bytes();
        assert!(used <= 8 * PAGE_SIZE, "{used}");
    }
    assert_eq!(refusals(&place), 0);
    drop(family);
    db.close().unwrap();
    until("huge pages are given back", || huge_bytes() == 0);
    place.check(&place.open());
}
