use super::*;

#[test]
fn nothing_written() {
    let now = WriteActivity { uptime_secs: 0.04, ..Default::default() };
    assert_eq!(
        db_stats(&now, &WriteActivity::default()),
        "
** DB Stats **
Uptime(secs): 0.0 total, 0.0 interval
Cumulative writes: 0 writes, 0 keys, 0 commit groups, 0.0 writes per commit group, ingest: 0.00 GB, 0.00 MB/s
Cumulative WAL: 0 writes, 0 syncs, 0.00 writes per sync, written: 0.00 GB, 0.00 MB/s
Cumulative stall: 00:00:0.000 H:M:S, 0.0 percent
Interval writes: 0 writes, 0 keys, 0 commit groups, 0.0 writes per commit group, ingest: 0.00 MB, 0.00 MB/s
Interval WAL: 0 writes, 0 syncs, 0.00 writes per sync, written: 0.00 GB, 0.00 MB/s
Interval stall: 00:00:0.000 H:M:S, 0.0 percent
Write Stall (count): write-buffer-manager-limit-stops: 0
"
    );
}

/// The lines of writes are as `db_bench` 7.8.3 printed them after 300,000 writes.
#[test]
fn writes_in_all_and_in_the_interval() {
    let now = WriteActivity {
        uptime_secs: 13.3,
        bytes_written: 129_978_000,
        keys_written: 300_000,
        writes_by_self: 300_000,
        writes_by_other: 0,
        writes_with_wal: 300_000,
        wal_bytes: 129_978_000,
        wal_syncs: 0,
        stall_micros: 3_725_250_000,
        write_buffer_manager_stops: 2,
    };
    let before = WriteActivity {
        uptime_secs: 3.1,
        bytes_written: 129_178_000,
        keys_written: 298_145,
        writes_by_self: 298_145,
        writes_by_other: 0,
        writes_with_wal: 298_144,
        wal_bytes: 129_178_000,
        wal_syncs: 0,
        stall_micros: 3_725_000_000,
        write_buffer_manager_stops: 1,
    };
    assert_eq!(
        db_stats(&now, &before),
        "
** DB Stats **
Uptime(secs): 13.3 total, 10.2 interval
Cumulative writes: 300K writes, 300K keys, 300K commit groups, 1.0 writes per commit group, ingest: 0.12 GB, 9.32 MB/s
Cumulative WAL: 300K writes, 0 syncs, 300000.00 writes per sync, written: 0.12 GB, 9.32 MB/s
Cumulative stall: 01:02:5.250 H:M:S, 28009.4 percent
Interval writes: 1855 writes, 1855 keys, 1855 commit groups, 1.0 writes per commit group, ingest: 0.76 MB, 0.07 MB/s
Interval WAL: 1856 writes, 0 syncs, 1856.00 writes per sync, written: 0.00 GB, 0.07 MB/s
Interval stall: 00:00:0.250 H:M:S, 2.5 percent
Write Stall (count): write-buffer-manager-limit-stops: 2
"
    );
}

#[test]
fn maps_have_rocksdbs_names() {
    let activity = WriteActivity { uptime_secs: 1.5, keys_written: 7, ..Default::default() };
    let lines: Vec<_> =
        activity.to_map().iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        lines,
        [
            "db.uptime=1.500000",
            "db.user_bytes_written=0",
            "db.user_keys_written=7",
            "db.user_write_stall_micros=0",
            "db.user_writes_by_other=0",
            "db.user_writes_by_self=0",
            "db.user_writes_with_wal=0",
            "db.wal_bytes_written=0",
            "db.wal_syncs=0",
            "write-buffer-manager-limit-stops=0",
        ]
    );
    let stops = write_stall_map(3);
    assert_eq!(
        stops.into_iter().next().unwrap(),
        ("write-buffer-manager-limit-stops".into(), "3".into())
    );
}
