//! Which listeners accept a route, compared with an oracle that evaluates the objects' JSON step by step.

use portcullis_core::cluster::gateway_facts::GatewayRouteFacts;
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::routing::attachment::{Attachment, NotAllowedReason, RouteSubject, stopped_at};
use portcullis_testing::pages::manifests;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const SEEDS: std::ops::Range<u64> = 0..4000;
const GROUP: &str = "gateway.networking.k8s.io";
const PROTOCOLS: [&str; 8] = ["HTTP", "HTTP", "HTTP", "HTTPS", "TLS", "TCP", "UDP", "acme.io/quic"];
const KINDS: [&str; 5] = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"];
const HOSTS: [&str; 8] = ["a.com", "b.com", "*.com", "*.a.com", "x.a.com", "x.y.a.com", "ba.com", "Com"];

/// The oracle's word for the result at a listener.
fn word(refusal: Option<NotAllowedReason>) -> &'static str {
    match refusal {
        None => "takes it",
        Some(NotAllowedReason::OtherSection) => "section",
        Some(NotAllowedReason::OtherPort) => "port",
        Some(NotAllowedReason::Kind) => "kind",
        Some(NotAllowedReason::Namespace) => "namespace",
        Some(NotAllowedReason::Hostname) => "hostname",
        Some(NotAllowedReason::Unknown) => "unknown",
    }
}

/// A namespace selector, which may be invalid.
fn selector(rng: &mut Rng) -> Value {
    let key = rng.pick(&["team", "team", "env", "kubernetes.io/metadata.name"]);
    match rng.below(9) {
        0 => json!({}),
        1 => Value::Null,
        2 => json!({"matchExpressions": [{"key": key, "operator": "In", "values": []}]}),
        3 => json!({"matchExpressions": [{"key": key, "operator": "Like", "values": ["a"]}]}),
        4 => json!({"matchExpressions": [{"key": key, "operator": "Exists"}]}),
        5 => json!({"matchExpressions": [{"key": key, "operator": "DoesNotExist"}], "matchLabels": {"env": "a"}}),
        6 => json!({"matchExpressions": [{"key": key, "operator": "NotIn", "values": ["a", "web"]}]}),
        7 => {
            json!({"matchExpressions": [{"key": key, "operator": "In", "values": ["a", "web"]}], "matchLabels": {"team": "a"}})
        }
        _ => json!({"matchLabels": {key: rng.pick(&["a", "b", "web"])}}),
    }
}

fn listener(rng: &mut Rng) -> Value {
    let mut listener = json!({
        "name": rng.pick(&["one", "two", "three"]), "port": rng.pick(&[80, 443]), "protocol": rng.pick(&PROTOCOLS),
    });
    if rng.one_in(2) {
        listener["hostname"] = rng.pick(&HOSTS).into();
    }
    if !rng.one_in(4) {
        let mut namespaces = json!({});
        if !rng.one_in(6) {
            namespaces["from"] =
                rng.pick(&["All", "All", "Same", "Selector", "Selector", "Selector", "None", "Odd"]).into();
        }
        if rng.one_in(2) || namespaces["from"] == "Selector" {
            namespaces["selector"] = selector(rng);
        }
        listener["allowedRoutes"] = json!({"namespaces": namespaces});
    }
    if rng.one_in(3) {
        let kind = |rng: &mut Rng| match rng.below(4) {
            0 => json!({"group": "acme.io", "kind": rng.pick(&KINDS)}),
            1 => json!({"group": GROUP, "kind": rng.pick(&KINDS)}),
            _ => json!({"kind": rng.pick(&KINDS)}),
        };
        let kinds: Value = (0..rng.below(3)).map(|_| kind(rng)).collect();
        listener["allowedRoutes"]["kinds"] = kinds;
    }
    listener
}

fn object(kind: &str, namespace: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": kind,
        "metadata": {"namespace": namespace, "name": name}, "spec": spec,
    })
}

fn facts(object: &Value) -> Facts {
    let manifests = manifests(&object.to_string());
    Facts::of(&manifests[0].object().expect("a generated object can be read"))
}

