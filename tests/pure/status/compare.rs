//! What controllers wrote is compared with the specification: `portcullis status --compare`.

use std::collections::BTreeMap;
use std::path::Path;

use portcullis::files;
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::report::comparison::{json, text};
use portcullis_core::status::comparison::{Cause, Difference, Discrepancy, ObjectComparison, compare};
use portcullis_core::status::{KINDS, of_all};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::world;

const WORLDS: u64 = 250;

const CLASS: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: theirs}
spec: {controllerName: example.com/c, parametersRef: {group: example.com, kind: Settings, name: fast}}
status: {conditions: [{type: Accepted, status: 'True', reason: Accepted}]}
";

/// A Gateway of another controller with these listeners and this status.
fn gateway(listeners: &str, status: &str) -> String {
    format!(
        "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{namespace: web, name: edge, generation: 2}}\n\
         spec: {{gatewayClassName: theirs, listeners: [{listeners}]}}\nstatus: {{{status}}}\n"
    )
}

/// A listener without TLS.
const HTTP: &str = "{name: http, port: 80, protocol: HTTP}";

/// An HTTPRoute with this spec and these entries.
fn route(name: &str, spec: &str, parents: &str) -> String {
    format!(
        "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{namespace: web, name: {name}, generation: 5}}\n\
         spec: {{{spec}}}\nstatus: {{parents: [{parents}]}}\n"
    )
}

/// An entry of the other controller.
fn parent(reference: &str, conditions: &[&str]) -> String {
    format!("{{parentRef: {{{reference}}}, controllerName: example.com/c, conditions: [{}]}}", conditions.join(", "))
}

/// A condition such as `Accepted=True Accepted`, with what is ignored. Its generation is always current.
fn condition(text: &str) -> String {
    let (type_name, rest) = text.split_once('=').expect("a type");
    let (status, reason) = rest.split_once(' ').expect("a status");
    format!(
        "{{type: {type_name}, status: '{status}', reason: {reason}, message: their words, lastTransitionTime: '2026-01-01T00:00:00Z', \
         observedGeneration: 9}}"
    )
}

fn conditions(all: &[&str]) -> String {
    all.iter().map(|text| condition(text)).collect::<Vec<_>>().join(", ")
}

/// The status of a listener.
fn entry(name: &str, attached: u32, all: &[&str]) -> String {
    let kinds = "[{group: gateway.networking.k8s.io, kind: HTTPRoute}]";
    let conditions = conditions(all);
    format!("{{name: {name}, attachedRoutes: {attached}, supportedKinds: {kinds}, conditions: [{conditions}]}}")
}

const GOOD: [&str; 3] = ["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs", "Programmed=True Programmed"];

/// A Gateway with one listener, about which everything that is written is right.
fn edge(attached: u32) -> String {
    let (own, listeners) = (conditions(&GOOD), entry("http", attached, &GOOD));
    gateway(HTTP, &format!("conditions: [{own}], listeners: [{listeners}]"))
}

/// The same with a second listener, to which no route is attached.
fn edge_of_two(attached: u32) -> String {
    let own = conditions(&GOOD);
    let listeners = [entry("http", attached, &GOOD), entry("alt", 0, &GOOD)].join(", ");
    let spec = [HTTP, "{name: alt, port: 81, protocol: HTTP}"].join(", ");
    gateway(&spec, &format!("conditions: [{own}], listeners: [{listeners}]"))
}

/// The comparison of these objects, which are all of the cluster but for Secrets.
fn compared(manifests: &[String]) -> Vec<ObjectComparison> {
    let yaml = CLASS.to_owned() + &manifests.concat();
    let contents = files::parse(Path::new("all.yaml"), &yaml);
    assert_eq!(contents.unread, [], "{yaml}");
    let mut cluster = Cluster::with(SyncState::Complete);
    for manifest in &contents.manifests {
        cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("an object that can be read"))));
    }
    let objects = contents.manifests.iter().map(|manifest| (&manifest.object_ref, &*manifest.json));
    compare(objects, &mut cluster, &Config::default())
}

