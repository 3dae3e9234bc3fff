//! `http-route/path-unsafe-character`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "http-route/path-unsafe-character",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("path_unsafe_character.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in route.plain_paths() {
        if let Some(character) = path::unsafe_character(path) {
            let message = "`{}` in path `{}`: no request holds it unencoded";
            found.invalid(at.then("value"), path, message).args([&character.to_string(), path]);
        }
    }
}