/// Whether a selector selects namespace `web`. `labels` are those of the namespace, if they are known.
fn selects(selector: &Value, labels: Option<&Value>) -> &'static str {
    if selector.is_null() {
        return "no";
    }
    let mut answers = Vec::new();
    let mut ask = |key: &str, test: &dyn Fn(Option<&str>) -> bool| match (key, labels) {
        ("kubernetes.io/metadata.name", _) => answers.push(if test(Some("web")) { "yes" } else { "no" }),
        (_, None) => answers.push("unknown"),
        (_, Some(labels)) => answers.push(if test(labels[key].as_str()) { "yes" } else { "no" }),
    };
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        ask(key, &|own| own == value.as_str());
    }
    for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
        let values: Vec<_> = expression["values"].as_array().into_iter().flatten().map(Value::as_str).collect();
        let key = expression["key"].as_str().unwrap_or_default();
        match expression["operator"].as_str().unwrap_or_default() {
            "In" if !values.is_empty() => ask(key, &|own| own.is_some() && values.contains(&own)),
            "NotIn" if !values.is_empty() => ask(key, &|own| own.is_none() || !values.contains(&own)),
            "Exists" => ask(key, &|own| own.is_some()),
            "DoesNotExist" => ask(key, &|own| own.is_none()),
            _ => return "no",
        }
    }
    ["no", "unknown"].into_iter().find(|answer| answers.contains(answer)).unwrap_or("yes")
}

/// Whether two hosts have a name in common, among all names of these labels.
fn have_common(left: &str, right: &str) -> bool {
    let labels = ["x", "y", "z", "a", "b", "ba", "com"];
    let mut names: Vec<String> = labels.map(str::to_owned).to_vec();
    for _ in 0..3 {
        let longer: Vec<_> = names.iter().flat_map(|name| labels.map(|label| format!("{label}.{name}"))).collect();
        let is_one = |host: &str, name: &str| match host.strip_prefix('*') {
            Some(suffix) => name.ends_with(suffix) && name.len() > suffix.len(),
            None => host == name,
        };
        let mut of_both = names.iter().chain(&longer).filter(|name| is_one(left, name) && is_one(right, name));
        if of_both.next().is_some() {
            return true;
        }
        names = longer.into_iter().filter(|name| name.ends_with("com")).collect();
    }
    false
}

/// The oracle's word for one listener.
fn expected_outcome(
    route: &Value,
    reference: &Value,
    parent: &Value,
    listener: &Value,
    labels: Option<&Value>,
) -> &'static str {
    if !reference["sectionName"].is_null() && reference["sectionName"] != listener["name"] {
        return "section";
    }
    if !reference["port"].is_null() && reference["port"] != listener["port"] {
        return "port";
    }
    let of_protocol: &[&str] = match listener["protocol"].as_str().unwrap_or_default() {
        "HTTP" | "HTTPS" => &["HTTPRoute", "GRPCRoute"],
        "TLS" => &["TLSRoute", "TCPRoute"],
        "TCP" => &["TCPRoute"],
        "UDP" => &["UDPRoute"],
        _ => &[],
    };
    let kind = route["kind"].as_str().unwrap_or_default();
    let named = listener["allowedRoutes"]["kinds"].as_array().filter(|kinds| !kinds.is_empty());
    let is_named = |kinds: &Vec<Value>| {
        kinds.iter().any(|own| own["kind"] == kind && (own["group"].is_null() || own["group"] == GROUP))
    };
    match named {
        None if of_protocol.is_empty() => return "unknown",
        Some(kinds) if !is_named(kinds) => return "kind",
        _ if !of_protocol.is_empty() && !of_protocol.contains(&kind) => return "kind",
        _ => {}
    }
    let namespaces = &listener["allowedRoutes"]["namespaces"];
    let admitted = match namespaces["from"].as_str() {
        Some("All") => "yes",
        Some("None") => "no",
        Some("Selector") => selects(&namespaces["selector"], labels),
        None | Some("Same") if parent["metadata"]["namespace"] == "web" => "yes",
        None | Some("Same") => "no",
        Some(_) => "unknown",
    };
    match admitted {
        "no" => return "namespace",
        "unknown" => return "unknown",
        _ => {}
    }
    let own: Vec<_> = route["spec"]["hostnames"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_served = |listened: &str| own.iter().any(|host| have_common(&host.to_lowercase(), &listened.to_lowercase()));
    match listener["hostname"].as_str() {
        Some(listened) if !own.is_empty() && !["TCPRoute", "UDPRoute"].contains(&kind) && !is_served(listened) => {
            "hostname"
        }
        _ => "takes it",
    }
}

