//! What probes and Prometheus ask, in plain HTTP on an endpoint of its own.

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// What the health endpoint shows; the process that serves it provides the data.
pub trait Health: Send + Sync {
    /// Everything that readiness depends on, in the order in which it is shown.
    fn conditions(&self) -> Vec<HealthCondition>;

    /// All metrics as OpenMetrics text.
    fn metrics(&self) -> String;
}

/// One part of the process that readiness depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCondition {
    /// What it is about: `certificate`, or a kind.
    pub name: String,
    /// Whether this part allows reviews to be answered.
    pub level: Level,
    /// What an operator should know, such as `not synced`; may be empty.
    pub message: String,
}

/// The state of one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Nothing is wrong.
    Ok,
    /// Reviews are answered, but an operator should act: an earlier version is in use, or some checks report nothing.
    Degraded,
    /// Reviews cannot be answered correctly.
    Failing,
}

impl std::fmt::Display for HealthCondition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mark, level) = match self.level {
            Level::Ok => ('+', "ok"),
            Level::Degraded => ('!', "degraded"),
            Level::Failing => ('-', "failed"),
        };
        let separator = if self.message.is_empty() { "" } else { ": " };
        write!(f, "[{mark}]{} {level}{separator}{}", self.name, self.message)
    }
}

/// `/livez`, `/readyz`, `/healthz` and `/metrics`. `/healthz` is the older name that liveness probes use, so it says what
/// `/livez` says: a restart would not make a cache sync any sooner.
pub fn router(health: Arc<dyn Health>) -> Router {
    Router::new()
        .route("/livez", get(live))
        .route("/healthz", get(live))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(health)
}

/// Depends on nothing: to answer is to live.
async fn live() -> &'static str {
    "ok\n"
}

/// `ok`, or every condition where one fails or the caller wants to see them, in the manner of the API server.
async fn ready(State(health): State<Arc<dyn Health>>, RawQuery(query): RawQuery) -> Response {
    let conditions = health.conditions();
    let ok = conditions.iter().all(|condition| condition.level != Level::Failing);
    let status = if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    if ok && !asks_verbose(query.as_deref()) {
        return (status, "ok\n").into_response();
    }
    let lines: String = conditions.iter().map(|condition| format!("{condition}\n")).collect();
    let verdict = if ok { "passed" } else { "failed" };
    (status, format!("{lines}readyz check {verdict}\n")).into_response()
}

fn asks_verbose(query: Option<&str>) -> bool {
    query.unwrap_or_default().split('&').any(|pair| pair.split('=').next() == Some("verbose"))
}

async fn metrics(State(health): State<Arc<dyn Health>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], health.metrics()).into_response()
}
