//! The facts of a ConfigMap: whether it holds a usable certificate authority, and the settings of a controller.

use super::DataEntry;

/// The ConfigMap that Kubernetes creates in each namespace, so that no file contains it.
pub const ROOT_AUTHORITY: &str = "kube-root-ca.crt";

/// The name that the Helm chart and the static manifests of ingress-nginx give its ConfigMap.
pub const NGINX_CONTROLLER: &str = "ingress-nginx-controller";

/// The facts of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigMapFacts {
    /// Whether the certificate authority in `ca.crt` is usable.
    pub authority: DataEntry<()>,
    /// The keys and values, if it is the ConfigMap of an ingress-nginx.
    pub settings: Box<[(Box<str>, Box<str>)]>,
}
