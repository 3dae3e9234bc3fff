//! What is counted: the call that answers a review.
//!
//! The reviewer is not here yet. What stands in for it reads the review, holds no index and knows the one refusal by its
//! name, so of all figures only `scan` means something.

use serde::de::IgnoredAny;

use crate::objects;
use crate::payload::UID;

/// The reviewer over an index.
pub struct Subject {
    refused: String,
}

impl Subject {
    /// Over the class, namespaces and Services of the bench, and so many other Ingresses.
    pub fn over(_ingresses: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        objects::write(folder.path(), 0).expect("the folder can be written");
        Self { refused: format!(r#""name":"{}""#, objects::ingress_name(1)) }
    }

    /// The answer to one AdmissionReview.
    pub fn validate(&self, review: &str) -> Vec<u8> {
        serde_json::from_str::<IgnoredAny>(review).expect("the payload is JSON");
        let allowed = !review[..1_000].contains(&self.refused);
        format!(r#"{{"response":{{"uid":"{UID}","allowed":{allowed}}}}}"#).into_bytes()
    }
}
