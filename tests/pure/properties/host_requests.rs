//! HostRequests are granted by the rules of the configuration, never against an entry or another HostClaim, and each host once.

use portcullis_core::cluster::host_claims::{HostClaimFacts, MANAGED_BY, REQUESTED_BY};
use portcullis_core::cluster::ownership::{RequestDecision, releasable};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, Ownership, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::matching::Host;
use portcullis_core::matching::claim_name::name_of;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const HOSTS: [&str; 7] = ["a.c", "b.a.c", "*.a.c", "*.b.a.c", "d.c", "x.d.c", "*.c"];
const NAMESPACES: [&str; 3] = ["x", "y", "z"];

fn ownership(yaml: &str) -> Ownership {
    let config =
        Config::parse(&format!("apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n{yaml}"));
    Ownership::new(&config.expect("the configuration is valid").host_ownership).expect("the entries are valid")
}

fn apply(cluster: &mut Cluster, kind: Kind, object: &Value) {
    let json = object.to_string();
    cluster.apply(Event::Apply(Facts::of(&decode(kind, &json).expect("an object"))));
}

fn request(namespace: &str, host: &str, second: usize) -> Value {
    let name = name_of(&Host::parse(host)).expect("not every host").into_owned();
    json!({"metadata": {"name": name, "namespace": namespace, "creationTimestamp": format!("2026-01-01T00:00:{second:02}Z")},
        "spec": {"host": host}})
}