/// A difference without its words.
fn line(object: &ObjectComparison, Difference { place, discrepancy }: &Difference) -> String {
    let name = &object.object_ref.name;
    match discrepancy {
        Discrepancy::Outdated { .. } => format!("{name} {place}: {discrepancy}"),
        Discrepancy::Value { field, written, specification, message } => {
            assert!(!message.is_empty(), "{field} of {name} {place}");
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            format!("{name} {place}: {field}: {} | {}", text(written), text(specification))
        }
    }
}

/// The differences, and then the places that no controller has written about.
fn found(manifests: &[String]) -> Vec<String> {
    let lines = |object: &ObjectComparison| {
        let differences = object.differences.iter().map(|difference| line(object, difference));
        let name = &object.object_ref.name;
        let unwritten = object.unwritten.iter().map(|place| format!("{name} {place}: unwritten"));
        differences.chain(unwritten).collect::<Vec<_>>()
    };
    compared(manifests).iter().flat_map(lines).collect()
}

/// What was not compared for this cause.
fn left(manifests: &[String], cause: Cause) -> Vec<String> {
    let all = compared(manifests);
    let left = all.iter().flat_map(|object| &object.not_compared).filter(|left| left.cause == cause);
    left.map(|left| left.written.clone()).collect()
}

const SERVICE: &str =
    "---\napiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: cart}\nspec: {ports: [{port: 80}]}\n";
const RULES: &str = "rules: [{backendRefs: [{name: cart, port: 80}]}]";
const BUCKET: &str = "rules: [{backendRefs: [{group: example.com, kind: Bucket, name: b}]}]";

#[test]
fn different_messages_are_not_a_difference() {
    let good = [&*condition(GOOD[0]), &condition(GOOD[1])];
    let whole = "group: gateway.networking.k8s.io, kind: Gateway, namespace: web, name: edge";
    let manifests = [
        edge(1),
        SERVICE.to_owned(),
        route("cart", &format!("parentRefs: [{{name: edge}}], {RULES}"), &parent(whole, &good)),
    ];
    assert_eq!(found(&manifests), [""; 0]);
    assert_eq!(
        left(&manifests, Cause::Controller),
        [GOOD[0], GOOD[2], GOOD[2]],
        "the class, the Gateway and the listener"
    );
    assert_eq!(left(&manifests, Cause::Unknown), [""; 0]);
}

#[test]
fn conditions_differ_by_status_reason_and_presence() {
    let spec = format!("parentRefs: [{{name: edge, sectionName: gone}}], {RULES}");
    let at = "cart parent Gateway web/edge, section gone (example.com/c)";
    for (own, expected) in [
        ("Accepted=True Accepted", "Accepted: True Accepted | False NoMatchingParent"),
        ("Accepted=False NotAllowedByListeners", "Accepted: False NotAllowedByListeners | False NoMatchingParent"),
        ("Ready=True Ready", "Accepted:  | False NoMatchingParent"),
    ] {
        let entry = parent("name: edge, sectionName: gone", &[&condition(own), &condition(GOOD[1])]);
        let manifests = [edge(0), SERVICE.to_owned(), route("cart", &spec, &entry)];
        assert_eq!(found(&manifests), [format!("{at}: {expected}")]);
    }
    let entry = parent("name: edge, sectionName: gone", &[&condition("Accepted=False NoMatchingParent")]);
    let manifests = [edge(0), route("cart", &spec, &entry)];
    assert_eq!(found(&manifests), [format!("{at}: ResolvedRefs:  | False BackendNotFound")], "no such Service");
}

