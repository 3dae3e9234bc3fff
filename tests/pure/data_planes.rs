//! Which Ingresses share a data plane: pairs of Ingresses that claim the same path, distinguished by class, by known
//! controllers and by annotations.

use portcullis_core::checks::registry;
use portcullis_core::finding::Action;
use portcullis_core::matching::listener_choice;
use portcullis_testing::page::Example;
use portcullis_testing::pages::judge;

use Verdict::{Apart, Assumed, Refused, Warned};

/// The result for the later of two Ingresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is denied.
    Refused,
    /// It is denied, and the message says how the operator can configure that the two do not share a proxy.
    Assumed,
    /// It gets a warning.
    Warned,
    /// There is no finding.
    Apart,
}

/// Class and annotations of one Ingress.
type Side = (&'static str, &'static str);

const ALB: &str = "alb.ingress.kubernetes.io/scheme: internal";
const GKE: &str = "networking.gke.io/managed-certificates: cert";
const GROUP: &str = "alb.ingress.kubernetes.io/group.name: shared";

/// The IngressClasses in the cluster: none, a default class of a proxy, or a class of a controller.
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

/// Classes of the AWS Load Balancer Controller: two with parameters, which may name a group, and one without.
const ALB_WITH_PARAMETERS: &str = "---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: grouped}
spec: {controller: ingress.k8s.aws/alb, parameters: {apiGroup: elbv2.k8s.aws, kind: IngressClassParams, name: a}}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: auto}
spec: {controller: ingress.k8s.aws/alb, parameters: {apiGroup: elbv2.k8s.aws, kind: IngressClassParams, name: b}}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: plain}
spec: {controller: ingress.k8s.aws/alb}
";

const BY_CONTROLLER: &[(Side, Side, &str, Verdict)] = &[
    // If nothing else is known about a class, annotations on both sides identify its controller. Annotations on one
    // side are inconclusive.
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
    // The conventional class name of a proxy and a class with a known controller take precedence over an annotation,
    // which anyone may write.
    (("nginx", ALB), ("nginx", ALB), NOTHING, Refused),
    (("nginx", GROUP), ("nginx", ALB), NOTHING, Refused),
    (("haproxy", GKE), ("haproxy", ""), NOTHING, Refused),
    (("kong", "kubernetes.io/elb.port: '80'"), ("kong", ""), NOTHING, Refused),
    (("nginx-internal", ALB), ("nginx-internal", ALB), NOTHING, Refused),
    (("public-traefik", GKE), ("public-traefik", ""), NOTHING, Refused),
    (("public", ALB), ("public", ALB), PUBLIC_OF_ACME, Refused),
    (("", ALB), ("", ALB), NGINX_BY_DEFAULT, Refused),
    (("", ""), ("", GKE), NGINX_BY_DEFAULT, Refused),
    // The parameters of a class are not read. They may assign all its Ingresses to one group.
    (("grouped", ""), ("grouped", ""), ALB_WITH_PARAMETERS, Warned),
    (("grouped", ALB), ("auto", ""), ALB_WITH_PARAMETERS, Warned),
    (("grouped", GROUP), ("grouped", ALB), ALB_WITH_PARAMETERS, Warned),
    (("grouped", GROUP), ("grouped", GROUP), ALB_WITH_PARAMETERS, Refused),
    (("grouped", ""), ("plain", GROUP), ALB_WITH_PARAMETERS, Warned),
    (("plain", GROUP), ("grouped", ""), ALB_WITH_PARAMETERS, Warned),
    (("grouped", ""), ("plain", ""), ALB_WITH_PARAMETERS, Apart),
    (("plain", ""), ("plain", ""), ALB_WITH_PARAMETERS, Apart),
    (("grouped", ""), ("nginx", ""), ALB_WITH_PARAMETERS, Apart),
    // Nothing is known.
    (("public", ""), ("public", ""), NOTHING, Assumed),
    (("", ""), ("", ""), NOTHING, Assumed),
    (("public", ""), ("public", ""), PUBLIC_OF_ACME, Refused),
    (("nginx", ""), ("nginx", ""), NOTHING, Refused),
    (("", ""), ("traefik", ""), NOTHING, Refused),
    (("public", ""), ("nginx", ""), NOTHING, Apart),
];

