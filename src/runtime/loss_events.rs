//! Events for the owners of objects that lose requests to another one.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use http::Request;
use http::header::ACCEPT;
use kube::Client;
use kube::core::PartialObjectMeta;
use tokio::task::JoinSet;

use crate::event::{recorder, reference, warning};
use crate::request::{RequestError, request};
use crate::watch::{ServedVersion, url_path};
use portcullis_core::kinds::ObjectRef;
use portcullis_core::review::Loss;

/// How long after an Event a namespace gets no other one.
const INTERVAL: Duration = Duration::from_secs(60);
/// The maximum number of Events under way at once. Further losses are only in the log.
const IN_FLIGHT: usize = 4;
/// The metadata alone.
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/// Sends the Events. Each review is answered by one replica, so each loss is reported once.
pub struct LossEvents {
    client: Client,
    turns: Turns,
    sending: JoinSet<()>,
}

impl LossEvents {
    /// Sends with `client`, which should not retry by itself.
    pub fn new(client: Client) -> Self {
        Self { client, turns: Turns::default(), sending: JoinSet::new() }
    }

    /// Writes a loss to the log, and sends an Event about it without waiting for the answer, unless the namespace got one a moment before.
    pub fn report(&mut self, loss: Loss, now: Instant) {
        while self.sending.try_join_next().is_some() {}
        tracing::info!(object = %loss.object_ref, note = loss.note, "an object loses requests");
        if self.sending.len() == IN_FLIGHT || !self.turns.take(&loss.object_ref.namespace, now) {
            return;
        }
        let client = self.client.clone();
        self.sending.spawn(async move {
            if let Err(error) = send(client, &loss).await {
                tracing::warn!(object = %loss.object_ref, %error, "the Event about lost requests cannot be created");
            }
        });
    }
}

/// When each namespace got its last Event.
#[derive(Debug, Default)]
struct Turns(HashMap<String, Instant>);

impl Turns {
    /// Whether it is the turn of a namespace, which then has to wait for the next one.
    fn take(&mut self, namespace: &str, now: Instant) -> bool {
        self.0.retain(|_, sent| now - *sent < INTERVAL);
        let is_free = !self.0.contains_key(namespace);
        if is_free {
            self.0.insert(namespace.to_owned(), now);
        }
        is_free
    }
}

async fn send(client: Client, loss: &Loss) -> Result<(), RequestError> {
    let Some((uid, version)) = find(&client, &loss.object_ref).await? else { return Ok(()) };
    let mut event = warning("Route", "RequestsLost", &loss.note);
    if let Some(taker) = &loss.taker {
        let of_taker = match taker.kind == loss.object_ref.kind {
            true => Some(version),
            false => find(&client, taker).await?.map(|(_, version)| version),
        };
        event.secondary = of_taker.map(|version| reference(taker, None, version));
    }
    // With a recorder of its own, an Event is never counted as the repetition of one with another note.
    request(recorder(client).publish(&event, &reference(&loss.object_ref, uid.as_deref(), version))).await
}

/// The UID of an object, without which `kubectl describe` does not show its Events, and a version in which it is served; `None` if the object
/// is gone.
async fn find(
    client: &Client,
    object_ref: &ObjectRef,
) -> Result<Option<(Option<String>, ServedVersion)>, RequestError> {
    for version in object_ref.kind.api().versions.iter().map(|version| ServedVersion(version)) {
        let get = Request::get(url_path(object_ref, version)).header(ACCEPT, METADATA).body(Vec::new());
        let get = get.map_err(|error| RequestError::Invalid(error.to_string()))?;
        match request(client.request::<PartialObjectMeta>(get)).await {
            Ok(found) => return Ok(Some((found.metadata.uid, version))),
            Err(RequestError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_gets_one_event_in_a_minute() {
        let (mut turns, start) = (Turns::default(), Instant::now());
        let mut take = |namespace: &str, second| turns.take(namespace, start + Duration::from_secs(second));
        assert_eq!([take("web", 0), take("web", 59), take("team", 59)], [true, false, true]);
        assert_eq!([take("web", 60), take("team", 60)], [true, false]);
    }
}
