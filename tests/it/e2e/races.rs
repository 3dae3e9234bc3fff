//! Pairs of creates that claim the same host, or the role of the default class, at the same moment: how often both are admitted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cluster::{Cluster, NAMESPACE};
use super::hosts::ingress;
use super::report::{figure, within};
use super::restarts::roll_out;
use crate::harness::{Helm, Http, delegation_crds};

/// How much later the second create is sent.
const GAPS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(2),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
];

/// How many pairs of objects with hosts are made of each kind with each gap, and how many at once.
const HOSTS: RaceSize = RaceSize { pairs: 1_000, lanes: 40, pause: Duration::ZERO };

/// The same for default classes. All pairs claim one role, so that each must be gone from the view before the next.
const CLASSES: RaceSize = RaceSize { pairs: 50, lanes: 1, pause: Duration::from_millis(200) };

/// How long a deleted object can stay in the view of a replica that the machine leaves no time.
const GONE: Duration = Duration::from_secs(10);

/// How many pairs are made of which those that were both admitted are kept.
const LEFT: usize = 1_000;

/// The two namespaces of a pair.
const NAMESPACES: [&str; 2] = ["web", "team-b"];

/// The Gateway to which the HTTPRoutes of both namespaces attach.
const GATEWAY: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: races, namespace: web}
spec:
  gatewayClassName: public
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
";

/// Denies what `baseline` only warns about: two HTTPRoutes with the same matches.
const CONFIG: &str = r#"config={"checks": {"host/route-conflict": "Deny"}}"#;

/// How many pairs are made, how many of them at once, and the pause after each.
#[derive(Debug, Clone, Copy)]
struct RaceSize {
    pairs: usize,
    lanes: usize,
    pause: Duration,
}

/// A kind of which two objects must not have the same host, or must not both be the default class.
#[derive(Debug, Clone, Copy)]
enum Racer {
    Ingress,
    IngressRoute,
    HttpProxy,
    HttpRoute,
    IngressClass,
    GatewayClass,
}

impl Racer {
    const ALL: [Self; 6] =
        [Self::Ingress, Self::IngressRoute, Self::HttpProxy, Self::HttpRoute, Self::IngressClass, Self::GatewayClass];

    fn size(self) -> RaceSize {
        match self {
            Self::Ingress | Self::IngressRoute | Self::HttpProxy | Self::HttpRoute => HOSTS,
            Self::IngressClass | Self::GatewayClass => CLASSES,
        }
    }

    /// The path of its objects, those of a namespace where they have one.
    fn path(self, namespace: &str) -> String {
        let (api, resource) = match self {
            Self::Ingress => ("networking.k8s.io/v1", "ingresses"),
            Self::IngressRoute => ("contour.heptio.com/v1beta1", "ingressroutes"),
            Self::HttpProxy => ("projectcontour.io/v1", "httpproxies"),
            Self::HttpRoute => ("gateway.networking.k8s.io/v1", "httproutes"),
            Self::IngressClass => return "/apis/networking.k8s.io/v1/ingressclasses".to_owned(),
            Self::GatewayClass => return "/apis/gateway.networking.k8s.io/v1/gatewayclasses".to_owned(),
        };
        format!("/apis/{api}/namespaces/{namespace}/{resource}")
    }

    /// The name of an object of a pair. Those of classes have no namespace that tells them apart.
    fn name(self, number: usize, namespace: &str) -> String {
        match self {
            Self::IngressClass | Self::GatewayClass => format!("race-{number}-{namespace}"),
            _ => format!("race-{number}"),
        }
    }

