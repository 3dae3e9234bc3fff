//! What is known of the features of the Gateway API is compared with its Go modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use libtest_mimic::Trial;
use portcullis::files;
use portcullis_core::kinds::feature::FEATURES;
use portcullis_core::review::stored::{self, AppliedManifest};
use portcullis_testing::config::plan;
use portcullis_testing::pages::{cluster, today};

use crate::harness::{
    conformance_manifest, conformance_tests, feature_files, on_conformance_suite, on_gateway_api, pinned_versions,
};

/// Where the checks find other features in the manifests of a conformance test than it declares: the test, the feature, with `+` if
/// only the checks find it and with `-` if only the test declares it, and why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "BackendTLSPolicySANValidation",
        "-BackendTLSPolicySANValidation",
        "a policy does not name the Gateways that it is for",
    ),
    ("GatewayHTTPListenerIsolation", "-GatewayHTTPListenerIsolation", BEHAVIOR),
    ("GatewayWithAttachedRoutesWithPort8080", "-GatewayPort8080", PORT),
    ("HTTPRouteBackendProtocolH2C", "-HTTPRouteBackendProtocolH2C", SERVICE),
    ("HTTPRouteBackendProtocolWebSocket", "-HTTPRouteBackendProtocolWebSocket", SERVICE),
    ("HTTPRouteHTTPSListenerDetectMisdirectedRequests", "-GatewayHTTPSListenerDetectMisdirectedRequests", BEHAVIOR),
    ("HTTPRouteInvalidParentRefNotMatchingListenerPort", "+HTTPRouteParentRefPort", TWO_NAMES),
    ("HTTPRouteInvalidParentRefNotMatchingListenerPort", "-HTTPRouteDestinationPortMatching", TWO_NAMES),
    (
        "HTTPRouteInvalidParentRefNotMatchingSectionName",
        "+HTTPRouteParentRefPort",
        "the test needs only the section to differ",
    ),
    (
        "HTTPRouteRedirectPortAndScheme",
        "+HTTPRouteSchemeRedirect",
        "HTTPRouteRedirectScheme declares it for the same field",
    ),
    ("HTTPRouteRedirectPortAndScheme", "-GatewayPort8080", PORT),
    ("TLSRouteListenerMixedTerminationNotSupported", "+TLSRouteModeMixed", REFUSAL),
    ("TLSRouteListenerTerminateNotSupported", "+TLSRouteModeTerminate", REFUSAL),
];

const BEHAVIOR: &str =
    "no field asks for it: it is how the implementation serves listeners that every Gateway may have";
const PORT: &str = "an implementation may support any port without the feature, which only lets tests use this one";
const REFUSAL: &str = "the test says what an implementation does that does not support it";
const SERVICE: &str = "the protocol of the Service decides, which is not in the route";
const TWO_NAMES: &str = "the feature has two names";

pub fn trials() -> Vec<Trial> {
    vec![
        on_gateway_api("features::the_table_is_that_of_the_releases", the_table_is_that_of_the_releases),
        on_conformance_suite(
            "features::uses_are_those_of_the_conformance_suite",
            uses_are_those_of_the_conformance_suite,
        ),
    ]
}

/// A line such as `SupportGateway FeatureName = "Gateway"` names a feature.
fn the_table_is_that_of_the_releases() {
    let mut first: BTreeMap<String, u8> = BTreeMap::new();
    for version in pinned_versions() {
        let minor: u8 =
            version.split('.').nth(1).and_then(|minor| minor.parse().ok()).expect("a version such as 1.7.0");
        for file in feature_files(version) {
            let named = file.lines().filter(|line| line.trim_start().starts_with("Support"));
            let names = named.filter_map(|line| line.split('"').nth(1)).filter(|name| !name.starts_with("Mesh"));
            names.for_each(|name| {
                first.entry(name.to_owned()).or_insert(minor);
            });
        }
    }
    let known: BTreeMap<String, u8> = FEATURES.iter().map(|(name, minor)| ((*name).to_owned(), *minor)).collect();
    assert_eq!(known, first);
}

