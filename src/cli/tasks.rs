//! Tasks that a serving process cannot do without. None ends by itself, so one that has ended has met a fault of ours: then
//! the process ends in words and is begun anew by whoever keeps it, instead of serving on without (say) its watches.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::task::JoinSet;

/// The tasks of one process; dropped, they all end.
#[derive(Debug, Default)]
pub struct Tasks(JoinSet<&'static str>);

impl Tasks {
    /// Runs a task that must never end, named by what it does, such as `the watch of the cluster`.
    pub fn keep(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            // What a panic says is in the log already; nothing of the task is looked at afterwards.
            let _ = AssertUnwindSafe(task).catch_unwind().await;
            name
        });
    }

    /// Resolves once a task has ended nevertheless: which one.
    pub async fn fault(&mut self) -> anyhow::Error {
        match self.0.join_next().await {
            Some(ended) => anyhow::anyhow!("{} has ended; the log says why", ended.unwrap_or("a task")),
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_task_that_ends_or_panics_is_named() {
        let mut tasks = Tasks::default();
        tasks.keep("what goes on", pending());
        assert!(tokio::time::timeout(Duration::from_millis(50), tasks.fault()).await.is_err());
        tasks.keep("what ends", ready(()));
        assert_eq!(tasks.fault().await.to_string(), "what ends has ended; the log says why");
        tasks.keep("what panics", async { panic!("as it should") });
        assert_eq!(tasks.fault().await.to_string(), "what panics has ended; the log says why");
    }
}
