//! Compares the checks that repeat a rule of the API server with the API server itself.
//!
//! Each case is sent to it as a dry run and evaluated by us with the profile `baseline`: both must refuse the same
//! fields for the same reason. Exceptions are listed in [`DIFFERENCES`] with the reason. An exception that is no longer
//! needed also fails.

use std::collections::BTreeSet;

use libtest_mimic::Trial;
use portcullis_core::checks::{Check, Operation, Plan, Write, registry};
use portcullis_core::cluster::{Cluster, Overlay, SyncState, User};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::finding::{Action, Finding};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_testing::pages::{is_offline, today};
use serde_json::Value;

use crate::harness::{ControlPlane, Flavour, Namespace, on_cluster};
use crate::parity_cases::{Case, creations, ingress, statuses, updates, wildcard_to_digit};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("parity::baseline_denies_what_the_api_server_rejects", || {
            let refuses = |check: &Check| check.actions.baseline == Action::Deny || is_offline(check);
            let others: Vec<_> = PARITY.iter().filter(|id| !registry::find(id).is_some_and(refuses)).collect();
            assert!(others.is_empty(), "{others:?}");
            Ok(())
        }),
        on_cluster("parity::creations_are_refused_as_the_api_server_refuses_them", creations_agree),
        on_cluster("parity::updates_of_wildcard_hosts_are_guarded_here_alone", updates_are_guarded_here_alone),
        on_cluster("parity::statuses_are_judged_as_the_api_server_judges_them", statuses_agree),
    ]
}

/// The checks that repeat a rule of the API server.
pub const PARITY: &[&str] = &[
    "ingress/backend-ambiguous",
    "ingress/backend-missing",
    "ingress/class-name-malformed",
    "ingress/class-named-twice",
    "ingress/host-is-ip",
    "ingress/host-malformed",
    "ingress/name-malformed",
    "ingress/no-paths",
    "ingress/no-rules",
    "ingress/path-dot-segment",
    "ingress/path-empty-segment",
    "ingress/path-encoded-slash",
    "ingress/path-missing",
    "ingress/path-not-absolute",
    "ingress/path-type-missing",
    "ingress/path-type-unknown",
    "ingress/port-missing",
    "ingress/port-name-malformed",
    "ingress/port-named-twice",
    "ingress/port-number-out-of-range",
    "ingress/resource-group-malformed",
    "ingress/resource-incomplete",
    "ingress/secret-name-malformed",
    "ingress/service-name-malformed",
    "ingress/service-name-missing",
    "ingress/specific-path-not-absolute",
    "ingress/status-hostname-malformed",
    "ingress/status-ip-malformed",
    "ingress/tls-host-malformed",
    "ingress/wildcard-malformed",
];

/// A field and the reason of the refusal, such as `spec.rules[0].host` and `FieldValueInvalid`.
type SchemaError = (String, String);

/// The result of one side for a case: `None` if it accepts the object, otherwise the faults.
type Verdict = Option<BTreeSet<SchemaError>>;

/// A case that both refuse, but with different faults, and why.
struct Difference {
    case: &'static str,
    only_ours: &'static [(&'static str, &'static str)],
    only_theirs: &'static [(&'static str, &'static str)],
    why: &'static str,
}

const INVALID: &str = "FieldValueInvalid";

const NO_INT32: &str = "a number beyond 32 bits is not even decoded there: status 400, without causes";
const PREFIX_AND_NAME: &str = "there a bad prefix is told again of the name that was made of it; one fault is enough";
const MASKED: &str = "there a trailing `-` of a prefix hides the byte before it, and only the made name is found wrong";
const NO_TYPE: &str = "there nothing else is judged of a path without a type; we name all faults at once";

