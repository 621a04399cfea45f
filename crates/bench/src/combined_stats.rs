//! Several runs of one benchmark: averages, 95 % confidence, median.

use crate::stats::Stats;

/// Rates of the runs so far.
#[derive(Clone, Debug, Default)]
pub struct CombinedStats {
    operations: Vec<f64>,
    megabytes: Vec<f64>,
}

impl CombinedStats {
    /// Adds a run.
    pub fn add(&mut self, stats: &Stats) {
        self.operations.push(stats.operations_per_second());
        self.megabytes.extend(stats.megabytes_per_second());
    }

    fn has_megabytes(&self) -> bool {
        self.megabytes.len() == self.operations.len()
    }

    /// The line after each run from the second on; `confidence_interval_only` chooses the form
    /// with bounds.
    pub fn line(&self, name: &str, confidence_interval_only: bool) -> Option<String> {
        let runs = self.operations.len();
        if runs < 2 {
            return None;
        }
        let (average, error) = (average(&self.operations), confidence95(&self.operations));
        let mut line = if confidence_interval_only {
            let (average, error) = (average as i64, error as i64);
            format!(
                "{name} [CI95 {runs} runs] : ({}, {}) ops/sec",
                average - error,
                average + error
            )
        } else {
            format!("{name} [AVG {runs} runs] : {} (± {}) ops/sec", average as i64, error as i64)
        };
        if self.has_megabytes() {
            let (rate, error) = (self::average(&self.megabytes), confidence95(&self.megabytes));
            line += &if confidence_interval_only {
                format!("; ({:.1}, {:.1}) MB/sec", rate - error, rate + error)
            } else {
                format!("; {rate:6.1} (± {error:.1}) MB/sec")
            };
        }
        Some(line)
    }

    /// The two lines at the end.
    pub fn final_lines(&self, name: &str) -> Option<String> {
        let runs = self.operations.len();
        if runs < 2 {
            return None;
        }
        let (mean, error) =
            (average(&self.operations) as i64, confidence95(&self.operations) as i64);
        let middle = median(&self.operations) as i64;
        let (mut with_mean, mut with_middle) = (String::new(), String::new());
        if self.has_megabytes() {
            let (rate, rate_error) = (average(&self.megabytes), confidence95(&self.megabytes));
            with_mean = format!("; {rate:6.1} (± {rate_error:.1}) MB/sec");
            with_middle = format!("; {:6.1} MB/sec", median(&self.megabytes));
        }
        Some(format!(
            "{name} [AVG    {runs} runs] : {mean} (± {error}) ops/sec{with_mean}\n\
             {name} [MEDIAN {runs} runs] : {middle} ops/sec{with_middle}"
        ))
    }
}

fn average(data: &[f64]) -> f64 {
    data.iter().sum::<f64>() / data.len() as f64
}

/// Half the width of the interval in which the mean lies with 95 % confidence, for normal samples.
fn confidence95(data: &[f64]) -> f64 {
    const Z95: f64 = 1.959_964;
    let mean = average(data);
    let sum: f64 = data.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (sum / (data.len() as f64 - 1.0)).sqrt();
    Z95 * deviation / (data.len() as f64).sqrt()
}

fn median(data: &[f64]) -> f64 {
    let mut sorted = data.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

#[cfg(test)]
mod tests;
