//! Effects of options: the same script for several values of one option.

use crate::choice::Choice;
use crate::engine::Engine;
use crate::rocksdb::RocksDb;
use crate::script;
use crate::subject::Subject;
use std::fmt::Write as _;
use testing::datadriven::Directive;
use testing::judges::{self, Judge};

/// One option, its values, and what they are tried with.
pub(crate) struct Effect<'a> {
    /// Its name; or, of what is no option of a database, what it is: the script then has `{}` where
    /// the value goes.
    pub(crate) option: &'a str,
    pub(crate) values: Vec<&'a str>,
    /// Other options, the same for all values.
    with: Choice,
    pub(crate) script: &'a str,
    /// The release of RocksDB that must show the same, if any.
    judge: Option<Judge>,
}

impl<'a> Effect<'a> {
    /// `effect OPTION values=(a, b) with=(other=1, another=2) judge=11.8.1`, with a script.
    pub(crate) fn parse(directive: &'a Directive) -> Self {
        let list = |key: &str| {
            let argument = directive.arguments.iter().find(|argument| argument.key == key);
            argument
                .map_or(Vec::new(), |argument| argument.values.iter().map(String::as_str).collect())
        };
        let mut with = Choice::default();
        for pair in list("with") {
            let (name, value) = pair.split_once('=').expect("with=(name=value)");
            with.set(name, value);
        }
        Self {
            option: &directive.arguments[0].key,
            values: list("values"),
            with,
            script: &directive.input,
            judge: directive.value("judge").and_then(judges::library),
        }
    }

    pub(crate) fn choice(&self, value: &str) -> Choice {
        let mut choice = self.with.clone();
        if !self.is_of_a_call() {
            choice.set(self.option, value);
        }
        choice
    }

    pub(crate) fn is_of_a_call(&self) -> bool {
        self.script.contains("{}")
    }
}

fn observe(mut subject: impl Subject, script: &str) -> String {
    script::run(&mut subject, script).join("\n  ")
}

/// What a value shows here, and with RocksDB, where it is to be compared with.
fn try_value(effect: &Effect<'_>, value: &str) -> (String, Option<String>) {
    let choice = effect.choice(value);
    let script = effect.script.replace("{}", value);
    let ours = observe(Engine::new(&choice), &script);
    let theirs = effect.judge.as_ref().map(|judge| observe(RocksDb::new(judge, &choice), &script));
    (ours, theirs)
}

/// Tries all values; what was shown for each. What is wrong goes to `failures`: that all values show
/// the same, or that RocksDB shows something else.
pub(crate) fn run(directive: &Directive, failures: &mut Vec<String>) -> String {
    assert_eq!(directive.command, "effect", "{}", directive.position);
    let effect = &Effect::parse(directive);
    let (position, option) = (&directive.position, effect.option);
    let observed: Vec<_> = std::thread::scope(|scope| {
        let values = effect.values.iter();
        let threads: Vec<_> =
            values.map(|value| scope.spawn(move || try_value(effect, value))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut text = String::new();
    for (value, (ours, theirs)) in effect.values.iter().zip(&observed) {
        writeln!(text, "{value}:\n  {ours}").unwrap();
        if let Some(theirs) = theirs.as_ref().filter(|theirs| *theirs != ours) {
            failures.push(format!(
                "{position}: with {option}={value} there is\n  {ours}\nand with RocksDB\n  {theirs}"
            ));
        }
    }
    if observed.windows(2).all(|pair| pair[0].0 == pair[1].0) {
        failures.push(format!("{position}: {option} has no effect:\n{text}"));
    }
    text
}
