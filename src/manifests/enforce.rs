//! The rights of the ServiceAccount that only a server with `--enforce` needs.

/// `manifests/components/enforce/rbac.yaml`, which is applied beside [`rbac`](super::rbac): a ClusterRole and two Roles, each with its
/// binding.
pub fn enforce() -> String {
    let (replicas, canaries) = ("portcullis-enforce-replicas", "portcullis-enforce");
    [
        HEAD.to_owned(),
        binding("ClusterRole", "portcullis-enforce", None, "portcullis"),
        role(replicas, "portcullis", REPLICAS),
        binding("Role", replicas, Some("portcullis"), "portcullis"),
        role(canaries, "default", CANARIES),
        binding("Role", canaries, Some("default"), "portcullis"),
    ]
    .join("---\n")
}

const HEAD: &str = "\
# Printed by `portcullis manifests enforce`. What `serve --enforce` needs beside manifests/rbac.yaml.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: portcullis-enforce
rules:
# The failurePolicy of the webhooks is set.
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations]
  resourceNames: [portcullis]
  verbs: [get, patch]
";

const REPLICAS: &str = "\
# Which replicas the API server may call.
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list]
";

const CANARIES: &str = "\
# Each replica must deny a dry run (--enforce-namespace). RBAC cannot tell a dry run from another creation.
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [create]
";

pub(super) fn role(name: &str, namespace: &str, rules: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: {name}\n  namespace: {namespace}\nrules:\n{rules}"
    )
}

/// The binding of the role of the same kind and name to a ServiceAccount.
pub(super) fn binding(kind: &str, name: &str, namespace: Option<&str>, account: &str) -> String {
    let namespace = namespace.map(|namespace| format!("  namespace: {namespace}\n")).unwrap_or_default();
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}Binding\nmetadata:\n  name: {name}\n{namespace}roleRef:\n  \
         apiGroup: rbac.authorization.k8s.io\n  kind: {kind}\n  name: {name}\nsubjects:\n- kind: ServiceAccount\n  name: {account}\n  \
         namespace: portcullis\n"
    )
}
