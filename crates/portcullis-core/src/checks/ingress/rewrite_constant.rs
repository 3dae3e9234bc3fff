//! `ingress/rewrite-constant`

use super::nginx_annotations;
use super::tls_annotations::is_canary;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};
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
    let (constant, first_group) = without_groups(target);
    if !is_constant(&constant) || is_canary(ingress, cx) || !nginx_annotations::are_read(ingress, cx) {
        return;
    }
    for (at, path, _) in walk::http_paths(ingress) {
        let written = path.path.as_deref().unwrap_or_default();
        let has_below = path.path_type.as_deref() != Some("Exact") && !matches!(written, "" | "/");
        // A path that is the target is not rewritten, and an expression that ends in `$` has nothing below it.
        if !has_below || written == target || written.ends_with('$') {
            continue;
        }
        match first_group {
            None => {
                let template = "every request below `{}` becomes `{}`: keep the rest with a capture group such as $2";
                found.invalid(at.child("path"), written, template).args([written, target]);
            }
            // An expression with a group may have the one that is meant.
            Some(group) if !written.contains('(') => {
                let template = "every request below `{}` becomes `{}`, since the path has no group ${}: \
                                use one such as /cart(/|$)(.*)";
                let group = group.to_string();
                found.invalid(at.child("path"), written, template).args([written, &*constant, &*group]);
            }
            Some(_) => {}
        }
    }
}

/// The target if no group matches anything, and the first group that it names.
fn without_groups(target: &str) -> (String, Option<char>) {
    let mut pieces = target.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    let mut first = None;
    for piece in pieces {
        // A reference has one digit, as nginx reads it.
        match piece.chars().next().filter(|digit| matches!(digit, '1'..='9')) {
            Some(digit) => {
                first = first.or(Some(digit));
                text.push_str(&piece[1..]);
            }
            None => {
                text.push('$');
                text.push_str(piece);
            }
        }
    }
    (text, first)
}

/// Whether `target` is one path, and not that of a file: a path such as `/index.html` may be meant for all requests.
fn is_constant(target: &str) -> bool {
    let last = target.rsplit('/').next().unwrap_or_default();
    target.starts_with('/') && !target.contains('$') && !last.contains(['.', '?'])
}
