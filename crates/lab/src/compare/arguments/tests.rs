use super::*;

fn spec(arguments: &[&str]) -> Result<Spec, String> {
    let arguments = std::iter::once("compare").chain(arguments.iter().copied());
    Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?.spec()
}

fn refused(arguments: &[&str]) -> String {
    spec(arguments).expect_err("it makes no sense")
}

#[test]
fn defaults() {
    let spec = spec(&[]).expect("it makes sense");
    assert_eq!(spec.engines, ["touchstone"]);
    assert_eq!(spec.benchmarks, ["fillrandom", "readrandom"]);
    assert_eq!((spec.rounds, spec.cache, spec.retries), (5, Cache::Warm, 2));
    assert_eq!(spec.sets.len(), 1);
    assert!((spec.control_tolerance - 0.05).abs() < 1e-9);
}

#[test]
fn engines_sets_and_flags() {
    let spec = spec(&[
        "--engine=touchstone,rocksdb:9.3.1",
        "--engine=/usr/lib/librocksdb.so",
        "--set=small: --cache_size=1",
        "--set=large:--cache_size=2 --bloom_bits=10",
        "--",
        "--num=5",
    ])
    .expect("it makes sense");
    assert_eq!(spec.engines, ["touchstone", "rocksdb:9.3.1", "/usr/lib/librocksdb.so"]);
    assert_eq!(spec.sets[1].name, "large");
    assert_eq!(spec.sets[1].flags, ["--cache_size=2", "--bloom_bits=10"]);
    assert_eq!(spec.flags, ["--num=5"]);
}

#[test]
fn each_rate_is_a_set() {
    let spec = spec(&["--arrival-rate=100,2000"]).expect("it makes sense");
    let names: Vec<&str> = spec.sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["default at 100/s", "default at 2000/s"]);
    assert_eq!(spec.sets[1].arrival_rate, Some(2000));
}

#[test]
fn each_shape_is_a_set_for_what_only_reads() {
    let arguments = [
        "--benchmarks=fillseq,readrandom,seekrandom[X5]",
        "--set=a: --cache_size=1",
        "--shape=loaded",
        "--shape=pre_flush",
    ];
    let spec = spec(&arguments).expect("it makes sense");
    let names: Vec<&str> = spec.sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["a", "a, loaded", "a, pre_flush"]);
    let parts: Vec<_> = (0..3).map(|set| spec.parts(set)).collect();
    assert_eq!(parts, [vec![vec![0]], vec![vec![1, 2]], vec![vec![1, 2]]]);
    let group = spec.group_of(0, 2, 2).expect("it runs");
    assert_eq!(spec.benchmarks_text(group), "readrandom[W1],seekrandom[X5]");
    assert_eq!(spec.flags_of_group(group), ["--cache_size=1", "--shape=pre_flush"]);
    assert_eq!(spec.group_of(0, 0, 2), None);
}

#[test]
fn a_benchmark_has_flags_of_its_own() {
    let flags = "--benchmark-flags=readrandom: --duration=3 --threads=2";
    let spec = spec(&[flags, "--", "--threads=1"]).expect("it makes sense");
    let of = |benchmark| spec.flags_of_group(spec.group_of(0, 0, benchmark).expect("it runs"));
    assert_eq!(of(0), ["--threads=1"]);
    assert_eq!(of(1), ["--threads=1", "--duration=3", "--threads=2"]);
}

#[test]
fn the_command_line_is_told_without_places() {
    let line = [
        "--engine=touchstone,null",
        "--output=/somewhere",
        "--databases=/elsewhere",
        "--resume",
        "--shape=loaded",
        "--rounds=3",
        "--",
        "--num=5",
    ];
    let arguments = Arguments::parse_from(std::iter::once("compare").chain(line));
    let expected = [
        "touchstone",
        "compare",
        "--engine=touchstone,null",
        "--benchmarks=fillrandom,readrandom",
        "--shape=loaded",
        "--rounds=3",
        "--",
        "--num=5",
    ];
    assert_eq!(arguments.command(), expected);
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    assert!(refused(&["--rounds=0"]).contains("at least 1"));
    assert!(refused(&["--engine="]).contains("expected a name"));
    assert!(refused(&["--set=small"]).contains("NAME: --flag=value"));
    assert!(refused(&["--set=a:--num=1", "--set=a:--num=2"]).contains("twice"));
    assert!(refused(&["--", "--db=/x"]).contains("gives this flag itself"));
    assert!(refused(&["--", "-use-existing-db"]).contains("gives this flag itself"));
    assert!(refused(&["--", "num"]).contains("expected a flag"));
    assert!(refused(&["--confidence=100"]).contains("less than 100"));
    assert!(refused(&["--control-tolerance=0"]).contains("more than 0"));
    assert!(refused(&["--arrival-rate=0"]).contains("at least 1"));
    assert!(refused(&["--cache=lukewarm"]).contains("warm"));
    assert!(refused(&["--shape=loaded", "--cache=cold"]).contains("nothing cold"));
    assert!(refused(&["--shape=loaded", "--benchmarks=fillseq"]).contains("only reads"));
    assert!(refused(&["--shape="]).contains("expected a name"));
    assert!(refused(&["--shape=loaded", "--benchmarks=readseq,readseq[X2]"]).contains("twice"));
    assert!(refused(&["--", "--shape=loaded"]).contains("gives this flag itself"));
    assert!(refused(&["--benchmark-flags=readseq: --num=1"]).contains("not in --benchmarks"));
    let own = "--benchmark-flags=readrandom: --num=1";
    assert!(refused(&["--shape=loaded", own]).contains("shares a process"));
}