#[test]
fn any_of_several_reasons_may_be_written() {
    let spec = "parentRefs: [{name: edge}], rules: [{backendRefs: [{name: gone, port: 80}, {name: cart, namespace: far, port: 80}]}]";
    for (reason, expected) in [("BackendNotFound", 0), ("RefNotPermitted", 0), ("UnknownReason", 1)] {
        let refs = condition(&format!("ResolvedRefs=False {reason}"));
        let manifests = [edge(1), route("cart", spec, &parent("name: edge", &[&condition(GOOD[0]), &refs]))];
        assert_eq!(found(&manifests).len(), expected, "{reason}");
    }
}

#[test]
fn an_older_generation_is_outdated_and_nothing_else() {
    let old = |text: &str| condition(text).replace("observedGeneration: 9", "observedGeneration: 3");
    let spec = format!("parentRefs: [{{name: edge}}], {RULES}");
    let wrong = parent("name: edge", &[&old("Accepted=False NoMatchingParent")]);
    let outdated =
        "cart parent Gateway web/edge (example.com/c): outdated: written for generation 3, the object is at 5"
            .to_owned();
    assert_eq!(found(&[edge(0), SERVICE.to_owned(), route("cart", &spec, &wrong)]), std::slice::from_ref(&outdated));
    // What was written for the current generation is compared all the same.
    let mixed = parent("name: edge", &[&condition("Accepted=False NoMatchingParent"), &old(GOOD[1])]);
    let wrong = "cart parent Gateway web/edge (example.com/c): Accepted: False NoMatchingParent | True Accepted";
    assert_eq!(found(&[edge(0), SERVICE.to_owned(), route("cart", &spec, &mixed)]), [outdated, wrong.to_owned()]);
    // A route that fell back to the last valid state is accepted with the generation of that state.
    let rules = "rules: [{backendRefs: [{name: cart, port: 80}]}, {matches: [{path: {type: Glob, value: /*}}]}]";
    let spec = format!("parentRefs: [{{name: edge}}], {rules}");
    let partial = condition("PartiallyInvalid=True UnsupportedValue");
    let fallback = parent("name: edge", &[&old(GOOD[0]), &condition(GOOD[1]), &partial]);
    assert_eq!(found(&[edge(1), SERVICE.to_owned(), route("cart", &spec, &fallback)]), [""; 0]);
    let missing = parent("name: edge", &[&condition(GOOD[0]), &condition(GOOD[1])]);
    let expected =
        "cart parent Gateway web/edge (example.com/c): PartiallyInvalid:  | True UnsupportedValue".to_owned();
    assert_eq!(found(&[edge(1), SERVICE.to_owned(), route("cart", &spec, &missing)]), [expected]);
    // The listeners of a Gateway were written with it, and are not listed one by one.
    let status = |generation: u32, of_listener: u32| {
        let own = conditions(&GOOD).replace("observedGeneration: 9", &format!("observedGeneration: {generation}"));
        let listener = entry("http", 7, &["Accepted=True Wrong"]);
        let listener = listener.replace("observedGeneration: 9", &format!("observedGeneration: {of_listener}"));
        gateway(HTTP, &format!("conditions: [{own}], listeners: [{listener}]"))
    };
    let text = "outdated: written for generation 1, the object is at 2";
    assert_eq!(found(&[status(1, 1)]), [format!("edge : {text}")]);
    assert_eq!(found(&[status(2, 1)]), [format!("edge listener `http`: {text}")]);
}

#[test]
fn an_object_without_a_status_is_one_line() {
    let spec = format!("parentRefs: [{{name: edge}}], {RULES}");
    let fresh = |type_name: &str| {
        format!(
            "{{type: {type_name}, status: Unknown, reason: Pending, message: Waiting for controller, lastTransitionTime: \
             '1970-01-01T00:00:00Z'}}"
        )
    };
    let defaults = format!("conditions: [{}, {}]", fresh("Accepted"), fresh("Programmed"));
    let fresh = gateway(HTTP, &defaults);
    let manifests = [fresh, route("cart", &spec, ""), route("free", "rules: []", "")];
    assert_eq!(found(&manifests), ["edge : unwritten", "cart : unwritten"]);
    assert!(text(&compared(&manifests)).contains("\nHTTPRoute web/cart\n  no status has been written\n"));
}

