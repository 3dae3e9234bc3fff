//! Which Ingresses one data plane serves: pairs of them that claim one path, by class, by what is known of controllers, and by annotations.

use libtest_mimic::Trial;
use portcullis::checks::registry;
use portcullis::finding::Action;

use crate::page::Example;
use crate::pages::judge;

use Verdict::{Apart, Assumed, Refused, Warned};

/// What becomes of the later one of two Ingresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is refused.
    Refused,
    /// The same, and the message says where the operator can tell otherwise.
    Assumed,
    /// It warns.
    Warned,
    /// The two never meet.
    Apart,
}

/// Class and annotations of one Ingress.
type Side = (&'static str, &'static str);

const ALB: &str = "alb.ingress.kubernetes.io/scheme: internal";
const GKE: &str = "networking.gke.io/managed-certificates: cert";
const GROUP: &str = "alb.ingress.kubernetes.io/group.name: shared";

/// What else there is: nothing, the default class of a proxy, or a class of a controller.
const NOTHING: &str = "";
const NGINX_BY_DEFAULT: &str = "---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}
spec: {controller: k8s.io/ingress-nginx}
";
const PUBLIC_OF_ACME: &str = "---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: acme.example.com/ingress}
";

const ALB_BY_DEFAULT: &str = "---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}
spec: {controller: ingress.k8s.aws/alb}
";

const BY_CONTROLLER: &[(Side, Side, &str, Verdict)] = &[
    // Annotations of both sides tell the controller of a class of which nobody says more; those of one side only leave it open.
    (("internal-alb", ALB), ("internal-alb", ""), NOTHING, Warned),
    (("internal-alb", ""), ("internal-alb", ALB), NOTHING, Warned),
    (("internal-alb", GROUP), ("internal-alb", GROUP), NOTHING, Refused),
    (("internal-alb", GROUP), ("alb", GROUP), NOTHING, Refused),
    (("internal-alb", GROUP), ("internal-alb", ALB), NOTHING, Apart),
    (("", GKE), ("", GKE), NOTHING, Apart),
    (("", GKE), ("", ""), NOTHING, Warned),
    (("", ""), ("", GKE), NOTHING, Warned),
    (("", GKE), ("traefik", ""), NOTHING, Warned),
    (("traefik", ""), ("", GKE), NOTHING, Warned),
    (("", "tailscale.com/funnel: 'true'"), ("", ""), NOTHING, Warned),
    (("", ALB), ("", GKE), NOTHING, Apart),
    (("public", "ingress.appscode.com/type: NodePort"), ("public", ""), NOTHING, Warned),
    (("my-proxy", "kubernetes.io/elb.class: union"), ("my-proxy", ""), NOTHING, Warned),
    (("public/", "alb.ingress.kubernetes.io/scheme: internal"), ("public/", ""), NOTHING, Warned),
    (("", "kubernetes.io/ingress.allow-http: 'false'"), ("", ""), NOTHING, Assumed),
    (("", GKE), ("", GKE), ALB_BY_DEFAULT, Apart),
    (("", ""), ("", ""), ALB_BY_DEFAULT, Apart),
    // The name of a proxy's class, and a class whose controller is known, say more than an annotation that anybody may write.
    (("nginx", ALB), ("nginx", ALB), NOTHING, Refused),
    (("nginx", GROUP), ("nginx", ALB), NOTHING, Refused),
    (("haproxy", GKE), ("haproxy", ""), NOTHING, Refused),
    (("kong", "kubernetes.io/elb.port: '80'"), ("kong", ""), NOTHING, Refused),
    (("nginx-internal", ALB), ("nginx-internal", ALB), NOTHING, Refused),
    (("public-traefik", GKE), ("public-traefik", ""), NOTHING, Refused),
    (("public", ALB), ("public", ALB), PUBLIC_OF_ACME, Refused),
    (("", ALB), ("", ALB), NGINX_BY_DEFAULT, Refused),
    (("", ""), ("", GKE), NGINX_BY_DEFAULT, Refused),
    // Nothing is known.
    (("public", ""), ("public", ""), NOTHING, Assumed),
    (("", ""), ("", ""), NOTHING, Assumed),
    (("public", ""), ("public", ""), PUBLIC_OF_ACME, Refused),
    (("nginx", ""), ("nginx", ""), NOTHING, Refused),
    (("", ""), ("traefik", ""), NOTHING, Refused),
    (("public", ""), ("nginx", ""), NOTHING, Apart),
];

