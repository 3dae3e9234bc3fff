//! The names of HostClaims: each is that of its host, so that the API server stores one claim of a host at most.

use std::borrow::Cow;

use super::Host;

/// The first label of the names of claims for wildcards. With hyphens in the third and the fourth place, it is reserved (RFC 5891, 4.2.3.1),
/// and the schema accepts no host that begins with it.
pub const WILDCARD_LABEL: &str = "wc--any";

/// The name of the HostClaim for `host`; `None` for every host, which cannot be claimed.
///
/// ```
/// use portcullis_core::matching::claim_name::name_of;
/// use portcullis_core::matching::Host;
///
/// assert_eq!(name_of(&Host::parse("Shop.example.com")).as_deref(), Some("shop.example.com"));
/// assert_eq!(name_of(&Host::parse("*.example.com")).as_deref(), Some("wc--any.example.com"));
/// ```
pub fn name_of<'h>(host: &'h Host<'_>) -> Option<Cow<'h, str>> {
    match host {
        Host::Any => None,
        Host::Wildcard(suffix) => Some(format!("{WILDCARD_LABEL}.{suffix}").into()),
        Host::Precise(name) => Some(Cow::Borrowed(name)),
    }
}

/// The host that a HostClaim with this name is for.
pub fn host_of(name: &str) -> Host<'_> {
    match name.strip_prefix(WILDCARD_LABEL).and_then(|rest| rest.strip_prefix('.')) {
        Some(suffix) => Host::Wildcard(suffix.into()),
        None => Host::Precise(name.into()),
    }
}
