//! Beside `db_bench` on one directory: same keys, same lines.

use crate::{COMMON, content, db_bench, fill, fill_flags, owned, results, text, touchstone};
use std::process::Output;

#[test]
fn key_sequences_and_result_lines_are_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("db");
    let shapes: &[&[&str]] = &[
        &["--key_size=16"],
        &["--key_size=20", "--keys_per_prefix=10", "--prefix_size=8"],
        &["--key_size=8", "--read_random_exp_range=5"],
    ];
    let benchmarks = "--benchmarks=readrandom,readmissing,multireadrandom,seekrandom,readseq,\
                      readreverse,seekrandom[X2],readrandomfast,readrandomsmall,readtocache,\
                      newiterator,readwhilescanning";
    for shape in shapes {
        let fill_flags = [&["--benchmarks=fillrandom"], *shape].concat();
        if fill(&path, &fill_flags).is_none() {
            return;
        }
        let db = format!("--db={}", path.display());
        for more in [
            &["--threads=1"][..],
            &["--threads=2", "--batch_size=8", "--seek_nexts=5"],
            &["--multiread_stride=3", "--batch_size=4", "--reverse_iterator", "--seek_nexts=3"],
            &["--max_scan_distance=20", "--seek_nexts=50", "--reads=2000"],
            &["--use_tailing_iterator", "--seek_nexts=3", "--reads=2000"],
        ] {
            let run = [&[&db, "--num=20000", "--seed=7", benchmarks][..], COMMON, shape, more];
            let arguments = run.concat();
            let ours = touchstone(&arguments);
            assert!(ours.status.success(), "{arguments:?}: {}", text(&ours.stderr));
            let Some(theirs) = db_bench(&arguments) else { return };
            assert_eq!(results(&ours), results(&theirs), "{arguments:?}");
        }
    }
}

/// Runs that write; each leaves the same content as `db_bench`'s.
const WRITING: &[&[&str]] = &[
    &["--benchmarks=fillseq", "--threads=2", "--batch_size=7"],
    &["--benchmarks=fillrandom,overwrite", "--value_size=77", "--key_size=20"],
    // More keys than the shuffle draws two at a time for, and fewer.
    &["--benchmarks=filluniquerandom", "--num=70000", "--threads=2"],
    &["--benchmarks=filluniquerandom,deleterandom", "--batch_size=10", "--deletes=5000"],
    &["--benchmarks=fillbatch,deleteseq", "--disable_wal", "--deletes=77"],
    &["--benchmarks=fillsync,fill100K", "--writes=30", "--compression_ratio=0.3"],
    &["--benchmarks=fillrandom,flush,updaterandom,appendrandom", "--reads=7000"],
    &[
        "--benchmarks=fillrandom,mergerandom,readrandommergerandom",
        "--merge_operator=stringappend",
        "--merge_keys=5000",
        "--mergereadpercent=40",
    ],
    &[
        "--benchmarks=fillseqdeterministic",
        "--disable_auto_compactions",
        "--num_levels=3",
        "--write_buffer_size=100000",
        "--target_file_size_base=100000",
    ],
    &[
        "--benchmarks=filluniquerandomdeterministic",
        "--disable_auto_compactions",
        "--compaction_style=1",
        "--num_levels=2",
        "--write_buffer_size=100000",
    ],
    &["--benchmarks=fillrandom,readrandom", "--keys_per_prefix=10", "--prefix_size=8"],
    &["--benchmarks=fillrandom,readrandomwriterandom,xorupdaterandom", "--reads=3000"],
    &[
        "--benchmarks=fillrandom,randomwithverify",
        "--numdistinct=300",
        "--deletepercent=10",
        "--readwritepercent=50",
        "--reads=2000",
    ],
    &["--benchmarks=fillseekseq", "--seek_nexts=3"],
    &["--benchmarks=randomreplacekeys", "--numdistinct=500", "--stddev=100"],
    &["--benchmarks=timeseries", "--threads=1", "--key_id_range=100"],
    &[
        "--benchmarks=filluniquerandom",
        "--overwrite_probability=0.3",
        "--overwrite_window_size=50",
        "--writes=15000",
    ],
    &[
        "--benchmarks=fillrandom",
        "--writes_per_range_tombstone=100",
        "--writes_before_delete_range=1000",
        "--range_tombstone_width=20",
        "--max_num_range_tombstones=50",
    ],
    &[
        "--benchmarks=filluniquerandom",
        "--writes_per_range_tombstone=100",
        "--range_tombstone_width=5",
        "--max_num_range_tombstones=50",
        "--expand_range_tombstones",
        "--batch_size=3",
    ],
    &[
        "--benchmarks=fillanddeleteuniquerandom",
        "--disposable_entries_batch_size=10",
        "--persistent_entries_batch_size=10",
        "--writes=8000",
    ],
    &[
        "--benchmarks=fillrandom,mixgraph",
        "--mix_get_ratio=0.83",
        "--mix_put_ratio=0.14",
        "--mix_seek_ratio=0.03",
        "--reads=3000",
    ],
    &[
        "--benchmarks=fillrandom,mixgraph",
        "--mix_put_ratio=0.5",
        "--key_dist_a=0.002312",
        "--key_dist_b=0.3467",
        "--keyrange_num=30",
        "--keyrange_dist_a=14.18",
        "--keyrange_dist_b=-2.917",
        "--keyrange_dist_c=0.0164",
        "--keyrange_dist_d=-0.08082",
        "--reads=3000",
    ],
];

