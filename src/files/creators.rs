//! Objects from which a controller creates Services or Secrets, so that those of a folder are not all there are.

use serde_json::Value;

/// What a controller may create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Whether it may create Services and whatever else a chart contains.
    pub services: bool,
    /// Whether it may create Secrets.
    pub secrets: bool,
    /// The namespace; `None` if it is not known.
    pub namespace: Option<Box<str>>,
}

/// API groups whose objects create neither.
const HARMLESS: [&str; 15] = [
    "apiextensions.crossplane.io",
    "cilium.io",
    "configuration.konghq.com",
    "gateway.envoyproxy.io",
    "gateway.kgateway.dev",
    "grafana.integreatly.org",
    "image.toolkit.fluxcd.io",
    "kind.x-k8s.io",
    "kustomize.config.k8s.io",
    "kyverno.io",
    "monitoring.coreos.com",
    "networking.istio.io",
    "notification.toolkit.fluxcd.io",
    "source.toolkit.fluxcd.io",
    "traefik.io",
];

/// How the names of kinds end that only configure others.
const SETTINGS: [&str; 6] = ["Config", "Filter", "Monitor", "Policy", "Rule", "Template"];

/// What may be created from an object of a kind that is not checked.
pub(super) fn created(document: &Value) -> Option<Created> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(Box::from);
    let (api_version, kind) = (document["apiVersion"].as_str()?, document["kind"].as_str()?);
    let (group, _) = api_version.split_once('/')?;
    let own = text(&document["metadata"]["namespace"]);
    let target = text(&document["spec"]["targetNamespace"]);
    let all = |namespace| Some(Created { services: true, secrets: true, namespace });
    let secrets = || Some(Created { services: false, secrets: true, namespace: own.clone() });
    match (group, kind) {
        ("kustomize.config.k8s.io", "Kustomization") => {
            let has_charts =
                ["helmCharts", "helmChartInflationGenerator"].iter().any(|field| !document[field].is_null());
            has_charts.then(|| all(text(&document["namespace"]))).flatten()
        }
        ("helm.toolkit.fluxcd.io" | "helm.cattle.io" | "kustomize.toolkit.fluxcd.io", _) => all(target.or(own)),
        ("argoproj.io", "Application") => all(text(&document["spec"]["destination"]["namespace"])),
        ("argoproj.io", "ApplicationSet") => all(None),
        ("external-secrets.io" | "bitnami.com" | "cert-manager.io", _) => secrets(),
        // Groups of Kubernetes itself, apart from those of SIGs.
        _ if !group.contains('.') || group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io") => None,
        _ if HARMLESS.contains(&group) || SETTINGS.iter().any(|ending| kind.ends_with(ending)) => None,
        _ => all(own),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn charts_operators_and_stores_of_secrets_create_objects() {
        let of = |api_version: &str, kind: &str, spec: Value| {
            created(&json!({"apiVersion": api_version, "kind": kind, "metadata": {"namespace": "web"}, "spec": spec}))
        };
        let all = |namespace: Option<&str>| {
            Some(Created { services: true, secrets: true, namespace: namespace.map(Box::from) })
        };
        assert_eq!(of("helm.toolkit.fluxcd.io/v2", "HelmRelease", json!({})), all(Some("web")));
        assert_eq!(of("helm.toolkit.fluxcd.io/v2", "HelmRelease", json!({"targetNamespace": "db"})), all(Some("db")));
        assert_eq!(
            of("argoproj.io/v1alpha1", "Application", json!({"destination": {"namespace": "db"}})),
            all(Some("db"))
        );
        assert_eq!(of("argoproj.io/v1alpha1", "ApplicationSet", json!({})), all(None));
        assert_eq!(of("serving.knative.dev/v1", "Service", json!({})), all(Some("web")));
        let secrets = Some(Created { services: false, secrets: true, namespace: Some("web".into()) });
        assert_eq!(of("external-secrets.io/v1", "ExternalSecret", json!({})), secrets);
        assert_eq!(of("apps/v1", "Deployment", json!({})), None);
        assert_eq!(of("rbac.authorization.k8s.io/v1", "Role", json!({})), None);
        assert_eq!(of("monitoring.coreos.com/v1", "ServiceMonitor", json!({})), None);
        assert_eq!(of("example.com/v1", "TimeoutPolicy", json!({})), None);
    }
}
