//! Ingresses, and what a converter made of them, with answers that independent models of both sides give.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;
use portcullis_core::compare::{Change, ChangeKind, Difference, HostResult, Overall, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

use super::of_written;

#[derive(Deserialize)]
struct Pairs {
    pairs: Vec<Pair>,
}

/// Ingresses and their conversion.
#[derive(Deserialize)]
struct Pair {
    name: String,
    provider: String,
    ingresses: Vec<Value>,
    #[serde(default)]
    services: Vec<Value>,
    gateway: Vec<Value>,
    expect: Expected,
}

#[derive(Deserialize)]
struct Expected {
    /// Whether all requests are answered alike; `None` if that is not certain.
    equivalent: Option<bool>,
}

/// The controller that serves the Ingresses of a provider.
fn controller(provider: &str) -> &str {
    match provider {
        "ingress-nginx" => "k8s.io/ingress-nginx",
        "nginx" => "nginx.org/ingress-controller",
        "kong" => "ingress-controllers.konghq.com/kong",
        "gce" => "k8s.io/ingress-gce",
        "traefik" => "traefik.io/ingress-controller",
        "apisix" => "apisix.apache.org/apisix-ingress-controller",
        "aws-lbc" => "ingress.k8s.aws/alb",
        "cilium" => "cilium.io/ingress-controller",
        _ => "example.com/unknown",
    }
}

impl Pair {
    /// The classes of the Ingresses, in the field or the annotation.
    fn classes(&self) -> BTreeSet<String> {
        let named = self.ingresses.iter().flat_map(|ingress| {
            [&ingress["spec"]["ingressClassName"], &ingress["metadata"]["annotations"]["kubernetes.io/ingress.class"]]
        });
        named.filter_map(|class| class.as_str().map(str::to_owned)).collect()
    }

    /// The objects before and after.
    fn sides(&self) -> [Vec<Value>; 2] {
        let class = |ingress: &Value| ingress["spec"]["ingressClassName"].as_str().unwrap_or("main").to_owned();
        let classes: BTreeMap<String, Value> = self
            .ingresses
            .iter()
            .map(|ingress| {
                let name = class(ingress);
                let default = json!({"ingressclass.kubernetes.io/is-default-class": "true"});
                let object = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
                    "metadata": {"name": name, "annotations": if name == "main" { default } else { json!({}) }},
                    "spec": {"controller": controller(&self.provider)}});
                (name, object)
            })
            .collect();
        let mut ingresses = self.ingresses.clone();
        for ingress in &mut ingresses {
            let by_annotation = ingress["metadata"]["annotations"].get("kubernetes.io/ingress.class").is_some();
            if ingress["spec"]["ingressClassName"].is_null() && !by_annotation {
                ingress["spec"]["ingressClassName"] = "main".into();
            }
        }
        let before = ingresses.into_iter().chain(classes.into_values()).chain(self.services.clone()).collect();
        [before, self.gateway.iter().chain(&self.services).cloned().collect()]
    }
}

/// The pairs that are not what they are said to be: a real ingress-nginx reads `ImplementationSpecific` as `Prefix` (the recorded world
/// `implementation-specific`), so `/teay` reaches nothing before and after.
const MISJUDGED: [&str; 1] = ["real/F5Networks/k8s-bigip-ctlr/cafe-ingress"];

