//! Watches of a cluster: what the API server says becomes events of the view.
//!
//! Which kinds are watched is asked of the plan again and again, so that a new configuration finds what it needs; which of them are served,
//! and in which version, of the API server, so that a CRD may come late. A first list is taken in page by page, a relist as a difference at
//! its end, and one object that cannot be read never ends a watch.

mod keep;
mod list;
mod needs;
mod object;
mod reflector;
mod served;

use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};
use thiserror::Error;

pub use keep::keep;
pub use list::list;
pub use needs::{Needs, Wanted};
pub use object::ServedVersion;
pub use served::{ServedKinds, discover};

/// Why there is no cluster to talk to.
#[derive(Debug, Error)]
pub enum WatchError {
    /// No kubeconfig, and not in a pod.
    #[error("no cluster configured: {0}; set --kubeconfig")]
    NoCluster(String),
    /// The kubeconfig cannot be used.
    #[error("the kubeconfig cannot be used: {0}")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// The client cannot be made, or the cluster does not answer.
    #[error("the cluster does not answer: {0}")]
    Client(#[from] kube::Error),
}

/// A client for `context` of the file `kubeconfig`, for the usual files, or for the pod's own account.
pub async fn client(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<kube::Client, WatchError> {
    Ok(kube::Client::try_from(config(kubeconfig, context).await?)?)
}

/// The same for watches, which try again by themselves each second: kube's own retries of one request double their delay until it is
/// minutes, in which a server that is back would go unnoticed.
pub async fn watching_client(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<kube::Client, WatchError> {
    let mut config = config(kubeconfig, context).await?;
    config.default_retry = false;
    Ok(kube::Client::try_from(config)?)
}

async fn config(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<kube::Config, WatchError> {
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    Ok(match kubeconfig {
        Some(file) => kube::Config::from_custom_kubeconfig(Kubeconfig::read_from(file)?, &options).await?,
        None if context.is_some() => kube::Config::from_kubeconfig(&options).await?,
        None => kube::Config::infer().await.map_err(|error| WatchError::NoCluster(error.to_string()))?,
    })
}