/// Annotations of one class, by the class: those of the later Ingress, those of the other.
const BY_ANNOTATION: &[(&str, &str, &str, Verdict)] = &[
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 80}]'"#,
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 8080}, {"HTTPS": 8443}]'"#,
        Apart,
    ),
    ("alb", r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 8080}]'"#, "G", Apart),
    // In a class of which nothing is known, what one of the two chooses alone says little.
    ("public", "ingress.citrix.com/frontend-ip: 10.0.0.1", "", Warned),
    ("public", "appgw.ingress.kubernetes.io/use-private-ip: 'true'", "", Warned),
    ("public", "ingress.cilium.io/loadbalancer-mode: dedicated", "", Warned),
    ("public", r#"alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 8080}]'"#, "", Warned),
    ("public", "ingress.citrix.com/frontend-ip: 10.0.0.1", "ingress.citrix.com/frontend-ip: 10.0.0.2", Apart),
    ("alb", r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 80}]'"#, "G", Refused),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 80}, {"HTTPS": 443}]'"#,
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTPS": 443}]'"#,
        Refused,
    ),
    (
        "alb",
        "G, alb.ingress.kubernetes.io/listen-ports: '80'",
        "G, alb.ingress.kubernetes.io/listen-ports: '8080'",
        Refused,
    ),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"http-request-method","httpRequestMethodConfig":{"values":["GET"]}}]'"#,
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"http-request-method","httpRequestMethodConfig":{"values":["POST"]}}]'"#,
        Apart,
    ),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"source-ip","sourceIpConfig":{"values":["10.1.0.0/16"]}}]'"#,
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"source-ip","sourceIpConfig":{"values":["10.0.0.0/8"]}}]'"#,
        Refused,
    ),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"X-A","values":["1"]}}]'"#,
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"x-a","values":["2"]}}]'"#,
        Apart,
    ),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"http-request-method","httpRequestMethodConfig":{"values":["GET"]}}]'"#,
        "G",
        Refused,
    ),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/conditions.other: '[{"field":"http-request-method","httpRequestMethodConfig":{"values":["GET"]}}]'"#,
        r#"G, alb.ingress.kubernetes.io/conditions.cart: '[{"field":"http-request-method","httpRequestMethodConfig":{"values":["POST"]}}]'"#,
        Refused,
    ),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/override-frontend-port: '8080'", "", Apart),
    (
        "azure-application-gateway",
        "appgw.ingress.kubernetes.io/override-frontend-port: '8080'",
        "appgw.ingress.kubernetes.io/override-frontend-port: '8080'",
        Refused,
    ),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/override-frontend-port: none", "", Refused),
    ("azure/application-gateway", "appgw.ingress.kubernetes.io/use-private-ip: 'true'", "", Apart),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/use-private-ip: 'false'", "", Refused),
    ("azure-alb-external", "alb.networking.azure.io/alb-id: /a", "alb.networking.azure.io/alb-id: /b", Apart),
    (
        "azure-alb-external",
        "alb.networking.azure.io/alb-id: /a, alb.networking.azure.io/alb-frontend: one",
        "alb.networking.azure.io/alb-id: /a, alb.networking.azure.io/alb-frontend: two",
        Apart,
    ),
    ("azure-alb-external", "alb.networking.azure.io/alb-id: /a", "alb.networking.azure.io/alb-id: /a", Refused),
    ("cilium", "ingress.cilium.io/loadbalancer-mode: dedicated", "ingress.cilium.io/loadbalancer-mode: shared", Apart),
    ("cilium", "ingress.cilium.io/loadbalancer-mode: dedicated", "", Apart),
    ("cilium", "ingress.cilium.io/loadbalancer-mode: shared", "ingress.cilium.io/loadbalancer-mode: shared", Refused),
    ("cilium", "", "", Warned),
    (
        "native-ic",
        "oci-native-ingress.oraclecloud.com/http-listener-port: '8080'",
        "oci-native-ingress.oraclecloud.com/http-listener-port: '8081'",
        Apart,
    ),
    (
        "native-ic",
        "oci-native-ingress.oraclecloud.com/http-listener-port: '8080'",
        "oci-native-ingress.oraclecloud.com/http-listener-port: '8080'",
        Refused,
    ),
    (
        "traefik",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.entrypoints: internal",
        Apart,
    ),
    (
        "traefik",
        "traefik.ingress.kubernetes.io/router.entrypoints: 'web, internal'",
        "traefik.ingress.kubernetes.io/router.entrypoints: internal",
        Refused,
    ),
    ("traefik", "traefik.ingress.kubernetes.io/router.entrypoints: web", "", Refused),
    (
        "",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.entrypoints: internal",
        Apart,
    ),
    ("kong", "konghq.com/methods: 'GET,HEAD'", "konghq.com/methods: POST", Apart),
    ("kong", "konghq.com/methods: 'GET,HEAD'", "konghq.com/methods: get", Refused),
    ("kong", "konghq.com/headers.x-team: a", "konghq.com/headers.x-team: b", Apart),
    ("kong", "konghq.com/headers.x-team: a", "konghq.com/headers.x-user: b", Refused),
    ("higress", "higress.io/match-method: GET HEAD", "higress.io/match-method: POST", Apart),
    ("f5", "virtual-server.f5.com/ip: 10.0.0.1", "virtual-server.f5.com/ip: 10.0.0.2", Apart),
    ("f5", "virtual-server.f5.com/ip: 10.0.0.1", "", Apart),
    ("f5", "virtual-server.f5.com/ip: controller-default", "", Refused),
    (
        "f5",
        "virtual-server.f5.com/ip: 10.0.0.1, virtual-server.f5.com/http-port: '8080'",
        "virtual-server.f5.com/ip: 10.0.0.1",
        Apart,
    ),
    ("citrix", "ingress.citrix.com/frontend-ip: 10.0.0.1", "ingress.citrix.com/frontend-ip: 10.0.0.2", Apart),
    ("citrix", "ingress.citrix.com/frontend-ip: 10.0.0.1", "ingress.citrix.com/frontend-ip: 10.0.0.1", Refused),
    ("citrix", "ingress.citrix.com/insecure-port: '8080'", "ingress.citrix.com/insecure-port: '8081'", Apart),
    (
        "cce",
        "kubernetes.io/elb.id: a, kubernetes.io/elb.port: '80'",
        "kubernetes.io/elb.id: a, kubernetes.io/elb.port: '8080'",
        Apart,
    ),
    (
        "cce",
        "kubernetes.io/elb.id: a, kubernetes.io/elb.port: '80'",
        "kubernetes.io/elb.id: a, kubernetes.io/elb.port: '80'",
        Refused,
    ),
    (
        "qcloud",
        r#"kubernetes.io/ingress.existLbId: a, ingress.cloud.tencent.com/listen-ports: '[{"HTTP": 80}]'"#,
        r#"kubernetes.io/ingress.existLbId: a, ingress.cloud.tencent.com/listen-ports: '[{"HTTP": 81}]'"#,
        Apart,
    ),
    (
        "skipper",
        r#"zalando.org/skipper-predicate: 'Method("GET")'"#,
        r#"zalando.org/skipper-predicate: 'Methods("POST", "PUT")'"#,
        Apart,
    ),
    (
        "skipper",
        r#"zalando.org/skipper-predicate: 'Header("X-Team", "a") && Weight(2)'"#,
        r#"zalando.org/skipper-predicate: 'Header("x-team", "b")'"#,
        Apart,
    ),
    (
        "skipper",
        r#"zalando.org/skipper-predicate: 'Method("GET") || True()'"#,
        r#"zalando.org/skipper-predicate: 'Method("POST")'"#,
        Warned,
    ),
    (
        "skipper",
        r#"zalando.org/skipper-predicate: 'QueryParam("a", "^1$")'"#,
        r#"zalando.org/skipper-predicate: 'QueryParam("a", "^2$")'"#,
        Warned,
    ),
    (
        "skipper",
        r#"zalando.org/skipper-predicate: 'QueryParam("a", "^1$")'"#,
        r#"zalando.org/skipper-predicate: 'QueryParam("a", "^1$")'"#,
        Refused,
    ),
    ("skipper", r#"zalando.org/skipper-predicate: 'True()'"#, "", Refused),
    (
        "haproxy-ingress",
        "haproxy-ingress.github.io/tcp-service-port: '5432'",
        "haproxy-ingress.github.io/tcp-service-port: '5672'",
        Apart,
    ),
    (
        "haproxy-ingress",
        "ingress.kubernetes.io/tcp-service-port: '5432'",
        "haproxy-ingress.github.io/tcp-service-port: '5432'",
        Refused,
    ),
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: '5432'", "", Apart),
    ("haproxy", "haproxy-ingress.github.io/tcp-service-port: '5432'", "", Apart),
    ("nginx", "haproxy-ingress.github.io/tcp-service-port: '5432'", "", Refused),
    (
        "haproxy-ingress",
        "haproxy-ingress.github.io/http-header-match: 'x-team: a'",
        "haproxy-ingress.github.io/http-header-match: 'X-Team b'",
        Apart,
    ),
    (
        "haproxy-ingress",
        "haproxy-ingress.github.io/http-header-match: 'x-team: a'",
        "haproxy-ingress.github.io/http-header-match: 'x-user: b'",
        Warned,
    ),
    (
        "haproxy-ingress",
        "haproxy-ingress.github.io/http-header-match: 'x-team: a'",
        "ingress.kubernetes.io/http-header-match-regex: 'x-team: ^b'",
        Warned,
    ),
    (
        "haproxy-ingress",
        "haproxy-ingress.github.io/http-method-match: GET",
        "haproxy-ingress.github.io/http-method-match: POST",
        Warned,
    ),
    ("haproxy-ingress", "haproxy-ingress.github.io/http-header-match: 'x-team: a'", "", Refused),
    ("kong", "konghq.com/headers.x-team: '~*.*'", "konghq.com/headers.x-team: a", Refused),
    ("kong", "konghq.com/headers.x-team: '~*^A$'", "konghq.com/headers.x-team: a", Refused),
    ("kong", "konghq.com/headers.x-team: '~*^a'", "konghq.com/headers.x-team: b", Apart),
    ("kong", "konghq.com/headers.x-team: '~*^a'", "konghq.com/headers.x-team: '~*b$'", Warned),
    ("higress", "higress.io/prefix-match-header-x: a", "higress.io/exact-match-header-x: b", Warned),
    ("skipper", r#"zalando.org/skipper-predicate: 'Method("GET")'"#, "", Refused),
    (
        "native-ic",
        "oci-native-ingress.oraclecloud.com/http-listener-port: '8080'",
        "oci-native-ingress.oraclecloud.com/waf-policy-ocid: a",
        Apart,
    ),
    (
        "native-ic",
        "oci-native-ingress.oraclecloud.com/http-listener-port: '80'",
        "oci-native-ingress.oraclecloud.com/waf-policy-ocid: a",
        Refused,
    ),
    // What the controller of the class does not read says nothing.
    (
        "nginx",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.entrypoints: internal",
        Refused,
    ),
    ("nginx-internal", "konghq.com/methods: GET", "konghq.com/methods: POST", Refused),
    ("traefik", "ingress.cilium.io/loadbalancer-mode: dedicated", "", Refused),
];

/// What the configuration says goes before all of this.
const BY_CONFIGURATION: &[(&str, Side, Side, Verdict)] = &[
    ("[{perIngress: true, classes: ['']}]", ("", ""), ("", ""), Apart),
    ("[{perIngress: true, classes: ['']}]", ("", ""), ("traefik", ""), Apart),
    ("[{perIngress: true, classes: [lb, '']}]", ("nginx", ""), ("nginx", ""), Refused),
    ("[[internal-alb]]", ("internal-alb", ALB), ("internal-alb", ALB), Refused),
    ("[[public]]", ("public", "konghq.com/methods: GET"), ("public", "konghq.com/methods: POST"), Refused),
    ("[[cilium]]", ("cilium", ""), ("cilium", ""), Refused),
    ("[[cilium]]", ("cilium", "ingress.cilium.io/loadbalancer-mode: dedicated"), ("cilium", ""), Apart),
];

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, story: fn()| {
        Trial::test(format!("data_planes::{name}"), move || {
            story();
            Ok(())
        })
    };
    vec![
        trial("a_controller_is_known_by_class_or_by_an_annotation_of_either_side", by_controller),
        trial("annotations_keep_ingresses_of_one_class_apart", by_annotation),
        trial("the_configuration_says_which_classes_share_a_proxy", by_configuration),
    ]
}

