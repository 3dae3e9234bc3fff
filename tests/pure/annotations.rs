//! The direction of every annotation: one that relaxes a check counts for the controllers that read it and while the class is not known,
//! one that widens a claim or is a fault also for controllers that Portcullis does not know.

mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use portcullis::files::parse;
use portcullis_core::checks::registry;
use portcullis_core::cluster::{Event, OfflineObjects};
use portcullis_core::finding::Action;
use portcullis_core::matching::Direction;
use portcullis_core::matching::annotation_effect::{AnnotationEffect, EFFECTS, Effect, PASSTHROUGH_FIRST};
use portcullis_core::matching::annotation_table;
use portcullis_core::matching::controller::{Controller, ControllerTraits};
use portcullis_testing::page::Example;
use portcullis_testing::pages::{judge, judge_by, plan};
use regex::Regex;

/// Texts in the sources that are spelled like an annotation of a controller and are none, only name the class, only change how another one
/// is read, only order the paths of one host, or matter to the answers of `explain` alone.
const NO_ANNOTATIONS: &[&str] = &[
    "appgw.ingress.kubernetes.io/ssl-redirect",
    "kubernetes.io/ingress.class",
    "kubernetes.io/metadata.name",
    "kubernetes.io/tls",
    "konghq.com/headers-separator",
    "konghq.com/https-redirect-status-code",
    "konghq.com/override",
    "konghq.com/regex-prefix",
    "konghq.com/regex-priority",
    "konghq.com/snis",
    "konghq.com/strip-path",
    "networking.gke.io/gateway",
    "nginx.org/http-redirect-code",
    "nginx.org/location-snippets",
    "nginx.org/server-snippets",
];

/// Sources about the form of annotations: what they name there is the annotation under review itself.
const ABOUT_THEMSELVES: &[&str] = &["kinds/annotation.rs"];

#[test]
fn every_annotation_that_the_sources_name_has_a_direction() {
    let rows = annotation_table::all();
    // Such a row only says that any value may add hosts.
    let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).filter(|key| !key.ends_with("/*")).collect();
    let prefixes: BTreeSet<&str> = keys.iter().filter_map(|key| Some(key.split_once('/')?.0)).collect();
    let literal = Regex::new(r#""([a-z0-9.-]+)/([A-Za-z0-9.*_-]+)""#).expect("a pattern");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/portcullis-core/src");
    let mut unknown = BTreeSet::new();
    each_source(&sources, &mut |path, text| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
        let code: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        for found in literal.captures_iter(&code).filter(|found| prefixes.contains(&found[1])) {
            let key = format!("{}/{}", &found[1], &found[2]);
            let is_listed = keys.iter().any(|row| *row == key || matches(row, &key));
            let is_exempt = NO_ANNOTATIONS.contains(&&*key) || ABOUT_THEMSELVES.iter().any(|end| path.ends_with(end));
            // A pattern for all annotations of a prefix identifies a controller.
            if !is_listed && !is_exempt && !key.ends_with("/*") {
                unknown.insert(format!("{}: {key}", path.display()));
            }
        }
    });
    assert_eq!(unknown, BTreeSet::new(), "a row of a table in `matching` gives an annotation its direction");
}

fn each_source(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        match entry.is_dir() {
            true => each_source(&entry, visit),
            false if entry.extension().is_some_and(|end| end == "rs") => {
                visit(&entry, &std::fs::read_to_string(&entry).expect("a source"));
            }
            false => {}
        }
    }
}

/// Whether a key with a `*` at the end matches `key`.
fn matches(pattern: &str, key: &str) -> bool {
    pattern.strip_suffix('*').is_some_and(|start| key.starts_with(start))
}

#[test]
fn no_row_is_read_by_a_controller_without_annotations() {
    for row in annotation_table::all() {
        let is_suggestion = ControllerTraits::suggestions().any(|(key, _)| key == row.key || matches(key, &row.key));
        assert!(is_suggestion || !row.readers.contains(&Controller::Other), "{row:?}");
        assert!(!row.readers.is_empty() || row.direction == Direction::Widens, "{row:?}");
    }
}

/// Values, of which each row has the effect for one at least.
const VALUES: &[&str] = &[
    "true",
    "false",
    "443",
    "https",
    "websecure",
    "web",
    "minion",
    "master",
    "exact",
    "TCP",
    r#"[{"HTTPS": 443}]"#,
    "/b",
];

