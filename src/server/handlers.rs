//! `/validate` and `/mutate`: read the request, call the [`Reviewer`] and write the response.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;

use super::access::{Access, Endpoint};
use super::body::{self, BufferedBody};
use super::budget::Budget;
use super::cost::CostEstimator;
use super::isolation::{Isolation, ReviewHandling};
use super::rechecks::Rechecks;
use super::rejection::without_review;
use super::unanswered::UnansweredLog;
use super::workers::Workers;
use super::{Limits, Rejection, RequestOrigin};
use crate::telemetry::{Metrics, RecheckDropped};
use crate::watch::ClaimReader;
use portcullis_core::finding::Action;
use portcullis_core::message::{address, render_message};
use portcullis_core::review::{AdmissionVerdict, Denied, Outline, ReviewError, ReviewResponse, Reviewer, Summary};

/// The answer to a review whose evaluation panicked.
const PANIC: &str = "internal error while evaluating this review; see the server log";
/// The answer of a replica that is cut off from the API server, or has not caught up since, on a connection from before.
const ISOLATED: &str =
    "this replica has not seen recent changes of the cluster; another one may answer on a new connection";

/// The state that the handlers share.
#[derive(Debug)]
pub struct WebhookState {
    reviewer: Arc<Reviewer>,
    metrics: Arc<Metrics>,
    access: Access,
    isolation: Isolation,
    rechecks: Rechecks,
    claims: Option<ClaimReader>,
    budget: Budget,
    limits: Limits,
    cost: CostEstimator,
    workers: Arc<Workers>,
    unanswered: UnansweredLog,
}

/// The single route of the webhook endpoint. Its paths may contain tokens, so the handler itself compares them.
pub fn router(state: WebhookState) -> Router {
    Router::new().fallback(answer).with_state(Arc::new(state))
}

async fn answer(State(state): State<Arc<WebhookState>>, request: Request) -> Response {
    let age = request.extensions().get::<RequestOrigin>().map(RequestOrigin::age).unwrap_or_default();
    match state.accept(request).await {
        Ok((endpoint, held)) => state.respond(endpoint, held, age).await,
        Err(rejection) => {
            state.metrics.refused(rejection.reason());
            tracing::debug!(refusal = %rejection, "request body rejected");
            rejection.into_response()
        }
    }
}

/// How long the watch may take to show a HostClaim that exists.
const VIEW_TIMEOUT: Duration = Duration::from_secs(2);
/// How often to look for it.
const VIEW_INTERVAL: Duration = Duration::from_millis(10);

impl WebhookState {
    /// Handlers that evaluate reviews with `reviewer`, for the clients that `access` authorizes and within `limits`,
    /// and count them in `metrics`. Admitted creations go to `rechecks`.
    pub fn new(
        reviewer: Arc<Reviewer>,
        metrics: Arc<Metrics>,
        access: Access,
        isolation: Isolation,
        rechecks: Rechecks,
        limits: Limits,
    ) -> Self {
        let (cost, workers) = (CostEstimator::default(), Arc::new(Workers::new()));
        let (budget, unanswered) = (Budget::new(&limits), UnansweredLog::default());
        let claims = None;
        Self { reviewer, metrics, access, isolation, rechecks, claims, budget, limits, cost, workers, unanswered }
    }

    /// The same handlers, which read the HostClaims that are missing before they deny.
    pub fn reading_claims(self, claims: Option<ClaimReader>) -> Self {
        Self { claims, ..self }
    }

    async fn accept(&self, request: Request) -> Result<(Endpoint, BufferedBody), Rejection> {
        let origin = request.extensions().get::<RequestOrigin>();
        let endpoint = self.access.endpoint(request.uri().path(), origin)?;
        Ok((endpoint, body::read(request, &self.budget, &self.limits).await?))
    }

    /// Reviews, unless another replica should.
    async fn respond(self: &Arc<Self>, endpoint: Endpoint, held: BufferedBody, age: Duration) -> Response {
        match self.isolation.decide(age) {
            ReviewHandling::Answer => self.review(endpoint, held).await,
            ReviewHandling::AnswerAndClose => closing(self.review(endpoint, held).await),
            ReviewHandling::RetryElsewhere => {
                self.metrics.not_synced();
                closing(self.retry(&ISOLATED))
            }
        }
    }

