//! Watches a cluster and turns what the API server reports into events of the view.
//!
//! The plan says which kinds to watch. It is queried repeatedly, so that the watches follow a new configuration. The
//! API server says which of these kinds it serves, and in which version. It is also queried repeatedly, so that a CRD
//! may be installed later. The objects of an initial list enter the view page by page. A relist is applied as a
//! difference when it is complete. An object that cannot be decoded never ends a watch.
//!
//! `api_server` detects that the API server cannot be reached (`contact`) and then replaces connections, `freshness`
//! records how current each kind is, and `keep` runs the watches (`reflector`) of the kinds that are needed (`needs`)
//! and served (`served`). An `observer` may receive whole objects besides.

mod api_server;
mod api_versions;
mod claim_reader;
mod client;
mod contact;
mod freshness;
mod keep;
mod list;
mod lists;
mod metrics;
mod needs;
mod object;
mod observer;
mod page_limit;
mod reflector;
mod served;
mod snapshot;
mod stored;

use std::path::Path;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use thiserror::Error;

use crate::request::cause;

pub use api_server::ApiServer;
pub use api_versions::ApiVersions;
pub use claim_reader::{ClaimReader, host_claim_path};
pub use client::ApiClient;
pub use contact::Reachability;
pub use freshness::{KindFault, KindStatus};
pub use keep::{Watched, keep};
pub use lists::{KindList, Lists};
pub use needs::{Needs, Wanted};
pub use object::{ServedVersion, url_path};
pub use observer::ObjectObserver;
pub use served::{ServedKinds, discover};
pub use snapshot::SnapshotError;
pub use stored::stored;

/// The deadline for opening a connection, of every client. TCP retransmits the first packet after one second. The default of kube is
/// half a minute: a request that is made while the network fails for a moment would wait that long.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Why there is no usable client for a cluster.
#[derive(Debug, Error)]
pub enum WatchError {
    /// There is no kubeconfig, and the process does not run in a pod.
    #[error("no cluster is configured: name one with --context or --kubeconfig ({0})")]
    NoCluster(String),
    /// The kubeconfig is invalid.
    #[error("the kubeconfig cannot be used: {0}")]
    Kubeconfig(String),
    /// The client cannot be created.
    #[error("the kubeconfig cannot be used: {}", cause(.0))]
    Client(kube::Error),
    /// A request failed.
    #[error("{0}")]
    Request(String),
}

impl From<kube::config::KubeconfigError> for WatchError {
    fn from(error: kube::config::KubeconfigError) -> Self {
        Self::Kubeconfig(error.to_string())
    }
}

impl From<kube::Error> for WatchError {
    fn from(error: kube::Error) -> Self {
        Self::Client(error)
    }
}

/// A client for loops that retry every second themselves, without the retries of kube. They double their delay up to
/// minutes, so a server that is available again would go unnoticed.
pub async fn watching_client(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<kube::Client, WatchError> {
    let mut config = config(kubeconfig, context).await?;
    config.default_retry = false;
    Ok(kube::Client::try_from(config)?)
}

/// The API server of the same cluster, for watches.
pub async fn api_server(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<ApiServer, WatchError> {
    Ok(ApiServer::new(config(kubeconfig, context).await?)?)
}

async fn config(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<kube::Config, WatchError> {
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let mut config = match kubeconfig {
        Some(file) => kube::Config::from_custom_kubeconfig(Kubeconfig::read_from(file)?, &options).await?,
        None if context.is_some() => kube::Config::from_kubeconfig(&options).await?,
        None => kube::Config::infer().await.map_err(|error| WatchError::NoCluster(error.to_string()))?,
    };
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_client_waits_long_for_a_connection() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("kubeconfig");
        let text = "{clusters: [{name: c, cluster: {server: 'http://192.0.2.1'}}], contexts: [{name: c, context: {cluster: c}}]}";
        std::fs::write(&file, text)?;
        let config = config(Some(&file), Some("c")).await?;
        assert_eq!(config.connect_timeout, Some(Duration::from_secs(3)));
        Ok(())
    }
}
