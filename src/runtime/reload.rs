//! Loops that reload what operators change on disk: the configuration, the folder of manifests, and the files that say
//! which clients may send reviews.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::readiness::Readiness;
use crate::files::{Folder, Problem};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::SharedCluster;
use portcullis_core::review::Reviewer;

/// How often files are read. Kubelet updates mounted files with a delay anyway, and a read is cheap.
const INTERVAL: Duration = Duration::from_secs(1);

/// Replaces the plan of `reviewer` by that of each new version of the configuration; an invalid version is reported and
/// changes nothing. `initial` is the text in force now.
pub async fn config(
    file: PathBuf,
    initial: String,
    parse: impl Fn(&str) -> anyhow::Result<Plan>,
    reviewer: Arc<Reviewer>,
    readiness: Arc<Readiness>,
) {
    let read = async || tokio::fs::read_to_string(&file).await.map_err(|error| error.to_string());
    let mut last = Ok(initial);
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = read().await;
        if now == last {
            continue;
        }
        let plan =
            now.as_ref().map_err(Clone::clone).and_then(|text| parse(text).map_err(|error| format!("{error:#}")));
        last = now;
        match plan {
            Ok(plan) => {
                reviewer.follow(plan);
                readiness.config(None);
                tracing::info!(file = %file.display(), "configuration reloaded");
            }
            Err(error) => {
                tracing::error!(file = %file.display(), error, "configuration is invalid; keeping the last valid version");
                readiness.config(Some(error.replace('\n', "; ")));
            }
        }
    }
}

/// Keeps the view in step with the folder of manifests; a document that cannot be read is reported and keeps its last
/// valid objects.
pub async fn folder(mut folder: Folder, cluster: Arc<SharedCluster>, readiness: Arc<Readiness>) {
    let mut reported = Vec::new();
    loop {
        tokio::time::sleep(INTERVAL).await;
        let read = tokio::task::spawn_blocking(move || {
            let events = folder.refresh();
            let problems = folder.problems();
            (folder, events, problems)
        });
        let Ok((back, events, mut problems)) = read.await else { return };
        folder = back;
        match events {
            Ok(events) => cluster.apply(events),
            Err(error) => problems.push(Problem(format!("the folder cannot be read: {error}"))),
        }
        for problem in problems.iter().filter(|problem| !reported.contains(*problem)) {
            tracing::error!(problem = problem.0, "manifests are invalid; keeping their last valid objects");
        }
        if problems.is_empty() && !reported.is_empty() {
            tracing::info!("all manifests are valid again");
        }
        readiness.problems(problems.clone());
        reported = problems;
    }
}

/// Passes each new version of a file that grants access to `replace`; an invalid version is reported and changes nothing.
/// `option` names the file to operators, and `initial` is its content in force now.
pub async fn access(
    file: PathBuf,
    initial: Vec<u8>,
    option: &'static str,
    replace: impl Fn(&[u8]) -> Result<(), String>,
    readiness: Arc<Readiness>,
) {
    let mut last = Ok(initial);
    readiness.access(option, None);
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = tokio::fs::read(&file).await.map_err(|error| error.to_string());
        if now == last {
            continue;
        }
        let replaced = now.as_ref().map_err(Clone::clone).and_then(|bytes| replace(bytes));
        last = now;
        match &replaced {
            Ok(()) => tracing::info!(file = %file.display(), option, "file reloaded"),
            Err(error) => {
                tracing::error!(file = %file.display(), option, error, "file is invalid; keeping the last valid version");
            }
        }
        readiness.access(option, replaced.err());
    }
}