/// Controllers that read none of the annotations under test, at least one for each row.
const STRANGERS: &[(Controller, &str)] = &[
    (Controller::Kong, "konghq.com/"),
    (Controller::Citrix, "citrix.com/"),
    (Controller::Contour, "projectcontour.io/"),
];

#[test]
fn each_annotation_effect_has_the_declared_direction() {
    let mut wrong = Vec::new();
    // The order of rules needs two Ingresses, so `rows` checks it.
    for row in EFFECTS.iter().filter(|row| row.effect != Effect::Order) {
        let key = row.key.replace('*', "cart");
        let foreign = matches!(row.effect, Effect::Secret | Effect::ServiceNamespace).then_some("web/basic");
        let value = foreign.or_else(|| VALUES.iter().copied().find(|value| row.applies(&key, value)));
        let value = value.unwrap_or_else(|| panic!("a value for {key}"));
        let annotation = format!("{key}: '{value}'");
        let stranger = STRANGERS.iter().find(|(controller, _)| !row.readers.contains(controller)).expect("a stranger");
        // If the controller reads it, in a class of a controller that does not, in one of an unknown controller, and without one.
        let counts = match row.effect.direction() {
            Direction::Widens => [true, false, true, true],
            Direction::Relaxes => [true, false, false, true],
            Direction::Arranges => unreachable!("only the order arranges"),
        };
        let readers = row.readers.iter().filter_map(|reader| Some((*reader, name(*reader)?)));
        let mut cases: Vec<(Option<&str>, bool)> = readers.map(|(_, name)| (Some(name), counts[0])).collect();
        cases.extend([(Some(stranger.1), counts[1]), (Some("acme.example.com/x"), counts[2]), (None, counts[3])]);
        for (controller, counts) in cases {
            let difference = verdict(row, "", controller) != verdict(row, &annotation, controller);
            if difference != counts {
                wrong.push(format!("{annotation} ({:?}) in a class of {controller:?}: {difference}", row.effect));
            }
        }
    }
    assert_eq!(wrong, [""; 0], "the annotation makes a difference, or none");
}

/// The controller of a class; `None` if no IngressClass names the controller.
fn name(controller: Controller) -> Option<&'static str> {
    Some(match controller {
        Controller::Alibaba => "ingress.k8s.alibabacloud/alb",
        Controller::Apisix => "apisix.apache.org/apisix-ingress",
        Controller::Aws => "ingress.k8s.aws/alb",
        Controller::Azure => "azure/application-gateway",
        Controller::Cilium => "cilium.io/ingress-controller",
        Controller::Citrix => "citrix.com/ingress-controller",
        Controller::Contour => "projectcontour.io/contour",
        Controller::F5Nginx => "nginx.org/ingress-controller",
        Controller::Gke => "k8s.io/ingress-gce",
        Controller::HaproxyIngress => "haproxy-ingress.github.io/controller",
        Controller::HaproxyTech => "haproxy.org/ingress-controller",
        Controller::Higress => "higress.io/higress-controller",
        Controller::IngressNginx => "k8s.io/ingress-nginx",
        Controller::Kong => "ingress-controllers.konghq.com/kong",
        Controller::Oracle => "oci.oraclecloud.com/native-ingress-controller",
        Controller::Skipper => "zalando.org/skipper",
        Controller::Traefik => "traefik.io/ingress-controller",
        _ => return None,
    })
}

const CART: &str = "backend: {service: {name: cart, port: {number: 80}}}";

