//! `filter/type-unknown`

use super::known;
use crate::bundle::Enforced;
use crate::bundle::{Bundle, Channel};
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::{Kind, Route};

/// A bundle that has every filter type.
const EVERYTHING: Bundle = Bundle { channel: Channel::Experimental, ..Bundle::NEWEST };

pub static CHECK: Check = Check {
    id: "filter/type-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("type_unknown.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for site in route.filters() {
        let written = &*site.filter.kind;
        if known::is_known(route.kind(), written, cx.bundle()) {
            continue;
        }
        let message = match route.route() {
            Route::Grpc(_) if known::is_known(Kind::HttpRoute, written, EVERYTHING) => {
                "filter type `{}` is not supported in a GRPCRoute: remove it, or use an HTTPRoute"
            }
            Route::Http(_) if known::is_known(Kind::HttpRoute, written, EVERYTHING) => {
                "filter type `{}` is not part of Gateway API {}"
            }
            _ => "filter type `{}` is not supported: use a type of the Gateway API, or ExtensionRef",
        };
        found.not_supported(site.at().then("type"), written, message).args([written, &cx.bundle().to_string()]);
    }
}
