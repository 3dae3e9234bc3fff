//! The reasons for which a request is rejected before its review is parsed, and the form of every answer without a review.

use std::fmt::Display;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What to do if it lasts. Under `failurePolicy: Fail`, a review without an answer of its own denies the write, and kubectl shows
/// its text.
const WAY_OUT: &str = "if this lasts, see /readyz?verbose; `portcullis disarm` stops enforcement";

/// The answer in place of a review: why there is none, and the way out.
pub(super) fn without_review(status: StatusCode, why: &dyn Display) -> Response {
    (status, format!("{why}; {WAY_OUT}\n")).into_response()
}

/// The reason why a request is rejected. Its text is the body of the response, for the operator of the client.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// The path is not an endpoint, or not one that this client may use.
    #[error("path not found: must be /validate or /mutate, followed by the token if one is configured")]
    NotFound,
    /// The client presented no accepted certificate.
    #[error("a client certificate with an accepted CA and name is required")]
    Forbidden,
    /// The method is not POST.
    #[error("the method of a review must be POST")]
    Method,
    /// The content type is not JSON.
    #[error("the content type of a review must be application/json")]
    ContentType,
    /// The body is larger than allowed.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// The maximum size of a body in bytes.
        limit: usize,
    },
    /// The bodies in flight leave no memory for this one.
    #[error("too many reviews are in flight; try again")]
    Busy,
    /// The body was not complete in time.
    #[error("the body was not complete after {deadline:?}")]
    Slow {
        /// The time limit for a body.
        deadline: Duration,
    },
    /// The body ended early, or its length differs from the declared one.
    #[error("the body cannot be read: {0}")]
    Broken(#[source] axum::Error),
}

impl Rejection {
    /// The reason as a fixed label for metrics.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::Forbidden => "forbidden",
            Self::Method => "method",
            Self::ContentType => "content-type",
            Self::TooLarge { .. } => "too-large",
            Self::Busy => "busy",
            Self::Slow { .. } => "slow",
            Self::Broken(_) => "broken",
        }
    }

    /// Whether the API server may get this answer to a review that it sends.
    fn is_of_a_review(&self) -> bool {
        !matches!(self, Self::Method | Self::ContentType)
    }

    /// The HTTP status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Busy => StatusCode::TOO_MANY_REQUESTS,
            Self::Slow { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::Broken(_) => StatusCode::BAD_REQUEST,
        }
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let mut response = match self.is_of_a_review() {
            true => without_review(self.status(), &self),
            false => (self.status(), format!("{self}\n")).into_response(),
        };
        let headers = response.headers_mut();
        // The body was not read to its end, so the following bytes on this connection are not a request.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        match self {
            Self::Method => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            // The API server retries such a call within the timeout of the webhook.
            Self::Busy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
