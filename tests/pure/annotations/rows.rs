//! The rows of the table that are not about one object alone: annotations that select listeners, add hosts, form groups, order rules, or
//! suggest a controller. Each is checked with every controller that reads it, with one that does not, with one that is not in the table,
//! and with a class of which no controller is known.

use std::collections::BTreeSet;

use portcullis_core::checks::registry;
use portcullis_core::finding::Action;
use portcullis_core::matching::Direction;
use portcullis_core::matching::annotation_effect::{EFFECTS, Effect};
use portcullis_core::matching::annotation_table::{self, AnnotationRow};
use portcullis_core::matching::controller::{Controller, ControllerTraits};
use portcullis_testing::page::Example;
use portcullis_testing::pages::judge;

use super::{STRANGERS, name};

/// Values with which an annotation makes a difference.
struct Case {
    /// The key of the row.
    key: &'static str,
    /// The key with text instead of `*`.
    written: &'static str,
    /// The value in the Ingress under review.
    own: &'static str,
    /// The value in the other Ingress, if the annotation is compared with that of another one.
    other: &'static str,
    /// Annotations without which this one has no effect, of the Ingress under review and of the other one.
    with: [&'static str; 2],
}

const fn case(key: &'static str, written: &'static str, own: &'static str, other: &'static str) -> Case {
    Case { key, written, own, other, with: ["", ""] }
}

/// A case of an annotation whose key has no `*`.
const fn plain(key: &'static str, own: &'static str, other: &'static str) -> Case {
    case(key, key, own, other)
}

const METHODS: [&str; 2] = [
    r#"[{"field":"http-request-method","httpRequestMethodConfig":{"values":["GET"]}}]"#,
    r#"[{"field":"http-request-method","httpRequestMethodConfig":{"values":["POST"]}}]"#,
];

/// For each annotation that selects a listener or adds a condition, values that separate two Ingresses; for a TLS port, which separates
/// none alone, values that two otherwise separate Ingresses share.
const CHOICES: &[Case] = &[
    plain("alb.ingress.kubernetes.io/listen-ports", r#"[{"HTTP": 81}]"#, r#"[{"HTTP": 82}]"#),
    case("alb.ingress.kubernetes.io/conditions.*", "alb.ingress.kubernetes.io/conditions.cart", METHODS[0], METHODS[1]),
    plain("appgw.ingress.kubernetes.io/override-frontend-port", "81", "82"),
    plain("appgw.ingress.kubernetes.io/use-private-ip", "true", "false"),
    plain("alb.networking.azure.io/alb-id", "a", "b"),
    plain("alb.networking.azure.io/alb-frontend", "a", "b"),
    plain("alb.networking.azure.io/alb-namespace", "a", "b"),
    plain("alb.networking.azure.io/alb-name", "a", "b"),
    plain("ingress.cilium.io/loadbalancer-mode", "dedicated", "shared"),
    plain("io.cilium.ingress/loadbalancer-mode", "dedicated", "shared"),
    plain("ingress.citrix.com/frontend-ip", "10.0.0.1", "10.0.0.2"),
    plain("ingress.citrix.com/insecure-port", "81", "82"),
    Case {
        with: ["ingress.citrix.com/insecure-port: '81'", "ingress.citrix.com/insecure-port: '82'"],
        ..plain("ingress.citrix.com/secure-port", "443", "443")
    },
    plain("virtual-server.f5.com/ip", "10.0.0.1", "10.0.0.2"),
    plain("virtual-server.f5.com/http-port", "81", "82"),
    Case {
        with: ["virtual-server.f5.com/http-port: '81'", "virtual-server.f5.com/http-port: '82'"],
        ..plain("virtual-server.f5.com/https-port", "443", "443")
    },
    plain("virtual-server.f5.com/partition", "a", "b"),
    plain("haproxy-ingress.github.io/tcp-service-port", "1001", "1002"),
    plain("ingress.kubernetes.io/tcp-service-port", "1001", "1002"),
    plain("haproxy-ingress.github.io/http-header-match", "x-team: a", "x-team: b"),
    plain("ingress.kubernetes.io/http-header-match", "x-team: a", "x-team: b"),
    case("haproxy-ingress.github.io/http-*", "haproxy-ingress.github.io/http-header-match-regex", "x: a", "x: b"),
    case("ingress.kubernetes.io/http-*", "ingress.kubernetes.io/http-header-match-regex", "x: a", "x: b"),
    case("higress.io/exact-match-*", "higress.io/exact-match-pseudo-header-x", "a", "b"),
    case("higress.io/prefix-match-*", "higress.io/prefix-match-header-x", "a", "b"),
    case("higress.io/regex-match-*", "higress.io/regex-match-header-x", "a", "b"),
    plain("higress.io/match-method", "GET", "POST"),
    plain("mse.ingress.kubernetes.io/match-method", "GET", "POST"),
    case("higress.io/exact-match-header-*", "higress.io/exact-match-header-x", "a", "b"),
    case("higress.io/exact-match-query-*", "higress.io/exact-match-query-x", "a", "b"),
    plain("kubernetes.io/elb.port", "81", "82"),
    plain("konghq.com/methods", "GET", "POST"),
    case("konghq.com/headers.*", "konghq.com/headers.x-team", "a", "b"),
    plain("oci-native-ingress.oraclecloud.com/http-listener-port", "81", "82"),
    Case {
        with: [
            "oci-native-ingress.oraclecloud.com/http-listener-port: '81'",
            "oci-native-ingress.oraclecloud.com/http-listener-port: '82'",
        ],
        ..plain("oci-native-ingress.oraclecloud.com/https-listener-port", "443", "443")
    },
    plain("zalando.org/skipper-predicate", r#"Method("GET")"#, r#"Method("POST")"#),
    plain("ingress.cloud.tencent.com/listen-ports", r#"[{"HTTP": 81}]"#, r#"[{"HTTP": 82}]"#),
    plain("traefik.ingress.kubernetes.io/router.entrypoints", "a", "b"),
    Case {
        with: ["", "traefik.ingress.kubernetes.io/router.entrypoints: web"],
        ..plain("traefik.ingress.kubernetes.io/router.tls", "true", "false")
    },
    Case {
        with: ["", "traefik.ingress.kubernetes.io/router.entrypoints: web"],
        ..case(
            "traefik.ingress.kubernetes.io/router.tls.*",
            "traefik.ingress.kubernetes.io/router.tls.certresolver",
            "le",
            "false",
        )
    },
];

const HOST: &str = "shop.example.com";
const HOSTS: &str = r#"[{"field":"host-header","hostHeaderConfig":{"values":["shop.example.com"]}}]"#;
const RULES: &str = r#"[{"host":"shop.example.com","path":"/","backend":{"serviceName":"a","servicePort":"80"}}]"#;
const SERVER: &str = "server_name shop.example.com;";
const VALUE: &str = "a; } server { server_name shop.example.com;";
const REALM: &str = "a\"; } server { server_name shop.example.com;";
const USE_BACKEND: &str = "use_backend evil if { hdr(host) shop.example.com }";
const MAPPING: &str =
    r#"{"apiVersion": "getambassador.io/v3alpha1", "kind": "Mapping", "hostname": "shop.example.com"}"#;

const fn alias(key: &'static str, value: &'static str) -> Case {
    plain(key, value, "")
}

/// For each annotation that adds hosts, a value that adds the host of another namespace, or may.
const ALIASES: &[Case] = &[
    alias("server-alias", HOST),
    alias("from-to-www-redirect", "true"),
    case("*-snippet", "configuration-snippet", SERVER, ""),
    case("*-snippets", "server-snippets", SERVER, ""),
    case("HAProxy *-snippet", "backend-config-snippet", "a\nfrontend b", ""),
    alias("server-alias-regex", r"^shop\.example\.com$"),
    alias("redirect-from", HOST),
    alias("redirect-from-regex", r"^shop\.example\.com$"),
    case("config-frontend*", "config-frontend", USE_BACKEND, ""),
    case("config-*", "config-backend", "a\nfrontend b", ""),
    alias("frontend-config-snippet", USE_BACKEND),
    alias("router.pathmatcher", "PathPrefix(`/`) || Host(`shop.example.com`) || Path"),
    alias("router.rule", "Host(`shop.example.com`)"),
    alias("rule-type", "PathPrefix(`/`) || Host(`shop.example.com`) || Path"),
    case("router.tls.domains.*", "router.tls.domains.0.main", HOST, ""),
    alias("host-aliases", HOST),
    case("conditions.*", "conditions.cart", HOSTS, ""),
    alias("hostname-extension", HOST),
    Case { with: ["kubernetes.io/ingress.rule-mix: 'true'", ""], ..alias("ingress.http-rules", RULES) },
    Case { with: ["kubernetes.io/ingress.rule-mix: 'true'", ""], ..alias("ingress.https-rules", RULES) },
    Case { with: [HTTP_RULES, ""], ..alias("ingress.rule-mix", "true") },
    alias("skipper-predicate", "Host(\"^shop[.]example[.]com$\")"),
    alias("skipper-routes", "Host(\"^shop[.]example[.]com$\") -> \"http://a\""),
    alias("config", MAPPING),
    alias("hostname", HOST),
    alias("internal-hostname", HOST),
    alias("alt-names", HOST),
    alias("common-name", HOST),
    alias("commonname", HOST),
    alias("dnsnames", HOST),
    alias("auth-realm", REALM),
    case("*", "proxy-read-timeout", VALUE, ""),
];

const HTTP_RULES: &str =
    r#"kubernetes.io/ingress.http-rules: '[{"host":"shop.example.com","path":"/","backend":{"serviceName":"a"}}]'"#;

/// The class that no controller of the table serves.
const UNKNOWN: &str = "acme.example.com/x";

/// Whether an annotation with this direction makes a difference: with a controller that reads it, with one that does not, with one that is
/// not in the table, and as long as the controller is not known.
const fn expected(direction: Direction) -> [bool; 4] {
    match direction {
        Direction::Relaxes => [true, false, false, true],
        Direction::Widens => [true, false, true, true],
        Direction::Arranges => [true, false, false, false],
    }
}

/// A class, by the controller of its IngressClass, or by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Of(&'static str),
    Named(&'static str),
}

/// A class of this controller. Some name no controller in their IngressClass.
fn class_of(controller: Controller, key: &str) -> Class {
    match controller {
        Controller::Tencent => Class::Named("qcloud"),
        Controller::Huawei => Class::Named("cce"),
        Controller::AzureContainers => Class::Of("alb.networking.azure.io/alb-controller"),
        Controller::Cilium => Class::Of("cilium.io/ingress-controller"),
        Controller::F5BigIp => Class::Of("f5.com/cntr-ingress-svcs"),
        Controller::Tailscale => Class::Of("tailscale.com/ts-ingress"),
        Controller::Other if key.starts_with("ingress.alb.yc.io/") => Class::Of("ingress.alb.yc.io/yc-alb"),
        Controller::Other if key.starts_with("octavia.ingress.kubernetes.io/") => Class::Named("openstack"),
        Controller::Other if key.starts_with("ingress.appscode.com/") => Class::Named("voyager"),
        controller => Class::Of(name(controller).unwrap_or_else(|| panic!("the name of {controller:?}"))),
    }
}

/// Each class, and whether an annotation of `row` makes a difference in it.
fn classes(row: &AnnotationRow) -> Vec<(Class, bool)> {
    let [read, not_read, unknown, none] = expected(row.direction);
    let stranger = STRANGERS.iter().find(|(controller, _)| !row.readers.contains(controller)).expect("a stranger");
    let readers = row.readers.iter().map(|reader| (class_of(*reader, &row.key), read));
    // An annotation that everyone reads counts everywhere.
    let of_all = |counts: bool| counts || row.readers.is_empty();
    let others = [(Class::Of(stranger.1), not_read), (Class::Of(UNKNOWN), unknown), (Class::Named("public"), none)];
    readers.chain(others.map(|(class, counts)| (class, of_all(counts)))).collect()
}

/// An Ingress of the class `public`, or of the class with this name.
fn ingress(namespace: &str, class: Class, annotations: &[&str], host: &str, path: &str) -> String {
    let class = if let Class::Named(name) = class { name } else { "public" };
    let annotations: Vec<&str> = annotations.iter().copied().filter(|annotation| !annotation.is_empty()).collect();
    format!(
        "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: shop, annotations: {{{}}}}}
spec:
  ingressClassName: {class}
  rules:
  - host: '{host}'
    http: {{paths: [{{path: '{path}', pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}
",
        annotations.join(", ")
    )
}

/// The action of each finding of the check about the first of these objects.
fn verdict(check: &str, config: &str, class: Class, objects: &[String]) -> Vec<(Action, String)> {
    let mut yaml = objects.join("---\n");
    if let Class::Of(controller) = class {
        yaml += &format!(
            "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {{name: public}}\n\
             spec: {{controller: {controller}}}\n"
        );
    }
    let known = registry::all().find(|known| known.id == check).expect("a check");
    let outcome = judge(known, &Example { yaml, config: Some(config.to_owned()), ..Example::default() });
    let found = outcome.findings.iter().filter(|evaluated| evaluated.finding.check == check);
    // An expression or snippet that may serve the host only warns.
    found
        .map(|evaluated| (evaluated.action.min(evaluated.finding.at_most), evaluated.finding.message.template.into()))
        .collect()
}

/// The annotation that puts an Ingress of this class in a group, without which it has a load balancer of its own.
fn group(class: Class) -> &'static str {
    match class {
        Class::Of("ingress.k8s.aws/alb") => "alb.ingress.kubernetes.io/group.name: shared",
        Class::Named("qcloud") => "kubernetes.io/ingress.existLbId: shared",
        Class::Named("cce") => "kubernetes.io/elb.id: shared",
        _ => "",
    }
}

/// Two Ingresses with one path, with and without the annotation in both.
fn of_choice(case: &Case, class: Class) -> bool {
    let outcome = |own: &str, other: &str| {
        let own = ingress("team-b", class, &[group(class), case.with[0], own], HOST, "/");
        let other = ingress("web", class, &[group(class), case.with[1], other], HOST, "/");
        verdict("host/path-conflict", "profile: baseline\n", class, &[own, other])
    };
    let [own, other] = [case.own, case.other].map(|value| format!("{}: '{value}'", case.written));
    outcome(&own, &other) != outcome("", "")
}

/// An Ingress with a host of its own namespace, with and without an annotation that adds one of another namespace.
fn of_alias(written: &str, case: &Case, class: Class) -> bool {
    let config = "hostOwnership:\n  hosts:\n  - {host: shop.example.com, namespaces: {names: [web]}}\n  \
                  - {host: www.own.example.org, namespaces: {names: [web]}}\n";
    let outcome = |annotation: &str| {
        let own = ingress("team-b", class, &[case.with[0], annotation], "own.example.org", "/");
        verdict("host/not-owned", config, class, &[own])
    };
    outcome(&format!("{written}: {}", serde_json::Value::from(case.own))) != outcome("")
}

/// Two Ingresses with one path that are in one group, or in none. Both have another annotation of the controller, which suggests that each
/// has a load balancer of its own as long as the controller of the class is not known.
fn of_group(row: &AnnotationRow, class: Class) -> bool {
    let key = &row.key;
    let mut further = ControllerTraits::suggestions().filter(|(_, controller)| *controller == row.readers[0]);
    let beginning = key.split_once('/').map_or("", |(prefix, _)| prefix);
    let further = if row.readers[0] == Controller::Other {
        further.find(|(pattern, _)| pattern.starts_with(beginning))
    } else {
        further.find(|(pattern, _)| pattern.ends_with('*'))
    };
    let further = format!("{}: x", further.expect("an annotation of the controller").0.replace('*', "further"));
    let outcome = |annotation: &str| {
        let annotations = [&*further, annotation];
        let ingresses = ["team-b", "web"].map(|namespace| ingress(namespace, class, &annotations, HOST, "/"));
        verdict("host/path-conflict", "profile: baseline\n", class, &ingresses)
    };
    outcome(&format!("{key}: shared")) != outcome("")
}

/// A wildcard, whose rules an annotation places among those of a host below it. A matcher is only read for paths of this type.
fn of_order(key: &str, value: &str, class: Class) -> bool {
    let kind = if value == "PathRegexp" { "ImplementationSpecific" } else { "Prefix" };
    let outcome = |annotation: &str| {
        // In every release of Traefik, the rule of the wildcard is the longer one.
        let own = ingress("team-b", class, &[group(class), annotation], "*.example.com", "/a/path/of/the/wildcard");
        let own = own.replace("pathType: Prefix", &format!("pathType: {kind}"));
        let other = ingress("web", class, &[group(class)], HOST, "/");
        verdict("host/wildcard-takes-host", "profile: baseline\n", class, &[own, other])
    };
    outcome(&format!("{key}: '{value}'")) != outcome("")
}

/// The spellings of a key that its controller reads.
fn spellings(key: &str) -> impl Iterator<Item = String> {
    let (prefix, name) = key.split_at(key.find('/').expect("a key has a prefix") + 1);
    // Traefik ignores the case of names.
    let other = (prefix == "traefik.ingress.kubernetes.io/").then(|| format!("{prefix}{}", name.to_ascii_uppercase()));
    [key.to_owned()].into_iter().chain(other)
}

#[test]
fn each_row_counts_in_its_direction() {
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    let suggestions: BTreeSet<&str> = ControllerTraits::suggestions().map(|(key, _)| key).collect();
    let groups: BTreeSet<&str> = ControllerTraits::groups().map(|(key, _)| key).collect();
    for row in annotation_table::all().iter().skip(EFFECTS.len()) {
        let is_suggestion = row.direction == Direction::Relaxes && suggestions.contains(&*row.key);
        let (prefix, suffix) = row.key.split_at(row.key.find('/').expect("a key has a prefix") + 1);
        for (class, expected) in classes(row) {
            // As long as the controller is not known, it is the one that the annotation suggests, which reads the group.
            let expected = expected || (groups.contains(&*row.key) && class == Class::Named("public"));
            let difference = match row.direction {
                // The controller of the class is known to create a load balancer for each Ingress.
                Direction::Relaxes if is_suggestion && expected && class != Class::Named("public") => continue,
                Direction::Relaxes if is_suggestion => of_suggestion(&row.key, class),
                Direction::Relaxes => {
                    let case = CHOICES.iter().find(|case| case.key == row.key);
                    of_choice(case.unwrap_or_else(|| panic!("a case for {}", row.key)), class)
                }
                Direction::Widens => {
                    // nginx and HAProxy have other snippets.
                    let is_haproxy = row.readers == [Controller::HaproxyTech] && suffix == "*-snippet";
                    let suffix = if is_haproxy { "HAProxy *-snippet" } else { suffix };
                    let case = ALIASES.iter().find(|case| case.key == suffix);
                    let case = case.unwrap_or_else(|| panic!("a case for {}", row.key));
                    let differences: Vec<bool> = spellings(&format!("{prefix}{}", case.written))
                        .map(|key| of_alias(&key, case, class))
                        .collect();
                    assert!(differences.iter().all(|difference| *difference == differences[0]), "{}", row.key);
                    differences[0]
                }
                Direction::Arranges => {
                    assert!(groups.contains(&*row.key), "{row:?}");
                    of_group(row, class)
                }
            };
            seen.insert((row.key.clone(), format!("{:?}", row.direction)));
            if difference != expected {
                wrong.push(format!("{} ({:?}) in {class:?}: {difference}", row.key, row.direction));
            }
        }
    }
    assert_eq!(wrong, [""; 0], "the annotation makes a difference, or none");
    let rows = annotation_table::all().into_iter().skip(EFFECTS.len());
    let rows: BTreeSet<_> = rows.map(|row| (row.key, format!("{:?}", row.direction))).collect();
    assert_eq!(seen, rows);
}

/// Two Ingresses with one path, of which one has an annotation of a controller that creates a load balancer for each Ingress.
fn of_suggestion(key: &str, class: Class) -> bool {
    let outcome = |annotation: &str| {
        let own = ingress("team-b", class, &[annotation], HOST, "/");
        let other = ingress("web", class, &[], HOST, "/");
        verdict("host/path-conflict", "profile: baseline\n", class, &[own, other])
    };
    outcome(&format!("{}: 'x'", key.replace('*', "x"))) != outcome("")
}

#[test]
fn each_annotation_of_the_order_counts_for_the_controllers_that_have_one() {
    let mut wrong = Vec::new();
    for effect in EFFECTS.iter().filter(|row| row.effect == Effect::Order) {
        let rows = annotation_table::all();
        let row = rows.iter().find(|row| row.key == effect.key && row.direction == Direction::Arranges);
        let row = row.expect("a row of the table");
        let value = match row.readers[..] {
            [Controller::Aws] => "1000",
            [Controller::Huawei | Controller::Alibaba] => "1",
            _ if row.key.ends_with("priority") => "1",
            _ => "PathRegexp",
        };
        for (class, expected) in classes(row) {
            for key in spellings(&row.key) {
                let difference = of_order(&key, value, class);
                if difference != expected {
                    wrong.push(format!("{key} in {class:?}: {difference}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0], "the annotation makes a difference, or none");
}

/// Whatever else the annotations of an Ingress say, it is in the group that the controller of its class reads.
#[test]
fn annotation_of_another_controller_separates_no_group() {
    let mut wrong = Vec::new();
    for (key, controller) in ControllerTraits::groups() {
        let (class, shared) = (class_of(controller, key), format!("{key}: shared"));
        let outcome = |further: &str| {
            let own = ingress("team-b", class, &[&shared, further], HOST, "/");
            let other = ingress("web", class, &[&shared], HOST, "/");
            verdict("host/path-conflict", "profile: baseline\n", class, &[own, other])
        };
        let alone = outcome("");
        assert!(!alone.is_empty(), "{key}");
        for (pattern, _) in ControllerTraits::suggestions().filter(|(_, other)| *other != controller) {
            let further = pattern.replace('*', "further");
            if outcome(&format!("{further}: x")) != alone {
                wrong.push(format!("{key} beside {further}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// With another separator than a comma, the values of a header of Kong are not compared, so they separate nothing.
#[test]
fn headers_of_kong_with_another_separator_separate_nothing() {
    let class = class_of(Controller::Kong, "");
    let outcome = |further: &str| {
        let [own, other] = ["team-b", "web"].map(|namespace| {
            let header = format!("konghq.com/headers.x-team: {namespace}");
            ingress(namespace, class, &[&header, further], HOST, "/")
        });
        verdict("host/path-conflict", "profile: baseline\n", class, &[own, other])
    };
    assert_eq!(outcome(""), []);
    assert_eq!(
        outcome("konghq.com/headers-separator: ';'").iter().map(|(action, _)| *action).max(),
        Some(Action::Deny)
    );
}
