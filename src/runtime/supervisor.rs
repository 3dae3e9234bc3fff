//! Supervision of the tasks that a serving process requires. None of them returns unless it has a bug. If one does, the
//! process exits with an error and its orchestrator restarts it, instead of serving without, for example, its watches.

use std::panic::AssertUnwindSafe;
use std::{io, thread};

use futures::FutureExt;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// The tasks of one process. Dropping this aborts all of them, except those on threads of their own.
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

    /// Runs a task that must never return on a thread with a runtime of its own, so that it continues while all other threads are
    /// busy. `task` makes it, in that runtime. The thread ends with the process only.
    pub fn spawn_thread<T: Future<Output = ()> + Send + 'static>(
        &mut self,
        name: &'static str,
        task: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let task = {
            let _entered = runtime.enter();
            task()?
        };
        let (running, ended) = oneshot::channel::<()>();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            // Dropped at the end, also of a panic.
            let _running = running;
            runtime.block_on(task);
        })?;
        self.spawn(name, async { _ = ended.await });
        Ok(())
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
        supervisor.spawn_thread("returning thread", || Ok(ready(()))).expect("a thread");
        assert_eq!(supervisor.failure().await.to_string(), stopped("returning thread"));
        supervisor
            .spawn_thread("panicking thread", || Ok(async { panic!("expected by this test") }))
            .expect("a thread");
        assert_eq!(supervisor.failure().await.to_string(), stopped("panicking thread"));
    }

    #[tokio::test]
    async fn separate_thread_runs_while_others_are_blocked() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let task = async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            sender.send(()).expect("it is awaited");
            pending().await
        };
        Supervisor::default().spawn_thread("endless thread", || Ok(task)).expect("a thread");
        // This blocks the only thread of the runtime of this test.
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(()));
    }
}