#[test]
fn a_forgotten_parent_differs_if_its_controller_serves_it() {
    let spec = format!("parentRefs: [{{name: edge, sectionName: http}}, {{name: edge, sectionName: alt}}], {RULES}");
    let forgotten = "cart parent Gateway web/edge, section alt (example.com/c)";
    let entry = parent("name: edge, sectionName: http", &[&condition(GOOD[0]), &condition(GOOD[1])]);
    let manifests = [edge_of_two(1), SERVICE.to_owned(), route("cart", &spec, &entry)];
    assert_eq!(found(&manifests), [format!("{forgotten}: entry:  | an entry")]);
    let other = entry.replace("example.com/c", "example.com/other");
    let manifests = [edge_of_two(1), SERVICE.to_owned(), route("cart", &spec, &other)];
    assert_eq!(found(&manifests), [format!("{forgotten}: unwritten")]);
    let unserved = edge_of_two(1).split("status:").next().expect("the spec").to_owned();
    let manifests = [unserved, SERVICE.to_owned(), route("cart", &spec, &entry)];
    assert_eq!(found(&manifests), ["edge : unwritten".to_owned(), format!("{forgotten}: unwritten")]);
}

#[test]
fn an_entry_without_a_reference_differs() {
    let spec = format!("parentRefs: [{{name: gone}}, {{kind: Service, group: '', name: cart}}], {RULES}");
    let good = [&*condition(GOOD[0]), &condition(GOOD[1])];
    let entries = [
        parent("name: edge", &good),
        parent("name: gone", &good),
        parent("kind: Service, group: '', name: cart", &good),
    ];
    let manifests = [edge(0), SERVICE.to_owned(), route("cart", &spec, &entries.join(", "))];
    let stale = "cart parent Gateway web/edge (example.com/c): entry: an entry | ".to_owned();
    let absent = "cart parent Gateway web/gone (example.com/c): entry: an entry | ".to_owned();
    assert_eq!(found(&manifests), [stale, absent]);
    assert_eq!(left(&manifests, Cause::Unknown), ["entry"], "parents of a mesh");
    let rejected = entries[1].replace("'True'", "'False'");
    let manifests = [edge(0), SERVICE.to_owned(), route("cart", &spec, &rejected)];
    assert_eq!(found(&manifests), [""; 0], "a controller may say that the parent does not exist");
}

#[test]
fn controller_specific_conditions_are_not_compared() {
    let unsupported = [
        ("Accepted=False UnsupportedValue", RULES),
        ("ResolvedRefs=False InvalidKind", BUCKET),
        ("Accepted=Unknown Reconciling", RULES),
    ];
    for (own, rules) in unsupported {
        let others = GOOD[..2].iter().filter(|good| good.split('=').next() != own.split('=').next());
        let all: Vec<String> = others.copied().chain([own]).map(condition).collect();
        let entry = parent("name: edge", &all.iter().map(String::as_str).collect::<Vec<_>>());
        let spec = format!("parentRefs: [{{name: edge}}], {rules}");
        let attached = u32::from(!own.starts_with("Accepted"));
        let manifests = [edge(attached), SERVICE.to_owned(), route("cart", &spec, &entry)];
        assert_eq!(found(&manifests), [""; 0], "{own}");
        // A controller that still counts rejected routes, as releases before required, is right, too.
        let manifests = [edge(1), SERVICE.to_owned(), route("cart", &spec, &entry)];
        assert_eq!(found(&manifests), [""; 0], "{own}");
    }
    // A backend of a kind that Portcullis does not support may be supported by another implementation.
    let spec = format!("parentRefs: [{{name: edge}}], {BUCKET}");
    let entry = parent("name: edge", &[&condition(GOOD[0]), &condition(GOOD[1])]);
    let manifests = [edge(1), route("cart", &spec, &entry)];
    assert_eq!(found(&manifests), [""; 0]);
    assert_eq!(left(&manifests, Cause::Unknown), ["ResolvedRefs=True ResolvedRefs"]);
}

