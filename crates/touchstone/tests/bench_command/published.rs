//! Command lines of published campaigns run as they were published, but for where the data is and how
//! much there is. `db_bench` takes the same ones.

use crate::{db_bench, results, text, touchstone};
use std::path::Path;

/// A process of a campaign.
struct Process {
    campaign: &'static str,
    /// Its flags, joined.
    flags: &'static [&'static str],
    /// The benchmarks with a result line.
    results: &'static str,
}

/// What is added at the end of each: a flag that is given twice counts as it was given last.
const SMALL: &[&str] = &[
    "--num=20000",
    "--duration=0",
    "--writes=4000",
    "--reads=2000",
    "--write_buffer_size=200000",
    "--target_file_size_base=200000",
    "--max_bytes_for_level_base=800000",
    "--stats_interval_seconds=1",
    "--progress_reports=0",
];

/// Shapes of trees, and queries for each.
const SHAPE: &str = "--key_size=8 --value_size=128 --write_buffer_size=8000000 \
    --target_file_size_base=8000000 --max_bytes_for_level_base=64000000 --compression_type=none \
    --level0_file_num_compaction_trigger=8 --level0_slowdown_writes_trigger=32 \
    --level0_stop_writes_trigger=40 --cache_size=8589934592 --cache_index_and_filter_blocks=true \
    --level_compaction_dynamic_level_bytes=true --max_write_buffer_number=2 --open_files=50000 \
    --max_background_jobs=4 --threads=1 --sync=0 --disable_wal=0 --bloom_bits=10 \
    --max_bytes_for_level_multiplier=8";

/// What all steps of RocksDB's script have.
const SCRIPT: &str = "--num=100000000 --key_size=20 --value_size=400 --block_size=8192 \
    --cache_size=17179869184 --cache_numshardbits=6 --cache_type=lru_cache \
    --compression_max_dict_bytes=0 --compression_ratio=0.5 --compression_type=lz4 \
    --bytes_per_sync=1048576 --cache_index_and_filter_blocks=1 --cache_high_pri_pool_ratio=0.5 \
    --cache_low_pri_pool_ratio=0 --metadata_block_size=16384 --benchmark_write_rate_limit=0 \
    --write_buffer_size=16777216 --target_file_size_base=16777216 \
    --max_bytes_for_level_base=67108864 --verify_checksum=1 \
    --delete_obsolete_files_period_micros=62914560 --max_bytes_for_level_multiplier=8 \
    --statistics=0 --stats_per_interval=1 --stats_interval_seconds=20 --report_interval_seconds=1 \
    --histogram=1 --memtablerep=skip_list --bloom_bits=10 --open_files=-1 --subcompactions=1 \
    --max_background_jobs=8 --max_write_buffer_number=8 --undefok=use_blob_cache,long_gone \
    --long_gone=1";
const LEVELED: &str = "--compaction_style=0 --num_levels=8 --min_level_to_compress=3 \
    --level_compaction_dynamic_level_bytes=true --pin_l0_filter_and_index_blocks_in_cache=1 \
    --soft_pending_compaction_bytes_limit=24696061952 \
    --hard_pending_compaction_bytes_limit=49392123904";
const UNIVERSAL: &str = "--compaction_style=1 --num_levels=40 --universal_min_merge_width=2 \
    --universal_max_merge_width=20 --universal_size_ratio=1 \
    --universal_max_size_amplification_percent=200 --universal_compression_size_percent=80 \
    --universal_allow_trivial_move=1 --pin_l0_filter_and_index_blocks_in_cache=0 \
    --partition_index_and_filters=1 --pin_top_level_index_and_filter=1 --subcompactions=4";
const BLOBS: &str = "--enable_blob_files=1 --min_blob_size=0 --blob_file_size=268435456 \
    --blob_compression_type=lz4 --enable_blob_garbage_collection=1 \
    --blob_garbage_collection_age_cutoff=0.25 --blob_garbage_collection_force_threshold=1";
const LOAD: &str = "--benchmarks=fillseq,stats --use_existing_db=0 --sync=0 --threads=1 \
    --min_level_to_compress=0 --memtablerep=vector --allow_concurrent_memtable_write=false \
    --disable_wal=1 --seed=1700000000";