/// Annotations by class: those of the later Ingress and those of the other one, and the expected result.
const BY_ANNOTATION: &[(&str, &str, &str, Verdict)] = &[
    ("azure-alb-external", "alb.networking.azure.io/alb-name: a", "alb.networking.azure.io/alb-name: b", Apart),
    (
        "azure-alb-external",
        "alb.networking.azure.io/alb-namespace: a",
        "alb.networking.azure.io/alb-namespace: b",
        Apart,
    ),
    ("f5", "virtual-server.f5.com/partition: a", "virtual-server.f5.com/partition: b", Apart),
    ("higress", "mse.ingress.kubernetes.io/match-method: GET", "mse.ingress.kubernetes.io/match-method: PUT", Apart),
    ("higress", "higress.io/exact-match-query-a: one", "higress.io/exact-match-query-a: two", Apart),
    ("higress", "higress.io/regex-match-header-a: one", "higress.io/regex-match-header-a: two", Warned),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 80}]'"#,
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 8080}, {"HTTPS": 8443}]'"#,
        Apart,
    ),
    ("alb", r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 8080}]'"#, "G", Apart),
    (
        "alb",
        r#"G, alb.ingress.kubernetes.io/listen-ports: '[{"HTTP": 80}]'"#,
        "G, alb.ingress.kubernetes.io/certificate-arn: a",
        Apart,
    ),
    ("alb", "G", "G, alb.ingress.kubernetes.io/certificate-arn: a", Warned),
    // In an unknown class, an annotation on one side only is inconclusive.
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
    // A boolean has twelve valid spellings, a port has one.
    (
        "azure-application-gateway",
        "appgw.ingress.kubernetes.io/use-private-ip: 'true'",
        "appgw.ingress.kubernetes.io/use-private-ip: '1'",
        Refused,
    ),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/use-private-ip: 'T'", "", Apart),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/use-private-ip: 'F'", "", Refused),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/use-private-ip: 'tRue'", "", Refused),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/use-private-ip: ' true'", "", Refused),
    ("azure-application-gateway", "appgw.ingress.kubernetes.io/override-frontend-port: ' 8080'", "", Refused),
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
    ("cilium", "ingress.cilium.io/loadbalancer-mode: Dedicated", "", Warned),
    ("cilium", "ingress.cilium.io/loadbalancer-mode: ' dedicated'", "", Warned),
    ("cilium", "io.cilium.ingress/loadbalancer-mode: DEDICATED", "ingress.cilium.io/loadbalancer-mode: shared", Warned),
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
        "traefik",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.tls: 'true'",
        Apart,
    ),
    (
        "traefik",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.tls.certresolver: le",
        Apart,
    ),
    ("traefik", "traefik.ingress.kubernetes.io/router.tls: 'true'", "", Refused),
    (
        "",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.entrypoints: internal",
        Apart,
    ),
    ("kong", "konghq.com/methods: 'GET,HEAD'", "konghq.com/methods: POST", Apart),
    ("kong", "konghq.com/methods: 'GET,HEAD'", "konghq.com/methods: get", Refused),
    // If a list contains an invalid method, all methods are matched.
    ("kong", "konghq.com/methods: 'G3T'", "konghq.com/methods: POST", Refused),
    ("kong", "konghq.com/methods: 'GET HEAD'", "konghq.com/methods: POST", Refused),
    ("higress", "higress.io/match-method: 'GET,HEAD'", "higress.io/match-method: POST", Refused),
    ("kong", "konghq.com/headers.x-team: a", "konghq.com/headers.x-team: b", Apart),
    ("kong", "konghq.com/headers.x-team: a", "konghq.com/headers.x-user: b", Refused),
    ("higress", "higress.io/match-method: GET HEAD", "higress.io/match-method: POST", Apart),
    ("f5", "virtual-server.f5.com/ip: 10.0.0.1", "virtual-server.f5.com/ip: 10.0.0.2", Apart),
    ("f5", "virtual-server.f5.com/ip: 10.0.0.1", "", Apart),
    ("f5", "virtual-server.f5.com/ip: 10.0.0.1%2", "virtual-server.f5.com/ip: 10.0.0.1%3", Apart),
    ("f5", "virtual-server.f5.com/ip: controller-default", "", Refused),
    ("f5", "virtual-server.f5.com/ip: none", "", Refused),
    (
        "f5",
        "virtual-server.f5.com/ip: 10.0.0.1, virtual-server.f5.com/http-port: '8080'",
        "virtual-server.f5.com/ip: 10.0.0.1",
        Apart,
    ),
    ("citrix", "ingress.citrix.com/frontend-ip: 10.0.0.1", "ingress.citrix.com/frontend-ip: 10.0.0.2", Apart),
    ("citrix", "ingress.citrix.com/frontend-ip: 10.0.0.1", "ingress.citrix.com/frontend-ip: 10.0.0.1", Refused),
    ("citrix", "ingress.citrix.com/frontend-ip: mine", "", Refused),
    (
        "citrix",
        "ingress.citrix.com/frontend-ip: '2001:db8::1'",
        "ingress.citrix.com/frontend-ip: '2001:DB8:0::1'",
        Refused,
    ),
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
    (
        "haproxy-ingress",
        "haproxy-ingress.github.io/tcp-service-port: '5432'",
        "haproxy-ingress.github.io/tcp-service-port: '05432'",
        Refused,
    ),
    // An invalid port makes it an ordinary Ingress, and ports 80 and 443 serve ordinary Ingresses.
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: '0'", "", Refused),
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: abc", "", Refused),
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: 80x", "", Refused),
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: ' 9443'", "", Refused),
    ("haproxy-ingress", "ingress.kubernetes.io/tcp-service-port: '9443 '", "", Refused),
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: '80'", "", Refused),
    ("haproxy-ingress", "haproxy-ingress.github.io/tcp-service-port: '443'", "", Refused),
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
    // Annotations that the controller of the class does not read have no effect.
    (
        "nginx",
        "traefik.ingress.kubernetes.io/router.entrypoints: web",
        "traefik.ingress.kubernetes.io/router.entrypoints: internal",
        Refused,
    ),
    ("nginx-internal", "konghq.com/methods: GET", "konghq.com/methods: POST", Refused),
    ("traefik", "ingress.cilium.io/loadbalancer-mode: dedicated", "", Refused),
];

