//! A client of the API server that detects a network failure, and replaces its connections as soon as the network works
//! again.
//!
//! A connection over a network that drops packets looks like a quiet one. TCP doubles the delay of each retransmission,
//! so after a failure of half a minute a connection may need another half a minute. Therefore [`ApiServer::probe`]
//! sends a request whenever no byte has come for a while. After one of them has timed out, the next response causes all
//! requests to be repeated and all watches to be resumed on new connections.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use futures::Stream;
use futures::stream::{FuturesUnordered, StreamExt, unfold};
use http::{Request, Response};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use kube::client::Body;
use kube::{Client, Config};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::CONNECT_TIMEOUT;
use super::contact::{ApiServerContact, CUT_OFF, QUIET, Reachability};
use super::freshness::{Freshness, KindStatus};
use super::page_limit::PageLimit;
use crate::lease::Moment;
use portcullis_core::kinds::Kind;

/// The time between two probes while no byte comes. Each opens a connection of its own, so one of them succeeds as soon
/// as the network works.
const PROBE_INTERVAL: Duration = Duration::from_millis(500);

/// The deadline of a probe.
const PROBE_TIMEOUT: Duration = CONNECT_TIMEOUT;

/// The maximum time between two bytes of a response, except of a watch.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The path of a probe. The default role `system:public-info-viewer` allows it to every user, and without that role the
/// 403 is a response of the API server, too. It needs neither etcd nor the caches of the API server.
const PROBE: &str = "/version";

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The API server; clones share its connections.
#[derive(Clone)]
pub struct ApiServer(Arc<Shared>);

struct Shared {
    /// Creates a client without open connections.
    connect: Box<dyn Fn() -> Result<Client, kube::Error> + Send + Sync>,
    client: ArcSwap<Client>,
    contact: Mutex<ApiServerContact>,
    /// The number of network failures after which the connections were replaced.
    outages: watch::Sender<u64>,
    freshness: Freshness,
}

impl ApiServer {
    /// The API server of `config`. Opens no connection yet. The clients do not retry: watches retry every second
    /// themselves, and the delays of kube would grow to minutes.
    pub fn new(mut config: Config) -> Result<Self, kube::Error> {
        config.default_retry = false;
        let connect = move || Client::try_from(config.clone());
        Ok(Self::of(connect()?, connect))
    }