#[test]
fn what_is_written_is_what_db_bench_writes() {
    let directory = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    for flags in WRITING {
        let Some(theirs_said) = fill(&theirs, flags) else { return };
        let ours_said = touchstone(&[&fill_flags(&ours)[..], &owned(flags)].concat());
        assert!(ours_said.status.success(), "{flags:?}: {}", text(&ours_said.stderr));
        assert_eq!(results(&ours_said), results(&theirs_said), "{flags:?}");
        let Some(expected) = content(&theirs, &[]) else { return };
        // Not assert_eq: it would print all of both.
        assert!(content(&ours, &[]) == Some(expected), "{flags:?}: not the same content");
    }
}

#[test]
fn keys_are_spread_over_column_families_as_by_db_bench() {
    let directory = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    let flags = ["--benchmarks=fillrandom", "--num_column_families=3"];
    if fill(&theirs, &flags).is_none() {
        return;
    }
    let said = touchstone(&[&fill_flags(&ours)[..], &owned(&flags)].concat());
    assert!(said.status.success(), "{}", text(&said.stderr));
    for name in ["default", "column_family_name_000001", "column_family_name_000002"] {
        let family = format!("--column_family={name}");
        let Some(expected) = content(&theirs, &[&family]) else { return };
        assert!(!expected.is_empty() && content(&ours, &[&family]) == Some(expected), "{name}");
    }
}

#[test]
fn readers_and_a_writer_run_side_by_side() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let flags = [
        "--benchmarks=fillrandom,readwhilewriting,readwhilemerging,seekrandomwhilewriting,levelstats",
        "--merge_operator=put",
        "--threads=2",
        "--benchmark_write_rate_limit=20000000",
    ];
    let output = touchstone(&[&fill_flags(&db)[..], &owned(&flags)].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let results = results(&output);
    assert_eq!(results.len(), 4, "{results:?}");
    assert!(results[1].starts_with("readwhilewriting 40000 MB/s ("), "{results:?}");
    assert!(text(&output.stdout).contains("Write rate: 20000000 bytes/second"));
}

#[test]
fn a_database_that_is_kept_is_not_filled() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let run = |flags: &[&str]| {
        let output = touchstone(&[&fill_flags(&db)[..], &owned(flags)].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    run(&["--benchmarks=fillseq"]);
    let stranger = db.join("stranger");
    std::fs::write(&stranger, "").expect("a file");
    let stdout = run(&["--benchmarks=fillrandom,readrandom", "--use_existing_db"]);
    assert!(stdout.contains("fillrandom   : skipped (--use_existing_db is true)"), "{stdout}");
    assert!(stdout.contains("(20000 of 20000 found)"), "{stdout}");
    // What is deleted before a fill is the database, nothing else.
    run(&["--benchmarks=fillrandom"]);
    assert!(stranger.exists());
}

/// What `levelstats` prints.
fn levels(output: &Output) -> Vec<String> {
    let stdout = text(&output.stdout);
    let rows = stdout.lines().skip_while(|line| !line.starts_with("Level Files"));
    rows.map(str::to_owned).collect()
}

#[test]
fn fixed_levels_are_db_benchs() {
    let directory = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    for style in ["--compaction_style=0", "--compaction_style=1"] {
        let flags = [
            "--benchmarks=filluniquerandomdeterministic,levelstats",
            "--disable_auto_compactions",
            "--num=100000",
            "--num_levels=4",
            "--write_buffer_size=500000",
            "--target_file_size_base=500000",
            style,
        ];
        let Some(theirs_said) = fill(&theirs, &flags) else { return };
        let ours_said = touchstone(&[&fill_flags(&ours)[..], &owned(&flags)].concat());
        assert_eq!(levels(&ours_said), levels(&theirs_said), "{style}");
        assert!(levels(&ours_said).len() > 5, "{style}");
    }
    // Too few keys for so many levels, and no promise that levels stay as they are.
    let flags = ["--benchmarks=fillseqdeterministic", "--disable_auto_compactions", "--num=100"];
    let said = touchstone(&[&fill_flags(&ours)[..], &owned(&flags)].concat());
    assert!(text(&said.stderr).contains("n is too small to fill 7 levels"));
    let said = touchstone(&[&fill_flags(&ours)[..], &owned(&flags[..1])].concat());
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stderr).contains("needs --disable_auto_compactions=1"));
}

#[test]
fn a_synced_fill_has_so_many_operations_and_tells_of_fewer() {
    let directory = tempfile::tempdir().expect("a directory");
    let flags = ["--benchmarks=fillsync", "--threads=2"];
    let said =
        touchstone(&[&fill_flags(&directory.path().join("db"))[..], &owned(&flags)].concat());
    assert_eq!(results(&said), ["fillsync 40000 MB/s (20 ops)"]);
}

