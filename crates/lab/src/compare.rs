//! `touchstone compare`: engines next to each other, on the same machine, at the same time.

mod arguments;

use crate::campaign::Campaign;
use crate::cell::Failure;
use crate::journal::{Entry, Journal, SCHEMA};
use crate::machine::{self, measure::Effort, report::Report};
use crate::plan::Spec;
use crate::report;
use crate::statistics::Bootstrap;
use crate::summary::{Summary, summarize};
use arguments::Arguments;
use clap::Parser;
use host::HostFacts;
use rustix::fs::FlockOperation;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;
/// As shells have it for what SIGINT ended.
const INTERRUPTED: i32 = 130;

/// Runs `compare` with `arguments`, the program's name not among them, and returns its exit status: 0
/// when all was measured, 1 when something failed, 2 for wrong arguments, 130 when it was interrupted.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let name = std::iter::once("compare".to_owned());
    let parsed = match Arguments::try_parse_from(name.chain(arguments.iter().cloned())) {
        Ok(parsed) => parsed,
        Err(error) => return crate::usage(&error, out, err),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let result = listen(&interrupted).and_then(|()| run(&parsed, &interrupted, out, err));
    match result {
        Ok(status) => status,
        Err(message) => {
            // There is nobody to tell that standard error is closed.
            let _ = writeln!(err, "compare: {message}");
            FAILURE
        }
    }
}

/// Sets `interrupted` when the process is told to end. The second time, it ends at once.
fn listen(interrupted: &Arc<AtomicBool>) -> Result<(), String> {
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(
            signal,
            INTERRUPTED,
            Arc::clone(interrupted),
        )
        .and_then(|_| signal_hook::flag::register(signal, Arc::clone(interrupted)))
        .map_err(|error| format!("listening to signals: {error}"))?;
    }
    Ok(())
}

