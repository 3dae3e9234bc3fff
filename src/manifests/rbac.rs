//! The rights of the ServiceAccount: a ClusterRole with read access to the kinds that the checks look up and to the CRDs of the
//! Gateway API by name, and access to the webhook configurations; and a Role with access to its own objects by name.

use super::enforce::binding;
use super::rules;
use portcullis_core::kinds::Kind;
use portcullis_core::status::KINDS;

/// The objects in the own namespace.
const OWN: &str = r#"---
# The objects of Portcullis itself in its own namespace, each by name. `create` is for server-side apply, the only request to create an
# object that names it; no other creation is allowed by a rule with names.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: portcullis
  namespace: portcullis
rules:
# Which replica may make the writes that two must not make.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [portcullis]
  verbs: [get, create, patch]
# The configuration, and the copy of its last good version.
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [portcullis]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [portcullis-last-good]
  verbs: [get, create, patch]
# The CA that signs the serving certificates (--ca-secret).
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [portcullis-ca]
  verbs: [get, list, watch, create, patch, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: portcullis
  namespace: portcullis
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: portcullis
subjects:
- kind: ServiceAccount
  name: portcullis
  namespace: portcullis
"#;

/// `manifests/rbac.yaml`: a ClusterRole and a Role, each with its binding.
pub fn rbac() -> String {
    let read = rules::read(&Kind::ALL);
    let has_schema =
        |kind: &Kind| kind.is_gateway_api() || matches!(kind, Kind::IngressRoute | Kind::HostClaim | Kind::HostRequest);
    let crds = Kind::ALL.into_iter().filter(has_schema).map(Kind::api);
    let crds: String = crds.map(|api| format!("  - {}.{}\n", api.plural, api.group)).collect();
    format!(
        r#"# Printed by `portcullis manifests rbac`. Read access to the kinds that the checks use.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: portcullis
rules:
{read}# The annotations of the Gateway API's CRDs name release and channel, so that rules of their schemas are not checked twice, and a
# status has only fields that the schema of its CRD has.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames:
{crds}  verbs: [get]
# The caBundle of the webhooks is kept up to date (--ca-secret).
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations]
  resourceNames: [portcullis]
  verbs: [get, list, watch, patch]
# The status of IngressRoutes (--controller); the components gateway-status and ingress-status add other kinds. Events about routes that
# lose requests, about statuses that become bad, and about a configuration that cannot be used.
- apiGroups: [contour.heptio.com]
  resources: [ingressroutes/status]
  verbs: [patch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: portcullis
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: portcullis
subjects:
- kind: ServiceAccount
  name: portcullis
  namespace: portcullis
{OWN}"#
    )
}

/// `manifests/components/gateway-status/rules.yaml`: a JSON patch that adds the right to write the status of the kinds of the
/// Gateway API, and the finalizer of GatewayClasses.
pub fn gateway_status() -> String {
    let kinds: Vec<Kind> = KINDS.iter().filter(|kind| kind.is_gateway_api()).collect();
    let api = Kind::GatewayClass.api();
    let classes = rules::add_rule(api.group, &format!("\n    - {}", api.plural));
    format!(
        "# Printed by `portcullis manifests gateway-status`.\n{}# The finalizer of classes in use (status.gatewayClassFinalizer).\n{classes}",
        rules::add_status(&kinds)
    )
}

/// `manifests/components/ingress-status/rules.yaml`: a JSON patch that adds the right to write the status of Ingresses.
pub fn ingress_status() -> String {
    format!("# Printed by `portcullis manifests ingress-status`.\n{}", rules::add_status(&[Kind::Ingress]))
}

/// `rbac.yaml` of the component `gateway-status-secrets`: the right to read Secrets by their names.
pub fn gateway_status_secrets() -> String {
    read_by_name("secrets", "portcullis-status-secrets", "gateway-status-secrets", "readSecrets")
}

/// `rbac.yaml` of the component `gateway-status-config-maps`: the right to read ConfigMaps by their names.
pub fn gateway_status_config_maps() -> String {
    read_by_name("configmaps", "portcullis-status-config-maps", "gateway-status-config-maps", "readConfigMaps")
}

fn read_by_name(resource: &str, role: &str, what: &str, key: &str) -> String {
    format!(
        r#"# Printed by `portcullis manifests {what}`. What the controller reads with `status.{key}: true`, each by its
# name, in every namespace: `resourceNames` limits the right to names, and RoleBindings in place of the ClusterRoleBinding to namespaces.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {role}
rules:
- apiGroups: [""]
  resources: [{resource}]
  verbs: [get]
---
{}"#,
        binding("ClusterRole", role, None, "portcullis")
    )
}
