//! A session: requests in, answers out, one database open at a time.

use std::ffi::{CString, OsStr};
use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};
use testing::judges::protocol::{Answer, Bytes, Request};

use crate::ffi::database::{self, Database};
use crate::ffi::{Failure, Result};
use librocksdb::Functions;

/// What a process of the driver knows.
pub(crate) struct Session {
    functions: Rc<Functions>,
    database: Option<Database>,
}

impl Session {
    pub(crate) fn new(functions: Functions) -> Self {
        Self { functions: Rc::new(functions), database: None }
    }

    /// Answers one line of input.
    pub(crate) fn answer(&mut self, line: &str) -> Answer {
        let done = match serde_json::from_str(line) {
            Ok(request) => self.run(request),
            Err(error) => Err(Failure::Refused(format!("not understood: {error}"))),
        };
        match done {
            Ok(value) => Answer::Ok(value),
            Err(Failure::Refused(status)) => Answer::Error(status),
            Err(Failure::Unsupported(what)) => Answer::Unsupported(what),
        }
    }

    fn run(&mut self, request: Request) -> Result<Value> {
        match request {
            Request::ListFamilies { directory } => return self.list_families(&directory),
            Request::Open(opening) => {
                self.database = None;
                self.database = Some(Database::open(&self.functions, &opening)?);
                return Ok(Value::Null);
            }
            Request::Close => {
                self.database = None;
                return Ok(Value::Null);
            }
            _ => {}
        }
        let no_database = || Failure::Refused("no database is open".to_owned());
        let database = self.database.as_mut().ok_or_else(no_database)?;
        if let Some(read) = read(database, &request)? {
            Ok(read)
        } else {
            change(database, request)
        }
    }

    fn list_families(&self, directory: &Path) -> Result<Value> {
        let path: &OsStr = directory.as_os_str();
        let path = CString::new(path.as_encoded_bytes())
            .map_err(|_| Failure::Refused("a zero byte in the path".to_owned()))?;
        let names = database::list_families(&self.functions, &path)?;
        Ok(json!(names.iter().map(|name| Bytes::from(name.as_bytes())).collect::<Vec<_>>()))
    }
}

/// Requests that change nothing; `None` for all others.
fn read(database: &Database, request: &Request) -> Result<Option<Value>> {
    Ok(Some(match request {
        Request::LiveFiles => json!(database.live_files()?),
        Request::Dump { timestamp, snapshot } => {
            json!(database.dump(timestamp.as_ref(), *snapshot)?)
        }
        Request::LatestSequence => json!(database.latest_sequence()?),
        Request::Property { family, name } => json!(database.property(family, name)?),
        Request::IntProperty { family, name } => json!(database.int_property(family, name)?),
        Request::Get { family, key, snapshot } => {
            json!(database.get(family, key, *snapshot)?.map(Bytes))
        }
        Request::WaitForIdle => json!(database.wait_for_idle()?),
        _ => return Ok(None),
    }))
}

fn change(database: &mut Database, request: Request) -> Result<Value> {
    match request {
        Request::CreateFamily(family) => database.create_family(&family)?,
        Request::DropFamily { family } => database.drop_family(&family)?,
        Request::Write { operations, sync, disable_wal } => {
            database.write(&operations, sync, disable_wal)?;
        }
        Request::Snapshot => return Ok(json!(database.snapshot()?)),
        Request::ReleaseSnapshot { snapshot } => database.release_snapshot(snapshot)?,
        Request::Iterator { family, snapshot, lower, upper } => {
            return Ok(json!(database.iterator(&family, snapshot, (lower, upper))?));
        }
        Request::Move { iterator, to } => {
            let entry = database.go(iterator, &to)?;
            return Ok(json!(entry.map(|(key, value)| (Bytes(key), Bytes(value)))));
        }
        Request::DropIterator { iterator } => database.drop_iterator(iterator),
        Request::Flush { families } => database.flush(&families)?,
        Request::SetOptions { family, options } => {
            database.set_options(family.as_ref(), &options)?;
        }
        Request::WriteTable { path, operations } => database.write_table(&path, &operations)?,
        Request::Ingest { family, paths } => database.ingest(&family, &paths)?,
        Request::Compact { family } => database.compact(&family)?,
        Request::Transaction { name, step } => database.transaction(&name, &step)?,
        Request::PreparedTransactions => return Ok(json!(database.prepared_transactions()?)),
        other => return Err(Failure::Refused(format!("cannot {other:?}"))),
    }
    Ok(Value::Null)
}