#[test]
fn the_published_count_of_keys_found_is_reproduced() {
    let directory = tempfile::tempdir().expect("a directory");
    let db = format!("--db={}", directory.path().join("db").display());
    let shape =
        ["--key_size=8", "--value_size=128", "--num=1000000", "--seed=999", "--progress_reports=0"];
    let fill = [&db, "--benchmarks=fillrandom", "--disable_wal=1", "--compression_type=none"];
    let output = touchstone(&[&fill[..], &shape].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    // A new process with the seed of the fill asks for its keys again, one draw apart for seeks.
    for (flags, found) in [
        (["--benchmarks=seekrandom", "--reads=-1"], "(816350 of 1000000 found)"),
        (["--benchmarks=readrandom", "--reads=100000"], "(100000 of 100000 found)"),
    ] {
        let output = touchstone(&[&[db.as_str()], COMMON, &shape, &flags].concat());
        let stdout = text(&output.stdout);
        assert!(stdout.contains(found), "{stdout}{}", text(&output.stderr));
    }
}

#[test]
fn histograms_headers_and_errors() {
    let fixture = testing::fixtures::bench();
    let unpacked = fixture.unpack_to_temp();
    let db = format!("--db={}", unpacked.path().display());
    let output =
        touchstone(&[&[&db, "--histogram", "--benchmarks=readrandom"][..], COMMON].concat());
    let stdout = text(&output.stdout);
    for part in
        ["Keys:       16 bytes each", "Microseconds per read:\nCount: ", "Percentiles: P50: "]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    for (arguments, part) in [
        (&["--benchmarks=readseq", &db][..], "--use_existing_db=1"),
        (&["--nonsense"], "unknown command line flag 'nonsense'"),
        (&["--readonly", "--db=/nowhere/at/all"], "/nowhere/at/all"),
        (&["--readonly", "--benchmarks=overwrite", &db], "writes"),
        (&["--benchmarks=overwrite", "--async_io", &db], "--async_io"),
        (&["--readonly", "--benchmarks=nonsense", &db], "unknown benchmark 'nonsense'"),
        (&["--readonly", "--cache_type=clock_cache", &db], "hyper_clock_cache took its place"),
    ] {
        let output = touchstone(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(part), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// What the benchmarks counted in the perf contexts of their thread, one after the other.
fn perf_contexts(output: &Output) -> Vec<String> {
    let stdout = text(&output.stdout);
    let contexts = stdout.split("PERF_CONTEXT:\n").skip(1);
    contexts.map(|context| context.lines().next().unwrap_or_default().to_owned()).collect()
}

/// What a metric of a perf context says, levels included.
fn said_of<'a>(context: &'a str, metric: &str) -> Vec<&'a str> {
    let name = format!("{metric} = ");
    let mut said = Vec::new();
    for (start, _) in context.match_indices(&name) {
        // Names of others may end in this one.
        if start == 0 || context[..start].ends_with(", ") {
            let rest = &context[start + name.len()..];
            let levels = rest.split(", ").take_while(|part| !part.contains(" = "));
            said.extend(levels.filter(|part| !part.is_empty() && !part.starts_with("0")));
        }
    }
    said
}

#[test]
fn threads_count_what_those_of_db_bench_do() {
    const SAME: &[&str] = &[
        "block_cache_hit_count",
        "block_cache_miss_count",
        "bloom_filter_full_positive",
        "bloom_filter_full_true_positive",
        "bloom_filter_useful",
        "bloom_sst_hit_count",
        "bloom_sst_miss_count",
        "internal_delete_skipped_count",
        "internal_key_skipped_count",
        "internal_recent_skipped_count",
    ];
    let directory = tempfile::tempdir().expect("a directory");
    let db = directory.path().join("db");
    let flags =
        ["--benchmarks=filluniquerandom,compact", "--bloom_bits=10", "--write_buffer_size=1000000"];
    if fill(&db, &flags).is_none() {
        return;
    }
    let db = format!("--db={}", db.display());
    let arguments = [
        COMMON,
        &[
            &db,
            "--benchmarks=readrandom,readseq",
            "--bloom_bits=10",
            "--perf_level=2",
            "--num=20000",
            "--seed=7",
        ],
    ]
    .concat();
    let ours = touchstone(&arguments);
    assert!(ours.status.success(), "{}", text(&ours.stderr));
    let Some(theirs) = db_bench(&arguments) else { return };
    let (ours, theirs) = (perf_contexts(&ours), perf_contexts(&theirs));
    assert_eq!((ours.len(), theirs.len()), (2, 2));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        for metric in SAME {
            assert_eq!(
                said_of(ours, metric),
                said_of(theirs, metric),
                "{metric}: {ours}\n{theirs}"
            );
        }
    }
    assert!(!said_of(&ours[0], "bloom_filter_full_true_positive").is_empty(), "{ours:?}");
    let refused = touchstone(&["--db=/none", "--benchmarks=fillseq", "--perf_level=7"]);
    assert!(text(&refused.stderr).contains("--perf_level=7: it is a number from 1 to 6"));
}