    fn object(self, name: &str, host: &str) -> Value {
        let services = json!([{"name": "shop", "port": 80}]);
        let (api, kind, spec) = match self {
            Self::Ingress => return ingress(name, host, "/"),
            Self::IngressClass => {
                let annotations = json!({"ingressclass.kubernetes.io/is-default-class": "true"});
                return json!({
                    "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
                    "metadata": {"name": name, "annotations": annotations}, "spec": {"controller": "example.com/ingress"},
                });
            }
            Self::GatewayClass => {
                let annotations = json!({"gatewayclass.portcullis.dev/is-default-class": "true"});
                return json!({
                    "apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass",
                    "metadata": {"name": name, "annotations": annotations},
                    "spec": {"controllerName": "example.com/gateway"},
                });
            }
            Self::HttpRoute => {
                let parents = json!([{"name": "races", "namespace": "web"}]);
                let spec = json!({"parentRefs": parents, "hostnames": [host], "rules": [{"backendRefs": services}]});
                ("gateway.networking.k8s.io/v1", "HTTPRoute", spec)
            }
            Self::IngressRoute => {
                let routes = json!([{"match": "/", "services": services}]);
                ("contour.heptio.com/v1beta1", "IngressRoute", json!({"virtualhost": {"fqdn": host}, "routes": routes}))
            }
            Self::HttpProxy => {
                let routes = json!([{"conditions": [{"prefix": "/"}], "services": services}]);
                ("projectcontour.io/v1", "HTTPProxy", json!({"virtualhost": {"fqdn": host}, "routes": routes}))
            }
        };
        json!({"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec})
    }
}

/// With one replica no pair passes. With two, some do: the shares are published, and `audit` names what they left behind.
pub fn races(cluster: &Cluster) {
    cluster.prepare();
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": delegation_crds()}).to_string());
    cluster.kubectl("wait --for condition=Established crds --all --timeout 30s").run().accepted();
    let install = cluster.release(Helm::Four, "install portcullis --create-namespace --wait");
    install.arg("--set-json").arg(CONFIG).run().accepted();
    cluster.apply(GATEWAY);
    // Only the classes of a pair are default classes.
    cluster.kubectl("annotate gatewayclass public gatewayclass.portcullis.dev/is-default-class-").run().accepted();
    for replicas in [1, 2] {
        let scale = format!("scale deployment/portcullis --namespace {NAMESPACE} --replicas {replicas}");
        cluster.kubectl(&scale).run().accepted();
        cluster.rolled_out();
        // The API server keeps its connections, so a replica that is added gets none before the others end.
        roll_out(cluster);
        cluster.ready(replicas);
        for racer in Racer::ALL {
            let size = racer.size();
            let admitted = GAPS.map(|gap| (gap, race(cluster, racer, gap, size, false).len()));
            let row = admitted.map(|(gap, both)| format!("{gap:?}: {both} of {}", size.pairs)).join("; ");
            figure(&format!("{racer:?}, {replicas} replica(s): pairs of which both were admitted"), "", row);
            assert!(replicas > 1 || admitted.iter().all(|(_, both)| *both == 0), "one replica admits both");
        }
    }
    what_slipped_through_is_found(cluster);
    cluster.kubectl("delete -f -").stdin(GATEWAY).run().accepted();
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

/// The pairs of which both were admitted; their objects are deleted unless they are `kept`. Several pairs run at once, since a replica
/// asks the API server to repeat a write that meets a reservation after a second.
fn race(cluster: &Cluster, racer: Racer, gap: Duration, size: RaceSize, kept: bool) -> Vec<usize> {
    let (next, both) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let lane = || {
        let clients = NAMESPACES.map(|_| cluster.http());
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= size.pairs {
                return;
            }
            if both_are_admitted(&clients, racer, gap, number, kept) {
                both.lock().expect("no holder panics").push(number);
            }
            thread::sleep(size.pause);
        }
    };
    thread::scope(|scope| (0..size.lanes).for_each(|_| drop(scope.spawn(lane))));
    both.into_inner().expect("no holder panics")
}

/// Creates a pair until one of its objects is admitted. Whether both were. Neither is while a replica still sees an earlier pair.
fn both_are_admitted(clients: &[Http; 2], racer: Racer, gap: Duration, number: usize, kept: bool) -> bool {
    let deadline = Instant::now() + GONE;
    loop {
        let answers = create_both(clients, racer, gap, number, kept);
        if answers.iter().any(|(status, _)| *status == 201) {
            return answers.iter().all(|(status, _)| *status == 201);
        }
        assert!(Instant::now() < deadline, "neither of a pair was admitted: {answers:?}");
    }
}

/// Creates a pair, the second object after `gap`, and deletes what was admitted unless it is `kept`.
fn create_both(clients: &[Http; 2], racer: Racer, gap: Duration, number: usize, kept: bool) -> [(u16, Value); 2] {
    let host = format!("race-{number}.example.com");
    let names = NAMESPACES.map(|namespace| racer.name(number, namespace));
    let together = Barrier::new(2);
    let create = |side: usize, delay: Duration| {
        together.wait();
        thread::sleep(delay);
        clients[side].post(&racer.path(NAMESPACES[side]), racer.object(&names[side], &host).to_string())
    };
    let answers = thread::scope(|scope| {
        let other = scope.spawn(|| create(1, gap));
        [create(0, Duration::ZERO), other.join().expect("a create does not panic")]
    });
    for (side, (status, answer)) in answers.iter().enumerate() {
        assert!(matches!(status, 201 | 422), "{answer}");
        if *status == 201 && !kept {
            clients[side].delete(&format!("{}/{}", racer.path(NAMESPACES[side]), names[side]));
        }
    }
    answers
}

/// Leaves pairs of Ingresses of which both were admitted. The replicas report one of each, and `audit` names each.
fn what_slipped_through_is_found(cluster: &Cluster) {
    let before = reported(cluster);
    let left = race(cluster, Racer::Ingress, Duration::ZERO, RaceSize { pairs: LEFT, ..HOSTS }, true);
    assert!(!left.is_empty(), "no pair slipped through");
    let took = cluster.soon("each is reported", Duration::from_secs(10), || reported(cluster) - before >= left.len());
    within("pairs that were left behind: the replicas report each", Duration::from_secs(5), took);
    let audit = cluster.portcullis("audit").run().stdout;
    let found = left.iter().filter(|number| audit.contains(&format!("race-{number}.example.com"))).count();
    figure("pairs that were left behind, and that audit names", "all", format!("{found} of {}", left.len()));
    assert_eq!(found, left.len(), "{audit}");
    assert_eq!(reported(cluster) - before, left.len(), "an object was reported that has no rival");
    cluster.kubectl("delete ingresses --all --namespace team-b").run().accepted();
    cluster.kubectl("delete ingresses --all --namespace web").run().accepted();
}

/// How many conflicts all replicas have found afterwards.
fn reported(cluster: &Cluster) -> usize {
    let of = |pod: &str| cluster.metric(pod, "portcullis_late_conflicts_total");
    cluster.pods().iter().map(|(pod, _)| of(pod) as usize).sum()
}