fn by_controller() {
    let wrong =
        BY_CONTROLLER.iter().filter_map(|(one, other, rest, expected)| wrong(*one, *other, rest, "", *expected));
    assert_eq!(wrong.collect::<String>(), "");
}

fn by_annotation() {
    let wrong = BY_ANNOTATION.iter().flat_map(|(class, one, other, expected)| {
        // Which of the two came first makes no difference.
        let pairs = [(one, other), (other, one)];
        pairs.into_iter().filter_map(|(one, other)| wrong((class, one), (class, other), NOTHING, "", *expected))
    });
    assert_eq!(wrong.collect::<String>(), "");
}

fn by_configuration() {
    let wrong = BY_CONFIGURATION
        .iter()
        .filter_map(|(config, one, other, expected)| wrong(*one, *other, NOTHING, config, *expected));
    assert_eq!(wrong.collect::<String>(), "");
}

/// What is wrong with the verdict on two Ingresses, if anything.
fn wrong(one: Side, other: Side, rest: &str, planes: &str, expected: Verdict) -> Option<String> {
    let verdict = verdict(one, other, rest, planes);
    (verdict != expected)
        .then(|| format!("{one:?} beside {other:?}, {planes} {rest}: {verdict:?} and not {expected:?}\n"))
}

fn verdict(one: Side, other: Side, rest: &str, planes: &str) -> Verdict {
    let check = registry::all().find(|check| check.id == "host/path-conflict").expect("a check");
    let yaml = format!("{}---\n{}{rest}", ingress("team-b", one), ingress("web", other));
    let config = (!planes.is_empty()).then(|| format!("dataPlanes: {planes}\n"));
    let judgement = judge(check, &Example { yaml, config, ..Example::default() });
    let found = judgement.findings.iter().find(|judged| judged.finding.check == check.id);
    let Some(judged) = found else { return Apart };
    match judged.action {
        Action::Deny if judged.finding.sentence.template.contains("dataPlanes") => Assumed,
        Action::Deny => Refused,
        _ => Warned,
    }
}

fn ingress(namespace: &str, (class, annotations): Side) -> String {
    let (of_class, field) = match class {
        "" => (String::new(), String::new()),
        class if class.contains('/') => (format!("kubernetes.io/ingress.class: {class}, "), String::new()),
        class => (String::new(), format!("ingressClassName: {class}, ")),
    };
    let annotations = annotations.replace("G, ", &format!("{GROUP}, "));
    let annotations = if annotations == "G" { GROUP } else { &annotations };
    format!(
        "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: shop, annotations: {{{of_class}{annotations}}}}}
spec: {{{field}rules: [{{host: shop.example.com, http: {{paths: [{{path: /cart, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}}}]}}
"
    )
}
