//! What all test programs came to.

use std::io::Write;

/// What the test programs summed up between them.
#[derive(Default)]
pub(super) struct Summary {
    program: String,
    lines: Vec<String>,
    failed_tests: Vec<String>,
    pub(super) passed: u64,
    failed: u64,
    ignored: u64,
}

impl Summary {
    /// Prints what a program printed, and adds it.
    pub(super) fn tell(&mut self, text: &str) {
        // The reader of our output may have gone; the tests go on all the same.
        drop(writeln!(std::io::stdout(), "{}", text.trim_end_matches('\n')));
        text.lines().for_each(|line| self.add(line));
    }

    fn add(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED")) {
            self.failed_tests.push(format!("{}: {name}", self.program));
        }
        let words = line.trim_start();
        for kind in ["Running ", "Doc-tests "] {
            if let Some(program) = words.strip_prefix(kind) {
                // Running unittests src/lib.rs (target/debug/deps/base-0123456789abcdef)
                let file = program.trim_end_matches(')').rsplit('/').next().unwrap_or(program);
                let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
                self.program = if kind == "Running " { name } else { words }.to_owned();
            }
        }
        if !line.starts_with("test result: ") {
            return;
        }
        let counts = [("passed", &mut self.passed), ("failed", &mut self.failed)];
        for (what, sum) in counts.into_iter().chain([("ignored", &mut self.ignored)]) {
            *sum += count(line, what);
        }
        if ["passed", "failed", "ignored"].iter().any(|what| count(line, what) > 0) {
            let line = line.split("; 0 measured").next().unwrap_or(line);
            self.lines.push(format!("{line}  {}", self.program));
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from("== summary of the tests\n");
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        for name in &self.failed_tests {
            text.push_str("FAILED ");
            text.push_str(name);
            text.push('\n');
        }
        let Self { passed, failed, ignored, .. } = self;
        text.push_str(&format!("all: {passed} passed; {failed} failed; {ignored} ignored"));
        text
    }
}

/// The number before a word in a line such as `test result: ok. 3 passed; 0 failed; ...`.
fn count(line: &str, what: &str) -> u64 {
    let mut words =
        line.split_whitespace().rev().skip_while(|word| word.trim_end_matches(';') != what);
    words.nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests;
