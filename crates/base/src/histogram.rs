//! Counts of values by bucket, with the buckets and the text of RocksDB's histograms.

use std::fmt::Write;
/// How many buckets there are.
pub const BUCKETS: usize = 109;

/// Upper bounds of the buckets: 1, 2, then half as much again with two leading digits kept.
const LIMITS: [u64; BUCKETS] = {
    let mut limits = [1; BUCKETS];
    limits[1] = 2;
    let mut exact = 2.0f64;
    let mut index = 2;
    while index < BUCKETS {
        exact *= 1.5;
        let mut rounded = exact as u64;
        let mut scale = 1;
        while rounded / 10 > 10 {
            rounded /= 10;
            scale *= 10;
        }
        limits[index] = rounded * scale;
        index += 1;
    }
    limits
};

/// The bucket of each power of two.
const BUCKETS_OF_POWERS: [u8; 64] = {
    let mut buckets = [0; 64];
    let (mut power, mut index) = (0, 0u8);
    while power < 64 {
        while (index as usize) < BUCKETS - 1 && LIMITS[index as usize] < 1 << power {
            index += 1;
        }
        buckets[power] = index;
        power += 1;
    }
    buckets
};

/// Values below this have their bucket in a table: most sizes of values and times in microseconds.
const SMALL_VALUES: usize = 4096;

/// The bucket of each small value.
const BUCKETS_OF_SMALL_VALUES: [u8; SMALL_VALUES] = {
    let mut buckets = [0; SMALL_VALUES];
    let (mut value, mut index) = (0, 0u8);
    while value < SMALL_VALUES {
        while LIMITS[index as usize] < value as u64 {
            index += 1;
        }
        buckets[value] = index;
        value += 1;
    }
    buckets
};

/// The bucket of a value.
#[inline]
pub fn bucket_of(value: u64) -> usize {
    static SMALL: [u8; SMALL_VALUES] = BUCKETS_OF_SMALL_VALUES;
    match usize::try_from(value).ok().and_then(|value| SMALL.get(value)) {
        Some(&bucket) => usize::from(bucket),
        None => bucket_of_large(value),
    }
}

#[cold]
fn bucket_of_large(value: u64) -> usize {
    // No more than three buckets begin between a power of two and the next.
    let mut bucket = usize::from(BUCKETS_OF_POWERS[value.max(1).ilog2() as usize]);
    while bucket < BUCKETS - 1 && LIMITS[bucket] < value {
        bucket += 1;
    }
    bucket
}

/// Counts of values by bucket.
#[derive(Clone, Debug)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        let buckets = vec![0; BUCKETS];
        Self { buckets, count: 0, sum: 0.0, sum_of_squares: 0.0, min: u64::MAX, max: 0 }
    }
}

/// A histogram taken apart.
#[derive(Clone, Debug)]
pub struct HistogramParts {
    /// Values by bucket, [`BUCKETS`] of them.
    pub buckets: Vec<u64>,
    /// All values together.
    pub sum: f64,
    /// Their squares together.
    pub sum_of_squares: f64,
    /// The smallest value; `u64::MAX` if there is none.
    pub min: u64,
    /// The largest value; 0 if there is none.
    pub max: u64,
}

impl From<HistogramParts> for Histogram {
    fn from(parts: HistogramParts) -> Self {
        let HistogramParts { mut buckets, sum, sum_of_squares, min, max } = parts;
        buckets.resize(BUCKETS, 0);
        let count = buckets.iter().sum();
        Self { buckets, count, sum, sum_of_squares, min, max }
    }
}

impl Histogram {
    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.buckets[bucket_of(value)] += 1;
        self.count += 1;
        self.sum += value as f64;
        self.sum_of_squares += (value as f64) * (value as f64);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds a value so many times.
    pub fn add_times(&mut self, value: u64, times: u64) {
        if times == 0 {
            return;
        }
        let (float, count) = (value as f64, times as f64);
        self.buckets[bucket_of(value)] += times;
        self.count += times;
        self.sum += float * count;
        self.sum_of_squares += float * float * count;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds everything `other` has.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The value below which `percent` of the values lie, interpolated inside its bucket.
    pub fn percentile(&self, percent: f64) -> f64 {
        let threshold = self.count as f64 * (percent / 100.0);
        let mut cumulative = 0;
        for (index, &in_bucket) in self.buckets.iter().enumerate() {
            cumulative += in_bucket;
            if cumulative as f64 >= threshold {
                let left = if index == 0 { 0 } else { LIMITS[index - 1] } as f64;
                let right = LIMITS[index] as f64;
                let before = (cumulative - in_bucket) as f64;
                let position =
                    if in_bucket == 0 { 0.0 } else { (threshold - before) / in_bucket as f64 };
                let value = left + (right - left) * position;
                return value.max(self.min() as f64).min(self.max as f64);
            }
        }
        self.max as f64
    }

    /// All values together.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The smallest value; 0 if there is none.
    pub fn min(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min }
    }

    /// The largest value; 0 if there is none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The mean; 0 if there is no value.
    pub fn average(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The standard deviation; 0 if there is no value.
    pub fn standard_deviation(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let count = self.count as f64;
        let variance = (self.sum_of_squares * count - self.sum * self.sum) / (count * count);
        variance.max(0.0).sqrt()
    }
}

/// As RocksDB prints it, a newline at the end of each line.
impl std::fmt::Display for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "Count: {} Average: {:.4}  StdDev: {:.2}",
            self.count,
            self.average(),
            self.standard_deviation()
        )?;
        writeln!(
            f,
            "Min: {}  Median: {:.4}  Max: {}",
            self.min(),
            self.percentile(50.0),
            self.max
        )?;
        let mut percentiles = String::from("Percentiles:");
        for (name, percent) in
            [("P50", 50.0), ("P75", 75.0), ("P99", 99.0), ("P99.9", 99.9), ("P99.99", 99.99)]
        {
            write!(percentiles, " {name}: {:.2}", self.percentile(percent))?;
        }
        writeln!(f, "{percentiles}\n{}", "-".repeat(54))?;
        if self.count == 0 {
            return Ok(());
        }
        let scale = 100.0 / self.count as f64;
        let mut cumulative = 0;
        for (index, &in_bucket) in self.buckets.iter().enumerate() {
            if in_bucket == 0 {
                continue;
            }
            cumulative += in_bucket;
            let (bracket, left) = if index == 0 { ('[', 0) } else { ('(', LIMITS[index - 1]) };
            let marks = (20.0 * in_bucket as f64 / self.count as f64 + 0.5) as usize;
            writeln!(
                f,
                "{bracket} {left:7}, {:7} ] {in_bucket:8} {:7.3}% {:7.3}% {}",
                LIMITS[index],
                scale * in_bucket as f64,
                scale * cumulative as f64,
                "#".repeat(marks)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
