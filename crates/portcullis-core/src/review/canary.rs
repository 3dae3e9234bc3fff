//! Canaries: creations of an Ingress in a dry run that each replica denies, by which `portcullis arm` learns which replicas the API
//! server reaches before a write depends on it.

use super::request::{AdmissionRequest, RequestObject};
use crate::checks::Operation;
use crate::kinds::Object;

/// The annotation that makes the creation of an Ingress in a dry run a canary. Its value is the token, which tells one run of
/// `portcullis arm` from another.
pub const ANNOTATION: &str = "portcullis.dev/canary";

/// The maximum number of characters of a token.
const MAX_TOKEN: usize = 64;

/// What a replica says about itself when it denies the canary with `token`.
///
/// ```
/// use portcullis_core::review::canary;
///
/// let message = canary::message("4f2a", "portcullis-7d9f-abc");
/// assert_eq!(message, "canary 4f2a answered by replica portcullis-7d9f-abc");
/// assert_eq!(canary::replica(&format!("denied: {message}"), "4f2a"), Some("portcullis-7d9f-abc"));
/// assert_eq!(canary::replica(&message, "another"), None);
/// ```
pub fn message(token: &str, replica: &str) -> String {
    format!("canary {token} answered by replica {replica}")
}

/// The replica that denied the canary with `token`, if that is what `message` says.
pub fn replica<'m>(message: &'m str, token: &str) -> Option<&'m str> {
    let (_, name) = message.split_once(&self::message(token, ""))?;
    name.split_whitespace().next()
}

/// The token of the canary in `request`; `None` if the review is not a canary. A write that is stored never is.
pub(super) fn token<'r>(request: &'r AdmissionRequest<'_>, operation: Operation) -> Option<&'r str> {
    let RequestObject::Decoded(object) = &request.object else { return None };
    let Object::Ingress(ingress) = object.as_ref() else { return None };
    let token = ingress.metadata.annotations.get(ANNOTATION)?;
    (request.is_dry_run && operation == Operation::Create && is_token(token)).then_some(token)
}

/// A token is part of a message, so it must be short and plain.
fn is_token(text: &str) -> bool {
    (1..=MAX_TOKEN).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
