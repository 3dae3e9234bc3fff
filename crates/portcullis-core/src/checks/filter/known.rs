//! Which types of filters a schema has.

use crate::bundle::{Bundle, Channel};
use crate::kinds::Kind;

/// The first release with CORS in the standard channel.
const STANDARD_CORS: (u16, u16) = (1, 5);

/// Whether routes of `kind` have filters of type `filter` in `bundle`; of a bundle newer than all that are known every type is taken for
/// known.
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
