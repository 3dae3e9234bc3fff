//! Checks whose findings depend on the installed release and channel of the Gateway API.

use portcullis_core::bundle::{Bundle, Channel, InstalledSchema};
use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Overlay, SyncState};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::finding::Action;
use portcullis_core::kinds::Kind;
use portcullis_core::review::stored::{self, AppliedManifest};
use portcullis_testing::pages::{manifests, today};

const STANDARD: Bundle = Bundle::NEWEST;
const EXPERIMENTAL: Bundle = Bundle { channel: Channel::Experimental, ..STANDARD };

/// The ids and addresses of findings of the families `gateway` and `route` for an object with this `spec`, if `bundle` is installed
/// but its schema does not enforce its rules.
fn found(kind: &str, spec: &str, bundle: Bundle) -> Vec<String> {
    found_in("v1", kind, spec, bundle)
}

/// The same for another version of the API.
fn found_in(version: &str, kind: &str, spec: &str, bundle: Bundle) -> Vec<String> {
    let group = format!("gateway.networking.k8s.io/{version}");
    let text = format!("{{apiVersion: {group}, kind: {kind}, metadata: {{namespace: web, name: shop}}, spec: {spec}}}");
    let manifests = manifests(&text);
    let (object, object_ref) = (manifests[0].object().expect("the object can be read"), &manifests[0].object_ref);
    let mut cluster = Cluster::with(SyncState::Partial);
    for kind in Kind::ALL {
        cluster.apply(Event::Schema(kind, Some(InstalledSchema::assumed(bundle))));
    }
    let plan = Plan::new(portcullis_core::config::Config::default()).expect("nothing is configured");
    let write = Write { operation: Operation::Create, this: object_ref, user: None, now: today() };
    let judgement = plan.check(&object, || None, &Overlay::new(&cluster, object_ref), &write);
    let is_meant = |check: &str| check.starts_with("gateway/") || check.starts_with("route/");
    let meant = judgement.findings.iter().filter(|evaluated| is_meant(evaluated.finding.check));
    meant.map(|evaluated| format!("{} {}", evaluated.finding.check, evaluated.finding.at)).collect()
}

const RULES: &str = "rules: [{backendRefs: [{name: cart, port: 80}]}]";

#[test]
fn ports_distinguish_parents_in_the_experimental_channel() {
    let of = |parents: &str, bundle| found("HTTPRoute", &format!("{{parentRefs: [{parents}], {RULES}}}"), bundle);
    let by_port = "{name: edge, port: 80}, {name: edge, port: 443}";
    assert_eq!(of(by_port, STANDARD), ["route/parent-duplicate spec.parentRefs[1]"]);
    assert_eq!(of(by_port, EXPERIMENTAL), [""; 0]);
    let one_port = "{name: edge, sectionName: a, port: 80}, {name: edge, sectionName: b}";
    assert_eq!(of(one_port, STANDARD), [""; 0]);
    assert_eq!(of(one_port, EXPERIMENTAL), ["route/parent-refs-mixed spec.parentRefs[1].port"]);
    let section_or_port = "{name: edge, sectionName: a}, {name: edge, port: 80}";
    for bundle in [STANDARD, EXPERIMENTAL] {
        assert_eq!(of(section_or_port, bundle), ["route/parent-refs-mixed spec.parentRefs[1].sectionName"]);
    }
    let spelled = "{name: edge, port: 80}, {name: edge, namespace: web, port: 443}";
    assert_eq!(of(spelled, STANDARD), ["route/parent-named-twice spec.parentRefs[1]"]);
    assert_eq!(of(spelled, EXPERIMENTAL), [""; 0]);
}

#[test]
fn alpha_routes_have_many_rules() {
    let rules = |count| {
        format!(
            "{{parentRefs: [{{name: edge}}], rules: [{}]}}",
            ["{backendRefs: [{name: cart, port: 80}]}"].repeat(count).join(", ")
        )
    };
    let too_many = ["route/rules-too-many spec.rules"];
    assert_eq!(found("TCPRoute", &rules(2), STANDARD), too_many);
    assert_eq!(found("TCPRoute", &rules(2), EXPERIMENTAL), too_many);
    assert_eq!(found_in("v1alpha2", "TCPRoute", &rules(16), EXPERIMENTAL), [""; 0]);
    assert_eq!(found_in("v1alpha2", "TCPRoute", &rules(17), EXPERIMENTAL), too_many);
}

#[test]
fn an_empty_list_of_rules_is_refused_since_1_5() {
    let older = Bundle { release: (1, 4), ..STANDARD };
    assert_eq!(found("HTTPRoute", "{rules: []}", older), [""; 0]);
    assert_eq!(found("HTTPRoute", "{rules: []}", STANDARD), ["route/rules-missing spec.rules"]);
}

#[test]
fn a_tls_route_has_many_hosts_since_1_6() {
    let hosts: Vec<_> = (0..17).map(|host| format!("h{host}.example.com")).collect();
    let spec = format!("{{parentRefs: [{{name: edge}}], hostnames: [{}], {RULES}}}", hosts.join(", "));
    assert_eq!(
        found("TLSRoute", &spec, Bundle { release: (1, 5), ..STANDARD }),
        ["route/hostnames-too-many spec.hostnames"]
    );
    assert_eq!(found("TLSRoute", &spec, Bundle { release: (1, 6), ..STANDARD }), [""; 0]);
}

