//! `ingress/rewrite-constant`

use super::nginx_annotations;
use super::tls_annotations::is_canary;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};
use crate::matching::path::capture_group;
use crate::nginx::annotations;

pub static CHECK: Check = Check {
    id: "ingress/rewrite-constant",
    needs: &[Kind::IngressClass],
    page: include_str!("rewrite_constant.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some((_, target)) = annotations::find("rewrite-target", ingress) else { return };
    let constant = without_groups(target);
    if !is_constant(&constant) || is_canary(ingress, cx) || !nginx_annotations::are_read(ingress, cx) {
        return;
    }
    for (at, path, _) in walk::http_paths(ingress) {
        let written = path.path.as_deref().unwrap_or_default();
        let has_below = path.path_type.as_deref() != Some("Exact") && !matches!(written, "" | "/");
        // A path that is the target is not rewritten, and an expression that ends in `$` has nothing below it.
        if !has_below || written == constant || written.ends_with('$') {
            continue;
        }
        match capture_group(target) {
            None => {
                let template = "every request below `{}` becomes `{}`: keep the rest with a capture group such as $2";
                found.invalid(at.child("path"), written, template).args([written, target]);
            }
            // An expression with a group may have the one that is meant.
            Some(group) if !written.contains('(') => {
                let template =
                    "every request below `{}` becomes `{}`, since the path has no group for {}: end it with (/|$)(.*)";
                found.invalid(at.child("path"), written, template).args([written, &*constant, group]);
            }
            Some(_) => {}
        }
    }
}

/// The target if no group matches anything.
fn without_groups(target: &str) -> String {
    let mut pieces = target.split('$');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| match piece.strip_prefix(|digit| matches!(digit, '1'..='9')) {
        Some(rest) => text + rest,
        None => text + "$" + piece,
    })
}

/// Whether `target` is one path, and not that of a file: a path such as `/index.html` may be meant for all requests.
fn is_constant(target: &str) -> bool {
    let last = target.rsplit('/').next().unwrap_or_default();
    target.starts_with('/') && !target.contains('$') && !last.contains(['.', '?'])
}
