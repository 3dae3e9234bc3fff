//! The metrics of a process in which everything has happened once.

use std::fmt;
use std::io;
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use portcullis::issuer::rotation::{Change, RotationSettings};
use portcullis::issuer::{Issuer, IssuerOptions};
use portcullis::lease::{LeaderGauge, LeadershipSender};
use portcullis::runtime::process_metrics;
use portcullis::server::{Rejection, Traffic};
use portcullis::telemetry::{EnforcementMetrics, IngressRoutes, IssuerMetrics, Metrics, StatusMetrics, VerdictSource};
use portcullis::watch::{self, ApiServer, Wanted};
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::checks::{Plan, registry};
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::config::Config;
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, KindSet, decode};
use portcullis_core::review::{AdmissionVerdict, Summary};
use portcullis_core::routing::delegation::{Counts, GraphState};

/// A process that has just started.
pub fn started() -> Metrics {
    metrics(&IssuerMetrics::default(), GraphState::default())
}

/// A process in which each method that creates series was called, with each value that the code has for its labels.
pub fn used() -> Metrics {
    let issuer = IssuerMetrics::default();
    let metrics = metrics(&issuer, valid_and_invalid());
    let plan = Plan::new(Config::default()).expect("nothing is configured");
    review(&metrics);
    rejections().for_each(|rejection| metrics.refused(rejection.reason()));
    Kind::ALL.into_iter().for_each(|kind| metrics.found_late(kind));
    metrics.config(Some(("0123456789ab", "baseline", "Deny")), false);
    metrics.plan(&plan);
    let mut cluster = Cluster::with(SyncState::Complete);
    let schema = InstalledSchema::of_crd("v1.7.0", "standard");
    Kind::ALL.into_iter().for_each(|kind| cluster.apply(Event::Schema(kind, Some(schema))));
    metrics.cluster(&cluster, KindSet::EVERY);
    changes().for_each(|change| issuer.changed(change.name()));
    metrics
}

/// The metrics of a process with every part.
fn metrics(issuer: &IssuerMetrics, routes: GraphState) -> Metrics {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let (traffic, leader, api_server) = (Traffic::default(), LeaderGauge::default(), runtime.block_on(api_server()));
    runtime.block_on(async { start_issuer(issuer) });
    let ingress_routes = IngressRoutes::new(Arc::new(Source(routes)));
    let (enforcement, status) = (EnforcementMetrics::default(), StatusMetrics::default());
    let parts = (Some(issuer), Some(&enforcement), Some(&status), Some(&api_server));
    process_metrics(ingress_routes, &traffic, &leader, parts)
}

/// Creates an issuer that counts in `metrics`, and knows which kinds it will write.
fn start_issuer(metrics: &IssuerMetrics) {
    let terms = RotationSettings { authority: Duration::ZERO, leaf: Duration::ZERO, settle: Duration::ZERO };
    let [secret, configurations, service] = ["portcullis-ca", "portcullis", "portcullis"].map(str::to_owned);
    let options = IssuerOptions { secret, configurations, service, terms, is_read_only: false };
    let (_, leadership) = LeadershipSender::new();
    drop(Issuer::new(client(), options, leadership, metrics.clone()));
}

/// Counts a review of each kind with each verdict, and a finding with each action.
fn review(metrics: &Metrics) {
    let check = registry::all().next().expect("there are checks").id;
    let actions = Action::ALL.into_iter().filter(|action| *action != Action::Off);
    let findings: Vec<_> = actions.map(|action| (check, action)).collect();
    for kind in Kind::ALL.into_iter().map(Some).chain([None]) {
        for (verdict, is_dry_run) in verdicts().flat_map(|verdict| [(verdict, false), (verdict, true)]) {
            let findings = findings.clone();
            let namespace = "web".into();
            let summary = Summary { kind, namespace, verdict, is_claim: true, is_dry_run, findings, denied: None };
            metrics.reviewed(&summary, Duration::from_millis(1));
        }
    }
}

