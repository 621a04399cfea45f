use super::*;

#[test]
fn what_is_pinned_is_part_of_the_cache() {
    let report = MemoryReport {
        memtables: 1 << 20,
        block_cache: 100,
        block_cache_pinned: 40,
        huge_pages: 2 << 20,
        statistics: 7,
        ..MemoryReport::default()
    };
    assert_eq!(report.total(), (1 << 20) + 107);
    let map = report.to_map();
    assert_eq!((&*map["total"], &*map["block-cache-pinned"]), ("1048683", "40"));
    assert_eq!(map.len(), 19);
    assert!(report.to_text().starts_with("memtables                    1048576  1.00 MB\n"));
}