const EXISTING: &str = "--use_existing_db=1 --sync=0 --seed=1700000001 --threads=2 --duration=3600";
const DIRECT: &str = "--use_direct_reads=1 --use_direct_io_for_flush_and_compaction=1 \
    --prepopulate_block_cache=1 --bytes_per_sync=0";
const WAIT: &str = "--benchmarks=overwrite,flush,levelstats,waitforcompaction,stats";
const PUSHED_DOWN: &str = "--benchmarks=levelstats,flush,waitforcompaction,compact0,\
    waitforcompaction,memstats,levelstats,stats";

/// The processes, in their order.
const PROCESSES: &[Process] = &[
    Process {
        campaign: "LSM shapes: the load",
        flags: &[
            SHAPE,
            "--benchmarks=fillrandom,stats,waitforcompaction,stats,flush,compact0,stats,\
             waitforcompaction,stats --seed=1000",
        ],
        results: "fillrandom",
    },
    Process {
        campaign: "LSM shapes: queries for each",
        flags: &[
            SHAPE,
            "--benchmarks=overwrite,waitforcompaction,seekrandom,seekrandom,flush,\
             waitforcompaction,seekrandom,compact0,waitforcompaction,seekrandom,compact1,\
             seekrandom,compactall,waitforcompaction,seekrandom,overwrite,waitforcompaction,\
             readrandom,levelstats --use_existing_db=1 --seek_nexts=8 --seed=1001",
        ],
        results: "overwrite seekrandom seekrandom seekrandom seekrandom seekrandom seekrandom \
                  overwrite readrandom",
    },
    Process {
        campaign: "write stalls: the load",
        flags: &[SCRIPT, LEVELED, LOAD],
        results: "fillseq",
    },
    Process {
        campaign: "write stalls",
        flags: &[SCRIPT, LEVELED, EXISTING, "--report_interval_seconds=5", WAIT],
        results: "overwrite",
    },
    Process {
        campaign: "the tree's reset",
        flags: &[SCRIPT, LEVELED, EXISTING, PUSHED_DOWN],
        results: "",
    },
    Process {
        campaign: "reads while writing",
        flags: &[
            SCRIPT,
            LEVELED,
            EXISTING,
            "--benchmarks=seekrandomwhilewriting,readwhilewriting,stats --seek_nexts=10 \
             --reverse_iterator=1 --benchmark_write_rate_limit=2097152 \
             --merge_operator=put",
        ],
        results: "seekrandomwhilewriting readwhilewriting",
    },
    Process {
        campaign: "cache variance",
        flags: &[
            SCRIPT,
            LEVELED,
            EXISTING,
            "--benchmarks=seekrandom[W1],seekrandom,readrandom,multireadrandom --seek_nexts=10 \
             --cache_numshardbits=6 --multiread_batched=true --batch_size=10",
        ],
        results: "seekrandom seekrandom seekrandom readrandom multireadrandom",
    },
    Process {
        campaign: "cache variance, the other cache",
        flags: &[
            SCRIPT,
            LEVELED,
            EXISTING,
            "--benchmarks=seekrandom[W1],seekrandom,readrandom --seek_nexts=10 --threads=8 \
             --cache_type=hyper_clock_cache --cache_numshardbits=6",
        ],
        results: "seekrandom seekrandom seekrandom readrandom",
    },
    Process {
        campaign: "compaction readahead",
        flags: &[SCRIPT, LEVELED, EXISTING, WAIT, "--compaction_readahead_size=98304"],
        results: "overwrite",
    },
    Process {
        campaign: "compaction readahead, direct",
        flags: &[SCRIPT, LEVELED, EXISTING, WAIT, DIRECT, "--compaction_readahead_size=2097152"],
        results: "overwrite",
    },
    Process {
        campaign: "trivial moves, universal",
        flags: &[
            SCRIPT,
            UNIVERSAL,
            LOAD,
            "--num=100000000 --key_size=16 --value_size=100 --bloom_bits=-1 --min_level_to_compress=2",
        ],
        results: "fillseq",
    },
    Process {
        campaign: "universal",
        flags: &[SCRIPT, UNIVERSAL, EXISTING, WAIT, "--key_size=16 --value_size=100"],
        results: "overwrite",
    },
    Process {
        campaign: "blobs: the load",
        flags: &[SCRIPT, LEVELED, BLOBS, LOAD],
        results: "fillseq",
    },
    Process {
        campaign: "blobs",
        flags: &[
            SCRIPT,
            LEVELED,
            BLOBS,
            EXISTING,
            "--benchmarks=updaterandom,mergerandom,filluniquerandom --merge_operator=put",
        ],
        results: "updaterandom mergerandom",
    },
    Process {
        campaign: "regressions: the load",
        flags: &[
            SHAPE,
            "--benchmarks=fillrandom --threads=1 --max_write_buffer_number=4 \
             --max_background_flushes=2 --max_background_compactions=2 \
             --pin_l0_filter_and_index_blocks_in_cache=1 --block_size=8192 --bytes_per_sync=8388608 \
             --wal_bytes_per_sync=8388608 --compaction_pri=3 --max_total_wal_size=1073741824 \
             --min_level_to_compress=3 --histogram=0 --stats_interval_seconds=10",
        ],
        results: "fillrandom",
    },
    Process {
        campaign: "regressions",
        flags: &[
            SHAPE,
            "--benchmarks=overwrite,readseq,readrandom,seekrandom,readwhilewriting,\
             seekrandomwhilewriting --use_existing_db=1 --seek_nexts=100 --duration=300",
        ],
        results: "overwrite readseq readrandom seekrandom readwhilewriting seekrandomwhilewriting",
    },
    Process {
        campaign: "processor",
        flags: &[
            "--benchmarks=crc32c,xxh3,compress,uncompress --block_size=8192 --compression_type=zstd",
        ],
        results: "crc32c xxh3 compress uncompress",
    },
];