const DIFFERENCES: &[Difference] = &[
    Difference {
        case: r#"/spec/defaultBackend={"service":{"name":"cart","port":{"number":2147483648}}}"#,
        only_ours: &[("spec.defaultBackend.service.port.number", INVALID)],
        only_theirs: &[],
        why: NO_INT32,
    },
    Difference {
        case: r#"/spec/rules/0/http/paths/0/backend={"service":{"name":"cart","port":{"number":2147483648}}}"#,
        only_ours: &[("spec.rules[0].http.paths[0].backend.service.port.number", INVALID)],
        only_theirs: &[],
        why: NO_INT32,
    },
    Difference {
        case: r#"/metadata/name=null /metadata/generateName="Shop""#,
        only_ours: &[],
        only_theirs: &[("metadata.name", INVALID)],
        why: PREFIX_AND_NAME,
    },
    Difference {
        case: r#"/metadata/name=null /metadata/generateName="-""#,
        only_ours: &[],
        only_theirs: &[("metadata.name", INVALID)],
        why: PREFIX_AND_NAME,
    },
    Difference {
        case: r#"/metadata/name=null /metadata/generateName="shop_-""#,
        only_ours: &[("metadata.generateName", INVALID)],
        only_theirs: &[("metadata.name", INVALID)],
        why: MASKED,
    },
    Difference {
        case: "/spec/rules/0/http/paths/0/pathType=null /spec/rules/0/http/paths/0/backend={}",
        only_ours: &[("spec.rules[0].http.paths[0].backend", INVALID)],
        only_theirs: &[],
        why: NO_TYPE,
    },
];

fn creations_agree() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let (team, http) = (control_plane.namespace("parity"), control_plane.http());
    let path = format!("{}?dryRun=All", ingresses_of(&team));
    let cases = creations();
    let found = compare(&cases, Operation::Create, |case| verdict(http.post(&path, case.object.to_string())));

    let live = PARITY.iter().filter(|id| !registry::find(id).is_some_and(is_offline));
    let unproved: Vec<_> = live.filter(|id| !found.contains(**id)).collect();
    assert!(unproved.is_empty(), "no case is refused by {unproved:?}");
    let names: BTreeSet<_> = cases.iter().map(|case| case.name.as_str()).collect();
    assert!(DIFFERENCES.iter().all(|known| names.contains(known.case)), "a difference is listed for no case");
}

fn statuses_agree() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let (team, http) = (control_plane.namespace("parity"), control_plane.http());
    let path = ingresses_of(&team);
    assert_eq!(http.post(&path, ingress().to_string()).0, 201, "the Ingress whose status is written");
    let path = format!("{path}/shop/status?dryRun=All");
    let theirs = |case: &Case| verdict(http.put(&path, case.object.to_string()));
    let found = compare(&statuses(), Operation::Stored, theirs);
    assert_eq!(Vec::from_iter(found), ["ingress/status-hostname-malformed", "ingress/status-ip-malformed"]);
}

/// Tests updates of an Ingress with a wildcard host whose old rule is invalid for the API server, for which a Service
/// name that begins with a digit suffices. Among the updates that the API server accepts, exactly the checks whose
/// pages claim it deny.
fn updates_are_guarded_here_alone() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let (team, http) = (control_plane.namespace("parity"), control_plane.http());
    let path = ingresses_of(&team);
    assert_eq!(http.post(&path, wildcard_to_digit().to_string()).0, 201, "the Ingress that is updated");
    let path = format!("{path}/shop?dryRun=All");
    let (plan, mut guarded) = (plan(), BTreeSet::new());
    for case in updates() {
        let theirs = verdict(http.put(&path, case.object.to_string()));
        if theirs.is_none() {
            let findings = findings(&plan, &case.object, Operation::Update);
            guarded.extend(findings.iter().map(|finding| finding.check));
        }
    }
    let claimed = registry::all().filter(|check| claims_to_be_the_only_guard(check)).map(|check| check.id);
    assert_eq!(guarded, claimed.collect());
}

fn ingresses_of(namespace: &Namespace<'_>) -> String {
    format!("/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses")
}

/// The sentence on a page which says that the API server can be bypassed.
const CLAIM: &str = "it validates no path and no backend of any wildcard host, and only this check finds the fault";

