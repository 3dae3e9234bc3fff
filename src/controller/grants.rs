//! Grants HostRequests: creates the HostClaims that rules of the configuration grant, and deletes them when request and use are gone.
//!
//! The API server stores one HostClaim of a name, so of two namespaces that ask for a host one gets it, whatever a replica knows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use http::Request;
use kube::Client;
use portcullis_core::cluster::host_claims::{HostClaimFacts, MANAGED_BY, REASON_CHARACTERS, REQUESTED_BY};
use portcullis_core::cluster::host_requests::HostRequestFacts;
use portcullis_core::cluster::overlay::NAMING;
use portcullis_core::cluster::ownership::releasable;
use portcullis_core::cluster::{Cluster, Facts, SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef, decode};
use portcullis_core::review::Reviewer;
use serde::Deserialize;
use serde_json::{Value, json};

use super::inbox::Inbox;
use crate::lease::{Leadership, NotLeader};
use crate::request::{FIELD_MANAGER, RequestError, request};
use crate::watch::{host_claim_path, url_path};

/// How often to look for changes.
const INTERVAL: Duration = Duration::from_millis(500);
/// How often to decide again without a change: labels of Namespaces and the configuration count, too.
const RESYNC_INTERVAL: Duration = Duration::from_secs(30);
/// How long to wait after a write without an answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// The maximum number of HostClaims that are being created at once.
const AT_ONCE: usize = 8;
/// How long the view may take to show a HostClaim that was created.
const VIEW_TIMEOUT: Duration = Duration::from_secs(5);
/// How often to look for it.
const VIEW_INTERVAL: Duration = Duration::from_millis(20);

/// Grants HostRequests while this replica leads.
pub struct Granter {
    client: Client,
    leadership: Leadership,
    cluster: Arc<SharedCluster>,
    /// The versions that the API server serves.
    served: Arc<Inbox>,
    reviewer: Arc<Reviewer>,
    /// The changes of HostClaims and HostRequests that were decided, and when.
    decided: Option<(u64, Instant)>,
    /// When to decide again after a write without an answer.
    retry_at: Option<Instant>,
    /// The requests whose HostClaims were not accepted, and since when.
    refused: HashMap<ObjectRef, Instant>,
    /// The HostClaims whose request and use are gone, and since when that is known.
    unused: HashMap<Box<str>, Instant>,
    /// For how long request and use must be gone. A tool that replaces objects deletes them first.
    release_after: Duration,
}

impl Granter {
    /// Decides by the view and the configuration of `reviewer`, and deletes a HostClaim `release_after` its request and use are gone.
    /// `client` should not retry by itself.
    pub fn new(
        (client, leadership): (Client, Leadership),
        (cluster, served): (Arc<SharedCluster>, Arc<Inbox>),
        reviewer: Arc<Reviewer>,
        release_after: Duration,
    ) -> Self {
        Self {
            client,
            leadership,
            cluster,
            reviewer,
            served,
            decided: None,
            retry_at: None,
            refused: HashMap::new(),
            unused: HashMap::new(),
            release_after,
        }
    }