#[test]
fn parameters_addresses_and_protocols_are_those_of_the_implementation() {
    let listeners = "{name: http, port: 80, protocol: HTTP}, {name: quic, port: 443, protocol: acme.io/quic, \
                     allowedRoutes: {kinds: [{group: acme.io, kind: QuicRoute}]}}";
    let spec = gateway(listeners, "").replace(
        "gatewayClassName: theirs,",
        "gatewayClassName: theirs, infrastructure: {parametersRef: {group: example.com, kind: Settings, name: fast}}, \
         addresses: [{type: example.com/pool, value: a}],",
    );
    for (quic, whole) in [
        ("Accepted=True Accepted", "Accepted=True Accepted"),
        ("Accepted=False UnsupportedProtocol", "Accepted=True ListenersNotValid"),
    ] {
        let whole = conditions(&[whole]);
        let listeners =
            [entry("http", 0, &GOOD), entry("quic", 0, &[quic, "ResolvedRefs=True ResolvedRefs"])].join(", ");
        let status = format!("status: {{conditions: [{whole}], listeners: [{listeners}]}}");
        assert_eq!(found(&[spec.replace("status: {}", &status)]), [""; 0], "{quic}");
    }
}

#[test]
fn unknown_conditions_are_not_compared() {
    let tls = "{name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}";
    for refs in ["ResolvedRefs=False InvalidCertificateRef", "ResolvedRefs=True ResolvedRefs"] {
        let (own, listeners) = (conditions(&GOOD[..1]), entry("https", 0, &[GOOD[0], refs]));
        let manifests = [gateway(tls, &format!("conditions: [{own}], listeners: [{listeners}]"))];
        assert_eq!(found(&manifests), [""; 0], "{refs}");
        assert_eq!(left(&manifests, Cause::Unknown), [refs], "no Secret is read");
    }
}

#[test]
fn types_of_implementations_are_listed() {
    let own = conditions(&["Accepted=True Accepted", "example.com/Ready=False Why"]);
    let listeners = entry("http", 0, &GOOD);
    let manifests = [gateway(HTTP, &format!("conditions: [{own}], listeners: [{listeners}]"))];
    assert_eq!(found(&manifests), [""; 0]);
    assert_eq!(left(&manifests, Cause::Implementation), ["example.com/Ready=False Why"]);
}

#[test]
fn programmed_differs_only_where_it_contradicts() {
    let certs = "tls: {certificateRefs: [{name: cert, namespace: far}]}";
    let tls = format!("{{name: https, port: 443, protocol: HTTPS, {certs}}}");
    let refused = "ResolvedRefs=False RefNotPermitted";
    let programmed = "edge listener `https`: Programmed: True Programmed | False Invalid".to_owned();
    let beside = "edge listener `https`: Programmed: True Programmed | False".to_owned();
    let unresolved = "edge listener `https`: ResolvedRefs: True ResolvedRefs | False RefNotPermitted".to_owned();
    for (own, expected) in [
        (["Accepted=True Accepted", refused, "Programmed=False Anything"], vec![]),
        (["Accepted=True Accepted", refused, "Programmed=True Programmed"], vec![programmed]),
        // What follows from a difference is not another one.
        (["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs", "Programmed=True Programmed"], vec![unresolved]),
        (["Accepted=False PortUnavailable", refused, "Programmed=True Programmed"], vec![beside]),
    ] {
        let reason =
            if own[0].contains("True") { "Accepted=True Accepted" } else { "Accepted=False ListenersNotValid" };
        let (whole, listeners) = (conditions(&[reason]), entry("https", 0, &own));
        let manifests = [gateway(&tls, &format!("conditions: [{whole}], listeners: [{listeners}]"))];
        assert_eq!(found(&manifests), expected, "{own:?}");
    }
}

