//! `filter/external-auth-repeated`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "filter/external-auth-repeated",
    page: include_str!("external_auth_repeated.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in route.filter_lists() {
        let auths = list.filters.iter().enumerate().filter(|(_, filter)| &*filter.kind == "ExternalAuth");
        for (index, filter) in auths.skip(1) {
            let message = "a second filter of type {}: which of them decides is not said";
            found.duplicate(list.element(index).then("type"), &filter.kind, message);
        }
    }
}
