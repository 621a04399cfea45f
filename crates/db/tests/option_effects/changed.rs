//! Options that are changed while the database is open: they have the effects that the text files
//! show of a database that was opened with them.

use crate::choice::Choice;
use crate::effect::Effect;
use crate::engine::Engine;
use crate::script;
use options::{BlockBasedTableOptions, ColumnFamilyOptions, DbOptions, OptionInfo};
use testing::datadriven::Directive;

/// Options of memtables and WALs, which go on as they were begun: they have their effect on the next.
const FROM_THE_NEXT_ON: &[&str] = &[
    "arena_block_size",
    "memtable_max_range_deletions",
    "memtable_prefix_bloom_size_ratio",
    "memtable_whole_key_filtering",
    "strict_bytes_per_sync",
    "wal_bytes_per_sync",
    "writable_file_max_buffer_size",
];

/// Where an option is changed.
pub(crate) enum Place {
    Database,
    Family,
    Table,
}

/// Where an option that can be changed in an open database is changed; none for one that is fixed.
pub(crate) fn place(option: &str) -> Option<Place> {
    let owner = option.split('.').next().unwrap();
    let has = |mut infos: Box<dyn Iterator<Item = &'static OptionInfo>>| {
        infos.any(|info| info.name == owner && info.mutable)
    };
    if has(Box::new(DbOptions::infos())) {
        Some(Place::Database)
    } else if has(Box::new(ColumnFamilyOptions::infos())) {
        Some(Place::Family)
    } else if has(Box::new(BlockBasedTableOptions::infos())) {
        Some(Place::Table)
    } else {
        None
    }
}

/// The value that stands for "as it is when nobody says".
fn default_of(option: &str) -> String {
    let all = [
        DbOptions::default().get(option),
        ColumnFamilyOptions::default().get(option),
        BlockBasedTableOptions::default().get(option),
    ];
    all.into_iter().flatten().next().unwrap()
}

/// What a script shows where the value is set in a database that was opened with another.
fn observe_change(
    before: &Choice,
    after: &Choice,
    option: &str,
    value: &str,
    script: &str,
) -> String {
    let mut engine = Engine::new(before);
    let value = match value {
        "default" => default_of(option),
        value => value.to_owned(),
    };
    engine.change_option(option, &value, after);
    if FROM_THE_NEXT_ON.contains(&option) {
        engine.turn_over();
    }
    script::run(&mut engine, script).join("\n  ")
}

/// Tries all values of an option that can be changed. What is wrong goes to `failures`: that a value
/// that was set later shows anything else than one that the database was opened with.
pub(crate) fn run(directive: &Directive, failures: &mut Vec<String>) {
    let effect = &Effect::parse(directive);
    if effect.is_of_a_call() || place(effect.option).is_none() {
        return;
    }
    let count = effect.values.len();
    let tried: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|index| {
                scope.spawn(move || {
                    let (value, other) = (effect.values[index], effect.values[(index + 1) % count]);
                    let (before, after) = (effect.choice(other), effect.choice(value));
                    let opened = script::run(&mut Engine::new(&after), effect.script);
                    let changed =
                        observe_change(&before, &after, effect.option, value, effect.script);
                    (value, other, opened.join("\n  "), changed)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (value, other, opened, changed) in tried {
        if opened != changed {
            failures.push(format!(
                "{}: {}={value} shows\n  {opened}\nand set in a database that was opened with \
                 {other}\n  {changed}",
                directive.position, effect.option
            ));
        }
    }
}