fn claim(namespace: &str, host: &str, labels: Value) -> Value {
    let name = name_of(&Host::parse(host)).expect("not every host").into_owned();
    json!({"metadata": {"name": name, "labels": labels, "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"host": host, "namespace": namespace}})
}

fn decide(ownership: &Ownership, cluster: &Cluster, namespace: &str, host: &str) -> String {
    let json = request(namespace, host, 0).to_string();
    let facts = match Facts::of(&decode(Kind::HostRequest, &json).expect("a request")) {
        Facts::HostRequest(facts) => facts,
        other => panic!("{other:?}"),
    };
    let this = ObjectRef::new(Kind::HostRequest, namespace, "r");
    match ownership.decide_request(&facts, &Overlay::new(cluster, &this)) {
        RequestDecision::OfOthers(_) => "OfOthers".to_owned(),
        decision => format!("{decision:?}"),
    }
}

#[test]
fn a_request_is_decided_by_the_first_of_claim_entry_and_rule() {
    let ownership = ownership(
        "hostOwnership:
  hosts:
  - {host: '*.a.c', namespaces: {names: [z]}, claims: Required}
  - {host: own.a.c, namespaces: {names: [x]}}
  - {host: '*.closed.c', namespaces: {names: [z]}}
  - {host: '*.off.c', claims: 'Off'}
  - {host: '*.d.c', claims: Optional}
  claims: Optional
  grants:
  - {hosts: ['*.a.c', '*.closed.c', '*.off.c'], namespaces: {names: [x, y]}, maxPerNamespace: 2}
  - {hosts: ['*.{namespace.name}.d.c'], namespaces: {names: ['*']}, wildcards: true}
",
    );
    let mut cluster = Cluster::with(SyncState::Complete);
    for (namespace, host) in [("x", "one.a.c"), ("y", "two.a.c"), ("y", "three.a.c"), ("y", "*.wide.c")] {
        apply(&mut cluster, Kind::HostClaim, &claim(namespace, host, json!({})));
    }
    let cases = [
        ("x", "new.a.c", "Create"),
        ("x", "one.a.c", "Granted(Some(\"one.a.c\"))"),
        ("y", "one.a.c", "OfOthers"),
        ("y", "new.a.c", "LimitReached { count: 3, limit: 2 }"),
        ("z", "new.a.c", "ByHand"),
        ("x", "*.new.a.c", "ByHand"),
        ("x", "own.a.c", "Granted(None)"),
        ("y", "own.a.c", "OfOthers"),
        ("x", "new.closed.c", "OfOthers"),
        ("x", "new.off.c", "Ignored"),
        ("x", "new.x.d.c", "Create"),
        ("x", "*.x.d.c", "Create"),
        ("x", "new.y.d.c", "ByHand"),
        ("x", "new.wide.c", "OfOthers"),
        ("y", "new.wide.c", "Granted(Some(\"wc--any.wide.c\"))"),
        ("x", "e.c", "ByHand"),
    ];
    for (namespace, host, expected) in cases {
        assert_eq!(decide(&ownership, &cluster, namespace, host), expected, "{host} for {namespace}");
    }
    cluster.apply(Event::SyncState(Kind::HostClaim, SyncState::Partial));
    assert_eq!(decide(&ownership, &cluster, "x", "new.a.c"), "Unknown", "a HostClaim may exist");
}

/// Grants are made one after the other until none is left. Each HostClaim has an effect, no limit is exceeded, and the oldest request for a
/// host wins unless its namespace has reached its limit.
#[test]
fn grants_have_an_effect_and_keep_the_limits() {
    let ownership = ownership(
        "hostOwnership:
  claims: Required
  hosts: [{host: '*.d.c', namespaces: {names: [z]}}]
  grants: [{hosts: ['*.c'], namespaces: {names: ['*']}, maxPerNamespace: 3, wildcards: true}]
",
    );
    let (mut granted, mut refused) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut cluster = Cluster::with(SyncState::Complete);
        let mut requests = Vec::new();
        for host in HOSTS {
            for namespace in NAMESPACES {
                if rng.one_in(2) {
                    requests.push((namespace, host));
                }
            }
        }
        rng.shuffle(&mut requests);
        for (second, (namespace, host)) in requests.iter().enumerate() {
            apply(&mut cluster, Kind::HostRequest, &request(namespace, host, second));
        }
        let mut created = Vec::new();
        for round in 1..60 {
            let next: Vec<_> = ownership.next_grants(&cluster).into_iter().cloned().collect();
            for asked in &next {
                let host = asked.host.to_string();
                let mut claim = claim(&asked.object_ref.namespace, &host, json!({}));
                claim["metadata"]["creationTimestamp"] = format!("2026-01-02T00:00:{round:02}Z").into();
                created.push((asked.object_ref.namespace.clone(), host));
                apply(&mut cluster, Kind::HostClaim, &claim);
            }
            if next.is_empty() {
                break;
            }
        }
        assert!(ownership.next_grants(&cluster).is_empty(), "seed {seed}: grants end");
        let this = ObjectRef::new(Kind::HostRequest, "x", "r");
        let overlay = Overlay::new(&cluster, &this);
        for (namespace, host) in &created {
            let decision = ownership.claim(&Host::parse(host), namespace, &overlay);
            let is_precise = !host.starts_with('*');
            let is_free = format!("{decision:?}") == "Free";
            assert!(is_free || !is_precise, "seed {seed}: {namespace} got {host}: {decision:?} among {created:?}");
        }
        for namespace in NAMESPACES {
            assert!(created.iter().filter(|(own, _)| own == namespace).count() <= 3, "seed {seed}: {created:?}");
        }
        granted += created.len();
        refused += requests.len() - created.len();
    }
    assert!(granted > 1500 && refused > 800, "{granted} granted, {refused} not");
}

/// A host that objects of another namespace serve is not granted, and of requests of one moment for hosts of which one covers the other, one is.
#[test]
fn a_grant_takes_no_host_from_others() {
    let ownership = ownership(
        "hostOwnership:\n  claims: Optional\n  grants: [{hosts: ['*.c'], namespaces: {names: ['*']}, wildcards: true}]\n",
    );
    let mut cluster = Cluster::with(SyncState::Complete);
    let route = json!({"metadata": {"namespace": "y", "name": "r"}, "spec": {"hostnames": ["a.c"]}});
    apply(&mut cluster, Kind::HttpRoute, &route);
    assert!(
        decide(&ownership, &cluster, "x", "a.c").starts_with("Served("),
        "{}",
        decide(&ownership, &cluster, "x", "a.c")
    );
    assert_eq!(decide(&ownership, &cluster, "y", "a.c"), "Create");
    for (namespace, host, second) in [("x", "*.b.c", 0), ("y", "a.b.c", 1), ("x", "c.b.c", 2), ("y", "d.c", 3)] {
        apply(&mut cluster, Kind::HostRequest, &request(namespace, host, second));
    }
    let next: Vec<String> = ownership.next_grants(&cluster).iter().map(|asked| asked.host.to_string()).collect();
    assert_eq!(next, ["*.b.c", "c.b.c", "d.c"]);
    cluster.apply(Event::SyncState(Kind::HostRequest, SyncState::Partial));
    assert!(ownership.next_grants(&cluster).is_empty(), "an older request may exist");
}

#[test]
fn a_host_is_released_when_request_and_use_are_gone() {
    let managed = json!({MANAGED_BY: "portcullis"});
    let annotated = |namespace: &str, host: &str, labels: Value| {
        let mut claim = claim(namespace, host, labels);
        claim["metadata"]["annotations"] = json!({REQUESTED_BY: "x"});
        claim
    };
    let mut cluster = Cluster::with(SyncState::Complete);
    for (host, labels) in
        [("a.c", &managed), ("b.c", &managed), ("d.c", &managed), ("e.c", &json!({})), ("*.f.c", &managed)]
    {
        apply(&mut cluster, Kind::HostClaim, &annotated("x", host, labels.clone()));
    }
    // The platform has given this one to another namespace.
    apply(&mut cluster, Kind::HostClaim, &annotated("y", "moved.c", managed.clone()));
    apply(&mut cluster, Kind::HostRequest, &request("x", "a.c", 0));
    apply(&mut cluster, Kind::HostRequest, &request("y", "d.c", 0));
    let route =
        |namespace: &str| json!({"metadata": {"namespace": namespace, "name": "r"}, "spec": {"hostnames": ["b.c"]}});
    apply(&mut cluster, Kind::HttpRoute, &route("x"));
    let names = |cluster: &Cluster| -> Vec<String> {
        releasable(cluster).map(|claim: &HostClaimFacts| claim.name.to_string()).collect()
    };
    assert_eq!(names(&cluster), ["d.c"], "the request of another namespace does not count");
    cluster.apply(Event::Delete(ObjectRef::new(Kind::HttpRoute, "x", "r")));
    apply(&mut cluster, Kind::HttpRoute, &route("y"));
    let mut both = names(&cluster);
    both.sort();
    assert_eq!(both, ["b.c", "d.c"], "neither does an object of another namespace");
    for kind in [Kind::HostRequest, Kind::HttpRoute] {
        cluster.apply(Event::SyncState(kind, SyncState::Partial));
        assert_eq!(names(&cluster), [""; 0], "a {kind} may exist");
        cluster.apply(Event::SyncState(kind, SyncState::Complete));
    }
}
