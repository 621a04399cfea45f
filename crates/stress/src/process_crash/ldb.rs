//! What RocksDB's `ldb` reads from a directory.

use crate::model::Content;
use crate::operation::FAMILIES;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether there is an `ldb` to ask.
pub fn is_installed() -> bool {
    Command::new("ldb").arg("--version").output().is_ok()
}

/// All it finds; none if it is not installed, or there is no OPTIONS file to say what the families
/// need.
pub(super) fn read(directory: &Path) -> Result<Option<Content>, String> {
    let names = fs::read_dir(directory).map_err(|error| error.to_string())?;
    let is_options = |name: &str| name.starts_with("OPTIONS-") && !name.ends_with("dbtmp");
    let has_options = names
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_str().is_some_and(is_options));
    if !has_options || !is_installed() {
        return Ok(None);
    }
    let mut content = Content::new();
    for (name, map) in FAMILIES.iter().zip(&mut content.0) {
        for line in scan(directory, name)?.lines() {
            let pair = line.split_once(" : ");
            let pair = pair.and_then(|(key, value)| Some((bytes(key)?, bytes(value)?)));
            let (key, value) = pair.ok_or_else(|| format!("ldb scan says {line:?}"))?;
            map.insert(key, value);
        }
    }
    Ok(Some(content))
}

fn scan(directory: &Path, family: &str) -> Result<String, String> {
    let output = Command::new("ldb")
        .arg(format!("--db={}", directory.display()))
        .args(["--try_load_options", "--ignore_unknown_options"])
        .arg(format!("--column_family={family}"))
        .args(["scan", "--hex"])
        .output()
        .map_err(|error| format!("ldb: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(format!("ldb: {}: {}{}", output.status, text(&output.stdout), text(&output.stderr)))
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().strip_prefix("0x")?;
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}