/// The pairs that are said to be equivalent and differ nevertheless, each with the reason.
const DIFFERENT: [(&str, &str); 10] = [
    ("go-test/gce/88cd13ab", "the converter says so: `/foo/*` of GKE does not match `/foo`, which the prefix does"),
    (
        "go-test/ingressnginx/6e258969",
        "the Service of the canary has a path of its own, so ingress-nginx gives it no share",
    ),
    (
        "real/GoogleCloudPlatform/gke-networking-recipes/iap-test",
        "an annotation names a certificate, and no listener has one",
    ),
    ("real/Kong/gateway-operator/foo#2", "the path of the route is empty, which the API server refuses"),
    ("real/Kong/gateway-operator/foo#7", "the path of the route is empty, which the API server refuses"),
    ("real/kyverno/policies/goodingress02", "the listeners have no certificate, since `spec.tls` names none"),
    ("real/kyverno/policies/goodingress03", "the listeners have no certificate"),
    ("real/kyverno/policies/badingress03", "the listeners have no certificate"),
    ("real/datreeio/datree/minimal-ingress#2", "the wildcard of a Gateway is more than one label"),
    (
        "real/toboshii/home-ops/webhook-receiver",
        "the listeners have no certificate, and ingress-nginx adds the slash over plain HTTP first",
    ),
];

/// What the judges did not look at: what the backend receives, what protects it, preflight requests, and certificates that are empty.
fn is_judged(difference: &Difference) -> bool {
    let Verdict::Different(changes) = &difference.verdict else { return false };
    let is_answer = |change: &Change| {
        let kinds = [ChangeKind::Backends, ChangeKind::Answered, ChangeKind::Unanswered, ChangeKind::Reply];
        kinds.contains(&change.kind)
            && !change.text.contains("before no backend can answer")
            && !change.text.contains("before the proxy answers 401")
    };
    difference.example().method != "OPTIONS" && changes.iter().any(is_answer)
}

/// The maximum share of pairs of which it is not known whether they are answered alike, in hundredths.
const UNKNOWN: usize = 10;

#[test]
fn no_pair_that_differs_is_called_the_same() {
    let file = File::open("tests/recorded/migrate-pairs.json.gz").expect("the pairs");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    let Pairs { pairs } = serde_json::from_str(&text).expect("pairs");
    let (mut counts, mut alarms) = (BTreeMap::<(&str, Option<bool>, Overall), usize>::new(), Vec::new());
    let mut unknown = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| !MISJUDGED.contains(&pair.name.as_str())) {
        let [before, after] = pair.sides();
        let (overall, judged) = of_written(&before, &after, &pair.classes(), |results, doubts| {
            let least = if doubts.is_empty() { Overall::Same } else { Overall::Unknown };
            let overall = results.iter().map(HostResult::overall).max().unwrap_or(Overall::Same).max(least);
            let differences = results.iter().flat_map(|result| &result.differences);
            let judged = differences.clone().filter(|difference| is_judged(difference));
            if overall == Overall::Unknown {
                let of_hosts = results.iter().flat_map(|result| result.not_compared.iter().cloned());
                let why = differences.flat_map(Difference::reasons).chain(of_hosts).chain(doubts);
                unknown.insert(&pair.name, why.collect::<BTreeSet<_>>());
            }
            let judged = judged.map(|difference| format!("{} {:?}", difference.example().url(), difference.verdict));
            (overall, judged.collect::<Vec<_>>())
        });
        assert!(
            pair.expect.equivalent != Some(false) || overall != Overall::Same,
            "{} of {} differs and is called the same",
            pair.name,
            pair.provider
        );
        if pair.expect.equivalent == Some(true) && !judged.is_empty() {
            alarms.push(format!("{} of {}: {judged:?}", pair.name, pair.provider));
        }
        *counts.entry((&pair.provider, pair.expect.equivalent, overall)).or_default() += 1;
    }
    assert!(unknown.values().all(|why| !why.is_empty()), "{unknown:#?}");
    assert!(unknown.len() * 100 <= pairs.len() * UNKNOWN, "{}: {unknown:#?}", unknown.len());
    let is_known = |alarm: &&String| DIFFERENT.iter().any(|(name, _)| alarm.starts_with(&format!("{name} of ")));
    let others: Vec<&String> = alarms.iter().filter(|alarm| !is_known(alarm)).collect();
    assert!(others.is_empty() && alarms.len() == DIFFERENT.len(), "{counts:#?}\n{others:#?}\n{alarms:#?}");
}
