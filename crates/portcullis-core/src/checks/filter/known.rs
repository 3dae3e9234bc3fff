//! The filter types that a schema has.

use crate::bundle::{Bundle, Channel};
use crate::kinds::Kind;

/// The first release with CORS in the standard channel.
const STANDARD_CORS: (u16, u16) = (1, 5);

/// Whether routes of `kind` support the filter type `filter` in `bundle`. True for every type if the bundle is newer
/// than the newest known one.
pub(super) fn is_known(kind: Kind, filter: &str, bundle: Bundle) -> bool {
    if bundle.release > Bundle::NEWEST.release {
        return true;
    }
    let is_experimental = bundle.channel == Channel::Experimental;
    match filter {
        "RequestHeaderModifier" | "ResponseHeaderModifier" | "RequestMirror" | "ExtensionRef" => true,
        "RequestRedirect" | "URLRewrite" => kind == Kind::HttpRoute,
        "CORS" => kind == Kind::HttpRoute && (is_experimental || bundle.release >= STANDARD_CORS),
        "ExternalAuth" => kind == Kind::HttpRoute && is_experimental,
        _ => false,
    }
}
