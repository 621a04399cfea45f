use super::*;
use record::LevelShape;
use std::path::Path;
use testing::datadriven::{self, Directive};

const MIB: u64 = 1 << 20;

fn settings(directive: &Directive) -> Settings {
    Settings {
        num_levels: directive.parse_or("num_levels", 7),
        dynamic_level_bytes: !directive.has("static"),
        level_base_bytes: directive.parse_or("base", 64) * 1_000_000,
        fanout: directive.parse_or("fanout", 8.0),
        l0_trigger: directive.parse_or("trigger", 8),
        memtable_capacity: directive.value("capacity").map(|text| text.parse().unwrap()),
    }
}

/// Lines such as `memtable 38200`, `waiting 1`, `L0 6 38` (level, files, MiB).
fn present(directive: &Directive, num_levels: usize) -> FamilyShape {
    let level = |level| LevelShape { level, files: 0, bytes: 0 };
    let mut shape =
        FamilyShape { levels: (0..num_levels).map(level).collect(), ..FamilyShape::default() };
    for line in directive.input.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let number = |index: usize| words[index].parse::<f64>().unwrap();
        match words[0].strip_prefix('L') {
            Some(level) => {
                let level = &mut shape.levels[level.parse::<usize>().unwrap()];
                (level.files, level.bytes) = (number(1) as u64, (number(2) * MIB as f64) as u64);
            }
            None if words[0] == "memtable" => shape.memtable_entries = number(1) as u64,
            None => shape.immutable_memtables = number(1) as u64,
        }
    }
    shape
}

/// `plan SHAPE` prints steps, `target SHAPE bytes=MiB` what the shape comes to, `differences SHAPE`
/// what is missing.
fn execute(directive: &Directive) -> String {
    let settings = settings(directive);
    let text = directive.value("shape").map_or_else(
        || {
            let parts = directive.arguments.iter().filter(|argument| argument.key.len() <= 2);
            let memtable = directive.value("memtable").map(|count| format!("memtable={count}"));
            let parts = parts.map(|part| format!("{}={}", part.key, part.values[0]));
            memtable.into_iter().chain(parts).collect::<Vec<_>>().join(",")
        },
        str::to_owned,
    );
    let wanted = match Wanted::parse(&text) {
        Ok(wanted) => wanted,
        Err(error) => return format!("{error}\n"),
    };
    let present = present(directive, settings.num_levels);
    let data = present.levels.iter().rev().find(|level| level.files > 0);
    let target = wanted.target(data.map_or(0, |level| level.bytes), &settings);
    let lines = match (directive.command.as_str(), target) {
        ("plan", _) => plan(&wanted, &present, &settings)
            .map(|steps| steps.iter().map(ToString::to_string).collect()),
        ("target", Ok(target)) => Ok(vec![
            format!("memtable {:?}", target.memtable),
            format!("L0 {} files, and {:?}", target.l0_full, target.l0_partial),
            format!(
                "upper {:?}",
                target.upper.iter().map(|(level, bytes)| (level, bytes / MIB)).collect::<Vec<_>>()
            ),
            format!("last L{} {:?}", target.last, target.last_bytes.map(|bytes| bytes / MIB)),
        ]),
        ("differences", Ok(target)) => Ok(differences(&target, &present, &settings)),
        (_, Err(error)) => Err(error),
        (other, _) => panic!("{}: {other}", directive.position),
    };
    match lines {
        Ok(lines) if lines.is_empty() => "nothing\n".to_owned(),
        Ok(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn plans_are_those_of_the_text_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/shape/plans");
    datadriven::run(&path, execute);
}

#[test]
fn overwrites_count_those_that_hit_a_key_twice() {
    // A million overwrites of a million keys reach 1 - 1/e of them.
    let reached = 1e6 * (1.0 - (-1.0f64).exp());
    assert_eq!(overwrites(1e6, 0.0, reached), 1_000_000);
    assert_eq!(overwrites(1e6, 0.0, 1000.0), 1001);
    // Where half of them are there, half of the overwrites are in vain.
    let few = overwrites(1e6, 5e5, 5e5 + 1000.0);
    assert!((2000..2010).contains(&few), "{few}");
    assert_eq!(overwrites(1e6, 10.0, 10.0), 0);
    assert_eq!(overwrites(1e6, 10.0, 5.0), 0);
    assert!(overwrites(1e6, 0.0, 1e6) > 10_000_000);
}
