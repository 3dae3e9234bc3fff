//! Proposed HostClaims: with them and `claims: Required`, ownership denies no stored object for a host that needs no decision, and none of
//! them is for a host that several namespaces serve.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::explain::Stored;
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::matching::Host;
use portcullis_core::matching::claim_name::name_of;
use portcullis_core::report::proposed_claims::{Proposal, ProposedClaims};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const SEEDS: std::ops::Range<u64> = 0..1500;
const HOSTS: [&str; 8] = ["*.c", "a.c", "*.a.c", "b.a.c", "*.b.a.c", "x.b.a.c", "d.c", "*.d.c"];
const NAMESPACES: [&str; 3] = ["x", "y", "z"];
const KINDS: [Kind; 2] = [Kind::Ingress, Kind::HttpRoute];

/// An object that serves hosts.
struct Object {
    object_ref: ObjectRef,
    hosts: BTreeSet<&'static str>,
    json: String,
}

/// A time; the greater the age, the later.
fn time(age: usize) -> String {
    let second = 1_700_000_000 + i64::try_from(age).expect("an age is small");
    Timestamp::from_second(second).expect("a time").to_string()
}

fn object(rng: &mut Rng, number: usize) -> Object {
    let (kind, namespace) = (rng.pick(&KINDS), rng.pick(&NAMESPACES));
    let (first, second) = (rng.pick(&HOSTS), rng.pick(&HOSTS));
    let object_ref = ObjectRef::new(kind, namespace, &format!("o{number}"));
    let spec = match kind {
        Kind::Ingress => {
            let backend = json!({"service": {"name": "web", "port": {"number": 80}}});
            let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
            let rules = json!([{"host": first, "http": {"paths": paths}}]);
            json!({"rules": rules, "tls": [{"hosts": [second]}]})
        }
        _ => json!({"hostnames": [first, second]}),
    };
    let created = time(rng.below(5));
    let metadata = json!({"namespace": namespace, "name": object_ref.name, "creationTimestamp": created});
    let json = json!({"metadata": metadata, "spec": spec}).to_string();
    Object { object_ref, hosts: BTreeSet::from([first, second]), json }
}

/// The configuration: some hosts have entries for one or two namespaces, and some say what HostClaims mean.
fn config(rng: &mut Rng) -> Plan {
    let chosen: Vec<&str> = HOSTS.into_iter().filter(|_| rng.one_in(4)).collect();
    let entry = |host: &str| match rng.below(3) {
        0 => json!({"host": host, "claims": rng.pick(&["Off", "Optional", "Required"])}),
        _ => {
            let names = BTreeSet::from([rng.pick(&NAMESPACES), rng.pick(&NAMESPACES)]);
            json!({"host": host, "namespaces": {"names": names}})
        }
    };
    let entries: Vec<Value> = chosen.into_iter().map(entry).collect();
    let ownership = json!({"claims": "Required", "hosts": entries}).to_string().replace("\":", "\": ");
    plan(&format!("checks: {{'*': Off, host/not-owned: Deny}}\nhostOwnership: {ownership}\n"))
}

/// A HostClaim that exists.
fn existing(rng: &mut Rng, host: &str) -> Value {
    let metadata = json!({"name": name_of(&Host::parse(host)), "creationTimestamp": time(rng.below(5))});
    let also = if rng.one_in(3) { json!([rng.pick(&NAMESPACES)]) } else { json!([]) };
    json!({"metadata": metadata, "spec": {"host": host, "namespace": rng.pick(&NAMESPACES), "alsoServedBy": also}})
}

fn apply_claim(claim: &Value, cluster: &mut Cluster) {
    let json = claim.to_string();
    cluster.apply(Event::Apply(Facts::of(&decode(Kind::HostClaim, &json).expect("a claim"))));
}

/// The hosts for which a stored object would be denied.
fn denied(stored: &Stored<'_>, cluster: &Cluster, plan: &Plan) -> Vec<String> {
    let this = &stored.object_ref;
    let write = Write { operation: Operation::Stored, this, user: None, now: today() };
    let outcome = plan.check(&stored.object, || None, &Overlay::new(cluster, this), &write);
    outcome.findings.into_iter().filter_map(|evaluated| evaluated.finding.claim).map(|claim| claim.host).collect()
}

#[test]
fn proposed_claims_admit_what_is_served() {
    let (mut claimed, mut disputed, mut others) = (0, 0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let count = 2 + rng.below(5);
        let objects: Vec<Object> = (0..count).map(|number| object(&mut rng, number)).collect();
        // In half of the worlds, nothing owns a host yet.
        let is_new = rng.one_in(2);
        let plan = if is_new {
            plan("checks: {'*': Off, host/not-owned: Deny}\nhostOwnership: {claims: Required}\n")
        } else {
            config(&mut rng)
        };
        let mut cluster = Cluster::with(SyncState::Complete);
        for host in HOSTS.into_iter().filter(|_| !is_new && rng.one_in(8)).collect::<Vec<_>>() {
            apply_claim(&existing(&mut rng, host), &mut cluster);
        }
        let decoded = objects.iter().map(|Object { object_ref, json, .. }| Stored {
            object_ref: object_ref.clone(),
            object: decode(object_ref.kind, json).expect("each variant can be decoded"),
        });
        let stored: Vec<Stored<'_>> = decoded.collect();
        stored.iter().for_each(|stored| cluster.apply(Event::Apply(Facts::of(&stored.object))));
        let proposed =
            ProposedClaims::of(&stored, &cluster, plan.config(), today()).expect("the configuration is valid");
        let document: Value = serde_json::from_str(&proposed.json(&[])).expect("a JSON document");
        let world = || format!("seed {seed}: {document:#}\n{:?}", plan.config().host_ownership);

        let mut serving: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for object in &objects {
            for host in &object.hosts {
                serving.entry(host).or_default().insert(&object.object_ref.namespace);
            }
        }
        let claims = document["claims"].as_array().expect("a list");
        let hosts: BTreeSet<&str> = claims.iter().filter_map(|claim| claim["spec"]["host"].as_str()).collect();
        let of_one: BTreeSet<&str> =
            serving.iter().filter(|(_, namespaces)| namespaces.len() == 1).map(|(host, _)| *host).collect();
        assert!(hosts.is_subset(&of_one), "a claim is for a host that several namespaces serve: {}", world());
        assert!(!is_new || hosts == of_one, "a host of one namespace is not claimed: {}", world());

        // They are created one after the other, later than all others.
        for (position, claim) in claims.iter().enumerate() {
            let mut claim = claim.clone();
            claim["metadata"]["creationTimestamp"] = json!(time(100 + position));
            apply_claim(&claim, &mut cluster);
        }
        let needs_decision = |host: &str| {
            let served = proposed.hosts.iter().find(|served| served.host == Host::parse(host));
            let proposal = &served.expect("a denied host is served").proposal;
            matches!(proposal, Proposal::Disputed | Proposal::OfOthers(_) | Proposal::Unclaimable(_))
        };
        for stored in &stored {
            for host in denied(stored, &cluster, &plan) {
                assert!(needs_decision(&host), "{} is denied for {host}: {}", stored.object_ref, world());
            }
        }
        claimed += claims.len();
        disputed += proposed.hosts.iter().filter(|served| served.proposal == Proposal::Disputed).count();
        others += proposed.hosts.iter().filter(|served| matches!(served.proposal, Proposal::OfOthers(_))).count();
    }
    assert!(
        claimed > 2_000 && disputed > 1_000 && others > 500,
        "{claimed} claims, {disputed} disputes, {others} of others"
    );
}
