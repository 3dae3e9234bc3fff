//! The canary as `portcullis arm` sends it, and what its answer shows.

use k8s_openapi::api::networking::v1::Ingress;
use kube::api::{Api, PostParams};
use serde_json::json;
use tower::util::rng::{HasherRng, Rng};

use crate::manifests::ingress_entry;
use portcullis_core::review::canary::{ANNOTATION, replica};

/// What one canary has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// This replica denied it.
    Denied(String),
    /// Nothing denied it: the API server did not call the webhook, or called it in vain under `failurePolicy: Ignore`.
    Admitted,
    /// It failed for this reason, which may pass.
    Failed(String),
    /// The API server did not answer it before the time was over.
    Unanswered,
}

/// A dry run that every replica must deny.
pub struct Canary {
    api: Api<Ingress>,
    ingress: Ingress,
    token: String,
}

impl Canary {
    /// A canary in `namespace`, with a token of its own.
    pub fn new(client: &kube::Client, namespace: &str) -> Result<Self, serde_json::Error> {
        let token = format!("{:016x}", HasherRng::new().next_u64());
        let backend = json!({"service": {"name": "portcullis-canary", "port": {"number": 80}}});
        let path = json!({"path": "/", "pathType": "Prefix", "backend": backend});
        let rule = json!({"host": "portcullis-canary.invalid", "http": {"paths": [path]}});
        let ingress = serde_json::from_value(json!({
            "metadata": {"name": format!("portcullis-canary-{token}"), "annotations": {ANNOTATION: token}},
            "spec": {"ingressClassName": "portcullis-canary", "rules": [rule]},
        }))?;
        Ok(Self { api: Api::namespaced(client.clone(), namespace), ingress, token })
    }

    /// Sends it once. An error means that no canary can be sent.
    pub async fn send(&self) -> Result<Attempt, kube::Error> {
        let params = PostParams { dry_run: true, ..PostParams::default() };
        match self.api.create(&params, &self.ingress).await {
            Ok(_) => Ok(Attempt::Admitted),
            Err(kube::Error::Api(status)) => {
                let attempt = Attempt::of_error(status.code, &status.message, &self.token);
                attempt.ok_or(kube::Error::Api(status))
            }
            Err(error) => Err(error),
        }
    }
}

/// What to do where something else denies the canary.
pub const ELSEWHERE: &str = "set --namespace (of `serve`: --enforce-namespace) to one where nothing else denies it, or exempt Ingresses \
                             named portcullis-canary-* there";

/// Whether an error that is not of a webhook says that admission denied the canary, such as a ValidatingAdmissionPolicy or a
/// ResourceQuota. Rights and namespaces that are missing say so in other words.
pub fn is_denied_by_others(code: u16, message: &str) -> bool {
    message.contains("ValidatingAdmissionPolicy")
        || matches!(code, 403 | 422) && !message.contains(" cannot create resource ")
}

impl Attempt {
    /// What an error of the API server shows about the canary with `token`; `None` if every other canary would end like this one.
    pub fn of_error(code: u16, message: &str, token: &str) -> Option<Self> {
        let by_ours = format!("admission webhook \"{}\" denied the request", ingress_entry());
        let denied_by = replica(message, token).filter(|_| message.starts_with(&by_ours));
        // Of several webhooks that deny a write, the API server names any one. It does so with the code of that webhook.
        let may_pass = code >= 500 || matches!(code, 408 | 429) || message.starts_with("admission webhook ");
        match denied_by {
            Some(replica) => Some(Self::Denied(replica.to_owned())),
            None => may_pass.then(|| Self::Failed(message.to_owned())),
        }
    }
}
