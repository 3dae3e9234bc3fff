//! The claims of an admitted write are reserved until the view contains its object, so only one of two concurrent
//! writes is admitted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use portcullis_core::cluster::namespace_entries::entries;
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::review::{LateConflict, ReviewError, Reviewer, WriteNotShown};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use serde_json::{Value, json};

struct PortcullisServer {
    reviewer: Reviewer,
    cluster: Arc<SharedCluster>,
    /// The milliseconds on the clock of the reservations.
    elapsed: Arc<AtomicU64>,
}

/// The outcome of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Admitted,
    Denied,
    /// 503 with `Retry-After`.
    Retry,
}

use Outcome::{Admitted, Denied, Retry};

impl PortcullisServer {
    fn new() -> Self {
        Self::with(CONFIG)
    }

    fn with(config: &str) -> Self {
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.apply(facts_of(&gateway()));
        cluster.apply(facts_of(&gateway_class()));
        let cluster = Arc::new(SharedCluster::new(cluster));
        let elapsed = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&elapsed);
        let reviewer = Reviewer::new(plan(config), Arc::clone(&cluster))
            .reserving(move || Duration::from_millis(clock.load(Ordering::Relaxed)));
        Self { reviewer, cluster, elapsed }
    }

    /// Sets the clock of the reservations.
    fn at(&self, millis: u64) {
        self.elapsed.store(millis, Ordering::Relaxed);
    }

    fn writes(&self, operation: &str, object: &Value, more: &Value, now: Timestamp) -> Outcome {
        match self.reviewer.validate(review(operation, object, more).as_bytes(), now) {
            Err(ReviewError::Reserved) => Retry,
            Err(refusal) => panic!("{refusal}"),
            Ok(answer) => {
                let answer: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
                if answer["response"]["allowed"] == true { Admitted } else { Denied }
            }
        }
    }

    fn creates(&self, object: &Value) -> Outcome {
        self.creates_at(object, today())
    }

    fn creates_at(&self, object: &Value, now: Timestamp) -> Outcome {
        self.writes("CREATE", object, &Value::Null, now)
    }

    /// What is found a moment after this object was created.
    fn rechecks(&self, object: &Value) -> Result<Option<LateConflict>, WriteNotShown> {
        self.reviewer.recheck(review("CREATE", object, &Value::Null).as_bytes(), today()).map(|found| found.late)
    }

    /// What is found a moment after this object was updated.
    fn rechecks_update(&self, old: &Value, new: &Value) -> Result<Option<LateConflict>, WriteNotShown> {
        self.reviewer
            .recheck(review("UPDATE", new, &json!({"oldObject": old})).as_bytes(), today())
            .map(|found| found.late)
    }

    /// Whether an update changes what the object claims.
    fn is_claim(&self, old: &Value, new: &Value) -> bool {
        let review = review("UPDATE", new, &json!({"oldObject": old}));
        self.reviewer.validate(review.as_bytes(), today()).expect("it is answered").summary.is_claim
    }

    /// Simulates an event of the watch.
    fn sees(&self, event: Event) {
        self.cluster.apply(vec![event]);
    }
}

/// The review of a write, with more fields of its request.
fn review(operation: &str, object: &Value, more: &Value) -> String {
    let (group, version) = object["apiVersion"].as_str().and_then(|text| text.split_once('/')).expect("a version");
    let mut request = json!({
        "uid": object["metadata"]["uid"].as_str().unwrap_or("1"),
        "kind": {"group": group, "version": version, "kind": object["kind"]}, "operation": operation,
        "namespace": object["metadata"]["namespace"], "name": object["metadata"]["name"], "object": object,
    });
    if operation == "DELETE" {
        (request["object"], request["oldObject"]) = (Value::Null, object.clone());
    }
    request.as_object_mut().expect("a map").extend(more.as_object().cloned().unwrap_or_default());
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).to_string()
}