/// All words of a process' command line, with the flags of the test's own after them.
fn words<'a>(process: &'a Process, own: &'a [&'a str]) -> Vec<&'a str> {
    let published = process.flags.iter().flat_map(|part| part.split_whitespace());
    published.chain(own.iter().copied()).collect()
}

/// Flags that say where everything is.
fn places(directory: &Path, db: &str) -> [String; 3] {
    let path = |flag: &str, name: &str| format!("--{flag}={}", directory.join(name).display());
    [path("db", db), path("wal_dir", db), path("report_file", "report.csv")]
}

#[test]
fn published_command_lines_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let places = places(directory.path(), "db");
    let own: Vec<_> = SMALL.iter().copied().chain(places.iter().map(String::as_str)).collect();
    for process in PROCESSES {
        let campaign = process.campaign;
        let output = touchstone(&words(process, &own));
        let stderr = text(&output.stderr);
        assert!(output.status.success(), "{campaign}: {stderr}");
        let names: Vec<_> = results(&output)
            .iter()
            .filter_map(|line| line.split(' ').next().map(str::to_owned))
            .collect();
        assert_eq!(names.join(" "), process.results, "{campaign}");
        // What RocksDB's tool ignores, too, is all that is.
        for note in stderr.lines().filter(|line| line.starts_with("note: ")) {
            assert!(note.ends_with("RocksDB's tool does not use it either"), "{campaign}: {note}");
        }
        if process.flags.contains(&WAIT) {
            let stdout = text(&output.stdout);
            for part in ["waitforcompaction(", "** Compaction Stats [default] **", "Files Size(MB)"]
            {
                assert!(stdout.contains(part), "{campaign}: {part}: {stdout}");
            }
        }
    }
}

#[test]
fn db_bench_takes_the_published_command_lines_too() {
    let directory = tempfile::tempdir().expect("a directory");
    // Nothing that sleeps, and nothing much.
    let quick = ["--benchmarks=levelstats", "--use_existing_db=0", "--num=100", "--seed=7"];
    for (index, process) in PROCESSES.iter().enumerate() {
        let command = |who: &str| {
            let places = places(directory.path(), &format!("{who}{index}"));
            let own: Vec<_> = SMALL.iter().chain(&quick).copied().collect();
            let words = words(process, &own).into_iter().map(str::to_owned);
            words.chain(places).collect::<Vec<_>>()
        };
        let Some(theirs) = db_bench(&command("theirs")) else { return };
        let ours = touchstone(&command("ours"));
        let campaign = process.campaign;
        assert!(theirs.status.success(), "{campaign}: {}", text(&theirs.stderr));
        assert!(ours.status.success(), "{campaign}: {}", text(&ours.stderr));
        // Both say the same of what they will do, and of the empty tree.
        assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{campaign}");
    }
}
