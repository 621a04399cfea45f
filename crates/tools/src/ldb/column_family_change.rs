//! `create_column_family` and `drop_column_family`.

use super::failure::{Failure, Outcome};
use super::session::Session;

pub(crate) fn create(session: &mut Session<'_>) -> Outcome {
    let [name] = session.arguments.parameters() else {
        return Err(Failure::new("new column family name must be specified"));
    };
    let writing = session.open_for_writing()?;
    let created = writing.db.create_column_family(&writing.new_family, name);
    created
        .map_err(|status| Failure::new(format!("Fail to create new column family: {status}")))?;
    writing.close()?;
    session.say_ok()
}

pub(crate) fn drop(session: &mut Session<'_>) -> Outcome {
    let [name] = session.arguments.parameters() else {
        return Err(Failure::new("The name of column family to drop must be specified"));
    };
    let writing = session.open_for_writing()?;
    // RocksDB does not find the only family of a database by its name.
    let family = match writing.db.column_family(name) {
        Some(family) if writing.db.column_families().count() > 1 || session.try_load_options => {
            family
        }
        _ => {
            return Err(Failure::new(format!("Column family: {name} doesn't exist in db.")));
        }
    };
    let dropped = writing.db.drop_column_family(&family);
    dropped.map_err(|status| Failure::new(format!("Fail to drop column family: {status}")))?;
    std::mem::drop(family);
    writing.close()?;
    session.say_ok()
}
