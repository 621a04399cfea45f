//! Options of calls that the engine does not act on: what is only accepted is warned of once, with
//! what is refused set a call fails.

use crate::db_impl::DbImpl;
use base::call_options::{CallOption, CallOptions, Support};
use base::{Result, Status};
use parking_lot::Mutex;

/// What was warned of since the open.
#[derive(Debug, Default)]
pub(crate) struct CallWarnings {
    said: Mutex<Vec<String>>,
}

impl CallWarnings {
    /// All of it, the first one first.
    pub(crate) fn list(&self) -> Vec<String> {
        self.said.lock().clone()
    }

    /// Whether this was not said before.
    fn is_new(&self, sentence: &str) -> bool {
        let mut said = self.said.lock();
        let is_new = !said.iter().any(|known| known == sentence);
        if is_new {
            said.push(sentence.to_owned());
        }
        is_new
    }
}

impl DbImpl {
    /// Lets a call with these options begin.
    ///
    /// # Errors
    /// `NotSupported` that names the option, if one is set that is refused.
    #[inline]
    pub(crate) fn check_call<O: CallOptions>(&self, options: &O) -> Result<()> {
        if options.is_plain() { Ok(()) } else { self.object_to(O::NAME, &options.unhonoured()) }
    }

    #[cold]
    fn object_to(&self, owner: &str, set: &[&'static CallOption]) -> Result<()> {
        for CallOption { name, default, support, .. } in set {
            if *support == Support::Refused {
                return Err(Status::not_supported(format!(
                    "{name} of {owner} is not offered by this engine: leave it at {default}"
                )));
            }
            let sentence =
                format!("{name} of {owner} is not {default}: accepted, not honoured yet");
            if self.call_warnings.is_new(&sentence)
                && let Some(writing) = &self.writing
            {
                writing.info_log.warn(format_args!("{sentence}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
