//! The loop around [`super::rotation`]: reads, asks what is due, and does it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::stream::{BoxStream, SelectAll, StreamExt};
use jiff::Timestamp;
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::core::PartialObjectMeta;
use kube::runtime::{WatchStreamExt, watcher};
use serde::de::DeserializeOwned;

use super::authority::{generate, issue};
use super::bundle::{BundleStore, Bundles, EntryBundle};
use super::rotation::{Authorities, Change, Due, Entries, Leaf, RotationSettings, Sightings, Stored, View};
use super::secret::{Read, SecretStore};
use super::status::Status;
use crate::lease::{Leadership, Moment, NotLeader};
use crate::request::RequestError;
use crate::telemetry::IssuerMetrics;
use crate::tls::{CertificateSource, ServerCertificate};

/// How often everything is read when no watch reports a change, and the wall clock looked at. A timer of days would not
/// notice that the machine was suspended.
const INTERVAL: Duration = Duration::from_secs(5);
/// How long to wait between two series of looks. Doubled for each series that wrote to its end, so that another writer that undoes
/// ours cannot make this a busy loop.
const PAUSE: Duration = Duration::from_millis(200);
/// How often the pause is doubled at most.
const DOUBLINGS: u32 = 5;
/// A decision is not based on what was read longer ago, such as before the process was stopped.
const LOOK_DEADLINE: Duration = Duration::from_secs(10);
/// How often to look again at once after a write.
const ROUNDS: usize = 4;

/// What an operator chooses.
#[derive(Debug, Clone)]
pub struct IssuerOptions {
    /// The Secret of the authorities, in the own namespace.
    pub secret: String,
    /// The name of both webhook configurations.
    pub configurations: String,
    /// The Service that the API server calls, in the own namespace.
    pub service: String,
    /// Lifetimes and delays.
    pub terms: RotationSettings,
    /// Whether the Secret and the caBundles are only read, because another process writes them.
    pub is_read_only: bool,
}

/// A source of serving certificates that issues them itself.
pub struct Issuer {
    client: kube::Client,
    options: IssuerOptions,
    secret: SecretStore,
    configurations: [BundleStore; 2],
    leadership: Leadership,
    certificate: Arc<ServerCertificate>,
    status: Mutex<Status>,
    metrics: IssuerMetrics,
}

/// What the loop remembers from one look to the next.
struct ReconcileState {
    started: Moment,
    remembered: Option<Authorities>,
    sightings: Sightings,
    leaf: Option<Leaf>,
    /// Since when the Secret is known to be absent.
    absent: Option<Duration>,
    /// How many series of looks in a row wrote to their end.
    undone: u32,
}

/// What one look has read.
struct Seen {
    configurations: [Result<Option<Bundles>, RequestError>; 2],
    secret: Result<Read, RequestError>,
}

impl Issuer {
    /// An issuer that has not read anything yet. `client` must not repeat requests by itself.
    pub fn new(client: kube::Client, options: IssuerOptions, leadership: Leadership, metrics: IssuerMetrics) -> Self {
        let configurations = BundleStore::both(&client, &options.configurations, &options.service);
        metrics.init_writes("Secret", configurations.each_ref().map(BundleStore::kind));
        Self {
            secret: SecretStore::new(client.clone(), &options.secret),
            configurations,
            leadership,
            certificate: Arc::default(),
            status: Mutex::default(),
            metrics,
            client,
            options,
        }
    }

    /// Issues, publishes and rotates certificates. Never returns.
    pub async fn start(&self) {
        let started = Moment::now();
        let mut state = ReconcileState {
            started,
            remembered: None,
            sightings: Sightings::default(),
            leaf: None,
            absent: None,
            undone: 0,
        };
        let (mut changes, mut leadership) = (self.changes(), self.leadership.clone());
        loop {
            state.undone += 1;
            for _ in 0..ROUNDS {
                if !self.look(&mut state).await {
                    state.undone = 0;
                    break;
                }
            }
            tokio::time::sleep(PAUSE * 2_u32.pow(state.undone.min(DOUBLINGS))).await;
            // Whatever has changed during the look is reported at once.
            tokio::select! {
                _ = changes.next() => {}
                () = leadership.changed() => {}
                () = tokio::time::sleep(self.interval(state.leaf.as_ref())) => {}
            }
        }
    }

