//! Who may answer ACME challenges for hosts of other namespaces.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Spanned;

/// Who may answer ACME challenges for hosts of other namespaces.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcmeSolvers {
    /// The names of users who may create solvers: Ingresses and HTTPRoutes with the label of cert-manager that only have paths of
    /// challenges. The default is the ServiceAccount of cert-manager.
    ///
    /// ```yaml
    /// acmeSolvers: {users: ["system:serviceaccount:cert-manager:cert-manager"]}
    /// ```
    #[serde(default = "cert_manager")]
    pub users: Vec<Spanned<String>>,
}

/// The ServiceAccount of cert-manager, as its chart and its manifests install it.
pub const CERT_MANAGER: &str = "system:serviceaccount:cert-manager:cert-manager";

fn cert_manager() -> Vec<Spanned<String>> {
    vec![Spanned::without_position(CERT_MANAGER.to_owned())]
}

impl Default for AcmeSolvers {
    fn default() -> Self {
        Self { users: cert_manager() }
    }
}

impl AcmeSolvers {
    /// Whether the user with this name may create solvers.
    pub fn permits(&self, user: &str) -> bool {
        self.users.iter().any(|permitted| permitted.as_str() == user)
    }
}
