//! `portcullis explain --record`: writes a file of requests with today's answers, which `portcullis config test` compares later.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use anyhow::Context;

use super::source::{KINDS, SourceArgs};
use super::{exit, print_text};
use portcullis_core::checks::Plan;
use portcullis_core::explain::{Scope, Snapshot};
use portcullis_core::message::sanitize;
use portcullis_core::suite::{RECORDED, Recording};

/// The name of the file in a folder.
const IN_FOLDER: &str = "recorded.yaml";

/// Writes a request for each rule that answers to a file, or to one in a folder. Fails if the file exists and was not recorded.
pub(super) fn record(path: &Path, source: &SourceArgs, scope: &Scope, plan: &Plan) -> anyhow::Result<ExitCode> {
    let file = &if path.is_dir() { path.join(IN_FOLDER) } else { path.to_owned() };
    let at = || format!("--record {}", file.display());
    match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(at),
        Ok(text) => anyhow::ensure!(
            text.lines().next() == Some(RECORDED),
            "{}: the file exists and was not recorded: use another name, or delete it",
            at()
        ),
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().with_context(at)?;
    let root = |path: &PathBuf| {
        let path = path.canonicalize().with_context(|| format!("--objects {}", path.display()))?;
        anyhow::Ok(relative(&path, &folder).display().to_string())
    };
    let roots: Vec<String> = source.state.objects.iter().map(root).collect::<Result<_, _>>()?;
    let read = source.read(KINDS)?;
    let objects = read.stored();
    let snapshot = Snapshot::new(&objects, &read.cluster, plan.config());
    let unknown = snapshot.unknown_in(scope);
    anyhow::ensure!(unknown.is_empty(), unknown.join("\n"));
    let recording = Recording::of(&snapshot, scope, |answer, scope| read.missing(answer, scope, KINDS));
    for skipped in &recording.skipped {
        eprintln!("portcullis: not recorded: {}", sanitize(skipped));
    }
    let count = recording.cases.len();
    anyhow::ensure!(count > 0, "{}: nothing to record: no rule answers a request with a known answer", at());
    fs::write(file, recording.file(&roots, source.completeness.complete)).with_context(at)?;
    let noun = if count == 1 { "request" } else { "requests" };
    print_text(&format!("{count} {noun} written; run: portcullis config test {}\n", file.display()))?;
    Ok(ExitCode::from(exit::SUCCESS))
}

/// The path from `folder` to `path`, both absolute.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let common = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_relative_to_the_folder_of_the_file() {
        for (path, folder, expected) in
            [("/a/b", "/a/c/d", "../../b"), ("/a/b/c", "/a/b", "c"), ("/a", "/a", "."), ("/a", "/a/b", "..")]
        {
            assert_eq!(relative(Path::new(path), Path::new(folder)), Path::new(expected));
        }
    }
}
