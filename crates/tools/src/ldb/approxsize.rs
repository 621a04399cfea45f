//! `approxsize`: how many bytes a range of keys takes in tables, about.

use super::failure::{Failure, Outcome};
use super::session::Session;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let from = bound(session, "from")?;
    let to = bound(session, "to")?;
    let opened = session.open()?;
    let sizes = opened.db.approximate_sizes(&opened.family, &[from..to]);
    let sizes =
        sizes.map_err(|status| Failure::new(format!("ApproximateSize failed: {status}")))?;
    writeln!(session.out, "{}", sizes.iter().sum::<u64>())?;
    Ok(())
}

fn bound(session: &Session<'_>, name: &str) -> Outcome<Vec<u8>> {
    let key = session.arguments.key(name, session.is_key_hex)?;
    key.ok_or_else(|| Failure::new(format!("{name} must be specified for approxsize command")))
}
