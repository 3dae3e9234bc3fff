//! Asks the API server for HostClaims by their names, so that a write that follows a grant is not denied because the watch is late.

use std::fmt;

use http::Request;
use kube::Client;

use crate::request::{RequestError, request};
use portcullis_core::kinds::Kind;

/// The maximum number of HostClaims that are read for one review.
const MAX_READS: usize = 16;

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
        let api = Kind::HostClaim.api();
        let path = format!("/apis/{}/{}/{}/{name}", api.group, api.versions[0], api.plural);
        let get = Request::get(path).body(Vec::new()).map_err(|error| RequestError::Invalid(error.to_string()))?;
        request(self.0.request_text(get)).await
    }
}