fn claims_to_be_the_only_guard(check: &Check) -> bool {
    let words: Vec<_> = check.page.split_whitespace().collect();
    words.join(" ").contains(CLAIM)
}

/// Compares both sides for every case. Returns the ids of the checks with findings.
fn compare(cases: &[Case], operation: Operation, theirs: impl Fn(&Case) -> Verdict) -> BTreeSet<&'static str> {
    let plan = plan();
    let mut found = BTreeSet::new();
    let mut wrong = String::new();
    for case in cases {
        let findings = findings(&plan, &case.object, operation);
        found.extend(findings.iter().map(|finding| finding.check));
        let (ours, theirs) = (faults(&findings), theirs(case));
        let known = DIFFERENCES.iter().find(|known| known.case == case.name);
        if !agree(known, &ours, &theirs) {
            let listed = known.map_or("nothing", |known| known.why);
            wrong += &format!("{}\n  ours:   {ours:?}\n  theirs: {theirs:?}\n  listed: {listed}\n", case.name);
        }
    }
    assert!(wrong.is_empty(), "of {} cases these differ:\n{wrong}", cases.len());
    found
}

/// Whether both accept, or both refuse for the same faults except the known differences.
fn agree(known: Option<&Difference>, ours: &Verdict, theirs: &Verdict) -> bool {
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return ours == theirs && known.is_none() };
    let (only_ours, only_theirs) = known.map_or((&[][..], &[][..]), |known| (known.only_ours, known.only_theirs));
    only(ours, theirs) == BTreeSet::from_iter(only_ours.iter().copied())
        && only(theirs, ours) == BTreeSet::from_iter(only_theirs.iter().copied())
}

/// The faults in `these` that are not in `those`.
fn only<'v>(these: &'v BTreeSet<SchemaError>, those: &'v BTreeSet<SchemaError>) -> BTreeSet<(&'v str, &'v str)> {
    these.difference(those).map(|(field, reason)| (field.as_str(), reason.as_str())).collect()
}

/// The verdict in a response of the API server.
fn verdict((status, answer): (u16, Value)) -> Verdict {
    match status {
        200 | 201 => None,
        400..500 => Some(answer["details"]["causes"].as_array().into_iter().flatten().map(fault).collect()),
        _ => panic!("neither accepted nor refused: {status} {answer}"),
    }
}

fn fault(cause: &Value) -> SchemaError {
    let text = |field: &str| cause[field].as_str().expect("a cause has a field and a reason").to_owned();
    (text("field"), text("reason"))
}

fn plan() -> Plan {
    let config = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: baseline\n");
    Plan::new(Config::parse(&config).expect("a configuration")).expect("a plan")
}

/// The findings of the parity checks for the object.
fn findings(plan: &Plan, object: &Value, operation: Operation) -> Vec<Finding> {
    let json = object.to_string();
    let object = decode(Kind::Ingress, &json).expect("every case has the shape of an Ingress");
    let this = ObjectRef::new(Kind::Ingress, "web", object.metadata().name());
    let cluster = Cluster::with(SyncState::Complete);
    let write = Write { operation, this: &this, user: Some(User::named("admin")), now: today() };
    let judgement = plan.check(&object, || None, &Overlay::new(&cluster, &this), &write);
    let findings = judgement.findings.into_iter().map(|evaluated| evaluated.finding);
    findings.filter(|finding| PARITY.contains(&finding.check)).collect()
}

/// Our findings as faults of the API server.
fn faults(findings: &[Finding]) -> Verdict {
    let fault = |finding: &Finding| (theirs(&finding.at.to_string()), finding.cause.reason().to_owned());
    (!findings.is_empty()).then(|| findings.iter().map(fault).collect())
}

/// The API server builds the address of the class annotation itself, without `metadata`.
fn theirs(address: &str) -> String {
    match address {
        "metadata.annotations[kubernetes.io/ingress.class]" => "annotations.kubernetes.io/ingress.class".to_owned(),
        other => other.to_owned(),
    }
}
