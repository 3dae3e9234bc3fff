//! `/validate` and `/mutate`: parse, ask the [`Reviewer`], wrap.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;

use super::access::{Access, Endpoint};
use super::body::{self, BufferedBody};
use super::budget::Budget;
use super::cost::CostEstimator;
use super::workers::Workers;
use super::{Limits, Rejection, RequestOrigin};
use crate::telemetry::Metrics;
use portcullis_core::finding::Action;
use portcullis_core::review::{self, ReviewResponse, Reviewer};

/// What the handlers ask.
#[derive(Debug)]
pub struct WebhookState {
    reviewer: Arc<Reviewer>,
    metrics: Arc<Metrics>,
    access: Access,
    budget: Budget,
    limits: Limits,
    cost: CostEstimator,
    workers: Arc<Workers>,
}

/// The one route of the webhook door, whose paths depend on who may ask.
pub fn router(desk: WebhookState) -> Router {
    Router::new().fallback(answer).with_state(Arc::new(desk))
}

async fn answer(State(desk): State<Arc<WebhookState>>, request: Request) -> Response {
    match desk.accept(request).await {
        Ok((endpoint, held)) => desk.review(endpoint, held).await,
        Err(refusal) => {
            desk.metrics.refused(refusal.reason());
            tracing::debug!(%refusal, "request body rejected");
            refusal.into_response()
        }
    }
}

impl WebhookState {
    /// The handlers' state: `reviewer` answers whom `access` lets ask within `limits`, and `metrics` counts.
    pub fn new(reviewer: Arc<Reviewer>, metrics: Arc<Metrics>, access: Access, limits: Limits) -> Self {
        let (cost, workers) = (CostEstimator::default(), Arc::new(Workers::new()));
        Self { reviewer, metrics, access, budget: Budget::new(&limits), limits, cost, workers }
    }

    async fn accept(&self, request: Request) -> Result<(Endpoint, BufferedBody), Rejection> {
        let origin = request.extensions().get::<RequestOrigin>();
        let endpoint = self.access.endpoint(request.uri().path(), origin)?;
        Ok((endpoint, body::read(request, &self.budget, &self.limits).await?))
    }

    async fn review(self: &Arc<Self>, endpoint: Endpoint, held: BufferedBody) -> Response {
        let start = Instant::now();
        let asked = match self.cost.heavy(endpoint, &held) {
            Some(namespace) => {
                let (desk, size) = (Arc::clone(self), held.len());
                let work = move || desk.ask(endpoint, &held);
                self.workers.run(namespace, size, work).await.unwrap_or(Err(Failure::Panic))
            }
            None => self.ask(endpoint, &held),
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
    fn ask(&self, endpoint: Endpoint, body: &[u8]) -> Result<ReviewResponse, Failure> {
        let start = Instant::now();
        let ask = match endpoint {
            Endpoint::Validate => Reviewer::validate,
            Endpoint::Mutate => Reviewer::mutate,
        };
        let asked = catch_unwind(AssertUnwindSafe(|| ask(&self.reviewer, body, Timestamp::now())));
        self.cost.observe(endpoint, body, start.elapsed());
        match asked {
            Ok(asked) => asked.map_err(Failure::Refused),
            Err(_) => Err(Failure::Panic),
        }
    }

    fn fail(&self, failure: Failure) -> Response {
        match failure {
            Failure::Panic => {
                self.metrics.panicked();
                (StatusCode::INTERNAL_SERVER_ERROR, "internal error while evaluating this review; see the server log\n")
                    .into_response()
            }
            Failure::Refused(refusal @ review::ReviewError::NoReview(_)) => {
                self.metrics.malformed();
                tracing::debug!(%refusal, "request body is not a valid AdmissionReview");
                (StatusCode::BAD_REQUEST, format!("{refusal}\n")).into_response()
            }
            Failure::Refused(refusal @ (review::ReviewError::NotSynced(_) | review::ReviewError::Reserved)) => {
                match refusal {
                    review::ReviewError::Reserved => self.metrics.met_reservation(),
                    _ => self.metrics.put_off(),
                }
                // The API server asks again after a second, within the webhook's timeout.
                let retry = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
                (StatusCode::SERVICE_UNAVAILABLE, retry, format!("{refusal}\n")).into_response()
            }
        }
    }
}

enum Failure {
    Refused(review::ReviewError),
    Panic,
}

fn log_denial(answer: &ReviewResponse) {
    let Some(denied) = &answer.summary.denied else { return };
    let denials = answer.summary.findings.iter().filter(|(_, action)| *action == Action::Deny);
    let checks: BTreeSet<&str> = denials.map(|(check, _)| *check).collect();
    let checks = Vec::from_iter(checks).join(",");
    tracing::info!(uid = denied.uid, object = denied.object, user = denied.user, checks, "denied");
}
