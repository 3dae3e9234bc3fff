//! Compares the checks that repeat a rule of the CRDs with an API server that has these CRDs, for each bundle.
//!
//! Valid objects are modified by small changes: those that each schema suggests ([`mutations`]), those for rules about
//! several fields ([`rules`]), and pairs of both. Each result is sent as a dry run and evaluated by us for that bundle.
//! Either both must refuse it, or neither. Exceptions are listed in [`table`] with the reason. A row that no case needs
//! also fails.

mod bases;
mod mutations;
mod rules;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::thread;

use libtest_mimic::Trial;
use portcullis_core::bundle::Bundle;
use portcullis_core::checks::{Operation, Plan, Write, registry};
use portcullis_core::cluster::{Cluster, Overlay, SyncState, User};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;
use serde_json::Value;

use crate::harness::{Channel, ControlPlane, Flavour, Http, NEWEST, crds, on_gateway_cluster, versions};
use mutations::Mutation;
use table::DIFFERENCES;

pub fn trials() -> Vec<Trial> {
    vec![on_gateway_cluster("parity::crds_and_our_checks_refuse_the_same_objects", crds_agree)]
}

/// For bundles that are not tested completely, every fifth change is tried, and other changes in each bundle.
const EVERY: usize = 5;

/// How many pairs of changes are tried for each valid object.
const PAIRS: usize = 60;

/// The number of concurrent connections.
const CONNECTIONS: usize = 4;

/// A modified object, and the changes that were made to a valid one.
struct Case {
    /// Such as `1.6.3 standard HTTPRoute spec.rules[].name too long`.
    names: Vec<String>,
    path: String,
    kind: Kind,
    object: Value,
}

/// The results for one case: whether each side refuses it.
struct Seen<'c> {
    case: &'c Case,
    ours: Ours,
    theirs: Option<String>,
}

/// The checks for which `baseline` denies an object.
#[derive(Debug)]
struct Ours {
    /// The checks whose rule this bundle enforces according to them.
    repeated: Vec<&'static str>,
    /// Other checks, whose rule no schema enforces or only in part.
    more: Vec<&'static str>,
}

impl Seen<'_> {
    /// Whether only one side refuses the object. Denials beyond the rules of the schemas do not count.
    fn differs(&self) -> bool {
        match self.theirs {
            Some(_) => self.ours.repeated.is_empty() && self.ours.more.is_empty(),
            None => !self.ours.repeated.is_empty(),
        }
    }
}

