//! Runs a sequence on databases, each beside a model of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::answer::{Answer, Entry};
use super::step::{Opening, Scan, Shape, Step};
use super::{Defect, Model};

/// A database that does what it is told. It keeps its families' shapes from the steps.
pub trait Subject {
    /// Does a step and says what it read; none when it cannot say that.
    ///
    /// # Errors
    /// What the database answered.
    fn apply(&mut self, step: &Step) -> Result<Option<Answer>, String>;

    /// The number of the newest log, where that can be told.
    fn log_number(&self) -> Option<u64> {
        None
    }

    /// Closes the database and lets go of its directory.
    ///
    /// # Errors
    /// What the database answered.
    fn close(&mut self) -> Result<PathBuf, String>;

    /// Opens the database in another directory.
    ///
    /// # Errors
    /// What the database answered.
    fn take_over(
        &mut self,
        directory: &Path,
        opening: &Opening,
        families: &[(String, Shape)],
    ) -> Result<(), String>;
}

/// A database with the model of what it must hold.
pub struct Side<'a> {
    name: &'static str,
    subject: Box<dyn Subject + 'a>,
    model: Model,
}

impl<'a> Side<'a> {
    /// A new database; with a defect, beside a wrong model.
    #[must_use]
    pub fn new(name: &'static str, subject: Box<dyn Subject + 'a>, defect: Option<Defect>) -> Self {
        Self { name, subject, model: Model::new(defect) }
    }

    fn failed(&self, number: usize, step: &Step, why: &str) -> String {
        format!("step {number}, {}: {step}\n{why}", self.name)
    }

    fn run(&mut self, number: usize, step: &Step) -> Result<(), String> {
        let expected = self.model.apply(step);
        let found = self.subject.apply(step).map_err(|why| self.failed(number, step, &why))?;
        if let Step::Crash { power, opening } = step {
            let contents = self.contents().map_err(|why| self.failed(number, step, &why))?;
            let recovered = self.model.recover(power.is_some(), opening, &contents);
            return recovered.map_err(|why| self.failed(number, step, &why));
        }
        if let Step::Write { .. } = step {
            self.model.wrote_to_log(self.subject.log_number());
        }
        if found.as_ref().is_none_or(|found| expected.is_same(found)) {
            return Ok(());
        }
        let found = found.map_or_else(String::new, |found| found.to_string());
        Err(self.failed(number, step, &format!("found:    {found}\nexpected: {expected}")))
    }

    /// Everything of every family.
    fn contents(&mut self) -> Result<BTreeMap<String, Vec<Entry>>, String> {
        let mut contents = BTreeMap::new();
        let Some(Answer::Names(names)) = self.subject.apply(&Step::Families)? else {
            return Err("no list of families".to_owned());
        };
        for family in names {
            let scan = Scan { family: family.clone(), ..Scan::default() };
            if let Some(Answer::Entries(entries)) = self.subject.apply(&Step::Scan(scan))? {
                contents.insert(family, entries);
            }
        }
        Ok(contents)
    }
}

/// Runs the steps on all sides. A step that does not make sense on one of them is left out.
///
/// # Errors
/// The first step whose answer is not the model's, with both answers.
pub fn run(steps: &[Step], sides: &mut [Side<'_>]) -> Result<(), String> {
    for (index, step) in steps.iter().enumerate() {
        let number = index + 1;
        if !sides.iter().all(|side| side.model.allows(step)) {
            continue;
        }
        match (step, &mut *sides) {
            (Step::HandOver, [left, right]) => hand_over(number, left, right)?,
            (Step::HandOver, _) => {}
            (step, sides) => sides.iter_mut().try_for_each(|side| side.run(number, step))?,
        }
    }
    Ok(())
}

fn hand_over<'a>(number: usize, left: &mut Side<'a>, right: &mut Side<'a>) -> Result<(), String> {
    let step = Step::HandOver;
    let lefts = left.subject.close().map_err(|why| left.failed(number, &step, &why))?;
    let rights = right.subject.close().map_err(|why| right.failed(number, &step, &why))?;
    left.model.apply(&step);
    right.model.apply(&step);
    std::mem::swap(&mut left.model, &mut right.model);
    for (side, directory) in [(left, rights), (right, lefts)] {
        let (opening, shapes) = (side.model.opening().clone(), side.model.shapes());
        let opened = side.subject.take_over(&directory, &opening, &shapes);
        opened.map_err(|why| side.failed(number, &step, &why))?;
        let contents = side.contents().map_err(|why| side.failed(number, &step, &why))?;
        // All of it was closed properly, so that nothing but all of it is right.
        let recovered = side.model.recover(false, &opening, &contents);
        recovered.map_err(|why| side.failed(number, &step, &why))?;
    }
    Ok(())
}
