//! `ingress/path-shadowed`

use super::shared_path::is_shared;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::Claims;

pub static CHECK: Check = Check {
    id: "ingress/path-shadowed",
    needs: &[Kind::IngressClass],
    page: include_str!("path_shadowed.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for twins in claims.twins().into_iter().filter(|twins| twins.first.written != twins.second.written) {
        if is_shared(claims, &twins, cx) {
            continue;
        }
        let route = twins.second;
        let host = route.host.to_string();
        let identity = format!("{host} {} {}", twins.path.kind, route.written);
        let template = "`{}` matches the same requests as `{}` on {}: remove one";
        let args = [route.written_or_root(), twins.first.written_or_root(), &host];
        found.duplicate(route.at.child("path"), &identity, template).args(args);
    }
}
