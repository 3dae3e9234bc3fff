//! What each value of the chart does.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::objects::{Objects, rendered};
use crate::harness::{Helm, chart};

/// The values that are set, of which the last one is the value that the case is about; a pointer into an object; and what is there
/// then, in JSON.
type Case = (&'static [&'static str], &'static str, &'static str, &'static str);

const DEPLOYMENT: &str = "Deployment/portcullis";
const VALIDATING: &str = "ValidatingWebhookConfiguration/portcullis";
const MUTATING: &str = "MutatingWebhookConfiguration/portcullis";
const BUDGET: &str = "PodDisruptionBudget/portcullis";
const MONITOR: &str = "ServiceMonitor/portcullis";
const POLICY: &str = "NetworkPolicy/portcullis";
const CONFIG: &str = "ConfigMap/portcullis";
const CRD: &str = "CustomResourceDefinition/ingressroutes.contour.heptio.com";
const CLAIMS: &str = "CustomResourceDefinition/hostclaims.portcullis.dev";
const REQUESTS: &str = "CustomResourceDefinition/hostrequests.portcullis.dev";

const IMAGE: &str = "/spec/template/spec/containers/0/image";
const LISTEN: &str = "/spec/template/spec/containers/0/args/4";
const FIRST_EXTRA_ARGUMENT: &str = "/spec/template/spec/containers/0/args/6";
const ROLE: &str = "ClusterRole/portcullis";
const READS: &str = "ClusterRole/portcullis-status-secrets";
const READS_OF_CONFIG_MAPS: &str = "ClusterRole/portcullis-status-config-maps";
const KEPT: &str = "/metadata/annotations/helm.sh~1resource-policy";

const DIGEST: &str = r#"image.digest="sha256:0000000000000000000000000000000000000000000000000000000000000000""#;
const DIGEST_OF_IMAGE: &str = r#""portcullis@sha256:0000000000000000000000000000000000000000000000000000000000000000""#;
const MONITORED: &str = "serviceMonitor.enabled=true";
const ALERTS: &str = "alerts.enabled=true";
const RESTRICTED: &str = "networkPolicy.enabled=true";
const API_SERVERS: &str = r#"networkPolicy.ipBlocks=["192.0.2.7/32"]"#;
const TOKENS: &str = r#"pathTokens=["first-0123456789abcdef","second-0123456789abcdef"]"#;
const SOLVERS_IN_TLS: &str = r#""request.userInfo.username == 'system:serviceaccount:tls:cert-manager' && request.resource.resource in ['ingresses', 'httproutes'] && object.metadata.?labels[?'acme.cert-manager.io/http01-solver'].orValue('') == 'true'""#;
const SOLVERS_OF_ACME: &str = r#""request.userInfo.username == 'system:serviceaccount:cert-manager:acme' && request.resource.resource in ['ingresses', 'httproutes'] && object.metadata.?labels[?'acme.cert-manager.io/http01-solver'].orValue('') == 'true'""#;
const FILES: &str = r#"certificates.mode="files""#;