    async fn review(self: &Arc<Self>, endpoint: Endpoint, held: BufferedBody) -> Response {
        let (start, held) = (Instant::now(), Arc::new(held));
        let changes = self.reviewer.claim_changes();
        let mut result = self.evaluate_in_turn(endpoint, &held).await;
        if let Some(late) = self.late_claims(&result, changes).await {
            result = match late {
                Ok(()) => self.evaluate_in_turn(endpoint, &held).await,
                Err(error) => Err(Failure::Error(error)),
            };
        }
        match result {
            Ok(answer) => {
                self.metrics.reviewed(&answer.summary, start.elapsed());
                log_denial(&answer);
                respond(answer)
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Evaluates a review on this thread if that is short, and otherwise in its turn on another one.
    async fn evaluate_in_turn(
        self: &Arc<Self>,
        endpoint: Endpoint,
        held: &Arc<BufferedBody>,
    ) -> Result<ReviewResponse, Failure> {
        let light = if self.cost.is_heavy(endpoint, held) { None } else { self.workers.light_turn() };
        match light {
            Some(_turn) => self.evaluate(endpoint, held),
            None => {
                let (state, namespace, size) = (Arc::clone(self), Outline::of(held).namespace, held.len());
                let body = Arc::clone(held);
                let work = move || state.evaluate(endpoint, &body);
                self.workers.run(namespace, size, work).await.unwrap_or(Err(Failure::Panic))
            }
        }
    }

    /// Asks the API server for the HostClaims for lack of which a write is denied, since the watch may be late. Returns `Ok` once the view
    /// shows more than after the first `changes` of HostClaims; `None` if none exists, or if the write is denied in any case.
    async fn late_claims(
        &self,
        result: &Result<ReviewResponse, Failure>,
        changes: u64,
    ) -> Option<Result<(), ReviewError>> {
        let (claims, denied) = (self.claims.as_ref()?, result.as_ref().ok()?.summary.denied.as_ref()?);
        if denied.has_other_denials || denied.hosts.is_empty() {
            return None;
        }
        if self.reviewer.claim_changes() != changes {
            return Some(Ok(()));
        }
        let missing = self.reviewer.missing_claims(denied);
        if missing.is_empty() {
            return None;
        }
        match claims.existing(missing).await {
            Ok(existing) if existing.is_empty() => None,
            Ok(existing) => {
                let end = Instant::now() + VIEW_TIMEOUT;
                while !self.reviewer.knows_claims(&existing) {
                    if Instant::now() > end {
                        return Some(Err(ReviewError::ClaimsUnread));
                    }
                    tokio::time::sleep(VIEW_INTERVAL).await;
                }
                Some(Ok(()))
            }
            Err(error) if error.is_transient() => Some(Err(ReviewError::ClaimsUnread)),
            Err(_) => None,
        }
    }

    /// Evaluates a review. A panic fails this review and no other.
    fn evaluate(&self, endpoint: Endpoint, body: &[u8]) -> Result<ReviewResponse, Failure> {
        let start = Instant::now();
        let review = match endpoint {
            Endpoint::Validate => Reviewer::validate,
            Endpoint::Mutate => Reviewer::mutate,
        };
        let result = catch_unwind(AssertUnwindSafe(|| review(&self.reviewer, body, Timestamp::now())));
        self.cost.observe(endpoint, body, start.elapsed());
        let answer = result.map_err(|_| Failure::Panic)?.map_err(Failure::Error)?;
        if endpoint == Endpoint::Validate {
            self.collect(body, &answer);
        }
        Ok(answer)
    }

    /// Has an admitted claim checked again.
    fn collect(&self, body: &[u8], answer: &ReviewResponse) {
        if self.rechecks.offer(body, &answer.summary).is_err() {
            self.metrics.recheck_dropped(RecheckDropped::NoRoom);
        }
    }

    fn fail(&self, failure: Failure) -> Response {
        match failure {
            Failure::Panic => {
                self.metrics.panicked();
                without_review(StatusCode::INTERNAL_SERVER_ERROR, &PANIC)
            }
            Failure::Error(error @ ReviewError::NoReview(_)) => {
                self.metrics.malformed();
                tracing::debug!(refusal = %error, "request body is not a valid AdmissionReview");
                without_review(StatusCode::BAD_REQUEST, &error)
            }
            Failure::Error(
                error @ (ReviewError::NotConfigured | ReviewError::NotSynced(_) | ReviewError::Unreadable(_)),
            ) => {
                self.metrics.not_synced();
                // On a new connection, the retry may reach a replica that is synced.
                closing(self.retry(&error))
            }
            Failure::Error(error @ ReviewError::Reserved) => {
                self.metrics.reserved();
                self.retry(&error)
            }
            Failure::Error(error @ ReviewError::ClaimsUnread) => {
                self.metrics.not_synced();
                self.retry(&error)
            }
        }
    }

    /// The API server retries after one second, within the timeout of the webhook.
    fn retry(&self, why: &dyn Display) -> Response {
        self.unanswered.note(why);
        let mut response = without_review(StatusCode::SERVICE_UNAVAILABLE, why);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }
}

enum Failure {
    Error(ReviewError),
    Panic,
}

/// The answer to a canary ends its connection, so that the next canary may reach another replica.
fn respond(answer: ReviewResponse) -> Response {
    let is_canary = answer.summary.verdict == AdmissionVerdict::Canary;
    let response = ([(header::CONTENT_TYPE, "application/json")], answer.body).into_response();
    if is_canary { closing(response) } else { response }
}

/// The last response of its connection.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Logs a denial, whole: the log is the administrator's, so it also names objects of other namespaces.
fn log_denial(answer: &ReviewResponse) {
    let Summary { denied: Some(denied), findings, is_dry_run, .. } = &answer.summary else { return };
    let denials = findings.iter().filter(|(_, action)| *action == Action::Deny);
    let checks: BTreeSet<&str> = denials.map(|(check, _)| *check).collect();
    let checks = Vec::from_iter(checks).join(",");
    let (Denied { uid, object, user, .. }, first) = (denied, denied.first.as_ref());
    let (field, finding) = first.map(|finding| (address(&finding.at), render_message(finding))).unzip();
    let other = first.and_then(|finding| finding.other.as_ref()).map(ToString::to_string);
    let host = first.and_then(|finding| finding.claim.as_ref()).map(|claim| &*claim.host);
    tracing::info!(uid, object, user, dry_run = is_dry_run, checks, field, finding, other, host, "denied");
}