#[test]
fn attachment_matches_the_oracle() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let parent_kind = rng.pick(&["Gateway", "ListenerSet"]);
        let parent_namespace = rng.pick(&["web", "infra"]);
        let listeners: Vec<Value> = (0..rng.below(4)).map(|_| listener(&mut rng)).collect();
        let parent = object(parent_kind, parent_namespace, "edge", &json!({"listeners": listeners}));
        let mut reference = json!({"kind": parent_kind, "name": "edge"});
        if parent_namespace != "web" || rng.one_in(2) {
            reference["namespace"] = parent_namespace.into();
        }
        if rng.one_in(3) {
            reference["sectionName"] = rng.pick(&["one", "two", "four"]).into();
        }
        if rng.one_in(3) {
            reference["port"] = rng.pick(&[80, 443, 8080]).into();
        }
        let hosts: Vec<&str> = (0..rng.below(3)).map(|_| rng.pick(&HOSTS)).collect();
        let kind = if rng.one_in(2) { "HTTPRoute" } else { rng.pick(&KINDS) };
        let route = object(kind, "web", "shop", &json!({"parentRefs": [reference], "hostnames": hosts}));
        let labels = json!({"team": rng.pick(&["a", "b"])});
        let labels = (!rng.one_in(3)).then_some(&labels);

        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.apply(Event::Apply(facts(&parent)));
        if let Some(labels) = labels {
            let namespace =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web", "labels": labels}});
            cluster.apply(Event::Apply(facts(&namespace)));
        }
        let Facts::GatewayRoute(own) = facts(&route) else { panic!("a route is one") };
        let expected: Vec<_> =
            listeners.iter().map(|listener| expected_outcome(&route, &reference, &parent, listener, labels)).collect();
        let outcomes = outcomes(&own, &cluster);
        assert_eq!(outcomes, expected, "seed {seed}: {route}\n{parent}\n{labels:?}");
        for word in expected {
            *seen.entry(word).or_insert(0) += 1;
        }
    }
    let rare: Vec<_> = seen.iter().filter(|(_, count)| **count < 50).collect();
    assert!(seen.len() == 7 && rare.is_empty(), "each answer is seen often: {seen:?}");
}

/// The result for each listener, after a check that the short forms of the procedure agree.
fn outcomes(route: &GatewayRouteFacts, cluster: &Cluster) -> Vec<&'static str> {
    let this = ObjectRef::new(Kind::HttpRoute, "web", "other");
    let overlay = Overlay::new(cluster, &this);
    let (applicant, reference) = (RouteSubject::from(route), &route.parents[0]);
    let attachment = Attachment::of(route, reference, &overlay);
    let Attachment::Decided { listeners, .. } = &attachment else { panic!("the parent is there") };
    let is_accepted = listeners.iter().any(|(_, refusal)| refusal.is_none());
    assert_eq!(attachment.accepting().next().is_some(), is_accepted);
    for step in [
        NotAllowedReason::OtherSection,
        NotAllowedReason::OtherPort,
        NotAllowedReason::Kind,
        NotAllowedReason::Namespace,
        NotAllowedReason::Hostname,
    ] {
        let stopped = stopped_at(step, &applicant, reference, &overlay);
        let expected = !listeners.is_empty() && attachment.refusal() == Some(step);
        assert_eq!(stopped.is_some(), expected, "{step:?} of {listeners:?}");
        let by = listeners.iter().filter(|(_, refusal)| *refusal == Some(step)).map(|(listener, _)| *listener);
        assert!(stopped.is_none_or(|stopped| stopped.by.iter().copied().eq(by)), "{step:?} of {listeners:?}");
    }
    listeners.iter().map(|(_, refusal)| word(*refusal)).collect()
}
