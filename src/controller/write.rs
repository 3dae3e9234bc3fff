//! One write: a patch of an object, and a read of the object if another writer was first.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use futures::FutureExt;
use http::Request;
use kube::Client;

use super::change::Change;
use crate::lease::{Leadership, NotLeader};
use crate::request::{FIELD_MANAGER, RequestError, request};
use crate::watch::{ServedVersion, url_path};
use portcullis_core::kinds::ObjectRef;

/// A write that is to be sent.
#[derive(Debug)]
pub struct Write {
    /// The object.
    pub object_ref: ObjectRef,
    /// Its UID.
    pub uid: Box<str>,
    /// The version in which it is written.
    pub version: ServedVersion,
    /// The patch.
    pub change: Change,
    /// The fingerprint of what the object should be like.
    pub fingerprint: u64,
    /// When the change happened that made the write necessary.
    pub since: Instant,
}

/// How a write ended.
#[derive(Debug)]
pub enum Outcome {
    /// The object as it is stored now.
    Written(String),
    /// Another writer was first. The object as it is stored now, if it could be read.
    Conflict(Option<String>),
    /// The kind may not be written in this namespace (RBAC).
    Forbidden(String),
    /// The object does not exist any more, or has no such subresource.
    NotFound(String),
    /// The API server refused the write for what is written, so it may be written.
    Failed(String),
    /// Another failure, which says nothing about the right to write.
    Unanswered(String),
    /// This replica does not hold the Lease any more.
    NotLeader,
}

/// What the API server says if RBAC does not allow a patch, in distinction from a refusal by admission control.
const NO_RIGHT: &str = "cannot patch resource";
/// What the API server says if it does not serve a path, in distinction from an object that does not exist.
const NO_PATH: &str = "could not find the requested resource";

/// Sends a write as long as this replica leads. A panic is a failure.
pub async fn send(client: Client, leadership: Leadership, write: &Write) -> Outcome {
    caught(attempt(client, leadership, write)).await
}

async fn caught(attempt: impl Future<Output = Outcome>) -> Outcome {
    // The panic itself is in the log.
    let panicked = |_| Outcome::Unanswered("internal error while writing; see the panic in the log".to_owned());
    AssertUnwindSafe(attempt).catch_unwind().await.unwrap_or_else(panicked)
}

async fn attempt(client: Client, leadership: Leadership, write: &Write) -> Outcome {
    let path = url_path(&write.object_ref, write.version);
    let patched = match patch_request(&path, &write.change) {
        Ok(patch) => leadership.write(request(client.request_text(patch))).await,
        Err(error) => return Outcome::Unanswered(error.to_string()),
    };
    match patched {
        Err(NotLeader) => Outcome::NotLeader,
        Ok(Ok(json)) => Outcome::Written(json),
        Ok(Err(RequestError::Conflict)) => Outcome::Conflict(read(&client, &path).await),
        Ok(Err(error)) => failure(error),
    }
}

/// How a write failed. Only an answer that the API server gives after it has looked for the right says that there is one: none that is
/// transient, and none such as that the token is not valid.
fn failure(error: RequestError) -> Outcome {
    match error {
        RequestError::Forbidden(message) if message.contains(NO_RIGHT) => Outcome::Forbidden(message),
        RequestError::NotFound(message) if message.contains(NO_PATH) => {
            Outcome::NotFound(format!("{message}: its CRD must have the subresource `status`"))
        }
        RequestError::NotFound(message) => Outcome::NotFound(message),
        error @ (RequestError::Invalid(_) | RequestError::Forbidden(_)) => Outcome::Failed(error.to_string()),
        error => Outcome::Unanswered(error.to_string()),
    }
}

fn patch_request(path: &str, change: &Change) -> Result<Request<Vec<u8>>, http::Error> {
    let subresource = change.subresource.map(|name| format!("/{name}")).unwrap_or_default();
    let uri = format!("{path}{subresource}?fieldManager={FIELD_MANAGER}");
    let request = Request::patch(uri).header(http::header::CONTENT_TYPE, "application/merge-patch+json");
    request.header(http::header::ACCEPT, "application/json").body(change.patch.to_string().into_bytes())
}

async fn read(client: &Client, path: &str) -> Option<String> {
    let get = Request::get(path).body(Vec::new()).ok()?;
    request(client.request_text(get)).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::DEADLINE;

    #[tokio::test]
    async fn a_panic_is_a_failed_write() {
        let outcome = caught(async { panic!("expected by this test") }).await;
        assert!(matches!(&outcome, Outcome::Unanswered(message) if message.contains("panic")), "{outcome:?}");
        assert!(matches!(caught(async { Outcome::NotLeader }).await, Outcome::NotLeader));
    }

    #[test]
    fn only_an_answer_about_the_object_shows_a_right() {
        let is_answered = |error: RequestError| !matches!(failure(error), Outcome::Unanswered(_));
        let text = || "text".to_owned();
        for error in [RequestError::Invalid(text()), RequestError::Forbidden(text()), RequestError::NotFound(text())] {
            assert!(!error.is_transient() && is_answered(error));
        }
        let transient = [
            RequestError::TimedOut(DEADLINE),
            RequestError::Unavailable(text()),
            RequestError::NoAnswer(kube::Error::LinesCodecMaxLineLengthExceeded),
        ];
        for error in transient {
            assert!(error.is_transient() && !is_answered(error));
        }
        assert!(!is_answered(RequestError::Refused("Unauthorized".to_owned())));
        let missing = RequestError::Forbidden(format!("user `a` {NO_RIGHT} `gateways/status`"));
        assert!(matches!(failure(missing), Outcome::Forbidden(_)));
    }
}
