//! What charts can ask about a cluster: its version, and the API versions and kinds that it serves.

use kube::Client;
use kube::core::discovery::v2::{APIGroupDiscovery, APIVersionDiscovery};
use serde::{Deserialize, Serialize};

use super::WatchError;
use super::client::ApiClient;

/// The version of a cluster and its APIs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiVersions {
    /// The version of Kubernetes, such as `v1.37.0`.
    pub kubernetes: String,
    /// The API versions, each by itself and with each kind: `apps/v1` and `apps/v1/Deployment`.
    pub apis: Vec<String>,
}

impl ApiVersions {
    /// Asks an API server; `None` if discovery is forbidden (RBAC).
    pub async fn discover(api: &ApiClient) -> Result<Option<Self>, WatchError> {
        match Self::read(api.client()).await {
            Ok(read) => Ok(Some(read)),
            Err(kube::Error::Api(status)) if status.code == 403 => Ok(None),
            Err(error) => Err(api.error("API discovery", &error)),
        }
    }

    async fn read(client: &Client) -> Result<Self, kube::Error> {
        let kubernetes = client.apiserver_version().await?.git_version;
        let (core, groups) =
            (client.list_core_api_versions_aggregated().await?, client.list_api_groups_aggregated().await?);
        let apis = core.items.iter().chain(&groups.items).flat_map(of_group).collect();
        Ok(Self { kubernetes, apis })
    }
}

fn of_group(group: &APIGroupDiscovery) -> Vec<String> {
    let name = group.metadata.as_ref().and_then(|metadata| metadata.name.as_deref()).unwrap_or_default();
    group.versions.iter().flat_map(|version| of_version(name, version)).collect()
}

fn of_version(group: &str, served: &APIVersionDiscovery) -> Vec<String> {
    let version = served.version.as_deref().unwrap_or_default();
    let version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let kinds = served.resources.iter().filter_map(|resource| resource.response_kind.as_ref()?.kind.as_ref());
    let with_kind: Vec<String> = kinds.map(|kind| format!("{version}/{kind}")).collect();
    [vec![version], with_kind].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_named_by_itself_and_with_its_kinds() {
        let group = |text: &str| of_group(&serde_json::from_str(text).expect("a discovery document"));
        let versions =
            r#""versions": [{"version": "v1", "resources": [{"resource": "pods", "responseKind": {"kind": "Pod"}}]}]"#;
        assert_eq!(group(&format!(r#"{{"metadata": {{"name": ""}}, {versions}}}"#)), ["v1", "v1/Pod"]);
        assert_eq!(group(&format!(r#"{{"metadata": {{"name": "a.b"}}, {versions}}}"#)), ["a.b/v1", "a.b/v1/Pod"]);
    }
}