#[test]
fn listener_conflict_is_reported_once() {
    let spec = "{name: a, port: 80, protocol: HTTP}, {name: b, port: 80, protocol: HTTP}";
    let status = |whole: &str, own: &[&str]| {
        let (whole, listeners) = (conditions(&[whole]), [entry("a", 0, own), entry("b", 0, own)].join(", "));
        [gateway(spec, &format!("conditions: [{whole}], listeners: [{listeners}]"))]
    };
    let missing = |name: &str| format!("edge listener `{name}`: Conflicted:  | True HostnameConflict");
    assert_eq!(found(&status("Accepted=True Accepted", &GOOD)), [missing("a"), missing("b")]);
    let conflicted = ["Accepted=False HostnameConflict", "Conflicted=True HostnameConflict", GOOD[1]];
    for whole in ["Accepted=False ListenersNotValid", "Accepted=True ListenersNotValid"] {
        assert_eq!(found(&status(whole, &conflicted)), [""; 0], "{whole}");
    }
    let whole = "edge : Accepted: True Accepted | False ListenersNotValid".to_owned();
    assert_eq!(found(&status("Accepted=True Accepted", &conflicted)), [whole], "it contradicts its listeners");
    let served = ["Accepted=True Accepted", "Conflicted=True HostnameConflict", "Programmed=True Programmed"];
    let programmed =
        |name: &str| format!("edge listener `{name}`: Programmed: True Programmed | False HostnameConflict");
    assert_eq!(found(&status("Accepted=True ListenersNotValid", &served)), [programmed("a"), programmed("b")]);
    let (own, invented) = (conditions(&GOOD), entry("http", 0, &[GOOD[0], "Conflicted=True HostnameConflict"]));
    let alone = gateway(HTTP, &format!("conditions: [{own}], listeners: [{invented}]"));
    let expected = [
        "edge : Accepted: True Accepted | False ListenersNotValid",
        "edge listener `http`: Conflicted: True HostnameConflict | ",
    ];
    assert_eq!(found(&[alone]), expected);
}

#[test]
fn listeners_are_compared_by_name() {
    let own = conditions(&GOOD[..1]);
    let status = format!("conditions: [{own}], listeners: [{}]", entry("old", 0, &GOOD));
    let expected = ["edge listener `http`: entry:  | an entry", "edge listener `old`: entry: an entry | "];
    assert_eq!(found(&[gateway(HTTP, &status)]), expected);
    // A rejected Gateway need not list its listeners.
    let rejected = format!("conditions: [{}]", conditions(&["Accepted=False Odd"]));
    assert_eq!(found(&[gateway(HTTP, &rejected)]), ["edge : Accepted: False Odd | True Accepted"]);
    let kinds =
        entry("http", 0, &GOOD).replace("kind: HTTPRoute}", "kind: TCPRoute}, {group: acme.io, kind: QuicRoute}");
    let status = format!("conditions: [{own}], listeners: [{kinds}]");
    let expected = ["edge listener `http`: supportedKinds: TCPRoute | HTTPRoute, GRPCRoute"];
    assert_eq!(found(&[gateway(HTTP, &status)]), expected);
}

#[test]
fn attached_routes_are_counted() {
    let spec = format!("parentRefs: [{{name: edge}}], {RULES}");
    let good = parent("name: edge", &[&condition(GOOD[0]), &condition(GOOD[1])]);
    let counted = |count: u32, entry: &str| {
        let routes = [route("a", &spec, &good), route("b", &spec, entry)].concat();
        found(&[edge(count), SERVICE.to_owned(), routes])
    };
    assert_eq!(counted(2, &good), [""; 0]);
    assert_eq!(counted(1, &good), ["edge listener `http`: attachedRoutes: 1 | 2"]);
    assert_eq!(counted(3, &good), ["edge listener `http`: attachedRoutes: 3 | 2"]);
    // A route that the controller alone rejects may be counted or not, and one without a status, too.
    let rejected = good.replace("'True', reason: Accepted", "'False', reason: UnsupportedValue");
    for entry in [&*rejected, ""] {
        let differs = |count: u32| counted(count, entry).iter().any(|line| line.contains("attachedRoutes"));
        assert_eq!([0, 1, 2, 3].map(differs), [true, false, false, true], "{entry}");
    }
    let expected = "edge listener `http`: attachedRoutes: 0 | 1 to 2".to_owned();
    assert!(counted(0, &rejected).contains(&expected));
}