fn run(
    arguments: &Arguments,
    interrupted: &AtomicBool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, String> {
    let spec = arguments.spec()?;
    let output = &arguments.output;
    let databases = arguments.databases.clone().unwrap_or_else(|| output.join("databases"));
    for directory in [output, &databases] {
        fs::create_dir_all(directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    let _lock = lock(output)?;
    let mut journal = open_journal(arguments, &spec, &databases)?;
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(|error| format!("this program: {error}"))?,
    };
    let campaign = Campaign {
        spec: &spec,
        program: &program,
        output,
        databases: &databases,
        time_limit: arguments.time_limit(),
        budget: arguments.budget(),
        interrupted,
    };
    let machine = match prepare(arguments, &campaign, err) {
        Ok(machine) => machine,
        Err(failure) => {
            if journal.entries().len() == 1 {
                // Nothing was measured, so there is nothing to go on with.
                let _ = fs::remove_file(journal_file(output));
            }
            return match failure {
                Failure::Failed(why) => Err(why),
                Failure::Interrupted => Ok(INTERRUPTED),
            };
        }
    };
    let ended = campaign.run_all(&mut journal);
    let bootstrap = Bootstrap {
        seed: arguments.seed,
        confidence: arguments.confidence / 100.0,
        ..Bootstrap::default()
    };
    // Rounds for which there was no time are not missing.
    let rounds = ended.as_ref().map_or(spec.rounds, |rounds| *rounds);
    let measured = Spec { rounds, ..spec.clone() };
    let mut summary = summarize(&measured, journal.entries(), machine.as_ref(), &bootstrap);
    summary.command = arguments.command();
    publish(&summary, output, out)?;
    finish(ended.map(|_| ()), &summary, arguments, &databases, err)
}

/// Sees whether all can be done before anything is, and returns the constants of the machine.
fn prepare(
    arguments: &Arguments,
    campaign: &Campaign<'_>,
    err: &mut dyn Write,
) -> Result<Option<Report>, Failure> {
    check_space(campaign.spec, campaign.databases).map_err(Failure::Failed)?;
    campaign.try_engines()?;
    match arguments.no_limits {
        true => Ok(None),
        false => constants(arguments, campaign.databases, err).map_err(Failure::Failed),
    }
}

/// Takes the directory of results for this process alone, until the file is closed.
fn lock(output: &Path) -> Result<File, String> {
    let path = output.join("LOCK");
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(told)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => {
            Err(format!("{} is in use by another comparison", output.display()))
        }
        Err(error) => Err(told(error.into())),
    }
}

fn journal_file(output: &Path) -> PathBuf {
    output.join("journal.jsonl")
}

/// Begins a journal, or opens the one that is there.
fn open_journal(arguments: &Arguments, spec: &Spec, databases: &Path) -> Result<Journal, String> {
    let path = journal_file(&arguments.output);
    if !arguments.resume {
        let host = Box::new(HostFacts::of(databases));
        let header = Entry::Header { schema: SCHEMA, spec: Box::new(spec.clone()), host };
        return Journal::create(&path, header);
    }
    let journal = Journal::resume(&path)?;
    match journal.entries().first() {
        Some(Entry::Header { spec: before, .. }) if before.is_resumed_by(spec) => Ok(journal),
        _ => Err(format!(
            "{} is of another comparison: resume with the same engines, benchmarks, sets and flags, \
             and as many rounds or more",
            path.display()
        )),
    }
}

fn check_space(spec: &Spec, databases: &Path) -> Result<(), String> {
    let (free, needed) = (crate::free_bytes(databases)?, spec.disk_bytes());
    match free < needed {
        true => Err(format!(
            "{}: {} MB are free, this comparison takes up to {} MB: give another --databases, or a \
             smaller --num",
            databases.display(),
            free >> 20,
            needed >> 20
        )),
        false => Ok(()),
    }
}

/// The constants of this machine: those that are kept, or measured quickly now.
fn constants(
    arguments: &Arguments,
    databases: &Path,
    err: &mut dyn Write,
) -> Result<Option<Report>, String> {
    if let Some(file) = &arguments.constants {
        return Report::read(file).map(Some);
    }
    let kept = machine::report::default_file().and_then(|file| Report::read(&file).ok());
    if let Some(report) = kept.filter(|report| report.is_for(databases)) {
        return Ok(Some(report));
    }
    // There is nobody to tell that standard error is closed.
    let _ = writeln!(
        err,
        "compare: no constants of this machine and disk are kept (touchstone machine): measuring them \
         quickly"
    );
    machine::measure_all(databases, Effort::QUICK, &mut |_| {}).map(Some)
}

/// Prints the tables and writes the files.
fn publish(summary: &Summary, output: &Path, out: &mut dyn Write) -> Result<(), String> {
    for (name, text) in report::files(summary)? {
        crate::write_whole(&output.join(name), &text)?;
    }
    out.write_all(report::terminal::render(summary).as_bytes())
        .map_err(|error| format!("standard output: {error}"))
}

fn finish(
    ended: Result<(), Failure>,
    summary: &Summary,
    arguments: &Arguments,
    databases: &Path,
    err: &mut dyn Write,
) -> Result<i32, String> {
    let missing = summary.missing.as_deref().unwrap_or("all was measured");
    match ended {
        Ok(()) if !arguments.keep_databases => {
            // Only what a comparison makes: the directory may hold other things.
            for name in databases_of(databases) {
                fs::remove_dir_all(&name)
                    .map_err(|error| format!("{}: {error}", name.display()))?;
            }
            // It stays if something else is in it.
            let _ = fs::remove_dir(databases);
            Ok(SUCCESS)
        }
        Ok(()) => Ok(SUCCESS),
        Err(Failure::Interrupted) => {
            // There is nobody to tell that standard error is closed.
            let _ = writeln!(err, "compare: interrupted: {missing}; --resume goes on");
            Ok(INTERRUPTED)
        }
        Err(Failure::Failed(why)) => Err(format!("{why}: {missing}; --resume goes on")),
    }
}

/// The directories that a comparison makes in that of databases.
fn databases_of(databases: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(databases).into_iter().flatten().flatten();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| {
            ["work", "try", "unfinished"].contains(&name.as_str())
                || (name.starts_with("set") && name.contains("-engine"))
        })
    };
    entries.map(|entry| entry.path()).filter(is_ours).collect()
}
