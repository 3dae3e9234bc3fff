//! The client of a command that reads a cluster, and what it says when a request fails.

use std::path::Path;

use kube::Client;

use super::{WatchError, config};
use crate::request::cause;

/// An API server, for single requests.
#[derive(Clone)]
pub struct ApiClient {
    client: Client,
    server: String,
}

impl ApiClient {
    /// A client for `context` of the file `kubeconfig`. Without both, the client uses the default kubeconfig files or the
    /// service account of the pod.
    pub async fn new(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<Self, WatchError> {
        let config = config(kubeconfig, context).await?;
        let server = config.cluster_url.to_string().trim_end_matches('/').to_owned();
        Ok(Self { client: Client::try_from(config)?, server })
    }

    /// The client.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The error of a request: what was asked of which server, what it answered, and what to do.
    pub fn error(&self, asked: &str, error: &kube::Error) -> WatchError {
        WatchError::Request(format!("{asked} failed: {} {}", self.server, answer(error)))
    }
}

/// What a server answered, or why it did not, and what to do.
fn answer(error: &kube::Error) -> String {
    let cause = cause(error);
    match error {
        kube::Error::Api(status) if status.code == 401 => {
            format!("does not accept the credentials ({cause}); log in again, or choose another --context")
        }
        kube::Error::Api(status) if status.code == 403 => format!("answered: {cause}; grant the right (RBAC)"),
        kube::Error::Api(status) => format!("answered {}: {cause}", status.code),
        kube::Error::SerdeError(_) => {
            format!("gave an answer that cannot be read: {cause}; check the server in the kubeconfig")
        }
        kube::Error::Auth(_) => {
            format!("cannot be asked without credentials: {cause}; check the user in the kubeconfig")
        }
        _ => format!("cannot be reached: {cause}; check the server in the kubeconfig and the network"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_error_names_server_and_cause_once() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("kubeconfig");
        let text = "{clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}], contexts: [{name: c, context: {cluster: c}}]}";
        std::fs::write(&file, text)?;
        let api = ApiClient::new(Some(&file), Some("c")).await?;
        let error = api.client().apiserver_version().await.expect_err("nothing listens on port 1");
        assert_eq!(
            api.error("API discovery", &error).to_string(),
            "API discovery failed: https://127.0.0.1:1 cannot be reached: Connection refused (os error 111); check the server in the \
             kubeconfig and the network"
        );
        Ok(())
    }
}
