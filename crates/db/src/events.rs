//! What happens in a database, told wherever it is heard: in the info log, by listeners, and as
//! `tracing` events. One function for each event, from one set of facts.
//!
//! Listeners may call the database, so none is called by a thread that holds one of its locks. Such a
//! thread says so with a [`Hold`]; what it tells waits, and so does what is told under the state's
//! lock ([`Events::tell_later`]). Whoever tells something next without a lock delivers what waits, as
//! do writes, flushes and compactions at their ends.

mod compactions;
mod errors;
mod file_operations;
mod files;
mod flushes;
mod ingestions;
mod lifecycle;
mod manual_compactions;
mod stalls;

use crate::caught_panic::text_of;
use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::event_listener::EventListener;
use crate::info_log::InfoLog;
pub(crate) use compactions::CompactionFacts;
pub(crate) use errors::ErrorVerdict;
pub(crate) use file_operations::watched;
pub(crate) use files::{FileFacts, NO_CHECKSUM_FUNCTION};
pub(crate) use flushes::FlushFacts;
use parking_lot::Mutex;
pub(crate) use stalls::pressure;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Something to be told when no lock is held.
type Waiting = Box<dyn FnOnce(&Events) + Send>;

/// Tells what happens.
pub(crate) struct Events {
    pub(crate) log: Arc<InfoLog>,
    db_name: PathBuf,
    listeners: Vec<Arc<dyn EventListener>>,
    /// The database, once it is open.
    db: OnceLock<Weak<DbImpl>>,
    waiting: Mutex<Vec<Waiting>>,
    has_waiting: AtomicBool,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Events");
        debug.field("db_name", &self.db_name).field("listeners", &self.listeners);
        debug.finish_non_exhaustive()
    }
}

thread_local! {
    static HOLDS: Cell<usize> = const { Cell::new(0) };
}

/// While one lives, its thread calls no listener: it holds a lock that a listener may need.
#[derive(Debug)]
pub(crate) struct Hold(PhantomData<*const ()>);

impl Hold {
    #[inline]
    pub(crate) fn begin() -> Self {
        HOLDS.set(HOLDS.get() + 1);
        Self(PhantomData)
    }

    /// Whether this thread holds anything.
    fn is_held() -> bool {
        HOLDS.get() > 0
    }
}

impl Drop for Hold {
    #[inline]
    fn drop(&mut self) {
        HOLDS.set(HOLDS.get() - 1);
    }
}

impl Events {
    /// Of the database at `db_name`, which is not open yet.
    pub(crate) fn new(
        log: Arc<InfoLog>,
        db_name: &Path,
        listeners: Vec<Arc<dyn EventListener>>,
    ) -> Self {
        Self {
            log,
            db_name: db_name.to_owned(),
            listeners,
            db: OnceLock::new(),
            waiting: Mutex::default(),
            has_waiting: AtomicBool::new(false),
        }
    }

    /// From now on listeners are given this database.
    pub(crate) fn set_database(&self, db: &Weak<DbImpl>) {
        // It is set once, by the open.
        let _ = self.db.set(db.clone());
    }

    /// Whether anybody listens.
    pub(crate) fn has_listeners(&self) -> bool {
        !self.listeners.is_empty()
    }

    /// Calls `call` with each listener: at once, or as soon as this thread holds no lock. `name` is
    /// the method.
    fn tell(&self, name: &'static str, call: impl Fn(&dyn EventListener) + Send + 'static) {
        if self.listeners.is_empty() {
            return self.deliver_waiting();
        }
        if Hold::is_held() {
            return self.tell_later(move |events| events.call_each(name, &call));
        }
        self.deliver_waiting();
        self.call_each(name, &call);
    }

    /// As [`Events::tell`], for methods that are given the database. Nobody is called before it is
    /// open.
    fn tell_with_db(
        &self,
        name: &'static str,
        call: impl Fn(&dyn EventListener, &Db) + Send + 'static,
    ) {
        if self.listeners.is_empty() {
            return self.deliver_waiting();
        }
        if Hold::is_held() {
            return self.tell_later(move |events| events.call_each_with_db(name, &call));
        }
        self.deliver_waiting();
        self.call_each_with_db(name, &call);
    }

    /// Has `tell` run as soon as somebody holds no lock.
    fn tell_later(&self, tell: impl FnOnce(&Events) + Send + 'static) {
        let mut waiting = self.waiting.lock();
        waiting.push(Box::new(tell));
        self.has_waiting.store(true, Ordering::Release);
    }

    /// Tells what waits, unless this thread holds a lock.
    #[inline]
    pub(crate) fn deliver_waiting(&self) {
        if self.has_waiting.load(Ordering::Acquire) {
            self.deliver_all();
        }
    }

    #[cold]
    fn deliver_all(&self) {
        if Hold::is_held() {
            return;
        }
        let mut waiting = self.waiting.lock();
        self.has_waiting.store(false, Ordering::Release);
        let taken = std::mem::take(&mut *waiting);
        drop(waiting);
        taken.into_iter().for_each(|tell| tell(self));
    }

    fn call_each(&self, name: &str, call: impl Fn(&dyn EventListener)) {
        for listener in &self.listeners {
            self.call(name, || call(&**listener));
        }
    }

    fn call_each_with_db(&self, name: &str, call: impl Fn(&dyn EventListener, &Db)) {
        let Some(inner) = self.db.get().and_then(Weak::upgrade) else { return };
        let db = Db::borrowed(inner);
        self.call_each(name, |listener| call(listener, &db));
    }

    /// Calls a method of a listener. What it panics with is told; the database is not concerned.
    fn call(&self, name: &str, call: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
            let text = text_of(&*panic);
            self.log.error(format_args!("An event listener panicked in {name}: {text}"));
            tracing::error!(target: "touchstone::listener", method = name, panic = text);
        }
    }
}