/// The configuration takes precedence over classes and annotations.
const BY_CONFIGURATION: &[(&str, Side, Side, Verdict)] = &[
    ("[{perIngress: true, classes: ['']}]", ("", ""), ("", ""), Apart),
    ("[{perIngress: true, classes: ['']}]", ("", ""), ("traefik", ""), Apart),
    ("[{perIngress: true, classes: [lb, '']}]", ("nginx", ""), ("nginx", ""), Refused),
    ("[[internal-alb]]", ("internal-alb", ALB), ("internal-alb", ALB), Refused),
    ("[[public]]", ("public", "konghq.com/methods: GET"), ("public", "konghq.com/methods: POST"), Refused),
    ("[[cilium]]", ("cilium", ""), ("cilium", ""), Refused),
    ("[[cilium]]", ("cilium", "ingress.cilium.io/loadbalancer-mode: dedicated"), ("cilium", ""), Apart),
];

/// Annotations of an Ingress, and its path as type and text.
type Written = (&'static str, &'static str);

/// Paths of two types on one host, by class: those of the later Ingress, and those of the other one.
const BY_PATH_TYPE: &[(&str, Written, Written, Verdict)] = &[
    ("nginx", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart"), Refused),
    ("nginx", ("", "ImplementationSpecific /cart/"), ("", "Prefix /cart"), Refused),
    ("nginx-internal", ("", "ImplementationSpecific /"), ("", "Prefix /"), Refused),
    ("higress", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart/"), Refused),
    ("kong", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart"), Refused),
    ("contour", ("", "ImplementationSpecific /"), ("", "Prefix /"), Refused),
    ("haproxy", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart"), Refused),
    ("traefik", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart"), Refused),
    ("traefik", ("", "ImplementationSpecific /cart/"), ("", "Prefix /cart/"), Refused),
    // Traefik evaluates the longer prefix first, so a trailing slash makes a different path.
    ("traefik", ("", "ImplementationSpecific /cart/"), ("", "Prefix /cart"), Apart),
    ("traefik", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart/"), Apart),
    // In the path pattern of a load balancer, only `/*` matches everything.
    ("alb", ("G", "ImplementationSpecific /*"), ("G", "Prefix /"), Refused),
    ("alb", ("G", "ImplementationSpecific /"), ("G", "Prefix /"), Apart),
    ("alb", ("G", "ImplementationSpecific /cart"), ("G", "Exact /cart"), Refused),
    ("alb", ("G", "ImplementationSpecific /cart"), ("G", "Prefix /cart"), Apart),
    ("alb", ("G", "ImplementationSpecific /cart/*"), ("G", "Prefix /cart"), Warned),
    ("alb", ("", "ImplementationSpecific /*"), ("", "Prefix /"), Apart),
    // A regular expression may overlap a path with the same text.
    (
        "nginx",
        ("nginx.ingress.kubernetes.io/use-regex: 'true'", "ImplementationSpecific /cart"),
        ("", "Prefix /cart"),
        Warned,
    ),
    (
        "nginx",
        ("nginx.ingress.kubernetes.io/use-regex: 'true'", "ImplementationSpecific /cart/"),
        ("", "Prefix /cart"),
        Apart,
    ),
    (
        "nginx",
        ("nginx.ingress.kubernetes.io/use-regex: '1'", "ImplementationSpecific /cart"),
        ("", "Prefix /cart"),
        Warned,
    ),
    (
        "nginx",
        ("nginx.ingress.kubernetes.io/use-regex: 'yes'", "ImplementationSpecific /cart"),
        ("", "Prefix /cart"),
        Refused,
    ),
    (
        "nginx",
        ("nginx.ingress.kubernetes.io/rewrite-target: ''", "ImplementationSpecific /cart"),
        ("", "Prefix /cart"),
        Refused,
    ),
    ("nginx", ("", "ImplementationSpecific /item[0-9]"), ("", "Prefix /item"), Apart),
    (
        "haproxy",
        ("haproxy-ingress.github.io/path-type: exact", "ImplementationSpecific /cart"),
        ("", "Prefix /cart"),
        Warned,
    ),
    (
        "traefik",
        ("traefik.ingress.kubernetes.io/router.pathmatcher: PathRegexp", "ImplementationSpecific /cart"),
        ("", "Prefix /cart"),
        Warned,
    ),
    (
        "cilium",
        ("ingress.cilium.io/loadbalancer-mode: shared", "ImplementationSpecific /"),
        ("ingress.cilium.io/loadbalancer-mode: shared", "Prefix /"),
        Apart,
    ),
    // For controllers whose handling of such a path is unknown.
    ("public", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart"), Warned),
    ("skipper", ("", "ImplementationSpecific /cart"), ("", "Prefix /cart"), Warned),
    ("public", ("", "ImplementationSpecific /cart"), ("", "Exact /cart"), Apart),
    ("nginx", ("", "ImplementationSpecific /cart"), ("", "Exact /cart"), Apart),
    ("nginx", ("", "ImplementationSpecific /cart"), ("", "Prefix /carts"), Apart),
    ("nginx", ("", "Prefix /cart"), ("", "Exact /cart"), Apart),
];

/// Hosts that an annotation adds to a rule for another host, by class: the annotation and the path of its Ingress, and
/// the path for the same host in another Ingress. The other Ingress has the host in a rule or in such an annotation,
/// and either of the two may come later.
const BY_ADDED_HOST: &[(&str, Written, &str, Verdict)] = &[
    ("kong", ("konghq.com/host-aliases: shop.example.com", "Prefix /cart"), "Prefix /cart", Refused),
    ("kong", ("konghq.com/host-aliases: 'x.example.org, Shop.Example.Com.'", "Prefix /cart/"), "Prefix /cart", Refused),
    ("kong", ("konghq.com/host-aliases: shop.example.com", "ImplementationSpecific /cart"), "Prefix /cart", Refused),
    ("kong", ("konghq.com/host-aliases: shop.example.com", "Prefix /other"), "Prefix /cart", Apart),
    ("kong", ("konghq.com/host-aliases: shop.example.com", "Exact /cart"), "Prefix /cart", Apart),
    ("kong", ("konghq.com/host-aliases: other.example.com", "Prefix /cart"), "Prefix /cart", Apart),
    ("kong", ("konghq.com/host-aliases: '~^shop'", "Prefix /cart"), "Prefix /cart", Apart),
    (
        "azure-application-gateway",
        ("appgw.ingress.kubernetes.io/hostname-extension: shop.example.com", "Prefix /cart"),
        "Prefix /cart",
        Refused,
    ),
    // A host for which another Ingress has a rule is not added, whatever the paths are.
    ("nginx", ("nginx.ingress.kubernetes.io/server-alias: shop.example.com", "Prefix /cart"), "Prefix /cart", Warned),
    ("nginx", ("nginx.ingress.kubernetes.io/server-alias: shop.example.com", "Prefix /other"), "Prefix /cart", Warned),
    // It is unknown which of the two is evaluated first.
    ("haproxy", ("haproxy-ingress.github.io/server-alias: shop.example.com", "Prefix /cart"), "Prefix /cart", Warned),
    ("higress", ("higress.io/server-alias: shop.example.com", "Prefix /cart"), "Prefix /cart", Warned),
    ("public", ("konghq.com/host-aliases: shop.example.com", "Prefix /cart"), "Prefix /cart", Warned),
    ("public", ("konghq.com/host-aliases: shop.example.com", "Prefix /other"), "Prefix /cart", Apart),
    // An annotation that the controller of the class does not read adds nothing.
    ("nginx", ("konghq.com/host-aliases: shop.example.com", "Prefix /cart"), "Prefix /cart", Apart),
    ("traefik", ("nginx.ingress.kubernetes.io/server-alias: shop.example.com", "Prefix /cart"), "Prefix /cart", Apart),
    ("kong", ("external-dns.kubernetes.io/hostname: shop.example.com", "Prefix /cart"), "Prefix /cart", Apart),
];

/// Default backends of two Ingresses: class and annotations of both, whether the later one and the other one have
/// rules, and whether the two conflict.
const BY_DEFAULT_BACKEND: &[(Side, Side, (bool, bool), bool)] = &[
    (("traefik", ""), ("traefik", ""), (false, true), true),
    (("traefik", ""), ("", ""), (false, false), true),
    (("kong", ""), ("kong", ""), (true, true), true),
    (("alb", "G"), ("alb", "G"), (true, false), true),
    (("public", ""), ("public", ""), (true, true), true),
    (("nginx", ""), ("nginx", ""), (false, false), true),
    (("nginx", ""), ("nginx", ""), (true, false), false),
    (("nginx", ""), ("nginx", ""), (false, true), false),
    (("alb", ""), ("alb", ""), (false, false), false),
    (("alb", "G"), ("alb", ""), (false, false), false),
    (("nginx", ""), ("traefik", ""), (false, false), false),
    (("kong", "konghq.com/methods: GET"), ("kong", "konghq.com/methods: POST"), (true, true), false),
];

#[test]
fn a_controller_is_known_by_class_or_by_an_annotation_of_either_side() {
    let wrong =
        BY_CONTROLLER.iter().filter_map(|(one, other, rest, expected)| wrong(*one, *other, rest, "", *expected));
    assert_eq!(wrong.collect::<String>(), "");
}

/// Classes whose controllers read none of the annotations: one that is not in the table, and one that is.
const PUBLIC_OF_AVI: &str = "---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: ako.vmware.com/avi-lb}
";

#[test]
fn annotations_separate_nothing_in_a_class_whose_controller_does_not_read_them() {
    let separating = BY_ANNOTATION.iter().filter(|(_, one, _, verdict)| *verdict != Refused && !one.is_empty());
    let wrong = separating.flat_map(|(_, one, other, _)| {
        let classes = [PUBLIC_OF_ACME, PUBLIC_OF_AVI].into_iter();
        classes.filter_map(|rest| wrong(("public", one), ("public", other), rest, "", Refused))
    });
    assert_eq!(wrong.collect::<String>(), "");
}

#[test]
fn each_annotation_that_separates_has_a_row() {
    let rows: String = BY_ANNOTATION.iter().flat_map(|(_, one, other, _)| [*one, *other]).collect();
    // A port of TLS only counts beside that of plain text.
    let keys = listener_choice::keys().map(|(key, _)| key.trim_end_matches('*'));
    let missing = keys.filter(|key| !rows.contains(key) && !key.contains("secure-port") && !key.contains("https-"));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn annotations_keep_ingresses_of_one_class_apart() {
    let wrong = BY_ANNOTATION.iter().flat_map(|(class, one, other, expected)| {
        // The order of the two makes no difference.
        let pairs = [(one, other), (other, one)];
        pairs.into_iter().filter_map(|(one, other)| wrong((class, one), (class, other), NOTHING, "", *expected))
    });
    assert_eq!(wrong.collect::<String>(), "");
}

#[test]
fn the_configuration_says_which_classes_share_a_proxy() {
    let wrong = BY_CONFIGURATION
        .iter()
        .filter_map(|(config, one, other, expected)| wrong(*one, *other, NOTHING, config, *expected));
    assert_eq!(wrong.collect::<String>(), "");
}

#[test]
fn paths_of_two_types_conflict_if_the_controller_reads_them_alike() {
    let wrong = BY_PATH_TYPE.iter().flat_map(|(class, one, other, expected)| {
        let pairs = [(one, other), (other, one)];
        pairs.into_iter().filter_map(move |(one, other)| {
            let ingress = |namespace, (annotations, path)| ingress_with(namespace, (class, annotations), path);
            let verdict = verdict_on(&ingress("team-b", *one), &ingress("web", *other), NOTHING, "");
            (verdict != *expected)
                .then(|| format!("{one:?} beside {other:?} of {class}: {verdict:?}, not {expected:?}\n"))
        })
    });
    assert_eq!(wrong.collect::<String>(), "");
}

#[test]
fn an_added_host_that_another_ingress_serves_is_a_claim() {
    let wrong = BY_ADDED_HOST.iter().flat_map(|(class, (annotation, path), theirs, expected)| {
        let adding = |namespace| {
            let yaml = ingress_with(namespace, (class, annotation), path);
            yaml.replace("host: shop.example.com", &format!("host: {namespace}.example.org"))
        };
        let serving = |namespace| ingress_with(namespace, (class, ""), theirs);
        // The later Ingress adds the host, the earlier one does, or both do. In the last case the earlier one has the
        // path of the rule.
        let other = adding("web").replace("other.example.com", "shop.example.com");
        let both = (adding("team-b"), other.replace(&written(path), &written(theirs)));
        let cases = [(adding("team-b"), serving("web")), (serving("team-b"), adding("web")), both];
        cases.into_iter().enumerate().filter_map(move |(case, (one, other))| {
            let verdict = verdict_on(&one, &other, NOTHING, "");
            (verdict != *expected)
                .then(|| format!("{annotation} {path} beside {theirs}, case {case}: {verdict:?}, not {expected:?}\n"))
        })
    });
    assert_eq!(wrong.collect::<String>(), "");
}

/// The path of an Ingress in YAML, from its type and its text.
fn written(path: &str) -> String {
    let (path_type, path) = path.split_once(' ').expect("a type and a path");
    format!("path: '{path}', pathType: {path_type}")
}

#[test]
fn default_backends_conflict_where_both_serve_unmatched_requests() {
    let wrong = BY_DEFAULT_BACKEND.iter().filter_map(|(one, other, rules, meet)| {
        let ingress = |namespace, side, has_rules| {
            let yaml = ingress(namespace, side)
                .replace(", rules: [", ", defaultBackend: {resource: {kind: Bucket, name: rest}}, rules: [");
            let yaml = yaml
                .replace("spec: {rules: [", "spec: {defaultBackend: {resource: {kind: Bucket, name: rest}}, rules: [");
            // The hosts differ, so that only the default backends may conflict.
            let yaml = yaml.replace("host: shop.example.com", &format!("host: {namespace}.example.com"));
            if has_rules {
                yaml
            } else {
                format!("{}}}\n", yaml[..yaml.find("rules: [").expect("rules")].trim_end_matches(", "))
            }
        };
        let (one_yaml, other_yaml) = (ingress("team-b", *one, rules.0), ingress("web", *other, rules.1));
        let verdict = verdict_of("host/default-backend-conflict", &one_yaml, &other_yaml, NOTHING, "");
        let expected = if *meet { Warned } else { Apart };
        (verdict != expected).then(|| format!("{one:?} beside {other:?} {rules:?}: {verdict:?}, not {expected:?}\n"))
    });
    assert_eq!(wrong.collect::<String>(), "");
}

/// The difference between the actual and the expected result for two Ingresses, if there is one.
fn wrong(one: Side, other: Side, rest: &str, planes: &str, expected: Verdict) -> Option<String> {
    let verdict = verdict(one, other, rest, planes);
    (verdict != expected)
        .then(|| format!("{one:?} beside {other:?}, {planes} {rest}: {verdict:?} and not {expected:?}\n"))
}

fn verdict(one: Side, other: Side, rest: &str, planes: &str) -> Verdict {
    verdict_on(&ingress("team-b", one), &ingress("web", other), rest, planes)
}

fn verdict_on(one: &str, other: &str, rest: &str, planes: &str) -> Verdict {
    verdict_of("host/path-conflict", one, other, rest, planes)
}

fn verdict_of(check: &str, one: &str, other: &str, rest: &str, planes: &str) -> Verdict {
    let check = registry::all().find(|known| known.id == check).expect("a check");
    let yaml = format!("{one}---\n{other}{rest}");
    let config = (!planes.is_empty()).then(|| format!("dataPlanes: {planes}\n"));
    let judgement = judge(check, &Example { yaml, config, ..Example::default() });
    let found = judgement.findings.iter().find(|evaluated| evaluated.finding.check == check.id);
    let Some(evaluated) = found else { return Apart };
    match evaluated.action {
        Action::Deny if evaluated.finding.message.template.contains("dataPlanes") => Assumed,
        Action::Deny => Refused,
        _ => Warned,
    }
}

fn ingress(namespace: &str, side: Side) -> String {
    ingress_with(namespace, side, "Prefix /cart")
}

/// An Ingress with one path, given as its type and its text.
fn ingress_with(namespace: &str, (class, annotations): (&str, &str), path: &str) -> String {
    let path = written(path);
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
spec: {{{field}rules: [{{host: shop.example.com, http: {{paths: [{{{path}, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}}}]}}
"
    )
}
