//! `filter/cors-credentials-for-all`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};

pub static CHECK: Check = Check {
    id: "filter/cors-credentials-for-all",
    page: include_str!("cors_credentials_for_all.md"),
    run: Run::HttpRouteParts(check),
    ..Check::policy(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for site in walk::filter::cors(route) {
        if site.cors.allow_credentials == Some(true) && site.cors.allow_origins.iter().any(|origin| &**origin == "*") {
            let message = "credentials for every origin: any page on the web may act as the user";
            found.forbidden(site.place.at().then("cors.allowCredentials"), "", message);
        }
    }
}
