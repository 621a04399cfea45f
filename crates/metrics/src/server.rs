//! Answers Prometheus over HTTP.
//!
//! There is one page, so that what is needed of HTTP is little: a request is read (`httparse` takes it
//! apart), answered, and the connection closed. It is meant for the loopback interface or a network that
//! is trusted: there is no encryption, and nobody is asked who they are.

use crate::primary_statistics::PrimaryStatistics;
#[cfg(doc)]
use crate::text::text;
use crate::text::text_with;
use base::{Result, Status};
use db::Db;
use parking_lot::Mutex;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Longest request that is read.
const REQUEST_SIZE_MAX: usize = 16 << 10;
/// How many headers it may have.
const HEADERS_MAX: usize = 100;
/// How long a client may take to send or to take something.
const PATIENCE: Duration = Duration::from_secs(10);
/// Requests that are answered at once.
const CONNECTIONS_MAX: usize = 16;
/// What Prometheus knows the text format by.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Gives the text that is served, or why there is none.
type TextSource = dyn Fn() -> Result<String> + Send + Sync;

/// Serves until it is dropped. Answers under way are finished then.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    text: Box<TextSource>,
    is_closing: AtomicBool,
    connections: AtomicUsize,
    answering: Mutex<Vec<JoinHandle<()>>>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Serves [`text()`] of `db` at `/metrics` of `address`, for instance `127.0.0.1:0` for any free port. Of a
/// secondary what its primary dumped into its LOG is told too.
///
/// # Errors
/// `IoError` that names the address if it cannot be listened on.
pub fn serve(db: Arc<Db>, address: impl ToSocketAddrs + fmt::Display) -> Result<Server> {
    let log_directory = db.get_db_options().db_log_dir.clone();
    let is_secondary = db.secondary_progress().is_ok();
    let primary = is_secondary.then(|| Mutex::new(PrimaryStatistics::new(&db, &log_directory)));
    serve_text(address, move || {
        let mut primary = primary.as_ref().map(|primary| primary.lock());
        let dump = primary.as_mut().and_then(|primary| {
            primary.refresh(&db);
            primary.newest()
        });
        Ok(text_with(&db, dump))
    })
}

/// Serves what `text` gives at `/metrics` of `address`; for an error, status 503 with its text.
///
/// # Errors
/// As [`serve`].
pub fn serve_text(
    address: impl ToSocketAddrs + fmt::Display,
    text: impl Fn() -> Result<String> + Send + Sync + 'static,
) -> Result<Server> {
    let failed = |error: io::Error| Status::io_error(format!("listening on {address}: {error}"));
    let listener = TcpListener::bind(&address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let shared = Arc::new(Shared {
        text: Box::new(text),
        is_closing: AtomicBool::new(false),
        connections: AtomicUsize::new(0),
        answering: Mutex::default(),
    });
    let own = shared.clone();
    let run = move || accept(&listener, &own);
    let thread = thread::Builder::new().name("metrics".to_owned()).spawn(run).map_err(failed)?;
    Ok(Server { address: bound, shared, thread: Some(thread) })
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to give Prometheus.
    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_closing.store(true, Ordering::Release);
        // It waits for a connection: this is one. Where it fails the listener has failed too.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let _ = TcpStream::connect_timeout(&address, PATIENCE);
        let answering = std::mem::take(&mut *self.shared.answering.lock());
        for thread in self.thread.take().into_iter().chain(answering) {
            // A panic was told where it happened.
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_closing.load(Ordering::Acquire) {
            break;
        }
        let Ok(mut stream) = stream else {
            // Out of descriptors, for instance.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        if shared.connections.load(Ordering::Acquire) >= CONNECTIONS_MAX {
            // Whoever does not wait for the answer does not need it.
            let _ = respond(&mut stream, &Answer::new(503, "too many requests at once\n"), false);
            continue;
        }
        shared.connections.fetch_add(1, Ordering::AcqRel);
        let own = shared.clone();
        let answer_one = move || {
            // An error is that of a client that is gone.
            let _ = answer(&mut stream, &own);
            own.connections.fetch_sub(1, Ordering::AcqRel);
        };
        let thread = thread::Builder::new().name("metrics".to_owned()).spawn(answer_one);
        let mut answering = shared.answering.lock();
        answering.retain(|thread| !thread.is_finished());
        match thread {
            Ok(thread) => answering.push(thread),
            Err(_) => _ = shared.connections.fetch_sub(1, Ordering::AcqRel),
        }
    }
}

/// What a client gets.
struct Answer {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl Answer {
    fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: body.into() }
    }
}

fn answer(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let (answer, is_head) = match read_request(stream)? {
        None => (Answer::new(400, "this is no request that is understood here\n"), false),
        Some((method, path)) => {
            let path = path.split('?').next().unwrap_or_default();
            let answer = match (&*method, path) {
                ("GET" | "HEAD", "/metrics") => match (shared.text)() {
                    Ok(body) => Answer { content_type: CONTENT_TYPE, ..Answer::new(200, body) },
                    Err(status) => Answer::new(503, format!("{status}\n")),
                },
                ("GET" | "HEAD", "/") => Answer::new(200, "metrics are at /metrics\n"),
                ("GET" | "HEAD", _) => Answer::new(404, "metrics are at /metrics\n"),
                _ => Answer::new(405, "only GET and HEAD are answered\n"),
            };
            (answer, method == "HEAD")
        }
    };
    respond(stream, &answer, is_head)
}

fn respond(stream: &mut TcpStream, answer: &Answer, is_head: bool) -> io::Result<()> {
    let reason = match answer.status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Service Unavailable",
    };
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.content_type,
        answer.body.len()
    );
    stream.write_all(head.as_bytes())?;
    if !is_head {
        stream.write_all(answer.body.as_bytes())?;
    }
    stream.flush()
}

/// The method and the path of a request; none for what is none.
fn read_request(stream: &mut TcpStream) -> io::Result<Option<(String, String)>> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part)?;
        bytes.extend_from_slice(&part[..count]);
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(&bytes) {
            Ok(httparse::Status::Complete(_)) => {
                let found = request.method.zip(request.path);
                return Ok(found.map(|(method, path)| (method.to_owned(), path.to_owned())));
            }
            Ok(httparse::Status::Partial) if count > 0 && bytes.len() < REQUEST_SIZE_MAX => {}
            _ => return Ok(None),
        }
    }
}
