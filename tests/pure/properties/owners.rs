//! Which namespace may claim a host, compared with an oracle that reads the configuration and tries every host.

use std::collections::BTreeMap;

use portcullis_core::cluster::ownership::OwnershipDecision;
use portcullis_core::cluster::{Cluster, Event, Facts, NamespaceFacts, Overlay, Ownership, SyncState};
use portcullis_core::config::{ClaimMode, HostOwnership, NamespaceSelector, OwnedHost, Spanned, Unlisted};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::matching::Host;
use portcullis_testing::rng::Rng;

const SEEDS: std::ops::Range<u64> = 0..600;

/// No entry contains a label with a `z`, so some hosts contain a label that no entry mentions.
const LABELS: [&str; 6] = ["a", "b", "web", "x-b", "z", "x-z"];
const PLACES: [&str; 5] = ["{namespace.name}", "{namespace.labels.t}", "x-{namespace.labels.t}", "a", "b"];
/// Each namespace and its label `t`.
const NAMESPACES: [(&str, Option<&str>); 3] = [("web", Some("a")), ("b", Some("b")), ("bare", None)];

/// One entry as the oracle reads it.
struct Entry {
    written: String,
    namespaces: Vec<&'static str>,
    labels: bool,
}

impl Entry {
    fn selects(&self, (name, label): (&str, Option<&str>)) -> bool {
        self.namespaces.contains(&name) || (self.labels && label == Some("a"))
    }

    fn is_template(&self) -> bool {
        self.written.contains('{')
    }

    /// The greater rank is more specific: exact hosts, then more labels, then literal texts before templates. Among
    /// equals, the later entry wins.
    fn rank(&self) -> (bool, usize, bool) {
        let labels = labels(&self.written);
        let is_any = labels == ["*"];
        (labels[0] != "*", if is_any { 0 } else { labels.len() }, !self.is_template())
    }

    /// Whether this entry decides about `host`, whichever namespace claims it.
    fn covers(&self, host: &[&str]) -> bool {
        matches(&labels(&self.written), host, fits)
    }

    /// Whether this entry gives `host` to this namespace.
    fn admits(&self, host: &[&str], namespace: (&str, Option<&str>)) -> bool {
        let named = self.written.replace("{namespace.name}", namespace.0);
        let named = named.replace("{namespace.labels.t}", namespace.1.unwrap_or("{none}"));
        self.selects(namespace) && matches(&labels(&named), host, |own, label| own == label)
    }
}

/// The labels of a host. Dots in a placeholder are not separators.
fn labels(written: &str) -> Vec<&str> {
    let mut depth = 0;
    let split = |letter: char| {
        depth += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        letter == '.' && depth == 0
    };
    written.split(split).collect()
}

/// Matches label by label. A leading `*` matches one or more labels.
fn matches(own: &[&str], host: &[&str], fits: impl Fn(&str, &str) -> bool) -> bool {
    let (own, is_wide) = match own {
        ["*", rest @ ..] => (rest, true),
        own => (own, false),
    };
    let longer = host.len().checked_sub(own.len());
    longer.is_some_and(|longer| (longer > 0) == is_wide)
        && own.iter().rev().zip(host.iter().rev()).all(|(own, label)| fits(own, label))
}

/// Whether a label matches that of the entry. A placeholder matches any text.
fn fits(own: &str, label: &str) -> bool {
    match (own.find('{'), own.find('}')) {
        (Some(start), Some(end)) => {
            let inner = label.strip_prefix(&own[..start]).and_then(|rest| rest.strip_suffix(&own[end + 1..]));
            inner.is_some_and(|inner| !inner.is_empty())
        }
        _ => own == label,
    }
}