/// Every verdict. The match is exhaustive, so that a new verdict does not compile until it has a place in the chain.
fn verdicts() -> impl Iterator<Item = AdmissionVerdict> {
    iter::successors(Some(AdmissionVerdict::Allowed), |verdict| match verdict {
        AdmissionVerdict::Allowed => Some(AdmissionVerdict::Patched),
        AdmissionVerdict::Patched => Some(AdmissionVerdict::Denied),
        AdmissionVerdict::Denied => Some(AdmissionVerdict::Canary),
        AdmissionVerdict::Canary => Some(AdmissionVerdict::NotOurs),
        AdmissionVerdict::NotOurs => None,
    })
}

/// Every reason to reject a request, exhaustive as above.
fn rejections() -> impl Iterator<Item = Rejection> {
    iter::successors(Some(Rejection::NotFound), |rejection| match rejection {
        Rejection::NotFound => Some(Rejection::Forbidden),
        Rejection::Forbidden => Some(Rejection::Method),
        Rejection::Method => Some(Rejection::ContentType),
        Rejection::ContentType => Some(Rejection::TooLarge { limit: 0 }),
        Rejection::TooLarge { .. } => Some(Rejection::Busy),
        Rejection::Busy => Some(Rejection::Slow { deadline: Duration::ZERO }),
        Rejection::Slow { .. } => Some(Rejection::Broken(axum::Error::new(fmt::Error))),
        Rejection::Broken(_) => None,
    })
}

/// Every change of the Secret of the CA, exhaustive as above.
fn changes() -> impl Iterator<Item = Change> {
    iter::successors(Some(Change::Create), |change| match change {
        Change::Create => Some(Change::Replace),
        Change::Replace => Some(Change::Begin),
        Change::Begin => Some(Change::Switch),
        Change::Switch => Some(Change::Retire),
        Change::Retire => None,
    })
}

/// IngressRoutes with a status.
#[derive(Debug)]
struct Source(GraphState);

impl VerdictSource for Source {
    fn read(&self, encode: &mut dyn FnMut(&Counts, Timestamp) -> fmt::Result) -> fmt::Result {
        encode(self.0.counts(), Timestamp::UNIX_EPOCH)
    }
}

/// A valid and an invalid IngressRoute.
fn valid_and_invalid() -> GraphState {
    let (mut cluster, mut graph) = (Cluster::with(SyncState::Partial), GraphState::default());
    for host in ["shop.example.com", "*"] {
        let json = format!(
            r#"{{"metadata":{{"namespace":"web","name":"shop-{}"}},"spec":{{"virtualhost":{{"fqdn":"{host}"}},
            "routes":[{{"match":"/","services":[{{"name":"shop","port":80}}]}}]}}}}"#,
            host.len()
        );
        let object = decode(Kind::IngressRoute, &json).expect("it is an IngressRoute");
        cluster.apply(Event::Apply(Facts::of(&object)));
    }
    graph.reconcile(cluster.take_dirty(), &cluster, &Config::default());
    graph
}

/// An API server that has answered with an empty list of Ingresses.
async fn api_server() -> ApiServer {
    let server = ApiServer::of(client(), || unreachable!("no request times out"));
    let needs: watch::Needs = Arc::new(|| Wanted { kinds: KindSet::of(&[Kind::Ingress]), schemas: false });
    let keeping = watch::keep(server.clone(), needs, Arc::<SharedCluster>::default(), Duration::MAX);
    let listed = async {
        while server.kind_status(Kind::Ingress).is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        _ = keeping => unreachable!("it never returns"),
        listed = tokio::time::timeout(Duration::from_secs(30), listed) => listed.expect("the list is answered at once"),
    }
    server
}

/// A client of an API server that is one function: every list is empty, and no watch has an event.
fn client() -> Client {
    let answer = async |request: Request<Body>| match request.uri().query() {
        Some(query) if query.contains("watch=true") => std::future::pending().await,
        _ => Ok::<_, io::Error>(Response::new(Body::from(EMPTY.as_bytes().to_vec()))),
    };
    Client::new(tower::service_fn(answer), "default")
}

const EMPTY: &str =
    r#"{"apiVersion":"networking.k8s.io/v1","kind":"IngressList","metadata":{"resourceVersion":"7"},"items":[]}"#;
