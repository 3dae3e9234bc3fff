//! `filter/cors-wildcard-not-alone`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};

pub static CHECK: Check = Check {
    id: "filter/cors-wildcard-not-alone",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("cors_wildcard_not_alone.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in walk::filter::cors(route).flat_map(|site| site.lists()) {
        let may_be_all = list.name != "exposeHeaders";
        if may_be_all && list.texts.len() > 1 && list.texts.iter().any(|text| &**text == "*") {
            found.invalid(list.at, list.name, "`*` beside other entries of {}: it means all of them and stands alone");
        }
    }
}