fn facts_of(object: &Value) -> Event {
    let (group, version) = object["apiVersion"].as_str().and_then(|text| text.split_once('/')).expect("a version");
    let kind = Kind::of(group, version, object["kind"].as_str().expect("a kind")).expect("a kind of ours");
    Event::Apply(Facts::of(&decode(kind, &object.to_string()).expect("the object can be read")))
}

fn gone(object: &Value) -> Event {
    let Event::Apply(facts) = facts_of(object) else { unreachable!("an object was put") };
    Event::Delete(facts.object_ref())
}

/// An object of the kind at `namespace/name` that claims `host`.
fn object(kind: &str, object_ref: &str, host: &str) -> Value {
    let (namespace, name) = object_ref.split_once('/').expect("a place");
    let metadata = json!({"namespace": namespace, "name": name, "creationTimestamp": "2026-12-01T00:00:00Z"});
    let services = json!([{"name": "web", "port": 80}]);
    let (api_version, spec) = match kind {
        "Ingress" => {
            let backend = json!({"service": {"name": "web", "port": {"number": 80}}});
            let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
            ("networking.k8s.io/v1", json!({"rules": [{"host": host, "http": {"paths": paths}}]}))
        }
        "HTTPProxy" => {
            ("projectcontour.io/v1", json!({"virtualhost": {"fqdn": host}, "routes": [{"services": services}]}))
        }
        "IngressRoute" => {
            let routes = json!([{"match": "/", "services": services}]);
            ("contour.heptio.com/v1beta1", json!({"virtualhost": {"fqdn": host}, "routes": routes}))
        }
        _ => {
            let parents = json!([{"name": "edge", "namespace": "infra"}]);
            let rules = json!([{"backendRefs": services}]);
            ("gateway.networking.k8s.io/v1", json!({"parentRefs": parents, "hostnames": [host], "rules": rules}))
        }
    };
    json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})
}

/// A class of this name, marked as the default of its kind or not.
fn class(kind: &str, name: &str, is_default: bool) -> Value {
    let (api_version, key, spec) = match kind {
        "IngressClass" => (
            "networking.k8s.io/v1",
            "ingressclass.kubernetes.io/is-default-class",
            json!({"controller": "example.com/ingress"}),
        ),
        _ => {
            ("gateway.networking.k8s.io/v1", "example.com/is-default", json!({"controllerName": "example.com/gateway"}))
        }
    };
    let annotations = if is_default { json!({key: "true"}) } else { json!({}) };
    let metadata = json!({"name": name, "annotations": annotations, "creationTimestamp": "2026-12-01T00:00:00Z"});
    json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})
}

fn gateway() -> Value {
    let from_all = json!({"namespaces": {"from": "All"}});
    let listener = |name: &str, port: u16, protocol: &str, tls: Value| json!({"name": name, "port": port, "protocol": protocol, "tls": tls, "allowedRoutes": from_all});
    let listeners = [
        listener("web", 80, "HTTP", Value::Null),
        listener("tls", 443, "TLS", json!({"mode": "Passthrough"})),
        listener("tcp", 9000, "TCP", Value::Null),
        listener("udp", 9000, "UDP", Value::Null),
    ];
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"namespace": "infra", "name": "edge"},
        "spec": {"gatewayClassName": "public", "listeners": listeners},
    })
}

fn gateway_class() -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": {"name": "public"},
        "spec": {"controllerName": "example.com/gateway"},
    })
}

/// A configuration that also denies conflicts of routes.
const CONFIG: &str = "checks: {host/route-conflict: Deny, host/tls-route-conflict: Deny}\n";

/// A configuration with an annotation of its own that marks the default GatewayClass.
const DEFAULT_KEY: &str = "gatewayClassDefaultKeys: [example.com/is-default]\n";

const HOST: &str = "shop.example.com";

