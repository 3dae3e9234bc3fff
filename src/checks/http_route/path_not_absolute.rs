//! `http-route/path-not-absolute`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "http-route/path-not-absolute",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("path_not_absolute.md"),
    run: Run::HttpRouteParts(check),
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        if !path.starts_with('/') {
            found.invalid(at.then("value"), path, "path `{}` must begin with `/`");
        }
    }
}
