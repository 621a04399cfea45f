use super::*;

/// A run as releases up to 10.2 print it; `WPreComp(GB)` came with 10.3.
fn output(version: &str, result: &str, with_uncompressed: bool, stalls: &str) -> String {
    let (name, value) = match with_uncompressed {
        true => (" WPreComp(GB)", " 31.5"),
        false => ("", ""),
    };
    let row = |level: &str, size: &str| {
        format!(
            " {level}   57/3   {size}   0.9    11.1     2.2      3.3      44.4{value}     5.5       6.6   7.7  \
             88.8     99.9   6284.31           4321.49       240    0.141    589M    68M      \
             12.6       3.4\n"
        )
    };
    format!(
        "RocksDB:    version {version}\nDate:       Thu Nov  9 10:11:12 2023\n\
         2023/11/09-10:11:12.000001 7f00 Git sha 0123456789abcdef\n{result}\n\
         Microseconds per write:\nCount: 20000 Average: 12.5  StdDev: 3.00\n\
         Min: 1  Median: 9.7500  Max: 34567\n\
         Percentiles: P50: 9.75 P75: 12.00 P99: 110.40 P99.9: 870.60 P99.99: 6600.20\n\
         \n** Compaction Stats [default] **\n\
         Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB){name} Wnew(GB) Moved(GB) W-Amp \
         Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) \
         Wblob(GB)\n----\n{}{}{}\n** Compaction Stats [default] **\n\
         Priority    Files   Size     Score\n----\n Low      0/0    0.00 KB   0.0\n\n\
         Blob file count: 3, total size: 2.6 GB, garbage size: 0.0 GB, space amp: 1.0\n\n\
         Uptime(secs): 1799.6 total, 20.0 interval\n\
         Flush(GB): cumulative 97.193, interval 1.247\n\
         Cumulative compaction: 1159.74 GB write, 661.03 MB/s write, 1108.89 GB read, 632.04 MB/s read, \
         6284.3 seconds\n\
         {stalls}\n** DB Stats **\nUptime(secs): 1799.6 total, 20.0 interval\n\
         Cumulative writes: 242M writes, 242M keys, 18M commit groups, 12.9 writes per commit group, \
         ingest: 95.96 GB, 54.69 MB/s\n\
         Cumulative stall: 00:17:13.123 H:M:S, 57.4 percent\n\
         Write Stall (count): write-buffer-manager-limit-stops: 7\n",
        row("L5", "3.25 MB"),
        row("Sum", "8.55 GB"),
        row("Int", "0.00 KB"),
    )
}

const OLD_STALLS: &str = "Stalls(count): 1 level0_slowdown, 100 level0_slowdown_with_compaction, 2 \
    level0_numfiles, 200 level0_numfiles_with_compaction, 3 stop for pending_compaction_bytes, 4 \
    slowdown for pending_compaction_bytes, 5 memtable_compaction, 6 memtable_slowdown, interval 0 total \
    count";
const NEW_STALLS: &str = "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-compaction: 100, \
    l0-file-count-limit-delays: 1, total-delays: 11, total-stops: 10";
const OLD_RESULT: &str = "overwrite    :       7.939 micros/op 125963 ops/sec;   50.5 MB/s";
const NEW_RESULT: &str = "overwrite    :       7.939 micros/op 125963 ops/sec 1800.001 seconds 229176999 operations;   50.5 MB/s";

/// The fields of the only line of a log.
fn fields(text: &str) -> Vec<String> {
    let mut log = RunLog::parse(text);
    log.test = "overwrite.t1.s0".to_owned();
    log.cpu_seconds = Some((1234.5, 678.9));
    log.resident_kib_max = Some(3.3 * f64::from(1 << 20));
    let line = line(&log, "job");
    line.trim_end_matches('\n').split('\t').map(str::to_owned).collect()
}

#[test]
fn lines_of_all_releases_have_the_same_fields() {
    let releases = [
        ("7.2.2", OLD_RESULT, false, OLD_STALLS),
        ("7.8.3", NEW_RESULT, false, OLD_STALLS),
        ("8.6.7", NEW_RESULT, false, NEW_STALLS),
        ("10.2.1", NEW_RESULT, false, NEW_STALLS),
        ("10.3.0", NEW_RESULT, true, NEW_STALLS),
        ("11.9.0", NEW_RESULT, true, NEW_STALLS),
    ];
    for (version, result, with_uncompressed, stalls) in releases {
        let expected = [
            "125963",
            "50.5",
            "9GB",
            "3GB",
            "1159.7",
            "13.1",
            "661.0",
            "6284",
            "4321",
            "13",
            "3",
            "7.9",
            "9.8",
            "110",
            "871",
            "6600",
            "34567",
            "1800",
            "57.4",
            "21",
            "1.2",
            "0.7",
            "3.3",
            "overwrite.t1.s0",
            "2023-11-09T10:11:12",
            version,
            "job",
            "0123456789",
            "12.1",
        ];
        assert_eq!(fields(&output(version, result, with_uncompressed, stalls)), expected);
    }
    assert_eq!(HEAD.len(), 29);
}

#[test]
fn what_a_release_does_not_print_is_not_known() {
    let line = fields(NEW_RESULT);
    assert_eq!(line[..5], ["125963", "50.5", "NA", "NA", "NA"]);
    assert_eq!(line.iter().filter(|field| *field == "NA").count(), 21);
    // Nothing came in: there is no amplification.
    let text = output("7.8.3", NEW_RESULT, false, OLD_STALLS).replace("95.96 GB", "0.00 GB");
    assert_eq!(fields(&text)[5], "NA");
}