    /// The API server of `client`. `connect` creates another client without open connections.
    pub fn of(client: Client, connect: impl Fn() -> Result<Client, kube::Error> + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            connect: Box::new(connect),
            client: ArcSwap::from_pointee(client),
            contact: Mutex::new(ApiServerContact::new(Moment::now())),
            outages: watch::Sender::new(0),
            freshness: Freshness::default(),
        }))
    }

    /// A client for requests and watches that do not concern a single kind. What it sends is repeated on a new connection after a
    /// network failure, so it must not be a write.
    pub fn client(&self) -> Client {
        self.client_for(None)
    }

    /// A client for lists and watches of `kind`. Each byte of a watch confirms the kind.
    pub(super) fn client_of(&self, kind: Kind) -> Client {
        self.client_for(Some(kind))
    }

    fn client_for(&self, kind: Option<Kind>) -> Client {
        let (server, limit) = (self.clone(), PageLimit::default());
        let namespace = server.0.client.load().default_namespace().to_owned();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            limit.clone().send(request, move |request| server.clone().send(kind, request))
        });
        Client::new(service, namespace)
    }

    /// The record of how current the kinds are.
    pub(super) fn freshness(&self) -> &Freshness {
        &self.0.freshness
    }

    /// How current `kind` is; none if it was never listed completely.
    pub fn kind_status(&self, kind: Kind) -> Option<KindStatus> {
        self.0.freshness.status(kind, Moment::now())
    }

    /// Whether the first list of `kind` fails, for another reason than that it is not readable or not served.
    pub fn is_first_list_failing(&self, kind: Kind) -> bool {
        self.0.freshness.is_first_list_failing(kind)
    }

    /// The time since the API server last confirmed the objects of `kind`, also if they are no longer known for that reason.
    pub fn kind_age(&self, kind: Kind) -> Option<Duration> {
        self.0.freshness.age(kind, Moment::now())
    }

    /// The time since the last byte from the API server.
    pub fn contact_age(&self) -> Duration {
        self.contact().age(Moment::now())
    }

    /// For how long the view has been too old: while the replica is cut off, and until its watches are open again. None if it is current.
    pub fn outdated(&self) -> Option<Duration> {
        self.reachability().outdated()
    }

    /// Whether the API server is reachable.
    pub fn reachability(&self) -> Reachability {
        self.contact().reachability(Moment::now(), |since| self.0.freshness.is_confirmed_since(since))
    }

    /// Probes the API server whenever no byte comes, and logs when the replica is cut off and when it no longer is.
    /// Never returns.
    pub async fn probe(self) {
        let mut ticks = interval(PROBE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut probes, mut silence) = (FuturesUnordered::new(), None);
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    if self.contact_age() >= QUIET {
                        probes.push(self.send_probe());
                    }
                    silence = self.report(silence);
                }
                Some(()) = probes.next() => {}
            }
        }
    }

    async fn send_probe(&self) {
        let sent = Moment::now();
        let Ok(request) = Request::get(PROBE).body(Body::empty()) else { return };
        let client = self.0.client.load_full();
        let probe = async {
            let response = client.send(request).await?;
            let is_answer = !response.status().is_server_error();
            // Only a connection whose response was read completely is used again.
            response.into_body().collect_bytes().await?;
            Ok::<_, kube::Error>(is_answer)
        };
        let mut outages = self.0.outages.subscribe();
        let probe = tokio::select! {
            probe = timeout(PROBE_TIMEOUT, probe) => probe,
            // The connection may be one of those that are replaced, so it says nothing about the new ones.
            _ = outages.changed() => return,
        };
        match probe {
            Ok(Ok(true)) => self.heard(),
            // After an early error the connection is closed, so it cannot be dead without notice. A late one is a timeout: the attempt
            // to connect has the same deadline.
            Ok(_) if Moment::now() - sent < PROBE_TIMEOUT => {}
            Ok(_) | Err(_) => {
                // First the client: a byte that comes after the doubt is recorded makes all requests start again at
                // once, and the old client may have idle connections that are dead.
                if !self.contact().is_doubtful() {
                    self.renew_client();
                }
                let is_reachable = self.contact().timed_out(sent);
                if is_reachable {
                    self.replace_connections();
                }
            }
        }
    }

    /// Logs each change between contact and none. `silence` and the result are the length of the silence while there is
    /// none.
    fn report(&self, silence: Option<Duration>) -> Option<Duration> {
        let age = self.contact_age();
        match silence {
            None if age >= CUT_OFF => {
                tracing::error!(
                    "no contact with the API server for {age:.0?}; responses are based on the last known objects"
                );
                Some(age)
            }
            Some(lasted) if age < CUT_OFF => {
                tracing::info!("the API server is reachable again after {lasted:.0?}");
                None
            }
            lost => lost.map(|_| age),
        }
    }

    /// Records a byte from the API server. If the connections from before may be dead, all of them are replaced.
    fn heard(&self) {
        let is_doubtful = self.contact().heard(Moment::now());
        if is_doubtful {
            self.replace_connections();
        }
    }

    /// Makes all requests and watches start again on new connections.
    fn replace_connections(&self) {
        self.0.outages.send_modify(|outages| *outages += 1);
    }

    /// Replaces the client, so that no request uses an idle connection that may be dead.
    fn renew_client(&self) {
        match (self.0.connect)() {
            Ok(client) => self.0.client.store(Arc::new(client)),
            Err(error) => tracing::warn!(%error, "cannot create a client for the API server; keeping the current one"),
        }
    }

    /// Sends a request, and repeats it if its connection is replaced.
    async fn send(
        self,
        kind: Option<Kind>,
        request: Request<Body>,
    ) -> Result<Response<StreamBody<impl Stream<Item = Result<Frame<Bytes>, BoxError>>>>, BoxError> {
        let is_watch = request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "watch=true"));
        let (parts, body) = request.into_parts();
        let body = body.try_clone().ok_or("a request with a streaming body cannot be repeated")?;
        let mut outages = self.0.outages.subscribe();
        let response = loop {
            let client = self.0.client.load_full();
            let body = body.try_clone().unwrap_or_else(Body::empty);
            let sending = timeout(READ_TIMEOUT, client.send(Request::from_parts(parts.clone(), body)));
            tokio::select! {
                response = sending => break response.map_err(|_| no_byte())??,
                _ = outages.changed() => {}
            }
        };
        let is_answer = !response.status().is_server_error();
        if is_answer {
            self.heard();
        }
        // The first response after a failure came over a new connection, which must not be replaced.
        outages.mark_unchanged();
        let confirmed = kind.filter(|_| is_watch && response.status().is_success());
        let (parts, body) = response.into_parts();
        let frames = Frames { server: self, body, outages, is_watch, is_answer, confirmed };
        frames.confirm();
        Ok(Response::from_parts(parts, StreamBody::new(frames.stream())))
    }

    /// No code panics between two changes of the state, so a poisoned lock is usable.
    fn contact(&self) -> MutexGuard<'_, ApiServerContact> {
        self.0.contact.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of a response, until its connection is replaced.
