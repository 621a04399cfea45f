//! Runs of both programs.

use super::command_lines::CommandLine;
use testing::peer::Peer;

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// None if a signal ended it.
    pub(crate) status: Option<i32>,
}

impl Run {
    /// Whether it did what it was asked to.
    pub(crate) fn succeeded(&self) -> bool {
        self.status == Some(0)
    }

    /// The first line on standard error.
    pub(crate) fn first_error(&self) -> String {
        let line = self.stderr.split(|byte| *byte == b'\n').next().unwrap_or_default();
        String::from_utf8_lossy(line).chars().take(240).collect()
    }

    /// Whether standard error has this text.
    pub(crate) fn error_has(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.stderr).contains(text)
    }
}

pub(crate) fn run_ours(line: &CommandLine) -> Run {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let status = tools::ldb::main(&line.arguments, &mut &line.input[..], &mut stdout, &mut stderr);
    Run { stdout, stderr, status: Some(status) }
}

/// Runs in the same directory as ours, for an OPTIONS file may name relative ones.
pub(crate) fn run_peer(peer: Peer, line: &CommandLine) -> Run {
    let output = peer.run_with_input(&line.arguments, &line.input);
    Run { stdout: output.stdout, stderr: output.stderr, status: output.status.code() }
}
