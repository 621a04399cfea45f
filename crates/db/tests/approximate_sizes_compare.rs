//! Sizes of ranges are those that RocksDB's `ldb approxsize` prints.

use base::dbformat::hex;
use db::{ColumnFamilyDescriptor, Db, OpenContext};
use options::{ColumnFamilyOptions, DbOptions};
use std::ops::Range;
use std::path::Path;
use testing::peer::{self, Peer};
use testing::{fixtures, parallel};

fn expected(ldb: Peer, path: &Path, range: &Range<Vec<u8>>) -> Result<u64, String> {
    let output = ldb.run(&[
        "approxsize".to_owned(),
        format!("--db={}", path.display()),
        "--try_load_options=false".to_owned(),
        "--hex".to_owned(),
        format!("--from=0x{}", hex(&range.start)),
        format!("--to=0x{}", hex(&range.end)),
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.trim().parse().map_err(|_| text + &String::from_utf8_lossy(&output.stderr))
}

/// Ranges between some of the keys at which files begin and end, and keys that are not there.
fn ranges(db: &Db) -> Vec<Range<Vec<u8>>> {
    let mut keys: Vec<Vec<u8>> = vec![vec![0], vec![0xff; 3]];
    for file in db.live_files() {
        let mut inside = file.smallest_key.clone();
        inside.push(0);
        keys.extend([file.smallest_key, inside, file.largest_key]);
    }
    keys.sort();
    keys.dedup();
    let step = keys.len() / 7 + 1;
    let some: Vec<_> = keys.into_iter().step_by(step).collect();
    let mut ranges = Vec::new();
    for (at, start) in some.iter().enumerate() {
        ranges.extend(some[at..].iter().map(|end| start.clone()..end.clone()));
    }
    ranges
}

fn check(ldb: Peer, path: &Path) -> Result<(), String> {
    let families = [ColumnFamilyDescriptor::new("default", ColumnFamilyOptions::default())];
    let context = OpenContext::default();
    let db = Db::open_for_read_only(&DbOptions::default(), path, &families, &context)
        .map_err(|error| error.to_string())?;
    let family = db.column_family("default").ok_or("default")?;
    let ranges = ranges(&db);
    let sizes = db.approximate_sizes(&family, &ranges).map_err(|error| error.to_string())?;
    for (range, size) in ranges.iter().zip(sizes) {
        let expected = expected(ldb, path, range)?;
        if size != expected {
            return Err(format!(
                "{}..{}: {size}, expected {expected}",
                hex(&range.start),
                hex(&range.end)
            ));
        }
    }
    Ok(())
}

#[test]
fn sizes_of_ranges_are_rocksdbs() {
    let Some(ldb) = peer::find("ldb") else { return };
    let cases = ["a02", "a05", "b07", "c05", "c06", "c10", "c11-format-2", "f03", "h04", "p01"];
    let mut wanted = fixtures::matching(|release, name| {
        release == "6.29.5" && cases.iter().any(|case| name.starts_with(case))
    });
    assert_eq!(wanted.len(), cases.len());
    wanted.push(fixtures::one("3.13.1", "a02"));
    wanted.push(fixtures::bench());
    parallel::for_each(&wanted, |fixture| check(ldb, &fixture.unpack_to_temp().path()));
}