#[test]
fn disallowed_listener_set_differs_once() {
    let set = |status: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: ListenerSet\nmetadata: {{namespace: web, name: more}}\n\
             spec: {{parentRef: {{name: edge}}, listeners: [{{name: a, port: 80, protocol: HTTP, hostname: a.example}}, \
             {{name: b, port: 80, protocol: HTTP, hostname: b.example}}]}}\nstatus: {{{status}}}\n"
        )
    };
    let listeners = [entry("a", 0, &GOOD), entry("b", 0, &GOOD)].join(", ");
    let status = format!("conditions: [{}], listeners: [{listeners}]", conditions(&GOOD));
    assert_eq!(found(&[edge(0), set(&status)]), ["more : Accepted: True Accepted | False NotAllowed"]);
    let all = edge(0).replace(
        "gatewayClassName: theirs,",
        "gatewayClassName: theirs, allowedListeners: {namespaces: {from: Same}},",
    );
    assert_eq!(found(&[all, set(&status)]), [""; 0]);
}

#[test]
fn an_ingress_route_is_compared_by_its_state() {
    let vertex = |status: &str| {
        format!(
            "---\napiVersion: contour.heptio.com/v1beta1\nkind: IngressRoute\n\
             metadata: {{namespace: web, name: cart, generation: 5, annotations: {{kubernetes.io/ingress.class: theirs}}}}\n\
             spec: {{routes: [{{match: /cart, services: [{{name: cart, port: 80}}]}}]}}\nstatus: {{{status}}}\n"
        )
    };
    let compared = |status: &str| found(&[vertex(status), SERVICE.to_owned()]);
    assert_eq!(compared("currentStatus: orphaned, description: theirs"), [""; 0]);
    assert_eq!(compared("currentStatus: valid"), ["cart : currentStatus: valid | orphaned"]);
    assert_eq!(compared(""), ["cart : unwritten"]);
    let outdated = "cart : outdated: written for generation 4, the object is at 5";
    assert_eq!(compared("currentStatus: valid, observedGeneration: 4"), [outdated]);
}

#[test]
fn json_has_just_these_fields() {
    let wrong =
        parent("name: edge", &[&condition("Accepted=False NoMatchingParent"), &condition("acme.io/Seen=True Noticed")]);
    let spec = format!("parentRefs: [{{name: edge}}], {RULES}");
    let all = compared(&[edge(0), SERVICE.to_owned(), route("cart", &spec, &wrong)]);
    let printed: Value = serde_json::from_str(&json(&all).expect("JSON")).expect("JSON");
    let place = "parent Gateway web/edge (example.com/c)";
    let expected = json!({
        "ref": "HTTPRoute/web/cart",
        "differences": [{
            "place": place, "field": "Accepted", "written": "False NoMatchingParent", "specification": "True Accepted",
            "message": "accepted by listener `http`",
        }],
        "unwritten": [],
        "notCompared": [{
            "place": place, "written": "acme.io/Seen=True Noticed", "cause": "the specification does not name the type",
        }],
    });
    let own = printed.as_array().into_iter().flatten().find(|object| object["ref"] == "HTTPRoute/web/cart");
    assert_eq!(own, Some(&expected));
}