#[test]
fn a_gateway_has_many_annotations_since_1_6() {
    let annotations: Vec<_> = (0..9).map(|index| format!("a{index}: ''")).collect();
    let listener = "{name: web, port: 80, protocol: HTTP}";
    let spec = format!(
        "{{gatewayClassName: public, infrastructure: {{annotations: {{{}}}}}, listeners: [{listener}]}}",
        annotations.join(", ")
    );
    let too_many = ["gateway/too-many-entries spec.infrastructure.annotations"];
    assert_eq!(found("Gateway", &spec, Bundle { release: (1, 5), ..STANDARD }), too_many);
    assert_eq!(found("Gateway", &spec, Bundle { release: (1, 6), ..STANDARD }), [""; 0]);
}

/// The result of `lint` for an HTTPRoute with this `spec` and this configuration: the ids with their actions, and the
/// assumed bundle, if there is one.
fn linted(config: &str, spec: &str) -> (Vec<(&'static str, Action)>, Option<Bundle>) {
    let head = "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: web, name: shop}";
    let manifests = manifests(&format!("{head}, spec: {spec}}}"));
    let config = Config::parse(&format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{config}")).expect("a configuration");
    let plan = Plan::new(config).expect("a plan");
    let (object_ref, json) = (&manifests[0].object_ref, &manifests[0].json);
    let judgement = stored::check_manifest(&plan, &Cluster::default(), AppliedManifest::new(object_ref, json, today()));
    let actions = judgement.findings.iter().map(|evaluated| (evaluated.finding.check, evaluated.action));
    (actions.collect(), judgement.assumed)
}

#[test]
fn findings_of_an_assumed_channel_only_warn() {
    let auth = "{type: ExternalAuth, externalAuth: {protocol: HTTP, http: {path: /check}, backendRef: {name: auth, port: 80}}}";
    let parents = "parentRefs: [{name: edge, port: 80}, {name: edge, port: 443}]";
    let spec = format!("{{{parents}, rules: [{{filters: [{auth}], backendRefs: [{{name: cart, port: 80}}]}}]}}");
    let [kind, parent] = ["filter/type-unknown", "route/parent-duplicate"];
    let warned = vec![(parent, Action::Warn), (kind, Action::Warn)];
    assert_eq!(linted("", &spec), (warned, Some(STANDARD)));
    let standard = "gatewayBundle: {version: '1.6', channel: standard}";
    let field = ("object/field-experimental", Action::Warn);
    assert_eq!(linted(standard, &spec), (vec![(parent, Action::Deny), field, (kind, Action::Deny)], None));
    assert_eq!(linted("gatewayBundle: {version: '1.6', channel: experimental}", &spec), (vec![], None));
    // A fault that both channels refuse is denied.
    let spec =
        "{parentRefs: [{name: edge}], rules: [{filters: [{type: Nothing}], backendRefs: [{name: cart, port: 80}]}]}";
    let (actions, assumed) = linted("", spec);
    assert!(actions.contains(&(kind, Action::Deny)) && assumed.is_none(), "{actions:?} {assumed:?}");
    // So is one that each channel refuses for another fault.
    let auth = "{type: ExternalAuth}";
    let spec = format!(
        "{{parentRefs: [{{name: edge}}], rules: [{{filters: [{auth}], backendRefs: [{{name: a, port: 80}}]}}]}}"
    );
    assert_eq!(linted("", &spec), (vec![(kind, Action::Deny)], None));
    // A fault that only the other channel refuses warns, even if it concerns the same element.
    let session = "sessionPersistence: {absoluteTimeout: 1d}";
    let spec =
        format!("{{parentRefs: [{{name: edge}}], rules: [{{{session}, backendRefs: [{{name: a, port: 80}}]}}]}}");
    let (actions, _) = linted("", &spec);
    assert!(actions.contains(&("rule/duration-malformed", Action::Warn)), "{actions:?}");
    // Since release 1.7, both channels have retries.
    let retried = |config: &str, attempts: i64| {
        let spec = format!("{{parentRefs: [{{name: edge}}], rules: [{{retry: {{attempts: {attempts}}}}}]}}");
        let (actions, _) = linted(config, &spec);
        actions.into_iter().find(|(check, _)| *check == "http-route/retry-malformed").map(|(_, action)| action)
    };
    assert_eq!((retried("", 0), retried("", -1)), (None, Some(Action::Deny)));
    assert_eq!(retried("gatewayBundle: {version: '1.6', channel: standard}", 0), Some(Action::Warn));
    // A fault of the other channel in another element does not count.
    let auth = "{type: ExternalAuth, externalAuth: {protocol: HTTP, http: {}, backendRef: {name: auth, port: 80}}}";
    let rules = format!("{{filters: [{auth}, {{type: ExternalAuth}}], backendRefs: [{{name: a, port: 80}}]}}");
    let (actions, assumed) = linted("", &format!("{{parentRefs: [{{name: edge}}], rules: [{rules}]}}"));
    let of_kind = actions.iter().filter(|(check, _)| *check == kind).map(|(_, action)| *action);
    assert_eq!((of_kind.collect(), assumed), (vec![Action::Warn, Action::Deny], Some(STANDARD)));
    // Nor does one in another element of the same list, or in another field of the spec.
    let parents = "parentRefs: [{name: edge, port: 80}, {name: edge, port: 443}, {name: other, namespace: Bad_x}]";
    let (actions, _) = linted("checks: {route/namespace-malformed: Off}", &format!("{{{parents}, {RULES}}}"));
    assert_eq!(actions, [(parent, Action::Warn)]);
}
