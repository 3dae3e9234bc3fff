//! Loops that follow files which somebody else changes: the configuration, and the folder of manifests.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use super::ConfigArgs;
use super::wellness::Wellness;
use crate::cluster::Cluster;
use crate::files::Folder;
use crate::review::Reviewer;

/// How often to look: mounted files come late by themselves, and a look costs next to nothing.
const INTERVAL: Duration = Duration::from_secs(1);

/// Puts each new version of the configuration into force; a broken one is reported and changes nothing.
pub async fn config(args: ConfigArgs, file: PathBuf, first: String, reviewer: Arc<Reviewer>, wellness: Arc<Wellness>) {
    let read = async || tokio::fs::read_to_string(&file).await.map_err(|error| error.to_string());
    let mut seen = Ok(first);
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = read().await;
        if now == seen {
            continue;
        }
        let plan = now
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|text| args.plan_of(text, None).map_err(|error| format!("{error:#}")));
        seen = now;
        match plan {
            Ok(plan) => {
                reviewer.follow(plan);
                wellness.config(None);
                tracing::info!(file = %file.display(), "a new configuration is in force");
            }
            Err(error) => {
                tracing::error!(file = %file.display(), error, "the configuration is broken; the last good one stays");
                wellness.config(Some(error.replace('\n', "; ")));
            }
        }
    }
}

/// Keeps the view at what the folder holds; what is broken is reported and keeps its last good objects.
pub async fn folder(mut folder: Folder, cluster: Arc<RwLock<Cluster>>, wellness: Arc<Wellness>) {
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
            Ok(events) => Cluster::apply_all(&cluster, events),
            Err(error) => problems.push(crate::files::Problem(format!("the folder cannot be read: {error}"))),
        }
        for problem in problems.iter().filter(|problem| !reported.contains(*problem)) {
            tracing::error!(problem = problem.0, "the manifests are broken; what was good stays");
        }
        if problems.is_empty() && !reported.is_empty() {
            tracing::info!("the manifests are good again");
        }
        wellness.problems(problems.clone());
        reported = problems;
    }
}

/// Has `replace` take in each new version of a file that says who may ask; a broken one is reported and changes nothing.
pub async fn access(
    file: PathBuf,
    first: Vec<u8>,
    option: &'static str,
    replace: impl Fn(&[u8]) -> Result<(), String>,
    wellness: Arc<Wellness>,
) {
    let mut seen = Ok(first);
    wellness.access(option, None);
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = tokio::fs::read(&file).await.map_err(|error| error.to_string());
        if now == seen {
            continue;
        }
        let replaced = now.as_ref().map_err(Clone::clone).and_then(|bytes| replace(bytes));
        seen = now;
        match &replaced {
            Ok(()) => tracing::info!(file = %file.display(), option, "a new version is in force"),
            Err(error) => {
                tracing::error!(file = %file.display(), option, error, "the file is broken; the last good version stays");
            }
        }
        wellness.access(option, replaced.err());
    }
}
