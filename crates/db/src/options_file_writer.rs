//! The OPTIONS file of an open database, so that tools and the next process find its options.
//!
//! It is written anew with every change of the set of column families. With thousands of these
//! that takes long, so that beyond [`ALWAYS_WRITTEN_MAX`] of them it is written a little later, for
//! several changes together, and takes a tenth of the time at most; at latest when the database is
//! closed. Nothing but tools depends on it.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use base::Result;
use base::filename::{options_file_name, temp_file_name};
use env::thread_pool::Priority;
use env::write_file_atomically;
use options::{ColumnFamilyOptions, ColumnFamilyText, OptionsFile, Release};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// With up to so many column families every change is in an OPTIONS file when it returns.
const ALWAYS_WRITTEN_MAX: usize = 100;
/// Later ones wait so many times as long as the last file took.
const REST_FACTOR: u32 = 10;
/// Files kept: the one in use and the one before.
const KEPT: usize = 2;

/// The sections of column families with the same options.
#[derive(Debug)]
pub(crate) struct FamilyText {
    newest: ColumnFamilyText,
    /// The oldest release that knows all options that are set.
    oldest_release: Release,
    /// As a release reads them.
    written: Mutex<Option<(Release, Arc<ColumnFamilyText>)>>,
}

/// What is known of OPTIONS files.
#[derive(Debug, Default)]
pub(crate) struct OptionsFiles {
    /// Texts by their hashes.
    texts: HashMap<u64, Weak<FamilyText>>,
    hasher: RandomState,
    /// Numbers of those that are there.
    numbers: BTreeSet<u64>,
    /// There is a change that is in no file.
    is_due: bool,
    /// A job will see to it.
    is_scheduled: bool,
    /// When a file may be written for it.
    not_before: Option<Instant>,
}

impl OptionsFiles {
    /// Takes note of the numbers of files that were there when the database was opened.
    pub(crate) fn note_found(&mut self, numbers: Vec<u64>) {
        self.numbers.extend(numbers);
    }

    /// Files with smaller numbers may go.
    pub(crate) fn oldest_kept(&self) -> u64 {
        self.numbers.iter().rev().nth(KEPT - 1).copied().unwrap_or(0)
    }

    /// The numbers of those that may go, which are known no more.
    pub(crate) fn take_old(&mut self) -> BTreeSet<u64> {
        let kept = self.numbers.split_off(&self.oldest_kept());
        std::mem::replace(&mut self.numbers, kept)
    }

    /// The text of `options`, the same for all that are equal: thousands of column families often
    /// are.
    fn text_of(&mut self, options: &ColumnFamilyOptions) -> Arc<FamilyText> {
        let newest = ColumnFamilyText::of(options, Release::NEWEST_KNOWN);
        let hash = self.hasher.hash_one(&newest);
        if let Some(known) = self.texts.get(&hash).and_then(Weak::upgrade)
            && known.newest == newest
        {
            return known;
        }
        let oldest_release = options.oldest_release();
        let text = Arc::new(FamilyText { newest, oldest_release, written: Mutex::default() });
        self.texts.retain(|_, text| text.strong_count() > 0);
        self.texts.insert(hash, Arc::downgrade(&text));
        text
    }
}

impl FamilyText {
    fn as_of(&self, release: Release, options: &ColumnFamilyOptions) -> Arc<ColumnFamilyText> {
        let mut written = self.written.lock();
        match &*written {
            Some((known, text)) if *known == release => text.clone(),
            _ => {
                let text = Arc::new(ColumnFamilyText::of(options, release));
                *written = Some((release, text.clone()));
                text
            }
        }
    }
}

impl DbImpl {
    /// To be called when there are other column families: writes a new OPTIONS file, now or soon.
    ///
    /// # Errors
    /// `IoError`.
    pub(crate) fn column_families_changed(self: &Arc<Self>) -> Result<()> {
        let writing = self.writing()?;
        let mut files = writing.options_file.lock();
        files.is_due = true;
        let is_early = files.not_before.is_some_and(|at| Instant::now() < at);
        if !is_early || self.families.load().len() <= ALWAYS_WRITTEN_MAX {
            drop(files);
            return self.write_options_file();
        }
        if !files.is_scheduled {
            let db = self.clone();
            let job = move || db.background_options_file();
            // A database that closes sees to it itself.
            files.is_scheduled = writing.pool.schedule(Priority::Bottom, job).is_ok();
        }
        Ok(())
    }

    fn background_options_file(&self) {
        let Ok(writing) = self.writing() else { return };
        let until = writing.options_file.lock().not_before.unwrap_or_else(Instant::now);
        let mut state = writing.state.lock();
        while !writing.is_closing.load(Ordering::Acquire) && Instant::now() < until {
            writing.changed.wait_until(&mut state, until);
        }
        drop(state);
        writing.options_file.lock().is_scheduled = false;
        if !writing.is_closing.load(Ordering::Acquire) {
            // The next change, or the end, tries again.
            let _ = self.write_due_options_file(writing);
        }
    }

    /// Writes an OPTIONS file if there is a change that is in none.
    pub(crate) fn write_due_options_file(&self, writing: &Writing) -> Result<()> {
        let is_due = writing.options_file.lock().is_due;
        if is_due { self.write_options_file() } else { Ok(()) }
    }

    /// Writes the options of the database and of its column families into a new OPTIONS file, and
    /// deletes all but the one before it.
    pub(crate) fn write_options_file(&self) -> Result<()> {
        let writing = self.writing()?;
        let start = Instant::now();
        // One at a time, so that the newest file is of the newest state.
        let mut files = writing.options_file.lock();
        files.is_due = true;
        let content = self.options_file_content(&mut files);
        let number = writing.file_numbers.next();
        let path = options_file_name(&self.path, number);
        let temp = temp_file_name(&self.path, number);
        write_file_atomically(&*self.context.file_system, &path, &temp, &content)?;
        files.is_due = false;
        files.numbers.insert(number);
        let result = self.delete_old_options_files(&mut files);
        let end = Instant::now();
        let rest = (end - start).saturating_mul(REST_FACTOR).min(Duration::from_secs(60));
        files.not_before = Some(end + rest);
        result
    }

    fn options_file_content(&self, files: &mut OptionsFiles) -> Vec<u8> {
        let families = self.families.load();
        let mut text_of = |family: &Arc<ColumnFamilyData>| {
            let options = family.options();
            let mut known = family.options_text.lock();
            match &*known {
                Some((of, text)) if Arc::ptr_eq(of, &options) => text.clone(),
                _ => {
                    let text = files.text_of(&options);
                    *known = Some((options, text.clone()));
                    text
                }
            }
        };
        let texts: Vec<_> = families.iter().map(&mut text_of).collect();
        // Nothing that is set may be left out, and as many releases as possible are to read it.
        let oldest = texts.iter().map(|text| text.oldest_release);
        let release = oldest.max().unwrap_or_default().max(self.options().oldest_release());
        let mut content = OptionsFile::opening(&self.options(), release);
        for (family, text) in families.iter().zip(&texts) {
            text.as_of(release, &family.options()).append_to(&mut content, &family.name);
        }
        content
    }
}
