//! Takes the lines of a LOG, one by one, and keeps what the newest dumps say.

use crate::dump::{Dump, DumpedFamily, DumpedHistogram, Reads};

/// Columns of the table of levels: what stands above them, and their names in the map.
const COLUMNS: &[(&str, &str)] = &[
    ("Score", "Score"),
    ("Read(GB)", "ReadGB"),
    ("Rn(GB)", "RnGB"),
    ("Rnp1(GB)", "Rnp1GB"),
    ("Write(GB)", "WriteGB"),
    ("WPreComp(GB)", "WPreCompGB"),
    ("Wnew(GB)", "WnewGB"),
    ("Moved(GB)", "MovedGB"),
    ("W-Amp", "WriteAmp"),
    ("Rd(MB/s)", "ReadMBps"),
    ("Wr(MB/s)", "WriteMBps"),
    ("Comp(sec)", "CompSec"),
    ("CompMergeCPU(sec)", "CompMergeCPU"),
    ("Comp(cnt)", "CompCount"),
    ("Avg(sec)", "AvgSec"),
    ("KeyIn", "KeyIn"),
    ("KeyDrop", "KeyDrop"),
    ("Rblob(GB)", "RblobGB"),
    ("Wblob(GB)", "WblobGB"),
];

/// What releases before 8.1 call the reasons of stalls, and what later ones do.
const OLD_STALLS: &[(&str, &str)] = &[
    ("level0_slowdown", "l0-file-count-limit-delays"),
    ("level0_slowdown_with_compaction", "cf-l0-file-count-limit-delays-with-ongoing-compaction"),
    ("level0_numfiles", "l0-file-count-limit-stops"),
    ("level0_numfiles_with_compaction", "cf-l0-file-count-limit-stops-with-ongoing-compaction"),
    ("stop for pending_compaction_bytes", "pending-compaction-bytes-stops"),
    ("slowdown for pending_compaction_bytes", "pending-compaction-bytes-delays"),
    ("memtable_compaction", "memtable-limit-stops"),
    ("memtable_slowdown", "memtable-limit-delays"),
];

/// What the lines so far have told.
#[derive(Clone, Debug, Default)]
pub(crate) struct DumpParser {
    /// The last dumps before that, the older one first.
    done: Vec<Dump>,
    /// The one that the lines belong to.
    current: Option<Dump>,
    family: Option<String>,
    level: Option<usize>,
    /// What stands above the columns of a table of levels.
    columns: Vec<String>,
    last_stall: Option<String>,
}

impl DumpParser {
    /// For lines that stand in the middle of a dump.
    pub(crate) fn within_a_dump() -> Self {
        Self { current: Some(Dump::default()), ..Self::default() }
    }

    /// The newest dump that is complete, as far as can be known.
    pub(crate) fn newest(&self) -> Option<&Dump> {
        match (&self.current, self.done.last()) {
            (Some(current), Some(last)) if current.len() < last.len() => Some(last),
            (current, last) => current.as_ref().or(last),
        }
    }

    /// The dump before that.
    pub(crate) fn before_newest(&self) -> Option<&Dump> {
        let newest = self.newest()?;
        self.done.iter().rev().find(|dump| dump.at_micros < newest.at_micros)
    }

    /// The last line that tells of writes held back.
    pub(crate) fn last_stall(&self) -> Option<&str> {
        self.last_stall.as_deref()
    }

    /// Takes a line that is complete.
    pub(crate) fn line(&mut self, line: &str) {
        if let Some(at_micros) = env::line_time_micros(line) {
            self.stamped_line(line, at_micros);
            return;
        }
        let Some(dump) = &mut self.current else { return };
        let line = line.trim();
        if let Some((name, value)) = line.split_once(" COUNT : ").filter(|_| is_metric(line)) {
            add_metric(dump, name, value);
        } else if let Some(rest) = line.strip_prefix("** ") {
            self.title(rest);
        } else if self.family.is_some() {
            self.line_of_family(line);
        } else if let Some(rest) = line.strip_prefix("Uptime(secs): ") {
            dump.uptime_seconds = first_number(rest);
        } else if let Some(rest) = line.strip_prefix("Cumulative stall: ") {
            dump.stalled = Some(rest.to_owned());
        }
    }

    fn stamped_line(&mut self, line: &str, at_micros: u64) {
        self.family = None;
        self.columns.clear();
        if line.contains("DUMPING STATS") {
            self.done.extend(self.current.take());
            if self.done.len() > 2 {
                self.done.remove(0);
            }
            let at = line.split(' ').next().unwrap_or_default().to_owned();
            self.current = Some(Dump { at, at_micros, ..Dump::default() });
        } else if line.contains("Stalling writes because")
            || line.contains("Stopping writes because")
        {
            self.last_stall = Some(line.to_owned());
        } else if line.contains("Recovered from manifest file") {
            // It was opened anew: what was counted before is no more.
            *self = Self::default();
        }
    }

