//! The ClusterRole: reading the kinds that the checks look up, and the Gateway API's CRDs by name.

use super::rules;
use portcullis_core::kinds::Kind;

/// `manifests/rbac.yaml`: a ClusterRole and its ClusterRoleBinding.
pub fn rbac() -> String {
    let read = rules::read(&Kind::ALL);
    let crds = Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api()).map(Kind::api);
    let crds: String = crds.map(|api| format!("  - {}.{}\n", api.plural, api.group)).collect();
    format!(
        r#"# Read access to the kinds that the checks use, and nothing else; printed by `portcullis manifests rbac`.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: portcullis
rules:
{read}# The annotations of the Gateway API's CRDs name release and channel, so that rules of their schemas are not checked twice.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames:
{crds}  verbs: [get]
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
"#
    )
}