/// What the check that the effect is about says of an Ingress with this annotation, in a class of this controller.
fn verdict(row: &AnnotationEffect, annotation: &str, controller: Option<&str>) -> Vec<(Action, String)> {
    let rule = |paths: &str| format!("rules: [{{host: shop.example.com, http: {{paths: [{paths}]}}}}]");
    let path = |path: &str, kind: &str| format!("{{path: '{path}', pathType: {kind}, {CART}}}");
    let one = rule(&path("/", "Prefix"));
    let (check, config, spec, other) = match row.effect {
        Effect::Tls => ("ingress/tls-missing", "profile: restricted", one, None),
        Effect::HttpsOnly => ("ingress/https-missing", "checks: {ingress/https-missing: Deny}", one, None),
        Effect::PlainTextToo | Effect::PlainTextOnly => {
            let spec = format!("tls: [{{hosts: [shop.example.com]}}], {one}");
            ("ingress/https-missing", "checks: {ingress/https-missing: Deny}", spec, None)
        }
        Effect::Canary => ("ingress/tls-missing", "profile: restricted", one, None),
        Effect::PathRegex | Effect::PathInterpretation => {
            let paths = ["/cart", "/*", "/exact", "/list/"].map(|text| path(text, "ImplementationSpecific")).join(", ");
            let theirs =
                [path("/cart", "Prefix"), path("/", "Prefix"), path("/exact", "Exact"), path("/list", "Prefix")]
                    .join(", ");
            ("host/path-conflict", "profile: baseline", rule(&paths), Some(rule(&theirs)))
        }
        Effect::PathSegments => {
            let spec = rule(&path("/item/{id:[0-9]+}", "ImplementationSpecific"));
            ("ingress/path-unsafe-character", "profile: baseline", spec, None)
        }
        Effect::SharedPath | Effect::SharedPathOfService => {
            let next = path("/", "Prefix").replace("cart", "next");
            ("ingress/path-duplicate", "profile: baseline", rule(&[path("/", "Prefix"), next].join(", ")), None)
        }
        Effect::ServedElsewhere => {
            ("ingress/nothing-served", "profile: baseline", "rules: [{host: shop.example.com}]".to_owned(), None)
        }
        Effect::Secret | Effect::ServiceNamespace => {
            ("ingress/annotation-crosses-namespaces", "profile: baseline", one, None)
        }
        Effect::Passthrough => {
            let is_first = PASSTHROUGH_FIRST.iter().any(|first| controller.is_some() && name(*first) == controller);
            let check = if is_first { "host/order-takes-requests" } else { "host/path-takes-requests" };
            (check, "profile: baseline", rule(&path("/cart", "Prefix")), Some(one))
        }
        Effect::FrontRedirect => {
            ("host/path-takes-requests", "profile: baseline", rule(&path("/cart", "Prefix")), Some(one))
        }
        Effect::Order => unreachable!("is left out"),
    };
    // Ingresses of AWS compete within a group, and those of Cilium on its shared load balancer.
    let group = match controller {
        Some(named) if Some(named) == name(Controller::Aws) => "alb.ingress.kubernetes.io/group.name: shared, ",
        Some(named) if Some(named) == name(Controller::Cilium) => "ingress.cilium.io/loadbalancer-mode: shared, ",
        _ => "",
    };
    let annotations = format!("{group}{annotation}");
    let ingress = |namespace: &str, annotations: &str, spec: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\n\
             metadata: {{namespace: {namespace}, name: shop, annotations: {{{annotations}}}}}\n\
             spec: {{ingressClassName: public, {spec}}}\n"
        )
    };
    let mut yaml = ingress("team-b", &annotations, &spec);
    if let Some(other) = other {
        yaml += &format!("---\n{}", ingress("web", group, &other));
    }
    if let Some(controller) = controller {
        yaml += &format!(
            "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {{name: public}}\n\
             spec: {{controller: {controller}}}\n"
        );
    }
    let known = registry::all().find(|known| known.id == check).expect("a check");
    let outcome = judge(known, &Example { yaml, config: Some(format!("{config}\n")), ..Example::default() });
    let found = outcome.findings.iter().filter(|evaluated| evaluated.finding.check == check);
    found.map(|evaluated| (evaluated.action, evaluated.finding.at.to_string())).collect()
}

/// The files may hold the ConfigMap of ingress-nginx, which says what the controller ignores.
#[test]
fn an_ingress_above_the_known_risk_level_is_ignored() {
    let check = registry::all().find(|check| check.id == "ingress/ignored").expect("a check");
    let yaml = r#"{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: web, name: shop, annotations: {
        nginx.ingress.kubernetes.io/rewrite-target: /$1}}, spec: {ingressClassName: nginx, rules: [{host: shop.example.com}]}}"#;
    let example = Example { yaml: yaml.to_owned(), delete: false, old: None, config: None, findings: None };
    for (level, is_ignored) in [("Low", true), ("Medium", false)] {
        let settings = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{namespace: ingress-nginx, name: ingress-nginx-controller}}, \
             data: {{annotations-risk-level: {level}}}}}"
        );
        let files = parse(Path::new("settings.yaml"), &settings);
        let more = [Event::ConfigMaps(OfflineObjects::all(files.config_maps))];
        let found = judge_by(&plan(check, &example), check, &example, &more).findings;
        let ids = found.iter().map(|evaluated| evaluated.finding.check);
        assert_eq!(ids.filter(|id| *id == check.id).count() == 1, is_ignored, "{level}");
    }
}