#[test]
fn a_reserved_host_is_answered_with_retry() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute", "HTTPRoute", "GRPCRoute", "TLSRoute"] {
        let (server, first, second) =
            (PortcullisServer::new(), object(kind, "team-a/shop", HOST), object(kind, "web/shop", HOST));
        assert_eq!(server.creates(&first), Admitted, "{kind}");
        assert_eq!(server.creates(&second), Retry, "{kind}");
        assert_eq!(server.creates(&first), Admitted, "{kind}: its own reservation refuses nothing");
        assert_eq!(server.creates(&object(kind, "web/other", "other.example.com")), Admitted, "{kind}");

        server.sees(facts_of(&first));
        assert_eq!(server.creates(&second), Denied, "{kind}: it is seen");
    }
}

/// Where the first namespace owns a host, the simultaneous claims of objects of any two kinds are serialized.
#[test]
fn the_first_claim_of_a_host_is_reserved_across_kinds() {
    let kinds = ["Ingress", "HTTPProxy", "IngressRoute", "HTTPRoute", "GRPCRoute", "TLSRoute"];
    for (one, other) in kinds.into_iter().flat_map(|one| kinds.map(|other| (one, other))) {
        let server = PortcullisServer::with(
            "checks: {'*': Off, host/not-owned: Deny}\nhostOwnership: {unlisted: FirstNamespace}\n",
        );
        let (first, second) = (object(one, "team-a/shop", HOST), object(other, "web/shop", HOST));
        assert_eq!(server.creates(&first), Admitted, "{one}, {other}");
        assert_eq!(server.creates(&second), Retry, "{one}, {other}");
        assert_eq!(server.creates(&object(other, "team-a/more", HOST)), Admitted, "{one}, {other}: the same namespace");
        server.sees(facts_of(&first));
        assert_eq!(server.creates(&second), Denied, "{one}, {other}: it is seen");
        server.sees(gone(&first));
        server.writes("DELETE", &object(other, "team-a/more", HOST), &Value::Null, today());
        assert_eq!(server.creates(&second), Admitted, "{one}, {other}: the host is free again");
    }
}

#[test]
fn default_class_is_reserved() {
    for (kind, other_kind) in [("IngressClass", "GatewayClass"), ("GatewayClass", "IngressClass")] {
        let server = PortcullisServer::with(DEFAULT_KEY);
        let (first, second) = (class(kind, "public", true), class(kind, "internal", true));
        assert_eq!(server.creates(&class(kind, "plain", false)), Admitted, "{kind}");
        assert_eq!(server.creates(&first), Admitted, "{kind}");
        assert_eq!(server.creates(&second), Retry, "{kind}");
        assert_eq!(server.creates(&class(kind, "other", false)), Admitted, "{kind}: it claims nothing");
        assert_eq!(server.creates(&class(other_kind, "other", true)), Admitted, "each kind has a default class");
        server.sees(facts_of(&first));
        assert_eq!(server.creates(&second), Denied, "{kind}: it is seen");
        server.sees(facts_of(&class(kind, "public", false)));
        assert_eq!(server.creates(&second), Admitted, "{kind}: the mark is gone");
    }
}

#[test]
fn an_update_that_marks_the_default_class_is_reserved() {
    for kind in ["IngressClass", "GatewayClass"] {
        let server = PortcullisServer::with(DEFAULT_KEY);
        let (old, new) = (class(kind, "public", false), class(kind, "public", true));
        server.sees(facts_of(&old));
        assert_eq!(server.writes("UPDATE", &new, &json!({"oldObject": old}), today()), Admitted, "{kind}");
        assert_eq!(server.creates(&class(kind, "internal", true)), Retry, "{kind}");
        server.sees(facts_of(&new));
        assert_eq!(server.creates(&class(kind, "internal", true)), Denied, "{kind}");
        // The older state of the updated class is not a second default class.
        let mut changed = new.clone();
        changed["metadata"]["annotations"]["example.com/other"] = "true".into();
        changed["spec"]["parameters"] = json!({"kind": "Settings", "name": "fast"});
        assert_eq!(server.writes("UPDATE", &changed, &json!({"oldObject": new}), today()), Admitted, "{kind}");
        let mut ingress = object("Ingress", "web/shop", "");
        ingress["spec"]["rules"][0].as_object_mut().expect("a rule is a map").remove("host");
        assert_eq!(server.creates(&ingress), Admitted, "{kind}");
    }
}

