//! Why a Secret or a ConfigMap to which an object refers could not be read, in words.

use crate::cluster::{Overlay, ReadFailure, ReadKey};

/// Why the object could not be read, as the end of a sentence that begins with it; `None` if it was not tried.
pub(super) fn of(key: &ReadKey, cluster: &Overlay<'_>) -> Option<String> {
    let (namespace, _) = key.named()?;
    let (kind, resource, component) = match key {
        ReadKey::Secret(_) => ("Secrets", "secrets", "gateway-status-secrets"),
        _ => ("ConfigMaps", "configmaps", "gateway-status-config-maps"),
    };
    Some(match cluster.read_failure(key)? {
        ReadFailure::Forbidden => format!(
            "is not readable (RBAC): grant Portcullis `get` on {resource} in namespace {namespace} (component {component})"
        ),
        ReadFailure::Failed => "could not be read: the API server failed to return it".to_owned(),
        ReadFailure::OverLimit => {
            format!("is not read: the {kind} in use of namespace {namespace}, or of the cluster, are too many")
        }
    })
}