    /// `Compaction Stats [NAME] **`, and what else begins with two stars.
    fn title(&mut self, title: &str) {
        self.columns.clear();
        self.level = None;
        if let Some(rest) = title.strip_prefix("Level ") {
            self.level = rest.split(' ').next().and_then(|level| level.parse().ok());
            return;
        }
        let name = title.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']'));
        if let Some((name, _)) = name {
            self.family = Some(name.to_owned());
        } else if title.starts_with("DB Stats") {
            self.family = None;
        }
    }

    fn line_of_family(&mut self, line: &str) {
        let (Some(dump), Some(name)) = (&mut self.current, &self.family) else { return };
        let family = dump.families.entry(name.clone()).or_default();
        if line.starts_with("Level ") {
            self.columns = line.split_whitespace().map(str::to_owned).collect();
        } else if let Some(rest) = line.strip_prefix("Count: ") {
            if let (Some(level), Some(reads)) = (self.level.take(), reads(rest)) {
                family.reads.insert(level, reads);
            }
        } else if let Some(rest) = line.strip_prefix("Write Stall (count): ") {
            for part in rest.split(", ") {
                if let Some((name, count)) = part.split_once(": ")
                    && let Ok(count) = count.parse()
                {
                    family.stalls.insert(name.to_owned(), count);
                }
            }
        } else if let Some(rest) = line.strip_prefix("Stalls(count): ") {
            add_old_stalls(family, rest);
        } else if !self.columns.is_empty() {
            add_level(family, &self.columns, line);
        }
    }
}

fn is_metric(line: &str) -> bool {
    line.starts_with("rocksdb.") || line.starts_with("touchstone.")
}

/// `NAME COUNT : 12`, or `NAME P50 : 1.0 P95 : 2.0 P99 : 3.0 P100 : 4.0 COUNT : 9 SUM : 10`.
fn add_metric(dump: &mut Dump, name: &str, value: &str) {
    let Some((name, quantiles)) = name.split_once(" P50 : ") else {
        if let (false, Ok(count)) = (name.contains(' '), value.parse()) {
            dump.tickers.insert(name.to_owned(), count);
        }
        return;
    };
    let numbers: Vec<f64> = quantiles.split(' ').filter_map(|word| word.parse().ok()).collect();
    let counts = value.split_once(" SUM : ");
    let counts = counts.and_then(|(count, sum)| Some((count.parse().ok()?, sum.parse().ok()?)));
    if let (Ok(quantiles), Some((count, sum))) = (numbers.try_into(), counts) {
        dump.histograms.insert(name.to_owned(), DumpedHistogram { quantiles, count, sum });
    }
}

/// `15908 Average: 2.5592  StdDev: 171.27`.
fn reads(rest: &str) -> Option<Reads> {
    let (count, rest) = rest.split_once(" Average: ")?;
    Some(Reads { count: count.parse().ok()?, mean_micros: first_number(rest)? })
}

/// `3 level0_slowdown, 0 stop for pending_compaction_bytes, …, interval 0 total count`.
fn add_old_stalls(family: &mut DumpedFamily, line: &str) {
    for part in line.split(", ") {
        if let Some((count, old)) = part.split_once(' ')
            && let Some((_, name)) = OLD_STALLS.iter().find(|(name, _)| *name == old)
            && let Ok(count) = count.parse()
        {
            family.stalls.entry((*name).to_owned()).or_insert(count);
        }
    }
}

/// `L0      1/0   439.35 KB   0.2 …`: the size is two words.
fn add_level(family: &mut DumpedFamily, columns: &[String], line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let level = words.first().and_then(|word| word.strip_prefix('L')?.parse::<usize>().ok());
    let (Some(level), true) = (level, words.len() == columns.len() + 1 && words.len() > 4) else {
        return;
    };
    let row = family.levels.entry(level).or_default();
    let compacted = words[1].split_once('/').and_then(|(_, files)| files.parse().ok());
    row.extend(compacted.map(|files| ("CompactedFiles", files)));
    for (header, word) in columns[3..].iter().zip(&words[4..]) {
        let column = COLUMNS.iter().find(|(shown, _)| shown == header);
        if let (Some((_, name)), Some(value)) = (column, human(word)) {
            row.insert(name, value);
        }
    }
}

/// `549K` and its like, rounded as it is.
fn human(word: &str) -> Option<f64> {
    let (digits, unit) = match word.as_bytes().last()? {
        b'K' => (&word[..word.len() - 1], 1e3),
        b'M' => (&word[..word.len() - 1], 1e6),
        b'G' => (&word[..word.len() - 1], 1e9),
        _ => (word, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * unit)
}

fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}
