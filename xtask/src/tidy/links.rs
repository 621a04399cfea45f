//! Links between the documents.

use std::collections::BTreeSet;

use super::Finding;
use crate::files::File;

#[cfg(test)]
mod tests;

/// Relative links of Markdown files that lead nowhere: no such file or directory, or no such
/// heading in it. Sources that a text names lead somewhere too.
pub(super) fn check(files: &[File], paths: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_markdown()) {
        for (line, source) in sources(&file.text) {
            let (name, rest) = source.split_once('/').unwrap_or((&source, ""));
            let candidates = [source.clone(), format!("crates/{name}/src/{rest}")];
            if !paths.iter().any(|path| candidates.contains(path)) {
                findings.push(Finding::new(file, line, format!("no such source: {source}")));
            }
        }
        for (line, target) in links(&file.text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let path = if path.is_empty() { file.path.clone() } else { resolve(&file.path, path) };
            let directory = format!("{}/", path.trim_end_matches('/'));
            let exists = paths.iter().any(|one| *one == path || one.starts_with(&directory));
            let linked = files.iter().find(|other| other.path == path);
            if !exists {
                findings.push(Finding::new(file, line, format!("dead link: {target}")));
            } else if !heading.is_empty()
                && linked.is_some_and(|other| !headings(&other.text).contains(heading))
            {
                findings.push(Finding::new(file, line, format!("no such heading: {target}")));
            }
        }
    }
    findings
}

/// Rust sources that a text names in backticks with a directory, as `db/db.rs` for
/// `crates/db/src/db.rs`. What lies under `foo/` is an example.
fn sources(text: &str) -> Vec<(usize, String)> {
    let mut sources = Vec::new();
    for (line, content) in prose(text) {
        let code = content.split('`').skip(1).step_by(2);
        let named = code.filter(|code| code.ends_with(".rs") && code.contains('/'));
        let named = named.filter(|code| !code.starts_with("foo/"));
        sources.extend(named.map(|code| (line, code.to_owned())));
    }
    sources
}

/// Targets of the links in a Markdown text outside code, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (line, content) in prose(text) {
        let without_code: Vec<&str> = content.split('`').step_by(2).collect();
        let content = without_code.join("`");
        let mut rest = content.as_str();
        while let Some(start) = rest.find("](") {
            rest = &rest[start + 2..];
            let end = rest.find(')').unwrap_or(rest.len());
            links.push((line, rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
    links
}

/// Lines outside fenced blocks, counted from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((index + 1, line))
    })
}

/// The anchors of a text's headings: lower case, blanks as hyphens, punctuation dropped.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = prose(text).filter(|(_, line)| line.starts_with('#'));
    titles
        .map(|(_, line)| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// The path that a link in the file at `from` leads to.
fn resolve(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    parts.push("..");
                }
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
