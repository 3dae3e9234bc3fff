//! Loops that reload the files that operators change: the configuration, the folder of manifests, and the files that
//! say which clients may send reviews.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::config_state::Fallback;
use super::configuration::ConfigTarget;
use super::readiness::Readiness;
use crate::files::{Folder, Problem, read_configuration};
use portcullis_core::cluster::SharedCluster;
use portcullis_core::config::ConfigFile;

/// The interval between two reads of a file. The kubelet updates mounted files with a longer delay anyway, and a read
/// is cheap.
const INTERVAL: Duration = Duration::from_secs(1);

/// Puts each new version of the configuration in a file or a folder into effect. An invalid version is reported and changes nothing.
/// `initial` is the configuration in effect.
pub async fn config(file: PathBuf, initial: Vec<ConfigFile>, target: ConfigTarget) {
    let read = async || {
        let file = file.clone();
        let read = tokio::task::spawn_blocking(move || read_configuration(&file)).await;
        read.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    };
    let mut id = target.load_initial(Some(&initial));
    target.show_newest(&id);
    let mut last = Ok(initial);
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = read().await;
        if now == last {
            continue;
        }
        match now.as_deref().map_err(Clone::clone).and_then(|files| target.load(files)) {
            Ok(new) => {
                tracing::info!(file = %file.display(), hash = new.hash, profile = new.profile, "configuration reloaded");
                target.show_newest(&new);
                id = new;
            }
            Err(error) => {
                tracing::error!(file = %file.display(), error, "configuration is invalid; keeping the last valid version");
                target.show_fallback(&id, &Fallback::Before, error);
            }
        }
        last = now;
    }
}

/// Keeps the view in step with the folder of manifests. A document that cannot be read is reported, and its last valid
/// objects stay in the view.
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

/// Passes each new version of a file that grants access to `replace`. An invalid version is reported and changes
/// nothing. `option` is the name of the file in logs and in `/readyz`, and `initial` is the content in use.
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
