//! `host/default-backend-conflict`

use super::ingress_rivals::IngressRivals;
use super::{are_marked, own_mark, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{ClosestRelation, IngressFacts, Relation, RouteFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::controller::Controller;
use crate::matching::path_interpretation::{NotatedPath, PathEquality, path_equality};
use crate::matching::{Claims, Host, Mark, Readers};

pub static CHECK: Check = Check {
    id: "host/default-backend-conflict",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("default_backend_conflict.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

static EVERY_HOST: Host<'static> = Host::Any;

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut roots = claims.routes.iter().filter(|route| route.host == Host::Any);
    let root = roots.find_map(|route| {
        let path = route.path.as_ref()?.notated(claims.notation(route));
        path.may_be_root().then_some((route, path))
    });
    // A canary is attached to the default backend.
    let root = root.filter(|_| own_mark(claims, cx) != Mark::Canary);
    if !claims.has_default_backend() && root.is_none() {
        return;
    }
    let takes_rest = |controller| takes_rest(claims.routes.is_empty(), controller);
    let (at, template, conflict) = match root {
        // A rule that matches everything leaves no requests to any default backend, including that of this object.
        Some((route, path)) => {
            let conflicts = |controller, other: &IngressFacts, _: &RouteFacts| {
                other_takes_rest(other, controller) && is_root(path, controller)
            };
            let template = "this rule leaves the default backend of {other} ({}) unused";
            (route.at.then("path"), template, first(claims, NotatedPath::DEFAULT_BACKEND, conflicts, cx))
        }
        None => {
            let has_other = |controller, other: &IngressFacts, _: &RouteFacts| {
                takes_rest(controller) && other_takes_rest(other, controller)
            };
            let has_rule = |controller, _: &IngressFacts, rule: &RouteFacts| {
                takes_rest(controller) && is_root(rule.notated(), controller)
            };
            let template = "{other} ({}) also has a default backend, and only one is used";
            let conflict =
                first(claims, NotatedPath::DEFAULT_BACKEND, has_other, cx).map(|conflict| (conflict, template));
            let template = "{other} ({}) serves / on every host, which leaves this backend unused";
            let conflict = conflict.or_else(|| Some((first(claims, NotatedPath::ROOT, has_rule, cx)?, template)));
            let Some((conflict, template)) = conflict else { return };
            (At::field("spec.defaultBackend").into(), template, Some(conflict))
        }
    };
    let Some((other, nearest)) = conflict else { return };
    let class = nearest.class.map_or("no class".to_owned(), |class| format!("class {class}"));
    // Only the oldest of the others is named, so the same conflict in a further class would have the same identity.
    let claim = (EVERY_HOST.to_string(), NotatedPath::DEFAULT_BACKEND.own_key());
    found.duplicate(at, "", template).args([&class]).other(&other.object_ref).claim(&claim.0, Some(claim.1));
}

/// The oldest other Ingress in the same data plane that has a route like `path` for every host and satisfies `conflicts`.
fn first<'c>(
    claims: &Claims<'_>,
    path: NotatedPath<'static>,
    conflicts: impl Fn(Readers, &IngressFacts, &RouteFacts) -> bool,
    cx: &Context<'c>,
) -> Option<(&'c IngressFacts, ClosestRelation<'c>)> {
    let rivals = IngressRivals::new(claims, cx);
    let all = rivals.at(&EVERY_HOST, path).filter_map(|theirs| {
        let (other, theirs) = (theirs.facts, theirs.route);
        if are_marked(claims, other, cx) {
            return None;
        }
        let nearest = rivals.nearest(other);
        if nearest.relation != Relation::Same {
            return None;
        }
        if !conflicts(rivals.controller(other, nearest), other, theirs) {
            return None;
        }
        rival(&EVERY_HOST, &other.object_ref, other.created, cx)?;
        Some((other, nearest))
    });
    all.min_by_key(|(other, _)| (other.created.is_none(), other.created, &other.object_ref))
}

/// Whether the path matches every request with this `controller`.
fn is_root(path: NotatedPath<'_>, readers: Readers) -> bool {
    path_equality(path, NotatedPath::ROOT, readers) == PathEquality::Same
}

fn other_takes_rest(other: &IngressFacts, readers: Readers) -> bool {
    takes_rest(other.routes.iter().all(|route| route.notation.is_default_backend), readers)
}

/// Whether the default backend of an Ingress serves all requests that no rule of any Ingress matches. With some
/// controllers, the default backend of an Ingress with rules only serves the hosts of these rules.
fn takes_rest(has_no_rules: bool, readers: Readers) -> bool {
    has_no_rules || !matches!(readers, Readers::Only(Controller::F5Nginx | Controller::IngressNginx))
}
