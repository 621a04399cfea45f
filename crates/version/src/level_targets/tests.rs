use super::*;
use std::path::Path;
use testing::datadriven::{self, Directive};

const MB: u64 = 1 << 20;

/// Six significant digits, as `%g` prints them.
fn six_digits(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let text = format!("{value:.*}", (5 - digits).max(0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn megabytes(bytes: u64) -> String {
    if bytes == u64::MAX { "-".into() } else { six_digits(bytes as f64 / MB as f64) }
}

fn options(directive: &Directive, num_levels: usize) -> LevelTargetOptions {
    LevelTargetOptions {
        compaction_style: match directive.value("style") {
            None => CompactionStyle::Level,
            Some("universal") => CompactionStyle::Universal,
            Some("fifo") => CompactionStyle::Fifo,
            Some("none") => CompactionStyle::None,
            Some(other) => panic!("style {other}"),
        },
        num_levels,
        level_compaction_dynamic_level_bytes: !directive.has("static"),
        max_bytes_for_level_base: directive.parse_or("base", 1024) * MB,
        max_bytes_for_level_multiplier: directive.parse_or("multiplier", 10.0),
        max_bytes_for_level_multiplier_additional: directive
            .arguments
            .iter()
            .filter(|argument| argument.key == "additional")
            .flat_map(|argument| argument.values.iter().map(|value| value.parse().unwrap()))
            .collect(),
        level0_file_num_compaction_trigger: directive.parse_or("trigger", 4),
        preclude_last_level_data: directive.has("preclude"),
        fifo_max_table_files_size: directive.parse_or("fifo_max", 1024) * MB,
        fifo_allow_compaction: directive.has("fifo_compaction"),
        rule: match directive.value("rule") {
            Some("write-burst") => LevelTargetRule::WriteBurst,
            Some("steady") => LevelTargetRule::Steady,
            None | Some("draining") => LevelTargetRule::Draining,
            Some(other) => panic!("rule {other}"),
        },
    }
}

/// `targets sizes=(L0, L1, …) [l0_files=N] [rule=…] …`, sizes in MB. L0 has one file unless it is
/// empty.
fn execute(directive: &Directive) -> String {
    assert_eq!(directive.command, "targets");
    let sizes =
        &directive.arguments.iter().find(|argument| argument.key == "sizes").unwrap().values;
    let mut levels: Vec<_> = sizes
        .iter()
        .map(|size| size.parse::<u64>().unwrap() * MB)
        .map(|size| LevelSize::idle(usize::from(size > 0), size))
        .collect();
    levels[0].files = directive.parse_or("l0_files", levels[0].files);
    levels[0].idle_files = levels[0].files;
    let options = options(directive, levels.len());
    let targets = LevelTargets::new(&options, &levels);
    let listed: Vec<_> = targets.target_bytes.iter().map(|target| megabytes(*target)).collect();
    let mut scores: Vec<_> = compaction_scores(&options, &levels, &targets)
        .into_iter()
        .enumerate()
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let scores: Vec<_> =
        scores.iter().map(|(level, score)| format!("L{level} {}", six_digits(*score))).collect();
    let needed = estimated_compaction_needed_bytes(&options, &levels, &targets);
    format!(
        "base {} multiplier {}\ntargets {}\nscores {}\npending {}\n",
        targets.base_level.map_or("-".into(), |level| format!("L{level}")),
        six_digits(targets.multiplier),
        listed.join(" "),
        scores.join(" "),
        megabytes(needed)
    )
}

#[test]
fn targets_scores_and_pending_bytes_are_those_of_the_text_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/level_targets");
    datadriven::run(&path, execute);
}

#[test]
fn extreme_values_do_not_overflow() {
    let sizes = [0, 1, u64::MAX / 2, u64::MAX];
    let styles = [
        CompactionStyle::Level,
        CompactionStyle::Universal,
        CompactionStyle::Fifo,
        CompactionStyle::None,
    ];
    let rules = [LevelTargetRule::WriteBurst, LevelTargetRule::Steady, LevelTargetRule::Draining];
    for num_levels in 0..4 {
        for pattern in 0..sizes.len().pow(num_levels as u32) {
            let level = |index: u32| sizes[pattern / sizes.len().pow(index) % sizes.len()];
            let levels: Vec<_> =
                (0..num_levels as u32).map(|index| LevelSize::idle(1, level(index))).collect();
            for (style, rule, base, multiplier) in styles.into_iter().flat_map(|style| {
                rules.into_iter().flat_map(move |rule| {
                    [(0, 0.0), (1, 10.0), (u64::MAX, 1e300), (100, -1.0)]
                        .map(|(base, multiplier)| (style, rule, base, multiplier))
                })
            }) {
                let options = LevelTargetOptions {
                    compaction_style: style,
                    num_levels,
                    max_bytes_for_level_base: base,
                    max_bytes_for_level_multiplier: multiplier,
                    level0_file_num_compaction_trigger: 0,
                    rule,
                    ..LevelTargetOptions::default()
                };
                let targets = LevelTargets::new(&options, &levels);
                assert_eq!(targets.target_bytes.len(), num_levels);
                let scores = compaction_scores(&options, &levels, &targets);
                assert!(scores.len() <= num_levels.max(1));
                let _ = estimated_compaction_needed_bytes(&options, &levels, &targets);
            }
        }
    }
}