fn crds_agree() {
    let (mut count, mut wrong, mut used) = (0, Vec::new(), [false; DIFFERENCES.len()]);
    let channels = [Channel::Standard, Channel::Experimental];
    let bundles = versions().flat_map(|version| channels.map(|channel| (version, channel)));
    for (number, (version, channel)) in bundles.enumerate() {
        let crds = crds(version, channel);
        let control_plane = ControlPlane::serving(Flavour::Plain, crds.clone());
        let cases = cases(number, version, channel, &crds);
        count += cases.len();
        for seen in ask(&control_plane, &plan(version, channel), bundle(version, channel), &cases) {
            let rows =
                DIFFERENCES.iter().enumerate().filter(|(_, row)| seen.case.names.iter().any(|name| row.covers(name)));
            let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
            match (seen.differs(), rows.is_empty()) {
                (true, true) => {
                    wrong.push(format!("{:?}\n  ours: {:?}\n  theirs: {:?}", seen.case.names, seen.ours, seen.theirs))
                }
                (true, false) => rows.into_iter().for_each(|row| used[row] = true),
                _ => {}
            }
        }
    }
    let stale: Vec<&str> = DIFFERENCES.iter().zip(used).filter(|(_, used)| !used).map(|(row, _)| row.cases).collect();
    assert!(wrong.is_empty(), "of {count} cases {} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(stale.is_empty(), "no case needs these rows of the table any more: {stale:#?}");
    assert!(count >= 5_000, "only {count} cases");
}

/// All cases for the bundle with this number, in the version that it serves.
fn cases(number: usize, version: &str, channel: Channel, crds: &[Value]) -> Vec<Case> {
    // The bundle with most fields is tested completely, and the others only where they may differ from it.
    let full = version == NEWEST && channel == Channel::Experimental;
    let mut cases = Vec::new();
    for (base, object) in bases::all() {
        let kind =
            Kind::ALL.into_iter().find(|kind| kind.api().kind == object["kind"]).expect("a base is of our kinds");
        let Some((served, schema)) = served(crds, kind) else { continue };
        let mut object = object;
        object["apiVersion"] = format!("{}/{served}", kind.api().group).into();
        mutations::prune(schema, &mut object);
        let path = path(kind, served);
        let name = |what: &str| format!("{version} {} {} ({base}) {what}", channel.name(), kind.api().kind);
        let changes: Vec<Mutation> =
            mutations::of(schema, &object, full).into_iter().chain(rules::of(kind, base)).collect();
        let case = |changes: &[&Mutation]| {
            let mut object = object.clone();
            changes.iter().for_each(|change| change.apply(&mut object));
            mutations::prune(schema, &mut object);
            Case { names: changes.iter().map(|change| name(&change.name)).collect(), path: path.clone(), kind, object }
        };
        cases.push(Case { names: vec![name("as it is")], ..case(&[]) });
        match full {
            true => cases.extend(changes.iter().map(|change| case(&[change]))),
            false => cases.extend(changes.iter().skip(number % EVERY).step_by(EVERY).map(|change| case(&[change]))),
        }
        let mut rng = Rng::new(changes.len() as u64);
        for _ in 0..if full && changes.len() > 1 { PAIRS } else { 0 } {
            cases.push(case(&[&changes[rng.below(changes.len())], &changes[rng.below(changes.len())]]));
        }
    }
    cases
}

/// The preferred one of the versions in which a bundle serves `kind`, and its schema.
fn served(crds: &[Value], kind: Kind) -> Option<(&'static str, &Value)> {
    let api = kind.api();
    let crd = crds.iter().find(|crd| crd["spec"]["names"]["kind"] == api.kind && crd["spec"]["group"] == api.group)?;
    api.versions.iter().find_map(|name| {
        let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        let version = versions.into_iter().find(|version| version["name"] == *name && version["served"] == true)?;
        Some((*name, &version["schema"]["openAPIV3Schema"]))
    })
}

fn path(kind: Kind, version: &str) -> String {
    let api = kind.api();
    let namespace = if api.namespaced { "/namespaces/default" } else { "" };
    format!("/apis/{}/{version}{namespace}/{}?dryRun=All", api.group, api.plural)
}

fn bundle(version: &str, channel: Channel) -> Bundle {
    Bundle::parse(version, channel.name()).expect("a pinned bundle has a version")
}

fn plan(version: &str, channel: Channel) -> Plan {
    let bundle = format!("gatewayBundle: {{version: '{version}', channel: {}}}", channel.name());
    let config = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: baseline\n{bundle}\n");
    Plan::new(Config::parse(&config).expect("a configuration")).expect("a plan")
}

/// Evaluates each case on both sides.
fn ask<'c>(control_plane: &ControlPlane, plan: &Plan, bundle: Bundle, cases: &'c [Case]) -> Vec<Seen<'c>> {
    let seen = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for first in 0..CONNECTIONS {
            let seen = &seen;
            let http = control_plane.http();
            scope.spawn(move || {
                for (position, case) in cases.iter().enumerate().skip(first).step_by(CONNECTIONS) {
                    let (ours, theirs) = (ours(plan, bundle, case), theirs(&http, case));
                    seen.lock().expect("no thread panics with the lock").insert(position, Seen { case, ours, theirs });
                }
            });
        }
    });
    seen.into_inner().expect("no thread panics with the lock").into_values().collect()
}

fn ours(plan: &Plan, bundle: Bundle, case: &Case) -> Ours {
    let json = case.object.to_string();
    let Ok(object) = decode(case.kind, &json) else {
        return Ours { repeated: vec!["object/unreadable"], more: Vec::new() };
    };
    let this = ObjectRef::new(case.kind, "default", "shop");
    let cluster = Cluster::with(SyncState::Partial);
    let write = Write { operation: Operation::Create, this: &this, user: Some(User::named("admin")), now: today() };
    let judgement = plan.check(&object, || None, &Overlay::new(&cluster, &this), &write);
    let denied = judgement.findings.into_iter().filter(|evaluated| evaluated.action == Action::Deny);
    let ids: BTreeSet<_> = denied.map(|evaluated| evaluated.finding.check).collect();
    let is_repeated = |id: &&str| {
        let check = registry::find(id).expect("a finding's check is registered");
        check.enforced.is_some_and(|enforced| enforced.holds_in(bundle))
    };
    let (repeated, more) = ids.into_iter().partition(is_repeated);
    Ours { repeated, more }
}

/// Why the API server refuses the object, if it does.
fn theirs(http: &Http, case: &Case) -> Option<String> {
    let (status, answer) = http.post(&case.path, case.object.to_string());
    match status {
        201 => None,
        400 | 422 => Some(answer["message"].as_str().unwrap_or_default().chars().take(300).collect()),
        _ => panic!("{:?}: neither accepted nor refused: {status} {answer}", case.names),
    }
}
