//! The end of `portcullis serve`: its option, its signals, and faults.

use std::sync::LazyLock;
use std::time::Duration;

use clap::Args;

use super::duration::parse_duration;
use crate::lease::Leadership;
use crate::platform::{self, Interrupt, Terminate};
use crate::runtime::Supervisor;
use crate::server::limits::DRAIN_TIMEOUT;
use crate::server::{HealthCondition, Level, Phase, Shutdown};

/// The drain timeout as it would be written on the command line.
static DRAIN_TIMEOUT_TEXT: LazyLock<String> = LazyLock::new(|| format!("{}s", DRAIN_TIMEOUT.as_secs()));

/// The options for the end of the process.
#[derive(Debug, Args)]
pub struct ShutdownArgs {
    /// How long connections stay open after SIGTERM, so that clients can close them. The process exits earlier if no
    /// connection is open. SIGINT (Ctrl-C) does not wait for clients.
    #[arg(long, alias = "farewell", value_name = "DURATION", default_value = &**DRAIN_TIMEOUT_TEXT, value_parser = parse_duration)]
    pub drain_timeout: Duration,
}

/// SIGTERM and SIGINT, including those that arrive before [`Signals::follow`]; on Windows, Ctrl-Break and Ctrl-C.
#[derive(Debug)]
pub struct Signals {
    terminate: Terminate,
    interrupt: Interrupt,
}

impl Signals {
    /// Registers handlers. Without them the signals would kill the process.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self { terminate: platform::terminate()?, interrupt: platform::interrupt()? })
    }

    /// Sets the phases of `shutdown`. SIGTERM starts draining. SIGINT comes from a terminal, where waiting for the
    /// idle connections of a browser would only be in the way, so it skips draining. A second signal aborts the
    /// requests in flight. Never returns.
    pub async fn follow(mut self, shutdown: Shutdown) {
        let first = tokio::select! {
            _ = self.terminate.recv() => {
                tracing::info!("SIGTERM received; serving open connections until their clients close them");
                Phase::Draining
            }
            _ = self.interrupt.recv() => {
                tracing::info!("SIGINT received; answering requests in flight");
                Phase::Closing
            }
        };
        shutdown.enter(first);
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        tracing::info!("second signal received; exiting");
        shutdown.enter(Phase::Aborting);
        std::future::pending().await
    }
}

/// The condition that fails from the first signal on, so that a Service sends no more connections.
pub fn shutting_down(shutdown: Shutdown) -> impl Fn() -> Vec<HealthCondition> {
    move || {
        let message = match shutdown.phase() {
            Phase::Serving => return Vec::new(),
            Phase::Draining => "open connections are served until their clients close them",
            Phase::Closing | Phase::Aborting => "open connections are being closed",
        };
        vec![HealthCondition { name: "shutting-down".to_owned(), level: Level::Failing, message: message.to_owned() }]
    }
}

/// Waits until the Lease is released, if this replica takes part in the election. A second signal ends the wait.
pub async fn released(leadership: Option<Leadership>, shutdown: &Shutdown) {
    let Some(leadership) = leadership else { return };
    tokio::select! {
        () = leadership.released() => {}
        () = shutdown.reached(Phase::Aborting) => {}
    }
}

/// Serves until `shutdown` ends it, or until a task stops that the process cannot do without. Such a fault is no reason to close idle
/// connections at once, either: the API server does not repeat a review that meets a closing one.
pub async fn serve_until_failure(
    serving: impl Future,
    shutdown: &Shutdown,
    supervisor: &mut Supervisor,
) -> anyhow::Result<()> {
    let mut serving = std::pin::pin!(serving);
    let failure = tokio::select! {
        _ = &mut serving => return Ok(()),
        failure = supervisor.failure() => failure,
    };
    tracing::error!(error = %failure, "serving open connections until their clients close them");
    shutdown.enter(Phase::Draining);
    serving.await;
    Err(failure)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        shutdown: ShutdownArgs,
    }

    #[test]
    fn the_former_name_of_the_drain_timeout_is_accepted() {
        for option in ["--drain-timeout=5s", "--farewell=5s"] {
            let command = Command::try_parse_from(["portcullis", option]).expect("a known option");
            assert_eq!(command.shutdown.drain_timeout, Duration::from_secs(5));
        }
    }

    #[tokio::test]
    async fn a_task_that_stops_begins_draining() {
        let (shutdown, mut supervisor) = (Shutdown::default(), Supervisor::default());
        supervisor.spawn("returning task", std::future::ready(()));
        let phase_at_the_end = std::cell::Cell::new(Phase::Serving);
        let serving = async {
            shutdown.reached(Phase::Draining).await;
            phase_at_the_end.set(shutdown.phase());
        };
        let ended = serve_until_failure(serving, &shutdown, &mut supervisor).await;
        assert!(ended.is_err_and(|failure| failure.to_string().starts_with("returning task stopped")));
        assert_eq!(phase_at_the_end.get(), Phase::Draining);
    }
}
