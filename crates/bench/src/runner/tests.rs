use super::*;
use crate::flags::Support;
use options::{BlockBasedTableOptions, ColumnFamilyOptions, ConfigOptions, DbOptions};

#[test]
fn command_lines_that_make_no_sense_are_refused() {
    let error = |arguments: &[&str]| {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        crate::engine_choice::run(&Flags::parse(&arguments).unwrap())
            .unwrap_err()
            .message()
            .to_owned()
    };
    let kept = tempfile::tempdir().unwrap();
    std::fs::write(kept.path().join("CURRENT"), "").unwrap();
    let directory_of_kept = kept.path();
    let kept = format!("--db={}", directory_of_kept.display());
    // The processor's benchmarks delete nothing.
    assert!(error(&["--benchmarks=crc32c,readseq", &kept]).contains("--use_existing_db"));
    assert!(error(&["--use_existing_db", "--num=0"]).contains("--num"));
    assert!(error(&["--use_existing_db", "--threads=0"]).contains("--threads"));
    assert!(error(&["--use_existing_db", "--batch_size=0"]).contains("--batch_size"));
    assert!(error(&["--prefix_size=20", "--keys_per_prefix=3"]).contains("larger than --key_size"));
    for size in ["--key_size_max=15", "--key_size_max=17000000"] {
        assert!(error(&["--key_size=16", size]).starts_with("--key_size_max"), "{size}");
    }
    assert!(error(&["--key_size=7", "--key_size_max=64"]).contains("8 bytes at least"));
    for negative in ["--value_size=-5", "--num_multi_db=-3", "--report_interval_seconds=-1"] {
        assert!(error(&[negative]).starts_with(negative), "{negative}");
    }
    let nothing = error(&["--benchmarks=readrandom", "--use_existing_db", "--db=/nowhere/at/all"]);
    assert!(nothing.ends_with("there is none at /nowhere/at/all"), "{nothing}");
    let several = ["--benchmarks=fillseekseq", "--num_column_families=2", "--engine=null"];
    assert!(error(&several).contains("one column family"));
    let read_only = ["--benchmarks=readseq", "--readonly", "--db=/nowhere/at/all"];
    let missing = error(&read_only);
    assert!(missing.contains("/nowhere/at/all"), "{missing}");
    let writes = |flags: &[&str]| error(&[&["--benchmarks=readseq,overwrite"], flags].concat());
    assert!(writes(&["--readonly"]).contains("'overwrite' writes"));
    assert!(writes(&["--use_secondary_db"]).contains("'overwrite' writes"));
    let directory = tempfile::tempdir().unwrap();
    let db = format!("--db={}", directory.path().join("db").display());
    let unhonoured = error(&["--benchmarks=fillseq", "--mmap_read", &db]);
    assert!(unhonoured.starts_with("--mmap_read=true: "), "{unhonoured}");
    // What is there is not deleted for it.
    assert!(error(&["--benchmarks=fillseq", "--mmap_read", &kept]).starts_with("--mmap_read"));
    assert!(std::fs::exists(directory_of_kept.join("CURRENT")).unwrap());
    assert!(error(&["--benchmarks=fillseq,mergerandom"]).contains("--merge_operator"));
}

#[test]
fn flags_name_options_that_there_are() {
    let config = ConfigOptions::default();
    for flag in crate::flags::all() {
        let value = Flags::default().option_text(flag);
        let applied = match flag.support {
            Support::Db(name) => DbOptions::default().apply(name, &value, &config),
            Support::Family(name) | Support::FamilyUnlessDefault(name) => {
                ColumnFamilyOptions::default().apply(name, &value, &config)
            }
            Support::Table(name) => BlockBasedTableOptions::default().apply(name, &value, &config),
            _ => continue,
        };
        assert!(applied.is_ok(), "{flag:?}: {applied:?}");
    }
}
