//! The rights of the ServiceAccount of `portcullis maintain`.

use super::enforce::{binding, role};

/// The name of everything that belongs to it.
const NAME: &str = "portcullis-maintainer";

/// `manifests/components/maintainer/rbac.yaml`: a ClusterRole and a Role, each with its binding. The rights of `--enforce` are those of
/// [`enforce`](super::enforce()).
pub fn maintainer() -> String {
    [
        HEAD.to_owned(),
        binding("ClusterRole", NAME, None, NAME),
        role(NAME, "portcullis", OWN),
        binding("Role", NAME, Some("portcullis"), NAME),
    ]
    .join("---\n")
}

const HEAD: &str = "\
# Printed by `portcullis manifests maintainer`. What `portcullis maintain --ca-secret` needs.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: portcullis-maintainer
rules:
# The caBundle of the webhooks is kept up to date (--ca-secret).
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations, mutatingwebhookconfigurations]
  resourceNames: [portcullis]
  verbs: [get, list, watch, patch]
";

const OWN: &str = r#"# Which replica may make the writes that two must not make.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [portcullis-maintainer]
  verbs: [get, create, patch]
# The CA that signs the serving certificates (--ca-secret).
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [portcullis-ca]
  verbs: [get, list, watch, create, patch, update]
"#;
