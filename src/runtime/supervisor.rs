//! Supervision of the tasks that a serving process requires. None of them returns unless it has a bug. If one does, the
//! process exits with an error and its orchestrator restarts it, instead of serving without, for example, its watches.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::task::JoinSet;

/// The tasks of one process. Dropping this aborts all of them.
#[derive(Debug, Default)]
pub struct Supervisor(JoinSet<&'static str>);

impl Supervisor {
    /// Runs a task that must never return. `name` describes it in errors, such as `cluster watch`.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            // The panic hook has logged the panic, and the state of the task is not used again.
            let _ = AssertUnwindSafe(task).catch_unwind().await;
            name
        });
    }

    /// Resolves with an error that names the task when a task stops.
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
