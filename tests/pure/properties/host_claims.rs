//! HostClaims are entries of `hostOwnership`, unless an entry for the same host exists, or a wider one of others does not admit them.

use jiff::Timestamp;
use portcullis_core::cluster::host_claims::HostClaimFacts;
use portcullis_core::cluster::ownership::OwnershipDecision;
use portcullis_core::cluster::{Cluster, Event, Facts, Lookup, Overlay, Ownership, SyncState};
use portcullis_core::config::{ClaimMode, HostOwnership, NamespaceSelector, OwnedHost, Spanned, Unlisted};
use portcullis_core::kinds::{Kind, Object, ObjectRef, decode};
use portcullis_core::matching::claim_name::name_of;
use portcullis_core::matching::{Depth, Host};
use portcullis_testing::rng::Rng;
use serde_json::json;

const SEEDS: std::ops::Range<u64> = 0..1500;
const HOSTS: [&str; 8] = ["*.c", "a.c", "*.a.c", "b.a.c", "*.b.a.c", "x.b.a.c", "d.c", "*.d.c"];
const NAMESPACES: [&str; 3] = ["x", "y", "z"];

/// A host, its namespaces, the owner first, for a claim its age; the lower, the older; and for an entry whether it leaves the hosts below it
/// to HostClaims.
#[derive(Debug, Clone)]
struct Owner {
    host: &'static str,
    namespaces: Vec<&'static str>,
    age: Option<usize>,
    is_open: bool,
}

impl Owner {
    fn covers(&self, host: &str) -> bool {
        self.host == "*" || Host::parse(self.host).covers(&Host::parse(host), Depth::AnyLabels)
    }

    /// Whether a namespace may have claims for the hosts below this one.
    fn admits_claims_of(&self, namespace: &str) -> bool {
        match self.age {
            Some(_) => self.namespaces[0] == namespace,
            None => self.is_open || self.namespaces.contains(&namespace),
        }
    }

    /// The greater, the more specific.
    fn rank(&self) -> (bool, usize) {
        (!self.host.starts_with('*'), self.host.split('.').count())
    }
}

fn owners(rng: &mut Rng, hosts: &[&'static str], has_age: bool) -> Vec<Owner> {
    let chosen: Vec<&'static str> = hosts.iter().copied().filter(|_| rng.one_in(3)).collect();
    let mut all = Vec::new();
    for host in chosen {
        let mut namespaces = vec![rng.pick(&NAMESPACES)];
        if rng.one_in(3) {
            namespaces.push(rng.pick(&NAMESPACES));
        }
        let is_open = !has_age && rng.one_in(3);
        all.push(Owner { host, namespaces, age: has_age.then(|| rng.below(5)), is_open });
    }
    rng.shuffle(&mut all);
    all
}

/// The claims that have an effect: they are tried in the order of their creation. Of two of the same age, both may have.
fn effective(entries: &[Owner], claims: &[Owner]) -> Vec<Owner> {
    let mut claims = claims.to_vec();
    claims.sort_by_key(|claim| claim.age);
    let mut found: Vec<Owner> = Vec::new();
    for claim in claims {
        let older = found.iter().filter(|known| known.age < claim.age);
        let above =
            entries.iter().chain(older).filter(|owner| owner.covers(claim.host)).max_by_key(|owner| owner.rank());
        let is_admitted = above.is_none_or(|above| above.admits_claims_of(claim.namespaces[0]));
        if is_admitted && entries.iter().all(|entry| entry.host != claim.host) {
            found.push(claim);
        }
    }
    found
}

fn ownership(owners: &[Owner], unlisted: Unlisted) -> Ownership {
    let owned = |owner: &Owner| {
        let names = owner.namespaces.iter().map(|name| (*name).to_owned()).collect();
        OwnedHost {
            host: Spanned::without_position(owner.host.to_owned()),
            namespaces: NamespaceSelector { names, ..NamespaceSelector::default() },
            claims: owner.is_open.then_some(ClaimMode::Optional),
        }
    };
    let hosts = owners.iter().map(owned).collect();
    Ownership::new(&HostOwnership { unlisted, claims: ClaimMode::Optional, hosts, grants: Vec::new() })
        .expect("entries are well formed")
}

fn cluster(claims: &[Owner]) -> Cluster {
    let mut cluster = Cluster::with(SyncState::Complete);
    for claim in claims {
        let host = Host::parse(claim.host);
        let created = Timestamp::from_second(1_700_000_000 + claim.age.unwrap_or_default() as i64).expect("a time");
        let json = json!({"metadata": {"name": name_of(&host), "creationTimestamp": created},
            "spec": {"host": claim.host, "namespace": claim.namespaces[0], "alsoServedBy": claim.namespaces[1..]}});
        let json = json.to_string();
        let object = decode(Kind::HostClaim, &json).expect("a claim");
        cluster.apply(Event::Apply(Facts::of(&object)));
    }
    cluster
}

#[test]
fn claims_are_entries() {
    let (this, none) = (ObjectRef::new(Kind::Ingress, "x", "shop"), Cluster::with(SyncState::Complete));
    let (mut effects, mut conflicts) = (0, 0);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let entries = owners(&mut rng, &[&HOSTS[..], &["*"]].concat(), false);
        let claims = owners(&mut rng, &HOSTS, true);
        let unlisted = rng.pick(&[Unlisted::Allow, Unlisted::Deny]);
        let effective = effective(&entries, &claims);
        effects += effective.len();
        conflicts += claims.len() - effective.len();
        let (actual, cluster) = (ownership(&entries, unlisted), cluster(&claims));
        let expected = ownership(&[entries.clone(), effective.clone()].concat(), unlisted);
        for host in HOSTS.into_iter().chain(["", "e.c", "e.a.c"]) {
            for namespace in NAMESPACES {
                let decide = |ownership: &Ownership, cluster: &Cluster| {
                    let decision = ownership.claim(&Host::parse(host), namespace, &Overlay::new(cluster, &this));
                    match decision {
                        OwnershipDecision::Owned { entry, by, .. } if !(host.is_empty() || host.starts_with('*')) => {
                            format!("{entry} of {by}")
                        }
                        // Of several hosts that a wildcard covers, any may be named.
                        OwnershipDecision::Owned { .. } => "owned".to_owned(),
                        decision => format!("{decision:?}"),
                    }
                };
                let (decision, wanted) = (decide(&actual, &cluster), decide(&expected, &none));
                assert_eq!(decision, wanted, "seed {seed}: {host} by {namespace} with {entries:?}, {claims:?}");
            }
        }
    }
    assert!(effects > 1000 && conflicts > 500, "{effects} claims have an effect, {conflicts} have none");
}