/// The image and the pods.
const PODS: &[Case] = &[
    (&[r#"image.registry="registry.example.com""#], DEPLOYMENT, IMAGE, r#""registry.example.com/portcullis:0.1.0""#),
    (&[r#"image.repository="edge/portcullis""#], DEPLOYMENT, IMAGE, r#""edge/portcullis:0.1.0""#),
    (&[r#"image.tag="0.1.1""#], DEPLOYMENT, IMAGE, r#""portcullis:0.1.1""#),
    (&[DIGEST], DEPLOYMENT, IMAGE, DIGEST_OF_IMAGE),
    (&[r#"image.pullPolicy="Always""#], DEPLOYMENT, "/spec/template/spec/containers/0/imagePullPolicy", r#""Always""#),
    (&[r#"image.pullSecrets=["hub"]"#], DEPLOYMENT, "/spec/template/spec/imagePullSecrets", r#"[{"name":"hub"}]"#),
    (&["replicas=5"], DEPLOYMENT, "/spec/replicas", "5"),
    (
        &[r#"resources.limits={"memory":"1Gi"}"#],
        DEPLOYMENT,
        "/spec/template/spec/containers/0/resources/limits",
        r#"{"memory":"1Gi"}"#,
    ),
    (&[r#"priorityClassName="""#], DEPLOYMENT, "/spec/template/spec/priorityClassName", "null"),
    (&[r#"nodeSelector={"a":"b"}"#], DEPLOYMENT, "/spec/template/spec/nodeSelector", r#"{"a":"b"}"#),
    (
        &[r#"tolerations=[{"operator":"Exists"}]"#],
        DEPLOYMENT,
        "/spec/template/spec/tolerations",
        r#"[{"operator":"Exists"}]"#,
    ),
    (&[r#"affinity={"podAffinity":{}}"#], DEPLOYMENT, "/spec/template/spec/affinity", r#"{"podAffinity":{}}"#),
    (
        &[r#"topologySpreadConstraints=[{"topologyKey":"a"}]"#],
        DEPLOYMENT,
        "/spec/template/spec/topologySpreadConstraints",
        r#"[{"topologyKey":"a"}]"#,
    ),
    (
        &[r#"extraEnv=[{"name":"A","value":"b"}]"#],
        DEPLOYMENT,
        "/spec/template/spec/containers/0/env/1",
        r#"{"name":"A","value":"b"}"#,
    ),
    (&[r#"extraArgs=["--lease=edge"]"#], DEPLOYMENT, FIRST_EXTRA_ARGUMENT, r#""--lease=edge""#),
    (&["port=9443"], DEPLOYMENT, LISTEN, r#""--listen=[::]:9443""#),
    (&["port=9443"], DEPLOYMENT, "/spec/template/spec/containers/0/ports/0/containerPort", "9443"),
    (&["healthPort=10251"], DEPLOYMENT, FIRST_EXTRA_ARGUMENT, r#""--health-listen=[::]:10251""#),
    (&["healthPort=10251"], DEPLOYMENT, "/spec/template/spec/containers/0/ports/1/containerPort", "10251"),
    (&["hostNetwork=true"], DEPLOYMENT, "/spec/template/spec/hostNetwork", "true"),
    (&["hostNetwork=true"], DEPLOYMENT, "/spec/template/spec/dnsPolicy", r#""ClusterFirstWithHostNet""#),
    (&["hostNetwork=true"], DEPLOYMENT, LISTEN, r#""--listen=[::]:9443""#),
    (&["hostNetwork=true", "port=10260"], DEPLOYMENT, LISTEN, r#""--listen=[::]:10260""#),
    (&["hostNetwork=true"], DEPLOYMENT, "/spec/strategy/rollingUpdate", r#"{"maxUnavailable":1,"maxSurge":0}"#),
];

/// The objects around the pods.
const SURROUNDINGS: &[Case] = &[
    (&["podDisruptionBudget.enabled=false"], BUDGET, "", "null"),
    (&[r#"podDisruptionBudget.minAvailable="50%""#], BUDGET, "/spec/minAvailable", r#""50%""#),
    // A budget that allows no eviction blocks each drain of a node.
    (&["replicas=1"], BUDGET, "", "null"),
    (&["podDisruptionBudget.minAvailable=2"], BUDGET, "", "null"),
    (&["podDisruptionBudget.minAvailable=2", "replicas=3"], BUDGET, "/spec/minAvailable", "2"),
    (&[r#"podDisruptionBudget.minAvailable="51%""#], BUDGET, "", "null"),
    (&[r#"podDisruptionBudget.minAvailable="51%""#, "replicas=3"], BUDGET, "/spec/minAvailable", r#""51%""#),
    (&["resourceQuota.enabled=false"], "ResourceQuota/portcullis-critical-pods", "", "null"),
    (&[MONITORED], MONITOR, "/spec/endpoints/0/port", r#""health""#),
    (&[MONITORED], "Service/portcullis-metrics", "/spec/ports/0/targetPort", r#""health""#),
    (&[MONITORED, r#"serviceMonitor.interval="1m""#], MONITOR, "/spec/endpoints/0/interval", r#""1m""#),
    (
        &[ALERTS, r#"alerts.labels={"release":"main"}"#],
        "PrometheusRule/portcullis",
        "/metadata/labels/release",
        r#""main""#,
    ),
    (&[MONITORED, r#"serviceMonitor.labels={"release":"main"}"#], MONITOR, "/metadata/labels/release", r#""main""#),
    (&[API_SERVERS, RESTRICTED], POLICY, "/spec/ingress/0/from", r#"[{"ipBlock":{"cidr":"192.0.2.7/32"}}]"#),
    (
        &[r#"networkPolicy.peers=[{"podSelector":{}}]"#, RESTRICTED],
        POLICY,
        "/spec/ingress/0/from",
        r#"[{"podSelector":{}}]"#,
    ),
    (
        &[API_SERVERS, RESTRICTED, r#"networkPolicy.nodeIpBlocks=["192.0.2.8/32"]"#],
        POLICY,
        "/spec/ingress/1/from/0",
        r#"{"ipBlock":{"cidr":"192.0.2.8/32"}}"#,
    ),
    (
        &[API_SERVERS, RESTRICTED, r#"networkPolicy.metricsNamespaces=["prometheus"]"#],
        POLICY,
        "/spec/ingress/1/from/0/namespaceSelector/matchLabels",
        r#"{"kubernetes.io/metadata.name":"prometheus"}"#,
    ),
];

/// What is checked, and how the API server gets there.
const REVIEWS: &[Case] = &[
    (&[FILES], DEPLOYMENT, "/spec/template/spec/containers/0/args/1", r#""--tls-cert=/etc/portcullis/tls/tls.crt""#),
    (
        &[FILES, r#"certificates.secretName="edge-tls""#],
        DEPLOYMENT,
        "/spec/template/spec/volumes/0/secret/secretName",
        r#""edge-tls""#,
    ),
    (
        &[r#"certificates.mode="cert-manager""#, r#"certificates.secretName="edge-tls""#],
        VALIDATING,
        "/metadata/annotations/cert-manager.io~1inject-ca-from",
        r#""portcullis/edge-tls""#,
    ),
    (
        &[FILES, r#"certificates.caBundle="-----BEGIN CERTIFICATE-----""#],
        MUTATING,
        "/webhooks/0/clientConfig/caBundle",
        r#""LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t""#,
    ),
    (&["auditOnly=true"], DEPLOYMENT, FIRST_EXTRA_ARGUMENT, r#""--profile=audit""#),
    (&["auditOnly=true"], MUTATING, "", "null"),
    (&["enforce=true"], DEPLOYMENT, FIRST_EXTRA_ARGUMENT, r#""--enforce""#),
    (&["enforce=true", "maintainer=true"], DEPLOYMENT, FIRST_EXTRA_ARGUMENT, r#""--ca-read-only""#),
    (
        &["enforce=true", "maintainer=true"],
        "Deployment/portcullis-maintainer",
        "/spec/template/spec/containers/0/args/2",
        r#""--enforce""#,
    ),
    (
        &["enforce=true", MONITORED, "maintainer=true"],
        "Service/portcullis-maintainer-metrics",
        "/spec/selector/app.kubernetes.io~1name",
        r#""portcullis-maintainer""#,
    ),
    (&["enforce=true"], "Role/portcullis-enforce", "/metadata/namespace", r#""default""#),
    (
        &[r#"config={"profile":"audit"}"#],
        CONFIG,
        "/data/config.yaml",
        r#""apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\nprofile: audit\n""#,
    ),
    (&["controller.enabled=false"], DEPLOYMENT, "/spec/template/spec/containers/0/args/5", "null"),
    (&["controller.enabled=false"], ROLE, "/rules/9/resources", r#"["events"]"#),
    (&["controller.gatewayStatus=true"], ROLE, "/rules/11/resources/1", r#""gateways/status""#),
    (&["controller.gatewayStatusSecrets.enabled=true"], READS, "/rules/0/resources", r#"["secrets"]"#),
    (
        &["controller.gatewayStatusSecrets.enabled=true", r#"controller.gatewayStatusSecrets.names=["cert"]"#],
        READS,
        "/rules/0/resourceNames",
        r#"["cert"]"#,
    ),
    (
        &["controller.gatewayStatusSecrets.enabled=true", r#"controller.gatewayStatusSecrets.namespaces=["infra"]"#],
        "RoleBinding/portcullis-status-secrets",
        "/roleRef/kind",
        r#""ClusterRole""#,
    ),
    (
        &["controller.gatewayStatusConfigMaps.enabled=true"],
        READS_OF_CONFIG_MAPS,
        "/rules/0/resources",
        r#"["configmaps"]"#,
    ),
    (
        &["controller.gatewayStatusConfigMaps.enabled=true", r#"controller.gatewayStatusConfigMaps.names=["cert"]"#],
        READS_OF_CONFIG_MAPS,
        "/rules/0/resourceNames",
        r#"["cert"]"#,
    ),
    (
        &[
            "controller.gatewayStatusConfigMaps.enabled=true",
            r#"controller.gatewayStatusConfigMaps.namespaces=["infra"]"#,
        ],
        "RoleBinding/portcullis-status-config-maps",
        "/roleRef/kind",
        r#""ClusterRole""#,
    ),
    (&["controller.ingressStatus=true"], ROLE, "/rules/11/resources", r#"["ingresses/status"]"#),
    (
        &[r#"exemptNamespaces=["mesh"]"#],
        VALIDATING,
        "/webhooks/0/namespaceSelector/matchExpressions/0/values",
        r#"["kube-system","portcullis","mesh"]"#,
    ),
    (&[r#"certManager.namespace="tls""#], VALIDATING, "/webhooks/7/matchConditions/1/expression", SOLVERS_IN_TLS),
    (
        &[r#"certManager.serviceAccount="acme""#],
        VALIDATING,
        "/webhooks/7/matchConditions/1/expression",
        SOLVERS_OF_ACME,
    ),
    (&[TOKENS], VALIDATING, "/webhooks/7/clientConfig/service/path", r#""/validate/first-0123456789abcdef""#),
    (&[TOKENS], MUTATING, "/webhooks/0/clientConfig/service/path", r#""/mutate/first-0123456789abcdef""#),
    (&[TOKENS], DEPLOYMENT, FIRST_EXTRA_ARGUMENT, r#""--path-token-file=/etc/portcullis/access/tokens""#),
    (&[TOKENS], DEPLOYMENT, "/spec/template/spec/volumes/0/secret/secretName", r#""portcullis-path-tokens""#),
    (
        &[TOKENS],
        "Secret/portcullis-path-tokens",
        "/data/tokens",
        r#""Zmlyc3QtMDEyMzQ1Njc4OWFiY2RlZgpzZWNvbmQtMDEyMzQ1Njc4OWFiY2RlZg==""#,
    ),
    (&["crds.install=true"], CRD, KEPT, r#""keep""#),
    (&["crds.install=true", "crds.keep=false"], CRD, "/metadata/annotations", "null"),
    (&["crds.hostClaims=true"], CLAIMS, "/spec/group", r#""portcullis.dev""#),
    (&["crds.hostRequests=true"], REQUESTS, "/spec/group", r#""portcullis.dev""#),
];

/// What `helm test` does, and the replica that enforces.
const PROOF: &[Case] = &[
    (
        &["enforce=true", r#"test.namespace="web""#],
        DEPLOYMENT,
        "/spec/template/spec/containers/0/args/7",
        r#""--enforce-namespace=web""#,
    ),
    (&["enforce=true", r#"test.namespace="web""#], "Role/portcullis-enforce", "/metadata/namespace", r#""web""#),
    (&[r#"test.namespace="web""#], "Role/portcullis-test", "/metadata/namespace", r#""web""#),
    (&[r#"test.namespace="web""#], "Pod/portcullis-test", "/spec/containers/0/args/2", r#""--namespace=web""#),
    (&["healthPort=10251"], "Pod/portcullis-test", "/spec/containers/0/args/3", r#""--health-port=10251""#),
    (&[DIGEST], "Pod/portcullis-test", "/spec/containers/0/image", DIGEST_OF_IMAGE),
    (&[r#"image.pullSecrets=["hub"]"#], "Pod/portcullis-test", "/spec/imagePullSecrets", r#"[{"name":"hub"}]"#),
    (&[r#"nodeSelector={"a":"b"}"#], "Pod/portcullis-test", "/spec/nodeSelector", r#"{"a":"b"}"#),
    (
        &[r#"tolerations=[{"operator":"Exists"}]"#],
        "Pod/portcullis-test",
        "/spec/tolerations",
        r#"[{"operator":"Exists"}]"#,
    ),
];

pub fn each_value_has_its_effect() {
    let plain = Objects::chart(Helm::Four, &[]);
    let mut unset: BTreeSet<String> = paths().into_iter().collect();
    let render = |values: &[&str]| Objects::of(rendered(Helm::Four, "portcullis", values));
    for (set, object, pointer, expected) in [PODS, SURROUNDINGS, REVIEWS, PROOF].concat() {
        let expected: Value = serde_json::from_str(expected).expect("a case is JSON");
        let at = |objects: &Objects| objects.0.get(object).and_then(|it| it.pointer(pointer)).cloned();
        let before = render(&set[..set.len() - 1]);
        assert_eq!(at(&render(set)).unwrap_or_default(), expected, "{set:?}: {object} {pointer}");
        assert_ne!(at(&before).unwrap_or_default(), expected, "the last of {set:?} makes no difference");
        for value in set {
            let (path, _) = value.split_once('=').expect("a value is set by `=`");
            unset.retain(|name| name != path && !path.starts_with(&format!("{name}.")));
        }
    }
    assert!(unset.is_empty(), "no case sets {unset:?}");
    rights_follow_the_certificates();
    rights_follow_the_namespaces();
    assert_eq!(plain.get(DEPLOYMENT).pointer("/spec/template/spec/volumes"), None, "no file is needed");
    assert!(!plain.0.keys().any(|key| key.starts_with("ConfigMap/")), "the configuration is the cluster's");
}

/// A right that is for certain namespaces is for no others.
fn rights_follow_the_namespaces() {
    let read = "controller.gatewayStatusSecrets.enabled=true";
    let text = |values: &[&str]| rendered(Helm::Four, "portcullis", values).accepted().stdout;
    let cluster_wide = "kind: ClusterRoleBinding\nmetadata:\n  labels:\n";
    let bound = text(&[read, r#"controller.gatewayStatusSecrets.namespaces=["infra","edge"]"#]);
    let (before, after) = (text(&[]), text(&[read]));
    let count = |text: &str, words: &str| text.matches(words).count();
    assert_eq!(count(&after, cluster_wide), count(&before, cluster_wide) + 1);
    assert_eq!(count(&bound, cluster_wide), count(&before, cluster_wide));
    for namespace in ["infra", "edge"] {
        assert_eq!(
            count(&bound, &format!("name: portcullis-status-secrets\n  namespace: {namespace}\n")),
            1,
            "{bound}"
        );
    }
}

/// Only a server that issues its own certificates may write a Secret and webhook configurations.
fn rights_follow_the_certificates() {
    let may_write = |mode: &'static str| {
        let objects = Objects::chart(Helm::Four, &[mode]);
        let roles = objects.0.iter().filter(|(key, _)| key.contains("Role/"));
        let text: String = roles.map(|(_, role)| role.to_string()).collect();
        ["secrets", "validatingwebhookconfigurations"].map(|resource| text.contains(resource))
    };
    assert_eq!(may_write(r#"certificates.mode="self""#), [true, true]);
    assert_eq!(may_write(FILES), [false, false]);
    let enforcing = Objects::chart(Helm::Four, &[FILES, "enforce=true"]);
    let rules = |role: &str| enforcing.get(role)["rules"].to_string();
    assert!(!rules("ClusterRole/portcullis").contains("validatingwebhookconfigurations"));
    assert!(rules("ClusterRole/portcullis-enforce").contains("validatingwebhookconfigurations"));
}

/// The paths of the values in values.yaml. An object that the user fills is one value.
pub fn paths() -> Vec<String> {
    let text = fs::read_to_string(chart().join("values.yaml")).expect("the chart has values");
    let values: Value = serde_saphyr::from_str(&text).expect("values are YAML");
    let mut paths = Vec::new();
    add_paths(&values, "", &mut paths);
    paths
}

fn add_paths(values: &Value, above: &str, paths: &mut Vec<String>) {
    for (name, value) in values.as_object().expect("values are an object") {
        let path = format!("{above}{name}");
        match value.as_object().filter(|below| !below.is_empty() && name != "resources") {
            Some(_) => add_paths(value, &format!("{path}."), paths),
            None => paths.push(path),
        }
    }
}
