//! Requests to the API server: their deadline, their errors in a few words, and the name under which they write.

use std::error::Error;
use std::time::Duration;

use thiserror::Error;

pub use portcullis_core::status::FIELD_MANAGER;

/// How long one request may take. It is shorter than the time for which the holder of a Lease may go on after its last renewal.
pub const DEADLINE: Duration = Duration::from_secs(4);

/// Why a request failed.
#[derive(Debug, Error)]
pub enum RequestError {
    /// The object has changed meanwhile, or another replica has created it.
    #[error("another writer was first")]
    Conflict,
    /// The API server did not answer in time.
    #[error("the API server did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// The right to make this request is missing.
    #[error("{0}; grant the rights in manifests/rbac.yaml")]
    Forbidden(String),
    /// The object does not exist, or its kind is not served.
    #[error("{0}")]
    NotFound(String),
    /// The object is invalid, or a test of a JSON patch failed.
    #[error("{0}")]
    Invalid(String),
    /// The API server cannot answer now, for example because etcd does not answer it.
    #[error("{0}")]
    Unavailable(String),
    /// The API server refused the request for another reason.
    #[error("{0}")]
    Refused(String),
    /// The API server cannot be reached, or its answer cannot be read.
    #[error("no usable answer from the API server: {}", cause(.0))]
    NoAnswer(kube::Error),
}

/// What is wrong, without the layers of the client that the error went through.
pub fn cause(error: &kube::Error) -> String {
    if let kube::Error::Api(status) = error {
        return status.message.clone();
    }
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

impl RequestError {
    /// The error for an operator, or for an account whose rights are not those of manifests/rbac.yaml.
    pub fn explain(self) -> String {
        match self {
            Self::Forbidden(message) => message,
            error => error.to_string(),
        }
    }

    /// Whether the same request may succeed later, with nothing changed.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::Unavailable(_) | Self::NoAnswer(_))
    }
}

/// Waits for an answer of the API server until the deadline.
pub async fn request<T>(answer: impl Future<Output = Result<T, kube::Error>>) -> Result<T, RequestError> {
    request_within(DEADLINE, answer).await
}

/// Waits for an answer of the API server until another deadline.
pub async fn request_within<T>(
    deadline: Duration,
    answer: impl Future<Output = Result<T, kube::Error>>,
) -> Result<T, RequestError> {
    match tokio::time::timeout(deadline, answer).await {
        Ok(answer) => answer.map_err(RequestError::from),
        Err(_) => Err(RequestError::TimedOut(deadline)),
    }
}

impl From<kube::Error> for RequestError {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code == 409 => Self::Conflict,
            kube::Error::Api(status) if status.code == 404 => Self::NotFound(status.message.clone()),
            kube::Error::Api(status) if status.code == 422 => Self::Invalid(status.message.clone()),
            kube::Error::Api(status) if status.code == 403 => Self::Forbidden(status.message.clone()),
            kube::Error::Api(status) if status.code == 429 || status.code >= 500 => {
                Self::Unavailable(status.message.clone())
            }
            kube::Error::Api(status) => Self::Refused(status.message.clone()),
            error => Self::NoAnswer(error),
        }
    }
}
