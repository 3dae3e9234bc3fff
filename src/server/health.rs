//! The endpoint for probes and Prometheus, which serves plain HTTP on its own port.

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// The data that the health endpoint shows.
pub trait Health: Send + Sync {
    /// All conditions that readiness depends on, in the order in which they are shown.
    fn conditions(&self) -> Vec<HealthCondition>;

    /// Whether the threads that accept reviews run tasks. Else only a restart helps.
    fn is_alive(&self) -> bool;

    /// All metrics in the OpenMetrics text format.
    fn metrics(&self) -> String;
}

/// A part of the process that readiness depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCondition {
    /// The name of the part: `certificate`, `config`, `objects`, `lease`, the option of a file that grants access, or a
    /// resource.
    pub name: String,
    /// The effect of this part on reviews.
    pub level: Level,
    /// Details for an operator, such as `not synced`; may be empty.
    pub message: String,
}

/// The state of one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Everything works.
    Ok,
    /// Reviews are answered, but an operator should act: an outdated file is in use, or some checks report nothing.
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

/// `/livez`, `/readyz`, `/healthz` and `/metrics`. `/healthz` is the older name of the liveness probe, so it answers
/// like `/livez`: restarting the process would not make a cache sync sooner.
pub fn router(health: Arc<dyn Health>) -> Router {
    Router::new()
        .route("/livez", get(live))
        .route("/healthz", get(live))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(health)
}

/// Depends on no condition, since a restart would not change any of them.
async fn live(State(health): State<Arc<dyn Health>>) -> Response {
    match health.is_alive() {
        true => "ok\n".into_response(),
        false => {
            (StatusCode::INTERNAL_SERVER_ERROR, "no task has run for a minute: restart the process\n").into_response()
        }
    }
}

/// Answers `ok`, or lists all conditions if one of them fails or the query contains `verbose`, like the API server.
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
