//! Asks the API server for HostClaims by their names, so that a write that follows a grant is not denied because the watch is late.

use std::fmt;

use http::Request;
use kube::Client;

use super::ServedVersion;
use super::object::url_path;
use crate::request::{RequestError, request};
use portcullis_core::kinds::{Kind, ObjectRef};

/// The maximum number of HostClaims that are read for one review.
const MAX_READS: usize = 16;

/// The path of the HostClaim with this name; of all HostClaims without a name.
pub fn host_claim_path(name: &str) -> String {
    let version = ServedVersion(Kind::HostClaim.api().versions[0]);
    url_path(&ObjectRef::new(Kind::HostClaim, "", name), version).trim_end_matches('/').to_owned()
}

/// Asks for HostClaims.
#[derive(Clone)]
pub struct ClaimReader(Client);

impl fmt::Debug for ClaimReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimReader").finish_non_exhaustive()
    }
}

impl ClaimReader {
    /// Asks with `client`.
    pub fn new(client: Client) -> Self {
        Self(client)
    }

    /// Those of the names with which a HostClaim exists. Of many names, only the first are asked for.
    pub async fn existing(&self, names: Vec<String>) -> Result<Vec<String>, RequestError> {
        let mut existing = Vec::new();
        for name in names.into_iter().take(MAX_READS) {
            match self.read(&name).await {
                Ok(_) => existing.push(name),
                Err(RequestError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(existing)
    }

    async fn read(&self, name: &str) -> Result<String, RequestError> {
        let get = Request::get(host_claim_path(name))
            .body(Vec::new())
            .map_err(|error| RequestError::Invalid(error.to_string()))?;
        request(self.0.request_text(get)).await
    }
}
