//! `checkconsistency`: whether the database can be opened, with every table there and as large as
//! the MANIFEST says.

use super::failure::Outcome;
use super::session::Session;

/// More levels than any database has: their number is not what is checked.
const NUM_LEVELS: i32 = 64;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    session.open_with(|options| options.num_levels = NUM_LEVELS)?;
    writeln!(session.out, "OK")?;
    Ok(())
}
