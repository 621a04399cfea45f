//! The files that a job has created: removed again unless the job succeeds.

use crate::job_environment::{JobEnvironment, NewOutputFile, OutputFileHint};
use base::Result;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Creates files and remembers them. Dropping it removes them.
pub(crate) struct CreatedFiles<'a> {
    environment: &'a dyn JobEnvironment,
    files: Mutex<Vec<(u64, PathBuf)>>,
}

impl<'a> CreatedFiles<'a> {
    pub(crate) fn new(environment: &'a dyn JobEnvironment) -> Self {
        Self { environment, files: Mutex::default() }
    }

    pub(crate) fn environment(&self) -> &'a dyn JobEnvironment {
        self.environment
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, PathBuf)>> {
        // A list that was pushed to is whole, whoever panicked.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new_table_file(&self, hint: &OutputFileHint) -> Result<NewOutputFile> {
        let output = self.environment.new_table_file(hint)?;
        self.lock().push((output.number, output.path.clone()));
        Ok(output)
    }

    pub(crate) fn new_blob_file(&self) -> Result<NewOutputFile> {
        let output = self.environment.new_blob_file()?;
        self.lock().push((output.number, output.path.clone()));
        Ok(output)
    }

    /// Removes one file now.
    pub(crate) fn discard(&self, number: u64) {
        let file = {
            let mut files = self.lock();
            let position = files.iter().position(|(file, _)| *file == number);
            position.map(|position| files.swap_remove(position))
        };
        if let Some((number, path)) = file {
            self.environment.discard_file(number, &path);
        }
    }

    /// The files stay.
    pub(crate) fn keep(self) {
        self.lock().clear();
    }
}

impl Drop for CreatedFiles<'_> {
    fn drop(&mut self) {
        for (number, path) in std::mem::take(&mut *self.lock()) {
            self.environment.discard_file(number, &path);
        }
    }
}
