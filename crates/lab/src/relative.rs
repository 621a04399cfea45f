//! Tables of tests and builds, and the arithmetic that reports of releases are made with.
//!
//! A table has a row for each test and a column for each build. The first build is the base: relative
//! results are divided by its own. All is pure.

use crate::statistics::median;

#[cfg(test)]
mod tests;

/// Results of builds in tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The builds; the first is the base.
    pub builds: Vec<String>,
    /// Tests with a result for each build, in the order of the builds.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
}

/// What relative results of a group of tests come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
}

/// `value` in units of `base`. Nothing of nothing is 1, and something of nothing is infinite, as the
/// field's scripts have it.
pub fn relative_to(value: f64, base: f64) -> f64 {
    match (value == 0.0, base == 0.0) {
        (true, true) => 1.0,
        (false, true) => f64::INFINITY,
        _ => value / base,
    }
}

/// Something that was counted in a second, for each operation: context switches, or percents of the
/// processors.
pub fn per_operation(per_second: f64, ops_per_second: f64) -> Option<f64> {
    (ops_per_second > 0.0).then(|| per_second / ops_per_second)
}

impl Table {
    /// Each result divided by the base's. Without a result of the base there is none.
    pub fn relative(&self) -> Self {
        let of_row = |(test, results): &(String, Vec<Option<f64>>)| {
            let base = results.first().copied().flatten();
            let relative =
                results.iter().map(|result| Some(relative_to((*result)?, base?))).collect();
            (test.clone(), relative)
        };
        Self { builds: self.builds.clone(), rows: self.rows.iter().map(of_row).collect() }
    }

    /// What the results of a build come to, by its index; none if it has none.
    pub fn group(&self, build: usize) -> Option<Group> {
        let results: Vec<f64> =
            self.rows.iter().filter_map(|(_, row)| row.get(build).copied().flatten()).collect();
        Some(Group {
            min: results.iter().copied().min_by(f64::total_cmp)?,
            max: results.iter().copied().max_by(f64::total_cmp)?,
            mean: results.iter().sum::<f64>() / results.len() as f64,
            median: median(&results)?,
        })
    }

    /// Lines of columns with tabs between them: builds in the head, the test's name last. What is not
    /// there is a hyphen.
    pub fn render(&self, decimals: usize) -> String {
        let mut text = format!("{}\ttest\n", self.builds.join("\t"));
        for (test, results) in &self.rows {
            for result in results {
                match result {
                    Some(value) => text.push_str(&format!("{value:.decimals$}\t")),
                    None => text.push_str("-\t"),
                }
            }
            text.push_str(&format!("{test}\n"));
        }
        text
    }
}
