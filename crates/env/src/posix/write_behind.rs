//! The thread that writes full buffers of a file, one at a time, while its owner fills another.

use super::posix_file::PosixFile;
use crate::aligned_buffer::AlignedBuffer;
use base::{Result, Status};
use perf_context::{IoStatsContext, WorkForAnother, add_io_stats};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

/// Dropped, it waits until what was begun has ended.
#[derive(Debug)]
pub(super) struct WriteBehind {
    /// Buffers and where they go; none once no more are to come.
    requests: Option<Sender<(AlignedBuffer, u64)>>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    is_writing: bool,
}

#[derive(Debug)]
struct Answer {
    buffer: AlignedBuffer,
    result: Result<()>,
    io: IoStatsContext,
}

impl WriteBehind {
    /// Writes to `file`, and measures what this thread would; none where the system has no thread to give.
    pub(super) fn start(file: PosixFile) -> Option<Self> {
        let (requests, buffers) = channel::<(AlignedBuffer, u64)>();
        let (sender, answers) = channel();
        let measured = WorkForAnother::new();
        let work = move || {
            for (buffer, offset) in buffers {
                let ((_, result), io) = measured.run(|| file.write_at(offset, buffer.bytes()));
                if sender.send(Answer { buffer, result, io }).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().name("tstone:write".to_owned()).spawn(work).ok()?;
        Some(Self { requests: Some(requests), answers, thread: Some(thread), is_writing: false })
    }

    /// Begins to write all of `buffer` at `offset`. What was begun before must have been waited for.
    pub(super) fn begin(&mut self, buffer: AlignedBuffer, offset: u64) {
        debug_assert!(!self.is_writing, "one buffer at a time");
        // Where the thread has died, waiting says so.
        let _ = self.requests.as_ref().map(|requests| requests.send((buffer, offset)));
        self.is_writing = true;
    }

    /// Waits for what was begun, if it was not waited for yet, and gives its buffer back.
    pub(super) fn wait(&mut self) -> Result<Option<AlignedBuffer>> {
        if !std::mem::take(&mut self.is_writing) {
            return Ok(None);
        }
        let Ok(answer) = self.answers.recv() else {
            return Err(Status::io_error("the thread that writes has ended"));
        };
        add_io_stats(&answer.io);
        answer.result.map(|()| Some(answer.buffer))
    }
}

impl Drop for WriteBehind {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // Whoever cares about what it gave has waited for it.
            let _ = thread.join();
        }
    }
}