/// In files, ages are not known: a HostClaim may be the older one.
#[test]
fn a_claim_of_unknown_age_may_have_no_effect() {
    let this = ObjectRef::new(Kind::HostClaim, "", "b.a.c");
    let ownership = ownership(&[], Unlisted::Allow);
    let obstacle = |namespace: &'static str, age: Option<usize>, wider: Option<usize>| {
        let cluster = cluster(&[Owner { host: "*.a.c", namespaces: vec!["x"], age: wider, is_open: false }]);
        let created = age.map(|age| Timestamp::from_second(1_700_000_000 + age as i64).expect("a time"));
        let json = json!({"metadata": {"name": "b.a.c", "creationTimestamp": created}, "spec": {"host": "b.a.c", "namespace": namespace}});
        let json = json.to_string();
        let Object::HostClaim(claim) = decode(Kind::HostClaim, &json).expect("a claim") else { panic!("{json}") };
        matches!(ownership.obstacle_to(&HostClaimFacts::of(&claim), &Overlay::new(&cluster, &this)), Lookup::Found(_))
    };
    assert!(obstacle("y", None, Some(1)) && obstacle("y", Some(2), Some(1)));
    assert!(!obstacle("y", Some(0), Some(1)) && !obstacle("x", None, Some(1)));
}

/// Which hosts may not be claimed without a HostClaim, and what is not known until all of them are.
#[test]
fn required_claims_are_missed_only_if_all_are_known() {
    let this = ObjectRef::new(Kind::Ingress, "x", "shop");
    let required = |host: &str, names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        OwnedHost {
            host: Spanned::without_position(host.to_owned()),
            namespaces: NamespaceSelector { names, ..NamespaceSelector::default() },
            claims: Some(ClaimMode::Required),
        }
    };
    let hosts = || vec![required("*.a.c", &[]), required("*.f.c", &["z"])];
    let config = |unlisted, claims| HostOwnership { unlisted, claims, hosts: hosts(), grants: Vec::new() };
    let claims =
        ["b.a.c", "*.d.c", "b.f.c"].map(|host| Owner { host, namespaces: vec!["x"], age: Some(1), is_open: false });
    let decide = |config: &HostOwnership, state, host: &str, namespace: &str| {
        let mut cluster = cluster(&claims);
        cluster.apply(Event::SyncState(Kind::HostClaim, state));
        let ownership = Ownership::new(config).expect("entries are well formed");
        format!("{:?}", ownership.claim(&Host::parse(host), namespace, &Overlay::new(&cluster, &this)))
    };
    let (allow, deny) = (config(Unlisted::Allow, ClaimMode::Optional), config(Unlisted::Deny, ClaimMode::Optional));
    let off = config(Unlisted::Deny, ClaimMode::Off);
    let cases = [
        (&allow, SyncState::Complete, "b.a.c", "x", "Free"),
        (&allow, SyncState::Complete, "b.a.c", "y", "Owned"),
        (&allow, SyncState::Complete, "e.a.c", "x", "Unclaimed"),
        (&allow, SyncState::Complete, "*.c", "x", "Unclaimed"),
        (&allow, SyncState::Complete, "e.c", "x", "Free"),
        (&deny, SyncState::Complete, "e.c", "x", "Unlisted"),
        // The wildcard belongs to a namespace, and each host below it to that of its HostClaim.
        (&allow, SyncState::Complete, "*.f.c", "z", "Free"),
        (&allow, SyncState::Complete, "*.f.c", "x", "Owned"),
        (&allow, SyncState::Complete, "b.f.c", "x", "Free"),
        (&allow, SyncState::Complete, "b.f.c", "z", "Owned"),
        (&allow, SyncState::Complete, "e.f.c", "z", "Unclaimed"),
        (&allow, SyncState::Partial, "e.a.c", "x", "Unknown"),
        (&deny, SyncState::Partial, "e.c", "x", "Unknown"),
        // Only a claim for just the host decides if others may exist.
        (&allow, SyncState::Partial, "b.a.c", "y", "Owned"),
        (&allow, SyncState::Partial, "e.d.c", "y", "Unknown"),
        (&allow, SyncState::NotServed, "e.a.c", "x", "Free"),
        (&deny, SyncState::NotServed, "e.a.c", "x", "Unlisted"),
        (&off, SyncState::Complete, "e.d.c", "y", "Unlisted"),
        (&off, SyncState::Complete, "b.a.c", "x", "Free"),
    ];
    for (config, state, host, namespace, expected) in cases {
        let decision = decide(config, state, host, namespace);
        assert!(decision.starts_with(expected), "{config:?} {state:?}: {host} by {namespace}: {decision}");
    }
}
