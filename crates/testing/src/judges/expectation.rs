//! What a judge should find in a directory.

use super::Judge;
use super::protocol::{Comparator, Content, FamilyOpening, LiveFile, MergeOperator};
use crate::fixtures::{Fixture, OpenedAs};

/// What a directory holds.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// The oldest release that can read the directory, such as `8.11.4`. Older judges are not
    /// asked: not all of them notice what they do not know. Empty: all can.
    pub since: String,
    /// Codecs that are in the directory and that not every judge was built with: `Zlib`.
    pub codecs: Vec<&'static str>,
    /// Options that opening needs, as RocksDB's parser takes them.
    pub options: String,
    /// Every family.
    pub families: Vec<ExpectedFamily>,
    /// All tables; `None`: they are not compared. A file's family counts where a judge says it.
    pub live_files: Option<Vec<LiveFile>>,
    /// The latest sequence number; `None`: it is not compared.
    pub latest_sequence: Option<u64>,
    /// Whether the directory's OPTIONS file must be good for opening it too.
    pub has_options_file: bool,
}

/// What a family holds, and how it is opened.
#[derive(Clone, Debug)]
pub struct ExpectedFamily {
    /// Its name and what opening it needs.
    pub opening: FamilyOpening,
    /// Its pairs.
    pub content: Content,
}

/// Options of a fixture's families that reading it needs, whatever the release.
const NEEDED: [&str; 3] = ["prefix_extractor", "num_levels", "compaction_style"];

/// Options of a fixture that strings cannot say, which a judge can do with or without.
const KNOWN: [&str; 3] = ["@comparator", "@merge", "@bloom"];

impl Expectation {
    /// Whether a judge has what it takes to read the directory.
    pub(super) fn is_for(&self, judge: &Judge) -> bool {
        let lacks = |codec: &&'static str| judge.lacks(codec);
        (self.since.is_empty() || judge.is_since(&self.since)) && !self.codecs.iter().any(lacks)
    }

    /// What a fixture's record says of it. `None` for a fixture that is opened with more than
    /// option strings, in which RocksDB found an error, or whose record has no plain reading.
    #[must_use]
    pub fn of_fixture(fixture: &Fixture) -> Option<Self> {
        let case = &fixture.case;
        let specials =
            case.options.db.keys().chain(case.options.cf.values().flat_map(|cf| cf.keys()));
        let mut specials = specials.filter(|name| name.starts_with('@'));
        let is_plain = case.opened_as == OpenedAs::Db
            && case.read_with == "ro"
            && case.changed.is_none()
            && case.expect.open_error.is_none();
        if !is_plain || !specials.all(|name| KNOWN.contains(&name.as_str())) {
            return None;
        }
        let mut families = Vec::new();
        for (name, found) in &case.expect.cf {
            let mut opening = FamilyOpening::new(name.as_bytes(), &needed(fixture, name));
            opening.comparator = match case.options.comparator(name) {
                None => None,
                Some("reverse") => Some(Comparator::Reverse),
                Some("shortlex") => Some(Comparator::ShortLex),
                Some(_) => return None,
            };
            opening.merge_operator = match case.options.merge_operator(name) {
                None => None,
                Some("uint64add") => Some(MergeOperator::Uint64Add),
                Some("stringappend") => Some(MergeOperator::StringAppend),
                Some("append") => Some(MergeOperator::Append),
                Some(_) => return None,
            };
            let content = Content {
                count: found.count?,
                sha256: found.sha256.clone()?,
                columns_sha256: found.columns_sha256.clone(),
                error: found.error.clone(),
            };
            families.push(ExpectedFamily { opening, content });
        }
        Some(Self {
            since: fixture.release.clone(),
            families,
            latest_sequence: case.expect.latest_sequence_number,
            ..Self::default()
        })
    }
}

fn needed(fixture: &Fixture, family: &str) -> String {
    let strings = fixture.case.options.cf_strings(family).into_iter();
    let needed = strings.filter(|(name, _)| NEEDED.contains(&name.as_str()));
    needed.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";")
}