    /// How long to wait for the next look. A certificate that lives for seconds, such as one whose authority ends soon, cannot wait
    /// for [`INTERVAL`].
    fn interval(&self, leaf: Option<&Leaf>) -> Duration {
        let life = leaf.map_or(self.options.terms.leaf, |leaf| leaf.life.left(leaf.life.from));
        INTERVAL.min(life / 8)
    }

    /// Reads everything and does what is due. Returns whether something was written, so that what is due may have changed.
    async fn look(&self, state: &mut ReconcileState) -> bool {
        let (now, at) = (Timestamp::now(), Moment::now() - state.started);
        let seen = self.read().await;
        if Moment::now() - state.started > at + LOOK_DEADLINE {
            return true;
        }
        let (bundles, is_complete) = (seen.bundles(), seen.is_complete());
        let readable: Entries = bundles.iter().map(|bundle| bundle.certificates.clone()).collect();
        let entries = is_complete.then_some(&readable);
        let stored = seen.stored();
        state.learn(&stored, entries, at);
        let view = View {
            stored: &stored,
            remembered: state.remembered.as_ref(),
            entries,
            readable: &readable,
            sightings: &state.sightings,
            leaf: state.leaf.as_ref(),
            leads: self.leadership.is_leader(),
            absent: state.absent,
            now,
            at,
            terms: self.options.terms,
        };
        let due = view.due();
        let Due { change, publish, issue } = if self.options.is_read_only { due.without_writes() } else { due };
        let issued = if issue { self.issue(&view) } else { None };
        let changed = match change {
            Some(change) => self.change(change, &view, &seen).await,
            None => false,
        };
        let published = publish && self.publish(&seen, &stored).await;
        self.settled(change.is_none() && seen.secret.is_ok(), !publish && is_complete);
        state.leaf = issued.or(state.leaf.take());
        self.conclude(&seen);
        let again = changed || published;
        // What was read before a write says nothing about the state after it, unless every write is undone.
        if !again || state.undone > 1 {
            self.status().entries(is_complete.then_some(&*bundles), state.leaf.as_ref());
        }
        again
    }

    /// The entries first, then the Secret: see [`View::stored`].
    async fn read(&self) -> Seen {
        let [validating, mutating] = &self.configurations;
        let (validating, mutating) = tokio::join!(validating.read(), mutating.read());
        Seen { configurations: [validating, mutating], secret: self.secret.read().await }
    }

    /// Signs a certificate and serves it from the next handshake on.
    fn issue(&self, view: &View<'_>) -> Option<Leaf> {
        let RotationSettings { leaf, .. } = view.terms;
        let issued = issue(view.signer()?, &[self.server_name()], view.now, leaf);
        match issued {
            Ok((pair, leaf)) => {
                tracing::info!(not_after = %pair.not_after, "certificate issued");
                self.metrics.issued();
                self.certificate.replace(pair);
                Some(leaf)
            }
            Err(error) => {
                tracing::error!(%error, "no certificate could be issued");
                self.certificate.keep(&error);
                None
            }
        }
    }

    /// The name by which the API server calls this webhook.
    fn server_name(&self) -> String {
        format!("{}.{}.svc", self.options.service, self.client.default_namespace())
    }

    /// Changes the Secret. Returns whether it has changed, by this replica or by another one that was first.
    async fn change(&self, change: Change, view: &View<'_>, seen: &Seen) -> bool {
        let new = || generate(view.now, view.terms.authority);
        let written = match (change, &seen.secret) {
            (Change::Create, _) => match new() {
                Ok(new) => {
                    self.secret.create(&Authorities::recreated(view.remembered, new, view.now, view.terms)).await
                }
                Err(error) => Err(RequestError::Refused(error.to_string())),
            },
            (_, Ok(Read::Present(before, secret))) => match before.clone().changed(change, view.now, view.terms, new) {
                Ok(after) => match self.leadership.write(self.secret.replace(secret, &after)).await {
                    Ok(written) => written,
                    Err(NotLeader) => return false,
                },
                Err(error) => Err(RequestError::Refused(error.to_string())),
            },
            _ => return false,
        };
        match &written {
            Ok(()) => {
                tracing::info!(secret = self.options.secret, change = change.name(), "authorities changed");
                self.metrics.changed(change.name());
            }
            Err(RequestError::Conflict) => {}
            Err(_) => self.metrics.write_failed("Secret"),
        }
        self.status().written("Secret", &self.options.secret, &written);
        matches!(written, Ok(()) | Err(RequestError::Conflict))
    }