fn uses_are_those_of_the_conformance_suite() {
    let plan = plan("profile: baseline");
    let base = conformance_manifest("base/manifests.yaml");
    let mut differences = BTreeSet::new();
    let tests: Vec<SuiteTest> = conformance_tests().iter().flat_map(|file| SuiteTest::all(file)).collect();
    assert!(tests.len() > 100, "only {} tests are found", tests.len());
    for test in tests {
        let own: String = test.manifests.iter().map(|path| conformance_manifest(path) + "\n---\n").collect();
        let used = used(&plan, &base, &own);
        differences.extend(used.difference(&test.features).map(|name| (test.name.clone(), format!("+{name}"))));
        let unseen = test.features.difference(&used).filter(|name| !is_core(name));
        differences.extend(unseen.map(|name| (test.name.clone(), format!("-{name}"))));
    }
    let listed = DIFFERENCES.iter().map(|(test, feature, _)| ((*test).to_owned(), (*feature).to_owned()));
    let listed: BTreeSet<(String, String)> = listed.collect();
    assert_eq!(differences, listed, "`+` is used and not declared, `-` is declared and not used");
}

/// The features that the manifests of a test use, given those that every test shares.
fn used(plan: &portcullis_core::checks::Plan, base: &str, own: &str) -> BTreeSet<String> {
    // A feature that only release 1.7 has says that the controller knows all releases.
    const CLASS: &str = r#"
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: conformance}
spec: {controllerName: example.com/conformance}
status: {supportedFeatures: [{name: Gateway}, {name: GatewayListenerFilters}]}
---
"#;
    let read = |text: &str| {
        let named = text.replace("{GATEWAY_CLASS_NAME}", "conformance");
        files::parse(Path::new("manifests.yaml"), &named).manifests
    };
    let own = read(own);
    let all: Vec<_> = own.iter().cloned().chain(read(&format!("{CLASS}{base}"))).collect();
    let cluster = cluster(&all);
    let cluster = cluster.read();
    let outcomes = own.iter().filter(|manifest| manifest.object_ref.kind.is_validated()).map(|manifest| {
        stored::check_manifest(plan, &cluster, AppliedManifest::new(&manifest.object_ref, &manifest.json, today()))
    });
    let findings = outcomes.flat_map(|outcome| outcome.findings);
    let unsupported = findings.filter(|evaluated| evaluated.finding.check.ends_with("/feature-unsupported"));
    unsupported.map(|evaluated| evaluated.finding.value).collect()
}

/// Whether implementations with the kind must support a feature: those that are named after a kind.
fn is_core(feature: &str) -> bool {
    let kinds = ["Gateway", "ReferenceGrant", "BackendTLSPolicy"];
    kinds.contains(&feature) || (feature.ends_with("Route") && !feature.contains("Precedence"))
}

/// A test of the suite.
struct SuiteTest {
    name: String,
    manifests: Vec<String>,
    features: BTreeSet<String>,
}

impl SuiteTest {
    /// The tests in a Go file.
    fn all(file: &str) -> Vec<Self> {
        let all = file.split("ShortName:").skip(1).map(|text| {
            let strings = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
            let features = list(text, "Features:").split("features.Support").skip(1);
            let is_named = |character: &char| character.is_ascii_alphanumeric();
            Self {
                name: strings(text).swap_remove(0),
                manifests: strings(list(text, "Manifests:")),
                features: features.map(|rest| rest.chars().take_while(is_named).collect()).collect(),
            }
        });
        all.collect()
    }
}

/// The text of the list in the field of a test.
fn list<'t>(text: &'t str, field: &str) -> &'t str {
    let (_, rest) = text.split_once(field).unwrap_or_else(|| panic!("no {field} in {text}"));
    let (_, rest) = rest.split_once('{').unwrap_or_else(|| panic!("no list in {rest}"));
    rest.split_once('}').unwrap_or_else(|| panic!("no end in {rest}")).0
}