/// The objects of a random world with the statuses that Portcullis would write.
fn written(rng: &mut Rng) -> (BTreeMap<ObjectRef, Value>, Cluster) {
    let mut objects: BTreeMap<ObjectRef, Value> = BTreeMap::new();
    for _ in 0..45 {
        let kind = rng.pick(&world::KINDS);
        let object_ref = world::object_ref(rng, kind);
        let object = world::object(rng, &object_ref);
        objects.insert(object_ref, object);
    }
    let mut cluster = Cluster::with(SyncState::Complete);
    for (object_ref, object) in &objects {
        cluster.apply(Event::Apply(world::facts(object_ref.kind, &object.to_string())));
    }
    let subjects = objects.iter().filter(|(object_ref, _)| KINDS.contains(object_ref.kind));
    let subjects = subjects.map(|(object_ref, object)| (object_ref.clone(), object.to_string().into()));
    for (object_ref, desired) in of_all(subjects, &mut cluster, &Config::default()) {
        objects.get_mut(&*object_ref).expect("an object with a status")["status"] = desired.to_json();
    }
    // The verdicts are computed again from what is known.
    let mut fresh = Cluster::with(SyncState::Complete);
    for (object_ref, object) in &objects {
        fresh.apply(Event::Apply(world::facts(object_ref.kind, &object.to_string())));
    }
    (objects, fresh)
}

fn compare_all(objects: &BTreeMap<ObjectRef, Value>, cluster: &mut Cluster) -> Vec<ObjectComparison> {
    let objects: Vec<(&ObjectRef, String)> =
        objects.iter().map(|(object_ref, object)| (object_ref, object.to_string())).collect();
    compare(objects.iter().map(|(object_ref, json)| (*object_ref, json.as_str())), cluster, &Config::default())
}

/// What Portcullis writes as a controller never contradicts the specification.
#[test]
fn own_statuses_follow_the_specification() {
    let (mut compared, mut unwritten) = (0, 0);
    for seed in 0..WORLDS {
        let (objects, mut cluster) = written(&mut Rng::new(seed));
        for object in compare_all(&objects, &mut cluster) {
            assert_eq!(
                object.differences,
                [],
                "world {seed}: {} {:#}",
                object.object_ref,
                objects[&*object.object_ref]
            );
            compared += usize::from(object.unwritten.is_empty());
            unwritten += usize::from(!object.unwritten.is_empty());
        }
    }
    assert!(compared > 500 && unwritten > 200, "{compared} {unwritten}");
}

/// A wrong `Accepted` of a route is found wherever the specification decides it.
#[test]
fn each_wrong_acceptance_is_found() {
    let (mut wrong, mut undecided) = (0, 0);
    for seed in 0..WORLDS {
        let (mut objects, mut cluster) = written(&mut Rng::new(seed));
        let is_route = |object_ref: &&ObjectRef| object_ref.kind == Kind::HttpRoute;
        for object_ref in objects.keys().filter(is_route).cloned().collect::<Vec<_>>() {
            let before = objects[&object_ref].clone();
            let Some(accepted) = objects.get_mut(&object_ref).and_then(|object| {
                object.pointer_mut("/status/parents/0/conditions/0").filter(|own| own["type"] == "Accepted")
            }) else {
                continue;
            };
            let (status, reason) =
                if accepted["status"] == "True" { ("False", "NoMatchingParent") } else { ("True", "Accepted") };
            accepted["status"] = json!(status);
            accepted["reason"] = json!(reason);
            let written = format!("Accepted={status} {reason}");
            let all = compare_all(&objects, &mut cluster);
            let own = all.iter().find(|own| *own.object_ref == object_ref).expect("a route with an entry");
            let is_accepted = |difference: &Difference| difference.discrepancy.to_string() == "Accepted";
            let is_undecided =
                own.not_compared.iter().any(|left| left.written == written && left.cause == Cause::Unknown);
            let is_found = own.differences.iter().any(is_accepted);
            assert!(is_found != is_undecided, "world {seed}: {object_ref} {:#}\n{own:#?}", objects[&object_ref]);
            wrong += usize::from(is_found);
            undecided += usize::from(is_undecided);
            objects.insert(object_ref, before);
        }
    }
    assert!(wrong > 100 && undecided > 10, "{wrong} {undecided}");
}