/// Every host of up to four labels.
fn hosts() -> Vec<Vec<&'static str>> {
    let mut all: Vec<Vec<&str>> = LABELS.iter().map(|label| vec![*label]).collect();
    let mut last = all.clone();
    for _ in 1..4 {
        last = last.iter().flat_map(|host| LABELS.map(|label| [&[label], host.as_slice()].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Up to five entries with different hosts.
fn entries(rng: &mut Rng) -> Vec<Entry> {
    let mut entries = BTreeMap::new();
    for _ in 0..=rng.below(5) {
        let mut host: Vec<&str> = Vec::new();
        for _ in 0..=rng.below(3) {
            let label = if rng.one_in(2) { rng.pick(&LABELS[..4]) } else { rng.pick(&PLACES) };
            host.push(label);
        }
        let written = match rng.below(8) {
            0 => "*".to_owned(),
            1..4 => format!("*.{}", host.join(".")),
            _ => host.join("."),
        };
        let namespaces = NAMESPACES.map(|(name, _)| name).into_iter().filter(|_| rng.one_in(2)).collect();
        entries.insert(written.clone(), Entry { written, namespaces, labels: rng.one_in(4) });
    }
    let mut entries: Vec<_> = entries.into_values().collect();
    rng.shuffle(&mut entries);
    entries
}

fn ownership(entries: &[Entry], unlisted: Unlisted) -> Ownership {
    let owned = |entry: &Entry| {
        let labels = entry.labels.then(|| ("t".to_owned(), "a".to_owned())).into_iter().collect();
        let names = entry.namespaces.iter().map(|name| (*name).to_owned()).collect();
        OwnedHost {
            host: Spanned::without_position(entry.written.clone()),
            namespaces: NamespaceSelector { names, labels, ..NamespaceSelector::default() },
            claims: None,
        }
    };
    Ownership::new(&HostOwnership {
        unlisted,
        claims: ClaimMode::Optional,
        hosts: entries.iter().map(owned).collect(),
        grants: Vec::new(),
    })
    .expect("entries are well formed")
}

fn cluster() -> Cluster {
    let mut cluster = Cluster::with(SyncState::Complete);
    for (name, label) in NAMESPACES {
        let labels = label.map(|label| ("t".into(), label.into()));
        cluster.apply(Event::Apply(Facts::Namespace(NamespaceFacts::new(name, labels))));
    }
    cluster
}

/// The entry that decides about `host`.
fn deciding<'e>(entries: &'e [Entry], host: &[&str]) -> Option<&'e Entry> {
    entries.iter().filter(|entry| entry.covers(host)).max_by_key(|entry| entry.rank())
}

/// Compares claims in random configurations with `oracle`, whose arguments are the entries, the claim, the claiming
/// namespace, the setting for unlisted hosts, and the actual answer.
fn hold(
    claims: &[String],
    oracle: impl Fn(&[Entry], &str, (&str, Option<&str>), Unlisted, &OwnershipDecision<'_>) -> bool,
) {
    let (cluster, this) = (cluster(), ObjectRef::new(Kind::Ingress, "web", "shop"));
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let entries = entries(&mut rng);
        let unlisted = rng.pick(&[Unlisted::Allow, Unlisted::Deny]);
        let ownership = ownership(&entries, unlisted);
        for _ in 0..10 {
            let (claim, namespace) = (&claims[rng.below(claims.len())], rng.pick(&NAMESPACES));
            let answer = ownership.claim(&Host::parse(claim), namespace.0, &Overlay::new(&cluster, &this));
            let written: Vec<_> =
                entries.iter().map(|entry| (&entry.written, &entry.namespaces, entry.labels)).collect();
            assert!(
                oracle(&entries, claim, namespace, unlisted, &answer),
                "seed {seed}: {claim} by {namespace:?} under {written:?}, unlisted {unlisted:?}: {answer:?}"
            );
        }
    }
}

#[test]
fn host_belongs_to_the_most_specific_entry() {
    let claims: Vec<_> = hosts().iter().map(|host| host.join(".")).collect();
    hold(&claims, |entries, claim, namespace, unlisted, answer| {
        let host = labels(claim);
        match deciding(entries, &host) {
            None if unlisted == Unlisted::Deny => *answer == OwnershipDecision::Unlisted,
            None => *answer == OwnershipDecision::Free,
            Some(entry) if entry.admits(&host, namespace) => *answer == OwnershipDecision::Free,
            Some(decides) => matches!(answer, OwnershipDecision::Owned { entry, .. } if *entry == decides.written),
        }
    });
}

/// A claim of many hosts is denied if one of them would be, unless an entry gives exactly this claim to the namespace.
#[test]
fn wide_claim_does_not_take_a_host_of_another_namespace() {
    let hosts = hosts();
    let suffixes = hosts.iter().filter(|host| host.len() < 3).map(|host| format!("*.{}", host.join(".")));
    let claims: Vec<_> = suffixes.chain([String::new()]).collect();
    hold(&claims, |entries, claim, namespace, unlisted, answer| {
        let wide = if claim.is_empty() { "*" } else { claim };
        let is_granted = entries.iter().any(|entry| entry.written == wide && entry.selects(namespace));
        let is_refused = |host: &Vec<&str>| match deciding(entries, host) {
            Some(entry) => !entry.admits(host, namespace),
            None => unlisted == Unlisted::Deny,
        };
        let covered = |host: &&Vec<&str>| matches(&labels(wide), host, |own, label| own == label);
        let refused = !is_granted && hosts.iter().filter(covered).any(is_refused);
        refused == !matches!(answer, OwnershipDecision::Free)
    });
}