    /// Runs the loop. Never returns.
    pub async fn run(mut self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if !self.leadership.is_leader() {
                (self.decided, self.unused) = (None, HashMap::new());
            } else if self.is_due() {
                self.grant().await;
                self.note_unused();
            }
            self.release().await;
        }
    }

    /// Whether something has changed since the last decision, or that was long ago.
    fn is_due(&mut self) -> bool {
        let (changes, now) = (self.cluster.read().claim_changes(), Instant::now());
        let is_retry = self.retry_at.is_some_and(|at| now >= at);
        let is_due =
            is_retry || self.decided.is_none_or(|(decided, at)| decided != changes || now - at > RESYNC_INTERVAL);
        if is_due {
            (self.decided, self.retry_at) = (Some((changes, now)), None);
        }
        is_due
    }

    /// Creates HostClaims, and decides again with those, until no more is granted or none can be created.
    async fn grant(&mut self) {
        self.refused.retain(|_, since| since.elapsed() < RESYNC_INTERVAL);
        loop {
            let mut next = self.decide().await;
            next.retain(|request| !self.refused.contains_key(&request.object_ref));
            let mut answers = stream::iter(next).map(|request| self.create(request)).buffer_unordered(AT_ONCE);
            let (mut created, mut refused, mut is_answered) = (Vec::new(), Vec::new(), true);
            while is_answered && let Some(answer) = answers.next().await {
                match answer {
                    Ok(Created::New(request)) => created.push(request.name),
                    Ok(Created::Refused(request)) => refused.push(request),
                    Err(Unanswered) => is_answered = false,
                }
            }
            drop(answers);
            self.refused.extend(refused.into_iter().map(|request| (request, Instant::now())));
            if !is_answered {
                self.retry_at = Some(Instant::now() + RETRY_INTERVAL);
                return;
            }
            if created.is_empty() || !self.is_shown(&created).await {
                return;
            }
        }
    }

    /// The requests that are granted next, decided on a thread that may block.
    async fn decide(&self) -> Vec<HostRequestFacts> {
        let (cluster, plan) = (Arc::clone(&self.cluster), self.reviewer.plan());
        let decide = move || plan.ownership().next_grants(&cluster.read()).into_iter().cloned().collect();
        // A panic is in the log.
        tokio::task::spawn_blocking(decide).await.unwrap_or_default()
    }

    /// Creates the HostClaim that a request asks for.
    async fn create(&self, request: HostRequestFacts) -> Result<Created, Unanswered> {
        let (claim, host, request) = (claim(&request), request.host.to_string(), request.object_ref);
        let post = Request::post(format!("{}?fieldManager={FIELD_MANAGER}", host_claim_path("")));
        match self.send(post, claim.to_string()).await {
            Err(NotLeader) => Err(Unanswered),
            Ok(Ok(_)) => {
                tracing::info!(%request, host, "HostRequest granted");
                Ok(Created::New(request))
            }
            // Another writer was first. The view will show whose it is.
            Ok(Err(RequestError::Conflict)) => Ok(Created::Refused(request)),
            Ok(Err(error)) => {
                let message = "the HostClaim for a HostRequest cannot be created";
                tracing::warn!(%request, host, %error, message);
                if error.is_transient() { Err(Unanswered) } else { Ok(Created::Refused(request)) }
            }
        }
    }

    /// Waits until the view shows these HostClaims. Returns whether it does.
    async fn is_shown(&self, names: &[String]) -> bool {
        let end = Instant::now() + VIEW_TIMEOUT;
        let is_known = |view: &Cluster| names.iter().all(|name| view.has_host_claim(name));
        while !is_known(&self.cluster.read()) {
            if Instant::now() > end {
                return false;
            }
            tokio::time::sleep(VIEW_INTERVAL).await;
        }
        true
    }

    /// Records which HostClaims have neither request nor use.
    fn note_unused(&mut self) {
        let now = Instant::now();
        let unused: Vec<Box<str>> = releasable(&self.cluster.read()).map(|claim| claim.name.clone()).collect();
        self.unused.retain(|name, _| unused.contains(name));
        for name in unused {
            self.unused.entry(name).or_insert(now);
        }
    }

    /// Deletes the HostClaims whose request and use have been gone for a while, and still are.
    async fn release(&mut self) {
        let after = self.release_after;
        let is_over = |since: &Instant| since.elapsed() >= after;
        if !self.unused.values().any(is_over) {
            return;
        }
        self.note_unused();
        let over: Vec<Box<str>> =
            self.unused.iter().filter(|(_, since)| is_over(since)).map(|(name, _)| name.clone()).collect();
        for name in over {
            self.delete(&name).await;
            self.unused.remove(&name);
        }
    }

    /// Deletes a HostClaim that is as Portcullis created it and that no object of its namespace uses.
    async fn delete(&self, name: &str) {
        let Ok(Ok(stored)) = self.send(Request::get(host_claim_path(name)), String::new()).await else { return };
        let (Ok(object), Ok(Stored { metadata })) = (decode(Kind::HostClaim, &stored), serde_json::from_str(&stored))
        else {
            return;
        };
        let Facts::HostClaim(claim) = Facts::of(&object) else { return };
        if !claim.is_granted || self.is_used(&claim).await {
            return;
        }
        let preconditions = json!({"uid": metadata.uid, "resourceVersion": metadata.resource_version});
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions});
        match self.send(Request::delete(host_claim_path(name)), options.to_string()).await {
            Ok(Ok(_)) => {
                tracing::info!(
                    claim = name,
                    "HostClaim released, since its HostRequest and the objects with its host are gone"
                );
            }
            Ok(Err(error)) => tracing::warn!(claim = name, %error, "the HostClaim cannot be released"),
            Err(NotLeader) => {}
        }
    }

    /// Whether an object of the namespace contains the host anywhere, or is a route without hosts, which gets those of listeners. What
    /// cannot be read may contain it.
    async fn is_used(&self, claim: &HostClaimFacts) -> bool {
        let host = claim.host().map(ToString::to_string).unwrap_or_default();
        for kind in NAMING.iter().filter(|kind| self.cluster.read().knowledge(*kind) != SyncState::NotServed) {
            let api = kind.api();
            let version = self.served.served().and_then(|served| served.version(kind));
            let Some(version) = version else { return true };
            let all = url_path(&ObjectRef::new(kind, &claim.namespace, ""), version);
            let list = Request::get(all.trim_end_matches('/'));
            let Ok(Ok(text)) = self.send(list, String::new()).await else { return true };
            let has_no_hosts = |object: &Value| object["spec"]["hostnames"].as_array().is_none_or(Vec::is_empty);
            let is_of_listeners = || {
                let list: Value = serde_json::from_str(&text).unwrap_or_default();
                list["items"].as_array().is_none_or(|items| items.iter().any(has_no_hosts))
            };
            if text.to_ascii_lowercase().contains(&host) || KindSet::ROUTES.contains(kind) && is_of_listeners() {
                tracing::debug!(claim = &*claim.name, kind = api.kind, "the host is in use");
                return true;
            }
        }
        false
    }

    /// Sends a request as long as this replica leads.
    async fn send(
        &self,
        builder: http::request::Builder,
        body: String,
    ) -> Result<Result<String, RequestError>, NotLeader> {
        let builder = builder.header(http::header::CONTENT_TYPE, "application/json");
        let sent = builder.header(http::header::ACCEPT, "application/json").body(body.into_bytes());
        match sent {
            Ok(sent) => self.leadership.write(request(self.client.request_text(sent))).await,
            Err(error) => Ok(Err(RequestError::Invalid(error.to_string()))),
        }
    }
}

/// What a deletion needs to know of a stored HostClaim.
#[derive(Debug, Deserialize)]
struct Stored {
    metadata: StoredMetadata,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredMetadata {
    uid: String,
    resource_version: String,
}

/// How the creation of the HostClaim for a request ended.
enum Created {
    New(ObjectRef),
    /// Another writer was first, or the API server does not accept it.
    Refused(ObjectRef),
}

/// Nothing can be created now.
struct Unanswered;

/// The HostClaim that a request asks for.
fn claim(request: &HostRequestFacts) -> Value {
    let (api, ObjectRef { namespace, name, .. }) = (Kind::HostClaim.api(), &request.object_ref);
    let reason = match request.reason.is_empty() {
        true => request.object_ref.to_string(),
        false => format!("{}: {}", request.object_ref, request.reason),
    };
    json!({
        "apiVersion": format!("{}/{}", api.group, api.versions[0]), "kind": api.kind,
        "metadata": {"name": name, "labels": {MANAGED_BY: FIELD_MANAGER}, "annotations": {REQUESTED_BY: namespace}},
        "spec": {"host": request.host.to_string(), "namespace": namespace, "reason": reason.chars().take(REASON_CHARACTERS).collect::<String>()},
    })
}