#[test]
fn updates_and_generated_names_reserve() {
    let (old, new) = (object("Ingress", "web/shop", "old.example.com"), object("Ingress", "web/shop", HOST));
    let server = PortcullisServer::new();
    server.sees(facts_of(&old));
    assert_eq!(server.writes("UPDATE", &new, &json!({"oldObject": old}), today()), Admitted);
    assert_eq!(server.creates(&object("Ingress", "team/copy", HOST)), Retry);
    server.sees(facts_of(&old));
    assert_eq!(server.creates(&object("Ingress", "team/copy", HOST)), Retry, "the watch delivered an older state");
    server.sees(facts_of(&new));
    assert_eq!(server.creates(&object("Ingress", "team/copy", HOST)), Denied);

    let server = PortcullisServer::new();
    let generated = |namespace: &str, uid: &str| {
        let mut object = object("HTTPProxy", &format!("{namespace}/-"), HOST);
        object["metadata"] = json!({"namespace": namespace, "generateName": "shop-", "uid": uid});
        object
    };
    assert_eq!(server.creates(&generated("web", "u-1")), Admitted);
    assert_eq!(server.creates(&generated("web", "u-2")), Retry);
}

#[test]
fn reservation_ends_when_object_is_deleted_or_seen() {
    let (first, second) = (object("HTTPProxy", "web/shop", HOST), object("HTTPProxy", "team/shop", HOST));
    let server = PortcullisServer::new();
    assert_eq!(server.writes("CREATE", &first, &json!({"dryRun": true}), today()), Admitted);
    assert_eq!(server.creates(&second), Admitted, "a dry run reserves nothing");

    let server = PortcullisServer::new();
    assert_eq!(server.creates(&first), Admitted);
    assert_eq!(
        server.writes("CREATE", &second, &json!({"dryRun": true}), today()),
        Retry,
        "a dry run gets the same response"
    );
    assert_eq!(server.writes("DELETE", &first, &json!({"dryRun": true}), today()), Admitted);
    assert_eq!(server.creates(&second), Retry);
    assert_eq!(server.writes("DELETE", &first, &Value::Null, today()), Admitted);
    assert_eq!(server.creates(&second), Admitted);

    let server = PortcullisServer::new();
    assert_eq!(server.creates(&first), Admitted);
    server.sees(facts_of(&first));
    server.sees(gone(&first));
    assert_eq!(server.creates(&second), Admitted, "it was seen, and is gone again");
}

#[test]
fn released_claim_denies_nothing() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute"] {
        let (held, new) = (object(kind, "web/shop", HOST), object(kind, "team/shop", HOST));
        let moved = object(kind, "web/shop", "old.example.com");
        let without = || {
            let server = PortcullisServer::new();
            server.sees(facts_of(&held));
            assert_eq!(server.creates(&new), Denied, "{kind}");
            server
        };
        let server = without();
        assert_eq!(server.writes("DELETE", &held, &json!({"dryRun": true}), today()), Admitted, "{kind}");
        assert_eq!(server.creates(&new), Denied, "{kind}: a dry run gives up nothing");
        assert_eq!(server.writes("DELETE", &held, &json!({"oldObject": held}), today()), Admitted, "{kind}");
        assert_eq!(server.creates(&new), Retry, "{kind}: the view still shows it");
        server.sees(gone(&held));
        assert_eq!(server.creates(&new), Admitted, "{kind}");

        let server = without();
        assert_eq!(server.writes("UPDATE", &moved, &json!({"oldObject": held}), today()), Admitted, "{kind}");
        assert_eq!(server.creates(&new), Retry, "{kind}: the view still shows the old host");
        server.sees(facts_of(&moved));
        assert_eq!(server.creates(&new), Admitted, "{kind}");
        let late = object(kind, "other/shop", "old.example.com");
        assert_eq!(server.creates(&late), Denied, "{kind}: the view shows what it claims now");
    }
    for kind in ["IngressClass", "GatewayClass"] {
        let server = PortcullisServer::with(DEFAULT_KEY);
        let (old, new) = (class(kind, "public", true), class(kind, "public", false));
        server.sees(facts_of(&old));
        assert_eq!(server.creates(&class(kind, "internal", true)), Denied, "{kind}");
        assert_eq!(server.writes("UPDATE", &new, &json!({"oldObject": old}), today()), Admitted, "{kind}");
        assert_eq!(server.creates(&class(kind, "internal", true)), Retry, "{kind}: the view still shows the mark");
    }
}

