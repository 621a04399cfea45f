//! For which release an OPTIONS file is written: the oldest one that knows every option that is not
//! the default. Releases read what older ones wrote, not the other way round, and an option that is
//! left out because the release does not know it would be lost.

use super::{ColumnFamilySection, DEFAULT_COLUMN_FAMILY, OptionsFile};
use crate::config::ConfigOptions;
use crate::release::Release;
use crate::schema::cf::ColumnFamilyOptions;
use crate::schema::db::DbOptions;

/// The oldest release that OPTIONS files are written for.
const OLDEST_WRITTEN: Release = Release::new(6, 29, 5);
/// Major releases after that with the last minor one of each, as far as they brought options.
const MINORS: [(u32, u32); 5] = [(7, 10), (8, 11), (9, 11), (10, 10), (11, 9)];

impl DbOptions {
    /// The oldest release whose OPTIONS files hold all of these, from 6.29.5 on.
    pub fn oldest_release(&self) -> Release {
        OptionsFile { db: self.clone(), ..defaults() }.oldest_release()
    }
}

impl ColumnFamilyOptions {
    /// As [`DbOptions::oldest_release`], with those of the table format.
    pub fn oldest_release(&self) -> Release {
        let section =
            ColumnFamilySection { name: DEFAULT_COLUMN_FAMILY.into(), options: self.clone() };
        OptionsFile { column_families: vec![section], ..defaults() }.oldest_release()
    }
}

fn defaults() -> OptionsFile {
    let default = ColumnFamilySection {
        name: DEFAULT_COLUMN_FAMILY.into(),
        options: ColumnFamilyOptions::default(),
    };
    OptionsFile { column_families: vec![default], ..OptionsFile::default() }
}

fn releases() -> Vec<Release> {
    let later = MINORS
        .into_iter()
        .flat_map(|(major, last)| (0..=last).map(move |minor| Release::new(major, minor, 0)));
    std::iter::once(OLDEST_WRITTEN).chain(later).collect()
}

impl OptionsFile {
    /// The oldest release for which nothing is left out that matters.
    fn oldest_release(&self) -> Release {
        let complete = self.through(Release::NEWEST_KNOWN);
        if self.through(OLDEST_WRITTEN) == complete {
            return OLDEST_WRITTEN;
        }
        let releases = releases();
        // What a release knows, later ones know.
        let first = releases.partition_point(|release| self.through(*release) != complete);
        releases.get(first).copied().unwrap_or(Release::NEWEST_KNOWN)
    }

    /// All options as they are after having been in an OPTIONS file of `release`.
    fn through(&self, release: Release) -> Option<Vec<u8>> {
        let read =
            Self::parse_content(&self.to_content(release), &ConfigOptions::default()).ok()?;
        Some(read.to_content(Release::NEWEST_KNOWN))
    }
}

#[cfg(test)]
mod tests;