struct Frames {
    server: ApiServer,
    body: Body,
    outages: watch::Receiver<u64>,
    is_watch: bool,
    /// Whether the response is of the API server, not of a load balancer that cannot reach it.
    is_answer: bool,
    /// The kind that each frame confirms.
    confirmed: Option<Kind>,
}

impl Frames {
    fn stream(self) -> impl Stream<Item = Result<Frame<Bytes>, BoxError>> {
        unfold(Some(self), |frames| async {
            let mut frames: Self = frames?;
            match frames.next().await? {
                Ok(frame) => Some((Ok(frame), Some(frames))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }

    async fn next(&mut self) -> Option<Result<Frame<Bytes>, BoxError>> {
        let frame = tokio::select! {
            frame = next_frame(&mut self.body, self.is_watch) => frame?,
            // On this error the watch library resumes the watch at the last known version.
            _ = self.outages.changed() => return Some(Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())),
        };
        if frame.is_ok() && self.is_answer {
            self.server.heard();
            self.confirm();
        }
        Some(frame)
    }

    fn confirm(&self) {
        if let Some(kind) = self.confirmed {
            self.server.0.freshness.watched(kind, Moment::now());
        }
    }
}

/// The next frame. A watch may be silent; the watch library has a deadline of its own for it.
async fn next_frame(body: &mut Body, is_watch: bool) -> Option<Result<Frame<Bytes>, BoxError>> {
    let frame = if is_watch {
        body.frame().await
    } else {
        match timeout(READ_TIMEOUT, body.frame()).await {
            Ok(frame) => frame,
            Err(_) => return Some(Err(no_byte().into())),
        }
    };
    frame.map(|frame| frame.map_err(Into::into))
}

fn no_byte() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("the API server sent no byte for {READ_TIMEOUT:?}"))
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::OnceLock;

    use super::*;

    #[tokio::test]
    async fn probe_that_cannot_connect_in_time_shows_that_the_network_fails() {
        let server = |fails_after: Duration| {
            let connect = move |_: Request<Body>| async move {
                tokio::time::sleep(fails_after).await;
                Err::<Response<Body>, _>(io::Error::from(io::ErrorKind::TimedOut))
            };
            ApiServer::of(Client::new(tower::service_fn(connect), "default"), || Err(kube::Error::TlsRequired))
        };
        let (refused, silent) = (server(Duration::ZERO), server(PROBE_TIMEOUT));
        tokio::join!(refused.send_probe(), silent.send_probe());
        assert!(!refused.contact().is_doubtful());
        assert!(silent.contact().is_doubtful());
    }

    #[tokio::test]
    async fn late_byte_does_not_restore_the_replaced_client() {
        let dead = || {
            let silence = |_: Request<Body>| pending::<Result<Response<Body>, io::Error>>();
            Client::new(tower::service_fn(silence), "default")
        };
        let shared = Arc::<OnceLock<ApiServer>>::default();
        let server = ApiServer::of(dead(), {
            let shared = Arc::clone(&shared);
            move || {
                let server: &ApiServer = shared.get().expect("the server is known");
                server.heard();
                assert_eq!(*server.0.outages.borrow(), 0, "requests start again on the old client");
                Ok(dead())
            }
        });
        shared.set(server.clone()).ok().expect("set once");
        let old = server.0.client.load_full();
        server.send_probe().await;
        assert_eq!(*server.0.outages.borrow(), 1, "requests start again");
        assert!(!Arc::ptr_eq(&old, &server.0.client.load_full()), "on another client");
    }
}