#[test]
fn unseen_claim_is_not_reserved_again() {
    let server = PortcullisServer::new();
    let (other, own) = (object("HTTPProxy", "team/x", HOST), object("HTTPProxy", "web/shop", HOST));
    let at = |millis: u64| {
        server.at(millis);
        today()
    };
    assert_eq!(server.creates_at(&other, at(0)), Admitted);
    assert_eq!(server.creates_at(&own, at(1_900)), Retry);
    assert_eq!(server.creates_at(&object("HTTPProxy", "team/y", HOST), at(2_100)), Admitted);
    assert_eq!(server.writes("CREATE", &own, &json!({"dryRun": true}), at(2_200)), Admitted, "not within a minute");
    // Its object appears late, so the namespace may reserve the host again.
    server.sees(facts_of(&other));
    server.sees(gone(&other));
    assert_eq!(server.creates_at(&other, at(3_000)), Admitted);
    assert_eq!(server.creates_at(&own, at(3_100)), Retry);
    // After a minute it may reserve the host again as well.
    assert_eq!(server.creates_at(&other, at(64_900)), Admitted);
    assert_eq!(server.writes("CREATE", &own, &json!({"dryRun": true}), at(64_950)), Admitted);
    assert_eq!(server.creates_at(&other, at(65_100)), Admitted);
    assert_eq!(server.creates_at(&own, at(65_200)), Retry);
}

#[test]
fn reservation_ends_although_the_wall_clock_steps_back() {
    let server = PortcullisServer::new();
    let (first, second) = (object("HTTPProxy", "team/x", HOST), object("HTTPProxy", "web/shop", HOST));
    let before = today() - Duration::from_secs(3_600);
    assert_eq!(server.creates_at(&first, today()), Admitted);
    server.at(1_900);
    assert_eq!(server.creates_at(&second, before), Retry);
    server.at(2_000);
    assert_eq!(server.creates_at(&second, before), Admitted);
}

#[test]
fn unseen_reservation_does_not_affect_other_hosts() {
    let server = PortcullisServer::new();
    let at = |millis: u64| {
        server.at(millis);
        today()
    };
    assert_eq!(server.creates_at(&object("Ingress", "team/x", HOST), at(0)), Admitted);
    let mut both = object("Ingress", "team/both", HOST);
    let mut second = both["spec"]["rules"][0].clone();
    second["host"] = json!("other.example.com");
    both["spec"]["rules"].as_array_mut().expect("rules").push(second);
    assert_eq!(server.creates_at(&both, at(2_100)), Admitted);
    let dry_run =
        |host: &str| server.writes("CREATE", &object("Ingress", "web/shop", host), &json!({"dryRun": true}), at(2_200));
    assert_eq!((dry_run(HOST), dry_run("other.example.com")), (Admitted, Retry));
}

