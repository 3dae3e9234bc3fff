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
    for duplicates in
        claims.duplicates().into_iter().filter(|duplicates| duplicates.first.written != duplicates.second.written)
    {
        if is_shared(claims, &duplicates, cx) {
            continue;
        }
        let route = duplicates.second;
        let host = route.host.to_string();
        let identity = format!("{host} {} {}", duplicates.path.kind, route.written);
        let template = "`{}` matches the same requests as `{}` on {}: remove one";
        let args = [route.written_or_root(), duplicates.first.written_or_root(), &host];
        found.duplicate(route.at.child("path"), &identity, template).args(args);
    }
}