    /// Writes the trusted authorities into the entries that have others. Returns whether an entry has changed.
    async fn publish(&self, seen: &Seen, stored: &Stored) -> bool {
        let Stored::Present(authorities) = stored else { return false };
        let mut changed = false;
        for (store, read) in self.configurations.iter().zip(&seen.configurations) {
            let Ok(Some(read)) = read else { continue };
            let written = store.publish(read, authorities).await;
            match &written {
                Ok(true) => {
                    tracing::info!(kind = store.kind(), name = self.options.configurations, "caBundle written");
                    self.metrics.published(store.kind());
                }
                Ok(false) | Err(RequestError::Conflict) => {}
                Err(_) => self.metrics.write_failed(store.kind()),
            }
            changed |= matches!(written, Ok(true) | Err(RequestError::Conflict));
            self.status().written(store.kind(), &self.options.configurations, &written.map(drop));
        }
        changed
    }

    /// Clears the failures of writes that are no longer needed.
    fn settled(&self, secret: bool, entries: bool) {
        let mut status = self.status();
        if secret {
            status.needs_no_write("Secret");
        }
        for store in self.configurations.iter().filter(|_| entries) {
            status.needs_no_write(store.kind());
        }
    }

    /// Records how reading went.
    fn conclude(&self, seen: &Seen) {
        if let Ok(Read::Present(authorities, _)) = &seen.secret {
            self.metrics.authority(authorities.current.certificate.life.until);
        }
        let mut status = self.status();
        let unusable = match &seen.secret {
            Ok(Read::Unusable(why)) => Some(why.as_str()),
            _ => None,
        };
        if seen.secret.is_ok() {
            self.metrics.unusable(unusable.is_some());
        }
        status.read("Secret", &self.options.secret, seen.secret.as_ref().err(), unusable);
        for (store, read) in self.configurations.iter().zip(&seen.configurations) {
            status.read(store.kind(), &self.options.configurations, read.as_ref().err(), None);
        }
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One item for each change of the Secret or of a webhook configuration. What a watch misses is found by the next look.
    fn changes(&self) -> SelectAll<BoxStream<'static, ()>> {
        let client = || self.client.clone();
        let secret = Api::<PartialObjectMeta<Secret>>::default_namespaced(client());
        let validating = Api::<PartialObjectMeta<ValidatingWebhookConfiguration>>::all(client());
        let mutating = Api::<PartialObjectMeta<MutatingWebhookConfiguration>>::all(client());
        let name = &self.options.configurations;
        futures::stream::select_all([
            changes_of(secret, &self.options.secret),
            changes_of(validating, name),
            changes_of(mutating, name),
        ])
    }
}

fn changes_of<K>(api: Api<K>, name: &str) -> BoxStream<'static, ()>
where
    K: kube::Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let events = watcher(api, config).default_backoff();
    events.filter_map(async |event| event.ok().map(drop)).boxed()
}

impl ReconcileState {
    /// Takes in what was read at `at`.
    fn learn(&mut self, stored: &Stored, entries: Option<&Entries>, at: Duration) {
        self.absent = (*stored == Stored::Absent).then(|| self.absent.unwrap_or(at));
        if let Stored::Present(authorities) = stored {
            self.remembered = Some(authorities.clone());
            if let Some(entries) = entries {
                self.sightings.update(entries, authorities, at);
            }
        }
    }
}

impl Seen {
    /// Whether both configurations could be read.
    fn is_complete(&self) -> bool {
        self.configurations.iter().all(Result::is_ok)
    }

    /// The caBundles of the configurations that could be read.
    fn bundles(&self) -> Vec<&EntryBundle> {
        self.configurations.iter().flatten().flatten().flat_map(Bundles::entries).collect()
    }

    fn stored(&self) -> Stored {
        match &self.secret {
            Ok(Read::Absent) => Stored::Absent,
            Ok(Read::Present(authorities, _)) => Stored::Present(Authorities::clone(authorities)),
            Ok(Read::Unusable(_)) | Err(_) => Stored::Unknown,
        }
    }
}

impl CertificateSource for Issuer {
    fn certificate(&self) -> Arc<ServerCertificate> {
        Arc::clone(&self.certificate)
    }

    fn healthy(&self, now: Timestamp) -> Result<Option<String>, String> {
        let served = self.certificate.healthy(now);
        self.status().judge(served)
    }
}
