//! The command line of `options`.

use options::budget::Budget;
use options::{Release, WorkloadProfile};
use std::path::PathBuf;

/// What `explain` is asked for.
#[derive(Debug)]
pub(super) enum Explain {
    /// Options for a budget, the file they go to, and the release that is to read it.
    Budget { budget: Budget, output: Option<PathBuf>, release: Release },
    /// What options of these names do.
    Names(Vec<String>),
}

/// Reads the arguments of `explain`.
pub(super) fn explain(arguments: &[String]) -> Result<Explain, String> {
    let (mut memory, mut threads, mut profile, mut output) = (None, None, None, None);
    let (mut names, mut release) = (Vec::new(), None);
    for argument in arguments {
        let Some(flag) = argument.strip_prefix("--") else {
            names.push(argument.clone());
            continue;
        };
        let (name, value) = flag
            .split_once('=')
            .ok_or_else(|| format!("--{flag}: expected a value, as in --{flag}=VALUE"))?;
        match name {
            "memory" => memory = Some(bytes(value)?),
            "threads" => threads = Some(number(value)?),
            "profile" => {
                profile =
                    Some(value.parse::<WorkloadProfile>().map_err(|status| status.to_string())?);
            }
            "output" => output = Some(PathBuf::from(value)),
            "release" => {
                release = Some(Release::parse(value).map_err(|status| status.to_string())?);
            }
            _ => {
                return Err(format!(
                    "--{name}: unknown flag; expected --memory, --threads, --profile, --output or --release"
                ));
            }
        }
    }
    let flags = arguments.len() > names.len();
    match (names.is_empty(), flags) {
        (false, false) => return Ok(Explain::Names(names)),
        (false, true) => return Err(format!("{}: expected flags or names, not both", names[0])),
        (true, _) => {}
    }
    let missing = |flag: &str| format!("expected {flag}; --help says more");
    let budget = Budget::new(
        memory.ok_or_else(|| missing("--memory=SIZE"))?,
        threads.ok_or_else(|| missing("--threads=N"))?,
        profile.ok_or_else(|| missing("--profile=PROFILE"))?,
    );
    let release = release.unwrap_or(Release::NEWEST_KNOWN);
    Ok(Explain::Budget { budget: budget.map_err(|status| status.to_string())?, output, release })
}

fn number(value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("--threads={value}: expected a number"))
}

/// `64M`, `4G`: powers of 1024.
fn bytes(value: &str) -> Result<u64, String> {
    let refused = || format!("--memory={value}: expected a size, as in 512M or 4G");
    let (digits, shift) = match value.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => {
            let shift = "KMGT".find(unit.to_ascii_uppercase()).ok_or_else(refused)?;
            (&value[..at], 10 * (shift as u32 + 1))
        }
        _ => (value, 0),
    };
    let number: u64 = digits.parse().map_err(|_| refused())?;
    number.checked_mul(1 << shift).ok_or_else(refused)
}

/// The paths a command takes, exactly so many.
pub(super) fn paths<const N: usize>(
    arguments: &[String],
    expected: &str,
) -> Result<[PathBuf; N], String> {
    if let Some(flag) = arguments.iter().find(|argument| argument.starts_with("--")) {
        return Err(format!("{flag}: unknown flag; expected {expected}"));
    }
    let paths: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    paths.try_into().map_err(|_| format!("expected {expected}"))
}