#[test]
fn a_listener_of_connections_is_reserved() {
    for (kind, section) in [("TCPRoute", "tcp"), ("UDPRoute", "udp")] {
        let server = PortcullisServer::with("checks: {l4-route/listener-shared: Deny}\n");
        let route = |object_ref: &str, parent: &str| {
            let mut route = object(kind, object_ref, "");
            route["apiVersion"] = json!("gateway.networking.k8s.io/v1alpha2");
            route["spec"] = json!({
                "parentRefs": [{"name": parent, "namespace": "infra", "sectionName": section}],
                "rules": [{"backendRefs": [{"name": "web", "port": 80}]}],
            });
            route
        };
        assert_eq!(server.creates(&route("team-a/one", "edge")), Admitted, "{kind}");
        assert_eq!(server.creates(&route("web/two", "edge")), Retry, "{kind}");
        assert_eq!(server.creates(&route("web/two", "other")), Admitted, "{kind}");
        server.sees(facts_of(&route("team-a/one", "edge")));
        assert_eq!(server.creates(&route("web/three", "edge")), Denied, "{kind}");
    }
}

#[test]
fn an_update_that_joins_a_load_balancer_is_reserved() {
    let in_group = |object_ref: &str, group: &str| {
        let mut ingress = object("Ingress", object_ref, HOST);
        ingress["spec"]["ingressClassName"] = json!("alb");
        ingress["metadata"]["annotations"] = json!({"alb.ingress.kubernetes.io/group.name": group});
        ingress
    };
    let (old, new, other) = (in_group("web/shop", "web"), in_group("web/shop", "all"), in_group("team/copy", "all"));
    let server = PortcullisServer::new();
    server.sees(facts_of(&old));
    assert_eq!(server.writes("UPDATE", &new, &json!({"oldObject": old}), today()), Admitted);
    assert_eq!(server.creates(&other), Retry);
    server.sees(facts_of(&old));
    assert_eq!(server.creates(&other), Retry, "the watch delivered an older state");
    server.sees(facts_of(&new));
    assert_eq!(server.creates(&other), Denied);
}

#[test]
fn hosts_of_annotations_and_certificates_meet_reservations() {
    let server = || {
        let server = PortcullisServer::with("checks: {host/cross-kind-conflict: Deny}\n");
        assert_eq!(server.creates(&object("HTTPProxy", "team-a/shop", HOST)), Admitted);
        server
    };
    let mut aliased = object("Ingress", "web/own", "own.example.com");
    assert_eq!(server().creates(&aliased), Admitted);
    aliased["metadata"]["annotations"] = json!({"konghq.com/host-aliases": HOST});
    assert_eq!(server().creates(&aliased), Retry);
    let mut encrypted = object("Ingress", "web/own", "own.example.com");
    encrypted["spec"]["tls"] = json!([{"hosts": [HOST], "secretName": "own"}]);
    assert_eq!(server().creates(&encrypted), Retry);
}

#[test]
fn full_table_drops_reservations_of_the_largest_namespace() {
    let server = PortcullisServer::new();
    let of = |namespace: &str, number: usize| {
        object("HTTPProxy", &format!("{namespace}/p-{number}"), &format!("h-{number}.{namespace}.example.com"))
    };
    (0..10).for_each(|number| assert_eq!(server.creates(&of("web", number)), Admitted));
    (0..2_000).for_each(|number| assert_eq!(server.creates(&of("evil", number)), Admitted));
    let claimed = |namespace: &str, number: usize| {
        let host = format!("h-{number}.{namespace}.example.com");
        server.writes("CREATE", &object("HTTPProxy", "other/p", &host), &json!({"dryRun": true}), today())
    };
    assert!((0..10).all(|number| claimed("web", number) == Retry), "the smaller namespace keeps its own");
    assert_eq!((claimed("evil", 0), claimed("evil", 1_999)), (Admitted, Retry), "the oldest of the largest are gone");
}

#[test]
fn server_over_files_reserves_nothing() {
    let server = PortcullisServer::new();
    let server = PortcullisServer { reviewer: Reviewer::new(plan(""), Arc::clone(&server.cluster)), ..server };
    assert_eq!(server.creates(&object("Ingress", "web/shop", HOST)), Admitted);
    assert_eq!(server.creates(&object("Ingress", "team/shop", HOST)), Admitted);
}

