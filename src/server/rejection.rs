//! Why a request was turned away before anybody looked at what it says.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A request that is not one we read; its text is the body of the answer, for whoever operates the client.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// A path that is not an endpoint, or not one for this client.
    #[error("not found")]
    NotFound,
    /// A client without a certificate that lets it ask.
    #[error("a client certificate of an accepted authority and name is required")]
    Forbidden,
    /// Another method than POST.
    #[error("the method of a review must be POST")]
    Method,
    /// Another content type than JSON.
    #[error("the content type of a review must be application/json")]
    ContentType,
    /// More bytes than a body may have.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// Bytes that a body may have.
        limit: usize,
    },
    /// The bytes of all bodies in flight leave no room for this one.
    #[error("too many reviews are in flight; try again")]
    Busy,
    /// The body did not end in time.
    #[error("the body was not complete after {deadline:?}")]
    Slow {
        /// Time that a body may take.
        deadline: Duration,
    },
    /// The body broke off, or lied about its length.
    #[error("the body cannot be read: {0}")]
    Broken(#[source] axum::Error),
}

impl Rejection {
    /// The reason in one word that stays the same, for counting.
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

    /// The HTTP status that says the same.
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
        let mut response = (self.status(), format!("{self}\n")).into_response();
        let headers = response.headers_mut();
        // The body was not read to its end, so what follows on this connection is not a request.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        match self {
            Self::Method => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            // The API server repeats a call that is answered so, within the webhook's timeout.
            Self::Busy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
