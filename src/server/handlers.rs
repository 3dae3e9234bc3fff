//! `/validate` and `/mutate`: parse, ask the [`Reviewer`], wrap.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use super::body::{self, Budget, Held};
use super::{Limits, Refusal};
use crate::finding::Action;
use crate::review::{self, Answer, Reviewer};
use crate::telemetry::Metrics;

/// Bodies above this many bytes are read on a thread of their own, so that small reviews beside them do not wait.
const LARGE: usize = 256 << 10;

/// What the handlers ask.
#[derive(Debug)]
pub struct Desk {
    /// Who answers.
    pub reviewer: Arc<Reviewer>,
    /// Where it is counted.
    pub metrics: Arc<Metrics>,
    /// What bodies in flight may hold.
    pub budget: Budget,
    /// What one body may be.
    pub limits: Limits,
    /// Who reads a large body: one at a time, since what is read of one takes many times its bytes.
    pub large: Arc<Semaphore>,
}

/// One question to the reviewer.
type Ask = fn(&Reviewer, &[u8], Timestamp) -> Result<Answer, review::Refusal>;

/// The routes of the webhook door.
pub fn router(desk: Desk) -> Router {
    Router::new().route("/validate", any(validate)).route("/mutate", any(mutate)).with_state(Arc::new(desk))
}

async fn validate(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    desk.answer(request, Reviewer::validate).await
}

async fn mutate(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    desk.answer(request, Reviewer::mutate).await
}

impl Desk {
    async fn answer(self: &Arc<Self>, request: Request, ask: Ask) -> Response {
        match body::read(request, &self.budget, &self.limits).await {
            Ok(held) => self.review(held, ask).await,
            Err(refusal) => {
                self.metrics.refused(refusal.reason());
                tracing::debug!(%refusal, "a body was turned away");
                Refusal::into_response(refusal)
            }
        }
    }

    async fn review(self: &Arc<Self>, held: Held, ask: Ask) -> Response {
        let start = Instant::now();
        let asked = if held.len() > LARGE {
            // The turn ends with the work, which goes on when a peer that is gone no longer waits for it.
            let turn = self.large.clone().acquire_owned().await;
            let desk = self.clone();
            let work = move || {
                let _turn = turn;
                desk.ask(&held, ask)
            };
            let asked = tokio::task::spawn_blocking(work).await;
            asked.unwrap_or(Err(Failure::Panic))
        } else {
            self.ask(&held, ask)
        };
        match asked {
            Ok(answer) => {
                self.metrics.reviewed(&answer.summary, start.elapsed());
                log_denial(&answer);
                ([(header::CONTENT_TYPE, "application/json")], answer.body).into_response()
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// A panic costs the review that met it, and no other.
    fn ask(&self, body: &[u8], ask: Ask) -> Result<Answer, Failure> {
        match catch_unwind(AssertUnwindSafe(|| ask(&self.reviewer, body, Timestamp::now()))) {
            Ok(asked) => asked.map_err(Failure::Refused),
            Err(_) => Err(Failure::Panic),
        }
    }

    fn fail(&self, failure: Failure) -> Response {
        match failure {
            Failure::Panic => {
                self.metrics.panicked();
                (StatusCode::INTERNAL_SERVER_ERROR, "this review met a fault of the gate; see its log\n")
                    .into_response()
            }
            Failure::Refused(refusal @ review::Refusal::NoReview(_)) => {
                self.metrics.malformed();
                tracing::debug!(%refusal, "a body was no review");
                (StatusCode::BAD_REQUEST, format!("{refusal}\n")).into_response()
            }
            Failure::Refused(refusal @ review::Refusal::NotSynced(_)) => {
                self.metrics.put_off();
                // The API server asks again after a second, within the webhook's timeout.
                let retry = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
                (StatusCode::SERVICE_UNAVAILABLE, retry, format!("{refusal}\n")).into_response()
            }
        }
    }
}

enum Failure {
    Refused(review::Refusal),
    Panic,
}

fn log_denial(answer: &Answer) {
    let Some(denied) = &answer.summary.denied else { return };
    let denials = answer.summary.findings.iter().filter(|(_, action)| *action == Action::Deny);
    let checks: BTreeSet<&str> = denials.map(|(check, _)| *check).collect();
    let checks = Vec::from_iter(checks).join(",");
    tracing::info!(uid = denied.uid, object = denied.object, user = denied.user, checks, "denied");
}
