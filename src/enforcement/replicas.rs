//! The replicas that the API server may call.

use std::collections::BTreeSet;

use k8s_openapi::api::discovery::v1::{Endpoint, EndpointSlice};
use kube::api::{Api, ListParams};

use super::callee::Callee;
use crate::request::{RequestError, request};

/// The replicas that must answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replicas {
    /// The ready endpoints of a Service, by the names of their pods.
    Ready(BTreeSet<String>),
    /// The one server behind a URL, whose name is not known before it answers.
    BehindUrl,
}

impl Replicas {
    /// The replicas of `callee` as they are now.
    pub async fn of(client: &kube::Client, callee: &Callee) -> Result<Self, RequestError> {
        let Callee::Service { namespace, name } = callee else { return Ok(Self::BehindUrl) };
        let slices = Api::<EndpointSlice>::namespaced(client.clone(), namespace);
        let of_service = ListParams::default().labels(&format!("kubernetes.io/service-name={name}"));
        Ok(Self::Ready(ready(&request(slices.list(&of_service)).await?.items)))
    }
}

/// The names of the ready endpoints. A pod may be in several slices, for instance in one for each family of addresses.
pub fn ready(slices: &[EndpointSlice]) -> BTreeSet<String> {
    let is_ready = |endpoint: &&Endpoint| {
        // The API says that an unknown state means ready.
        endpoint.conditions.as_ref().and_then(|conditions| conditions.ready).unwrap_or(true)
    };
    slices.iter().flat_map(|slice| slice.endpoints.iter().flatten()).filter(is_ready).map(name).collect()
}

/// The name of the pod, or else the address, by which no replica answers.
fn name(endpoint: &Endpoint) -> String {
    let pod = endpoint.target_ref.as_ref().and_then(|target| target.name.clone());
    pod.or_else(|| endpoint.addresses.first().cloned()).unwrap_or_default()
}
