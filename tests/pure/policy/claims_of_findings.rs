//! A finding because of another object names the claim that it is about, so that it is tolerated only as long as an update adds nothing
//! to the claim. For a check whose findings have no claim, it is said why no update can make a tolerated finding worse.

use std::collections::BTreeSet;

use portcullis_core::checks::{Check, When, registry};
use portcullis_core::config::Theme;
use portcullis_core::finding::{Action, Finding};
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::judge;

/// Checks with findings without a claim, and the reason. A further fault of the same kind always gets a finding of its own, and a changed
/// one another identity, unless the reason says otherwise.
const WITHOUT_CLAIM: &[(&[&str], &str)] = &[
    (
        &[
            "backend-tls-policy/target-not-found",
            "gateway/class-not-accepted",
            "http-proxy/include-not-found",
            "http-proxy/service-not-found",
            "ingress-route/delegate-not-found",
            "ingress-route/service-not-found",
            "ingress/service-port-ambiguous",
            "ingress/service-port-not-found",
            "ingress/service-port-protocol-mismatch",
            "listener-set/not-allowed",
            "listener-set/parent-not-found",
            "route/hostname-not-served",
            "route/kind-not-allowed",
            "route/namespace-not-allowed",
            "route/parent-not-found",
            "route/parent-port-not-found",
            "route/section-not-found",
            "route/section-port-differs",
            "route/service-not-found",
            "route/service-port-not-found",
            "route/service-port-protocol-mismatch",
        ],
        "the reference has no effect, so nothing is taken through it; another reference is another value or object",
    ),
    (
        &["gateway/feature-unsupported", "listener-set/feature-unsupported", "route/feature-unsupported"],
        "the fault is that the object uses the feature at all; it is reported once, and another feature is another value",
    ),
    (
        &["listener/certificate-not-granted"],
        "the listener does not get the certificate; the identity has the Secret, and each further reference is a further finding",
    ),
    (
        &[
            "http-proxy/service-external-name",
            "ingress-route/service-external-name",
            "ingress/service-external-name",
            "route/service-external-name",
            "ingress/annotation-crosses-namespaces",
        ],
        "the fault is what the reference names, whatever the object serves; another name is another value or object",
    ),
    (
        &[
            "gateway/routability-not-offered",
            "gateway/routability-private-in-cluster",
            "ingress/class-not-allowed",
            "ingress/default-class-ambiguous",
        ],
        "a choice of one value, which the identity has",
    ),
    (
        &["gateway-class/second-default", "ingress-class/second-default"],
        "a class is the default or is not; further annotations that say so make it no more of one",
    ),
    (
        &["route/https-missing"],
        "a fault of the listeners of the parent, which the identity has, whatever the route serves",
    ),
    (
        &["http-route/redirect-loop"],
        "both ends are in one route; the identity has the listener, which gets nothing but the redirect",
    ),
    (
        &["listener-set/listeners-too-many"],
        "each listener beyond the limit is a finding, with its number in the identity",
    ),
    (
        &["listener-set/listener-conflict"],
        "the listener is not served as long as it has the conflict; the identity has port, protocol, host and the other object",
    ),
    (
        &["l4-route/listener-shared"],
        "such a route has no hosts or matches that could grow; the identity has the parent, the listener and the other route",
    ),
    (
        &["backend-tls-policy/target-conflict"],
        "both policies are in one namespace; the identity has the Service, the port and the other policy",
    ),
    (
        &["ingress/path-duplicate", "ingress/path-shadowed"],
        "both paths are in one object; the identity has host and path",
    ),
    (
        &["host/not-unique", "host/shared-across-namespaces"],
        "the host of an Ingress or a route is not its own, however many paths and classes there are; `host/path-conflict` and \
         `host/route-conflict` judge those",
    ),
    (
        &["http-proxy/include-cycle", "http-proxy/include-is-root"],
        "an object with such an include is not served at all",
    ),
    (
        &["ingress-route/delegate-is-root", "ingress-route/delegation-cycle", "ingress-route/tcpproxy-missing"],
        "nothing is served through such a delegation, whatever its prefix is",
    ),
    (
        &["ingress-route/delegation-not-consented"],
        "consent is given to an object as a whole; each further delegation is a further finding",
    ),
    (
        &["ingress-route/delegation-outside-prefix"],
        "the identity has the prefix of this object, and the object whose prefix it leaves",
    ),
    (
        &["ingress-route/match-shadowed"],
        "who delegates a prefix owns it; for the other side the identity has its own prefix",
    ),
    (
        &["ingress/stops-data-plane"],
        "an expression or a redirect stops the data plane at once, whatever else the object has; a location that is there twice has a claim",
    ),
    (&["ingress-route/strategy-conflict"], "the identity has the Service, the port and both strategies"),
];

/// Whether the finding is about another object, which its author may not have written.
fn is_foreign(finding: &Finding, check: &Check) -> bool {
    let is_of_tenants = matches!(check.theme, Theme::Conflict | Theme::Tenancy);
    finding.other.is_some() || (is_of_tenants && !check.needs.is_empty())
}

#[test]
fn finding_about_another_object_names_its_claim() {
    let of_id = |id: &str| registry::all().find(|check| check.id == id).expect("a check");
    let (mut without, mut with) = (BTreeSet::new(), BTreeSet::new());
    for check in registry::all() {
        for example in examples(check.page).iter().filter(|example| !example.delete) {
            for finding in judge(check, example).findings.into_iter().map(|evaluated| evaluated.finding) {
                let about = of_id(finding.check);
                // A check that compares two objects finds only what the update has changed.
                let is_tolerated = about.when != When::Update && finding.at_most == Action::Deny;
                if is_tolerated && is_foreign(&finding, about) {
                    let found = if finding.claim.is_none() { &mut without } else { &mut with };
                    found.insert(about.id);
                }
            }
        }
    }
    let listed = WITHOUT_CLAIM.iter().flat_map(|(ids, _)| ids.iter().copied());
    let listed: BTreeSet<&str> = listed.collect();
    let unlisted: Vec<_> = without.difference(&listed).collect();
    assert_eq!(unlisted, [&""; 0], "set a claim on the finding, or say here why no update can make it worse");
    let unused: Vec<_> = listed.difference(&without).collect();
    assert_eq!(unused, [&""; 0], "no example has such a finding without a claim");
    assert!(with.len() > 12, "few findings have a claim: {with:?}");
}

/// The property sees only what the examples of the pages show, so each check about others must have an example that denies.
#[test]
fn check_of_conflicts_has_an_example_of_a_denial() {
    let denies = |check: &Check, example: &Example| {
        let found = judge(check, example).findings;
        found.iter().any(|evaluated| evaluated.finding.check == check.id && evaluated.finding.at_most == Action::Deny)
    };
    let checks = registry::all().filter(|check| matches!(check.theme, Theme::Conflict | Theme::Tenancy));
    let checks = checks.filter(|check| matches!(check.when, When::Exists | When::Stored));
    let silent = checks.filter(|check| !examples(check.page).iter().any(|example| denies(check, example)));
    let silent: Vec<&str> = silent.map(|check| check.id).collect();
    assert_eq!(silent, EXAMPLES_WARN, "give the check an example of a finding that denies, or list it here");
}

/// Checks without an example of a denial: the first three never deny, and findings of the last have the own prefix in their identity.
const EXAMPLES_WARN: &[&str] = &[
    "host-claim/no-effect",
    "host-claim/served-by-others",
    "http-proxy/included-never-matches",
    "ingress-route/path-outside-prefix",
];
