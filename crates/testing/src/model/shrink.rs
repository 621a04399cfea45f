//! Makes a sequence that fails as short as it can be.

use super::step::{Opening, Step};
use crate::judges::protocol::Operation;

/// Leaves out steps, then operations of batches and options, as long as `fails` says that what is
/// left still fails, and no more than `tries` times.
#[must_use]
pub fn shrink(steps: Vec<Step>, tries: usize, fails: impl FnMut(&[Step]) -> bool) -> Vec<Step> {
    let mut shrinker = Shrinker { steps, tries, fails };
    loop {
        let before = shrinker.steps.clone();
        shrinker.leave_out_steps();
        shrinker.leave_out_operations();
        shrinker.leave_out_options();
        if shrinker.steps == before || shrinker.tries == 0 {
            return shrinker.steps;
        }
    }
}

struct Shrinker<F> {
    steps: Vec<Step>,
    tries: usize,
    fails: F,
}

impl<F: FnMut(&[Step]) -> bool> Shrinker<F> {
    fn try_out(&mut self, candidate: Vec<Step>) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.steps = candidate;
        }
        fails
    }

    /// Parts of half the length first, then of a quarter, and so on. The first step opens.
    fn leave_out_steps(&mut self) {
        let mut length = self.steps.len() / 2;
        while length > 0 {
            let mut end = self.steps.len();
            while end > 1 {
                let begin = end.saturating_sub(length).max(1);
                let candidate = [&self.steps[..begin], &self.steps[end..]].concat();
                self.try_out(candidate);
                end = begin;
            }
            length /= 2;
        }
    }

    fn leave_out_operations(&mut self) {
        for index in 0..self.steps.len() {
            let Some(operations) = operations_of(&mut self.steps[index]) else { continue };
            let mut length = operations.len().div_ceil(2);
            while length > 0 {
                let mut end = self.operations_at(index);
                while end > 0 {
                    let begin = end.saturating_sub(length);
                    let mut candidate = self.steps.clone();
                    if let Some(operations) = operations_of(&mut candidate[index]) {
                        operations.drain(begin..end);
                        if !operations.is_empty() {
                            self.try_out(candidate);
                        }
                    }
                    end = begin;
                }
                length /= 2;
            }
        }
    }

    fn operations_at(&mut self, index: usize) -> usize {
        operations_of(&mut self.steps[index]).map_or(0, |operations| operations.len())
    }

    fn leave_out_options(&mut self) {
        for index in 0..self.steps.len() {
            for of_family in [false, true] {
                let count = opening_of(&mut self.steps[index])
                    .map_or(0, |opening| split(text_of(opening, of_family)).len());
                for option in (0..count).rev() {
                    let mut candidate = self.steps.clone();
                    let Some(opening) = opening_of(&mut candidate[index]) else { continue };
                    let text = text_of(opening, of_family);
                    let mut options = split(text);
                    options.remove(option);
                    *text = options.join(";");
                    self.try_out(candidate);
                }
            }
        }
    }
}

fn operations_of(step: &mut Step) -> Option<&mut Vec<Operation>> {
    match step {
        Step::Write { operations, .. } | Step::Ingest { operations, .. } => Some(operations),
        _ => None,
    }
}

fn opening_of(step: &mut Step) -> Option<&mut Opening> {
    match step {
        Step::Open(opening) | Step::Reopen(opening) | Step::Crash { opening, .. } => Some(opening),
        _ => None,
    }
}

fn text_of(opening: &mut Opening, of_family: bool) -> &mut String {
    if of_family { &mut opening.family } else { &mut opening.db }
}

/// Options, with what stands in braces as one.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut options = vec![String::new()];
    for character in text.chars() {
        depth += i32::from(character == '{') - i32::from(character == '}');
        match options.last_mut() {
            Some(last) if character != ';' || depth > 0 => last.push(character),
            _ => options.push(String::new()),
        }
    }
    options.retain(|option| !option.is_empty());
    options
}