#[test]
fn one_of_many_concurrent_claims_is_admitted() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute"] {
        let server = PortcullisServer::new();
        let objects: Vec<Value> = (0..64).map(|number| object(kind, &format!("team-{number}/shop"), HOST)).collect();
        let outcomes = std::thread::scope(|scope| {
            let writes = objects.iter().map(|object| scope.spawn(|| server.creates(object))).collect::<Vec<_>>();
            writes.into_iter().map(|write| write.join().expect("an answer")).collect::<Vec<_>>()
        });
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Admitted).count(), 1, "{kind}");
        assert!(!outcomes.contains(&Denied), "{kind}: no write is denied for an object that is not readable yet");
    }
}

#[test]
fn younger_of_two_raced_objects_is_reported() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute"] {
        let (one, other) = (PortcullisServer::new(), PortcullisServer::new());
        let older = object(kind, "web/shop", "shop.example.com");
        let mut younger = object(kind, "team-b/shop", "shop.example.com");
        younger["metadata"]["creationTimestamp"] = "2026-12-01T00:00:01Z".into();
        assert_eq!((one.creates(&older), other.creates(&younger)), (Admitted, Admitted), "{kind}");
        assert_eq!(other.rechecks(&younger), Err(WriteNotShown), "the view shows neither");
        for replica in [&one, &other] {
            replica.sees(facts_of(&older));
            replica.sees(facts_of(&younger));
        }
        assert_eq!(one.rechecks(&older), Ok(None), "{kind}");
        let Ok(Some(found)) = other.rechecks(&younger) else { panic!("nothing is found: {kind}") };
        assert_eq!(found.object_ref.to_string(), format!("{kind} team-b/shop"));
        let [(_, message)] = &found.findings[..] else { panic!("{found:?}") };
        assert!(message.contains(&format!("{kind} web/shop")), "{message}");
        other.sees(gone(&younger));
        assert_eq!(other.rechecks(&younger), Err(WriteNotShown), "it is deleted");
    }
}

#[test]
fn raced_default_class_is_reported() {
    for kind in ["IngressClass", "GatewayClass"] {
        let (one, other) = (PortcullisServer::with(DEFAULT_KEY), PortcullisServer::with(DEFAULT_KEY));
        let (older, mut younger) = (class(kind, "public", true), class(kind, "internal", true));
        younger["metadata"]["creationTimestamp"] = "2026-12-01T00:00:01Z".into();
        assert_eq!((one.creates(&older), other.creates(&younger)), (Admitted, Admitted), "{kind}");
        for replica in [&one, &other] {
            replica.sees(facts_of(&older));
            replica.sees(facts_of(&younger));
        }
        assert_eq!(one.rechecks(&older), Ok(None), "{kind}");
        let Ok(Some(found)) = other.rechecks(&younger) else { panic!("nothing is found: {kind}") };
        assert_eq!(found.object_ref.to_string(), format!("{kind} internal"));
    }
}

#[test]
fn younger_object_of_a_raced_update_is_reported() {
    for (kind, is_updated_younger) in
        ["Ingress", "HTTPProxy", "IngressRoute"].into_iter().flat_map(|kind| [(kind, false), (kind, true)])
    {
        let (one, other) = (PortcullisServer::new(), PortcullisServer::new());
        let mut old = object(kind, "web/shop", "old.example.com");
        let mut created = object(kind, "team-b/shop", HOST);
        let younger = if is_updated_younger { &mut old } else { &mut created };
        younger["metadata"]["creationTimestamp"] = "2026-12-01T00:00:01Z".into();
        let mut new = object(kind, "web/shop", HOST);
        new["metadata"] = old["metadata"].clone();
        for replica in [&one, &other] {
            replica.sees(facts_of(&old));
        }
        let update = json!({"oldObject": old});
        assert_eq!(one.writes("UPDATE", &new, &update, today()), Admitted, "{kind}");
        assert_eq!(other.creates(&created), Admitted, "{kind}");
        assert_eq!(one.rechecks_update(&old, &new), Err(WriteNotShown), "the view shows the older state");
        for replica in [&one, &other] {
            replica.sees(facts_of(&new));
            replica.sees(facts_of(&created));
        }
        let found = [one.rechecks_update(&old, &new), other.rechecks(&created)];
        let found = found.map(|found| found.expect("the view shows both").map(|found| found.object_ref.to_string()));
        let expected = match is_updated_younger {
            true => [Some(format!("{kind} web/shop")), None],
            false => [None, Some(format!("{kind} team-b/shop"))],
        };
        assert_eq!(found, expected);
        assert_eq!(one.rechecks_update(&new, &new), Ok(None), "{kind}: the conflict was there before the update");
    }
}