#[test]
fn units_are_those_of_the_text() {
    let text = output("7.8.3", NEW_RESULT, false, OLD_STALLS);
    let text = text.replace("1159.74 GB write", "1.50 TB write").replace("95.96 GB", "51200.00 MB");
    let line = fields(&text);
    assert_eq!([&line[4], &line[5], &line[28]], ["1536.0", "32.7", "30.7"]);
}

#[test]
fn a_run_without_a_result_has_failed() {
    let mut log = RunLog::parse("Date:       Thu Nov  9 10:11:12 2023\nput error: full\n");
    log.test = "fillseq".to_owned();
    let line = line(&log, "");
    let fields: Vec<_> = line.trim_end_matches('\n').split('\t').collect();
    assert_eq!(fields.len(), HEAD.len());
    assert_eq!([fields[0], fields[1], fields[23]], ["failed", "", "fillseq"]);
}

#[test]
fn the_last_line_of_time_and_the_largest_size_count() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("v1").join("benchmark_readrandom.t1.log");
    fs::create_dir(path.parent().unwrap()).unwrap();
    let write = |suffix: &str, text: &str| {
        fs::write(format!("{}{suffix}", path.display()), text).unwrap();
    };
    write("", NEW_RESULT);
    write(".time", "Command exited with non-zero status 1\n1800.5 2000 500\n");
    write(
        ".stats.ps",
        "me 1 99 1 9 1048576 ? R\nme 1 99 1 9 3145728 ? R\nme 1 99 1 9 524288 ? R\n",
    );
    let log = RunLog::read(&path).unwrap();
    assert_eq!((log.build.as_str(), log.test.as_str()), ("v1", "readrandom.t1"));
    assert_eq!(log.cpu_seconds, Some((2000.0, 500.0)));
    assert_eq!(log.resident_kib_max, Some(3_145_728.0));
}

/// Runs the command: its exit status, what it printed, and what it complained of.
fn report(arguments: &[&str]) -> (i32, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let status = main(&arguments, &mut out, &mut err);
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn builds_are_put_beside_each_other_without_what_only_prepares() {
    let directory = tempfile::tempdir().unwrap();
    let builds = ["v64", "v611"].map(|build| directory.path().join(build).display().to_string());
    let result = |name: &str, micros: f64, rate: u32| {
        format!("{name} : {micros} micros/op {rate} ops/sec\n")
    };
    for (build, [micros, rate]) in builds.iter().zip([[2.5, 400_000.0], [3.125, 320_000.0]]) {
        fs::create_dir(build).unwrap();
        let write = |name: &str, text: String| {
            fs::write(format!("{build}/benchmark_{name}.log"), text).unwrap();
        };
        write("readrandom.t1", result("readrandom", micros, rate as u32));
        write("overwritesome.t1.s0", result("overwrite", 1.0, 1));
        write("revrange.t1", result("seekrandom", 1.0, 1));
        write("all", result("readseq", 0.5, 2_000_000) + &result("seekrandom", 10.0, 100_000));
    }
    let (status, text, _) = report(&["--relative", &builds[0], &builds[1]]);
    assert_eq!(status, SUCCESS);
    let expected = "\
v64\tv611\ttest
0.5\t0.5\tall.readseq
10.0\t10.0\tall.seekrandom
2.5\t3.1\treadrandom.t1

v64\tv611\ttest
2000000\t2000000\tall.readseq
100000\t100000\tall.seekrandom
400000\t320000\treadrandom.t1

v64\tv611\ttest
1.00\t1.00\tall.readseq
1.00\t1.00\tall.seekrandom
1.00\t0.80\treadrandom.t1
";
    assert_eq!(text, expected);
}

#[test]
fn what_cannot_be_reported_is_said() {
    let (status, _, err) = report(&[]);
    assert_eq!(status, crate::USAGE);
    assert!(err.contains("LOG|DIR"), "{err}");
    let (status, _, err) = report(&["/nowhere/a.log"]);
    assert_eq!(status, FAILURE);
    assert!(err.contains("/nowhere/a.log"), "{err}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display().to_string();
    assert!(report(&[&path]).2.contains("no file *.log"));
    fs::write(directory.path().join("benchmark_fillseq.log"), "put error: full\n").unwrap();
    let (status, out, err) = report(&[&path]);
    assert_eq!(status, FAILURE);
    assert!(out.contains("\nfailed\t") && err.contains("fillseq has no result"), "{out}{err}");
}

/// The summary of forty-two tests in groups, as a spreadsheet has it.
#[test]
fn groups_of_tests_come_to_what_a_spreadsheet_says() {
    const SIZES: [usize; 5] = [11, 6, 9, 6, 10];
    // Min, max, mean, median.
    let expected = [
        ["0.5000", "1.0000", "0.7500", "0.7500"],
        ["1.0500", "1.3000", "1.1750", "1.1750"],
        ["0.5000", "0.9000", "0.7000", "0.7000"],
        ["0.9500", "1.2000", "1.0750", "1.0750"],
        ["0.5000", "1.3000", "0.7950", "0.7250"],
    ];
    let rows: Vec<_> = (0..42u32)
        .map(|index| {
            let relative = 0.5 + 0.05 * f64::from(index % 17);
            (format!("test{index}"), vec![Some(1000.0), Some(1000.0 * relative)])
        })
        .collect();
    let mut rest = &rows[..];
    for (size, expected) in SIZES.into_iter().zip(expected) {
        let (group, after) = rest.split_at(size);
        rest = after;
        let builds = vec!["base".to_owned(), "other".to_owned()];
        let group = Table { builds, rows: group.to_vec() }.relative().group(1).unwrap();
        let told = [group.min, group.max, group.mean, group.median];
        assert_eq!(told.map(|value| format!("{value:.4}")), expected, "a group of {size}");
    }
    assert!(rest.is_empty());
}
