//! Supervision of the tasks that a serving process cannot do without. None of them returns by itself, so one that has
//! stopped has a bug: the process then exits with an error and is restarted by its orchestrator, instead of serving on
//! without (say) its watches.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::task::JoinSet;

/// The tasks of one process; all of them stop when this is dropped.
#[derive(Debug, Default)]
pub struct Supervisor(JoinSet<&'static str>);

impl Supervisor {
    /// Runs a task that must never return. The name says what the task is, such as `cluster watch`.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            // The panic is in the log already, and nothing reads the task's state afterwards.
            let _ = AssertUnwindSafe(task).catch_unwind().await;
            name
        });
    }

    /// Resolves when a task has stopped, with an error that names it.
    pub async fn failure(&mut self) -> anyhow::Error {
        match self.0.join_next().await {
            Some(stopped) => {
                anyhow::anyhow!("{} stopped unexpectedly; see the log for the cause", stopped.unwrap_or("a task"))
            }
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
    async fn a_task_that_stops_or_panics_is_named() {
        let mut supervisor = Supervisor::default();
        supervisor.spawn("endless task", pending());
        assert!(tokio::time::timeout(Duration::from_millis(50), supervisor.failure()).await.is_err());
        let stopped = |name: &str| format!("{name} stopped unexpectedly; see the log for the cause");
        supervisor.spawn("returning task", ready(()));
        assert_eq!(supervisor.failure().await.to_string(), stopped("returning task"));
        supervisor.spawn("panicking task", async { panic!("expected by this test") });
        assert_eq!(supervisor.failure().await.to_string(), stopped("panicking task"));
    }
}