#[test]
fn unrelated_change_hides_no_conflict() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute"] {
        let replica = PortcullisServer::new();
        let (older, mut younger) = (object(kind, "web/shop", HOST), object(kind, "team-b/shop", HOST));
        younger["metadata"]["creationTimestamp"] = "2026-12-01T00:00:01Z".into();
        replica.sees(facts_of(&older));
        let changed: Value =
            serde_json::from_str(&younger.to_string().replace(r#""name":"web""#, r#""name":"other""#)).expect("JSON");
        assert_ne!(changed, younger);
        replica.sees(facts_of(&changed));
        let found = replica.rechecks(&younger).expect("the view shows the claim");
        assert_eq!(found.map(|found| found.object_ref.to_string()), Some(format!("{kind} team-b/shop")));
    }
}

#[test]
fn an_update_is_a_claim_if_it_changes_what_is_claimed() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute", "HTTPRoute"] {
        let server = PortcullisServer::new();
        let (old, new) = (object(kind, "web/shop", "old.example.com"), object(kind, "web/shop", HOST));
        server.sees(facts_of(&old));
        assert!(server.is_claim(&old, &new), "{kind}");
        let mut labeled = old.clone();
        labeled["metadata"]["labels"] = json!({"team": "web"});
        assert!(!server.is_claim(&old, &labeled), "{kind}");
        let moved: Value =
            serde_json::from_str(&old.to_string().replace(r#""name":"web""#, r#""name":"other""#)).expect("JSON");
        assert_ne!(moved, old);
        assert!(!server.is_claim(&old, &moved), "{kind}: another backend");
    }
}

/// Many writes at once do not take a namespace above its limit.
#[test]
fn paths_of_admitted_writes_count_for_their_namespace() {
    for kind in ["Ingress", "HTTPProxy", "IngressRoute", "HTTPRoute", "IngressRoute without a host"] {
        let named = |name: &str| {
            let mut object =
                object(kind.split(' ').next().unwrap_or(kind), &format!("web/{name}"), &format!("{name}.example.com"));
            if kind.ends_with("a host") {
                object["spec"].as_object_mut().expect("a spec is a map").remove("virtualhost");
            }
            object
        };
        let [first, second, third] = ["one", "two", "three"].map(named);
        let Event::Apply(facts) = facts_of(&first) else { unreachable!("an object was put") };
        let most = 2 * entries(&facts);
        let server = PortcullisServer::with(&format!(
            "checks: {{'*': Off, object/namespace-too-large: {{action: Deny, maxEntries: {most}}}}}\n"
        ));
        assert_eq!([&first, &second].map(|object| server.creates(object)), [Admitted; 2], "{kind}");
        assert_eq!(server.creates(&third), Retry, "{kind}");
        assert_eq!(server.creates(&second), Admitted, "{kind}: its own reservation counts once");
        server.sees(facts_of(&first));
        assert_eq!(server.creates(&third), Retry, "{kind}: what is shown counts once");
        server.sees(facts_of(&second));
        assert_eq!(server.creates(&third), Denied, "{kind}");
        server.sees(gone(&first));
        assert_eq!(server.creates(&third), Admitted, "{kind}");
        server.at(3_000);
        assert_eq!(server.creates(&first), Admitted, "{kind}: the third one was not stored");
    }
}
