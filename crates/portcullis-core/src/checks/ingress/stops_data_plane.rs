//! `ingress/stops-data-plane`

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::HashSet;
use jiff::Timestamp;

use super::nginx_annotations;
use super::sole_host::is_sole;
use crate::checks::host::IngressRivals;
use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::cluster::{IngressClaim, Lookup, PlaneInputs, Relation};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::annotation_value::is_true;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::compile::is_refused;
use crate::matching::controller::Controller;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::{Claims, Host, Mark, PathType, Readers, Route};
use crate::nginx::locations::Match;
use crate::nginx::{ControllerSettings, Settings, annotations};

pub static CHECK: Check = Check {
    id: "ingress/stops-data-plane",
    needs: &[Kind::Ingress, Kind::IngressClass],
    options: &[CheckOption::Optional("controllers", OptionDefault::Text("no controller"))],
    page: include_str!("stops_data_plane.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

/// Why nginx refuses the configuration with an Ingress.
enum Fault<'f> {
    /// The redirect of the other name of this wildcard host, by an annotation with this key and value.
    Name(&'f str, &'f str, &'f str),
    /// The path of this route, which is an expression.
    Expression(&'f Route<'f>),
    /// A second location for the path of this route, beside this path of the same Ingress or of another one.
    Location(&'f Route<'f>, Cow<'f, str>, Option<&'f ObjectRef>),
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let rivals = is_served(claims, cx).then(|| IngressRivals::new(claims, cx));
    let mut faults: Vec<Fault<'_>> = of_name(claims).into_iter().chain(of_expressions(claims, cx)).collect();
    faults.extend(of_slashes(claims).map(|(route, without)| Fault::Location(route, without.into(), None)));
    faults.extend(rivals.iter().flat_map(|rivals| of_others(claims, rivals, cx)));
    if faults.is_empty() || !(rivals.is_some() || nginx_annotations::are_read(claims.ingress, cx)) {
        return;
    }
    let settings = Settings::of(cx.cluster.this(), claims.ingress, &ControllerSettings::default(), cx.cluster);
    if settings.rejected.is_some() || settings.canary.is_some() {
        return;
    }
    let is_enforcing = |route: &Route<'_>| settings.enforces_regex(route.written_or_root());
    let are_expressions = claims.routes.iter().any(is_enforcing);
    let may_deny = rivals.is_some() && is_stated(claims, cx);
    for fault in faults {
        let is_certain = match &fault {
            Fault::Location(..) if are_expressions => continue,
            Fault::Location(route, ..) => has_plain_paths(&route.host, cx),
            Fault::Expression(_) if !are_expressions => continue,
            // The path may be that of an older Ingress, and then this one has no location.
            Fault::Expression(route) => rivals.iter().any(|rivals| has_own_path(route, claims, rivals, cx)),
            Fault::Name(_, _, host) => {
                is_sole(&Host::parse(host), cx) && claims.routes.iter().any(|route| match_of(route).is_some())
            }
        };
        report(&fault, may_deny && is_certain, found);
    }
}

fn report(fault: &Fault<'_>, is_certain: bool, found: &mut Findings<'_>) {
    let finding = match fault {
        Fault::Name(key, value, host) => {
            let at = At::field("metadata.annotations").key(key);
            let template =
                "nginx refuses the name www.{}, and then applies no change to any Ingress: remove the redirect";
            found.invalid(at, value, template).args([host])
        }
        Fault::Expression(route) => {
            let template =
                "not a valid expression: nginx refuses it, and then applies no change to any Ingress: correct it";
            found.invalid(route.at.child("path"), route.written, template).without_args()
        }
        Fault::Location(route, beside, other) => {
            let host = route.host.to_string();
            let kind = route.path.as_ref().map_or(PathType::Prefix, |path| path.kind);
            let identity = format!("{host} {kind} {}", route.written);
            let template = match other {
                None => {
                    "beside {} on {}, nginx refuses this path, and then applies no change to any Ingress: remove one"
                }
                Some(_) => {
                    "beside {} of {other} on {}, nginx refuses it, and then applies no change to any Ingress: remove one"
                }
            };
            let finding = found.duplicate(route.at.child("path"), &identity, template).args([&**beside, &host]);
            let finding = finding.claim(&host, route.key());
            match other {
                Some(other) => finding.other(other),
                None => finding,
            }
        }
    };
    if !is_certain {
        finding.only_warns();
    }
}

/// Whether IngressClasses say that ingress-nginx serves the Ingress, and the configuration says nothing else.
fn is_served(claims: &Claims<'_>, cx: &Context<'_>) -> bool {
    let nginx = Readers::Only(Controller::IngressNginx);
    // The controller reads an annotation only if it is the name that its command line gives.
    claims.ingress.spec.ingress_class_name.is_some()
        && claims.classes.iter().all(|class| {
            let own = PlaneInputs { class, hints: claims.hints() };
            class.is_some_and(|class| matches!(cx.cluster.ingress_class(class), Lookup::Found(_)))
                && cx.data_planes.controller(claims, own, cx.cluster) == nginx
        })
}

/// Whether the option names the controller of each class. Others, such as Traefik, can serve the classes of ingress-nginx, too.
fn is_stated(claims: &Claims<'_>, cx: &Context<'_>) -> bool {
    let is_named = |name: &str| cx.options.controllers.iter().flatten().any(|controller| controller == name);
    let mut classes = claims.classes.iter().map(|class| class.map(|class| cx.cluster.ingress_class(class)));
    classes.all(|class| matches!(class, Some(Lookup::Found(facts)) if is_named(&facts.controller)))
}

/// Whether it is known that no other Ingress makes the paths of a host expressions, of which nginx accepts two that are equal.
fn has_plain_paths(host: &Host<'_>, cx: &Context<'_>) -> bool {
    *host != Host::Any && cx.cluster.is_complete(Kind::Ingress) && !cx.cluster.may_be_expressions(host)
}

/// Whether it is known that no other Ingress has the host and the path of a route.
fn has_own_path(route: &Route<'_>, claims: &Claims<'_>, rivals: &IngressRivals<'_, '_>, cx: &Context<'_>) -> bool {
    let Some(path) = &route.path else { return false };
    let of_any_type = NotatedPath { kind: PathType::ImplementationSpecific, ..path.notated(claims.notation(route)) };
    cx.cluster.is_complete(Kind::Ingress) && rivals.at(&route.host, of_any_type).next().is_none()
}

/// The redirect of the other name of a wildcard host.
fn of_name<'c>(claims: &'c Claims<'_>) -> Option<Fault<'c>> {
    let (key, value) = annotations::find("from-to-www-redirect", claims.ingress)?;
    let mut hosts = claims.ingress.spec.rules.iter().filter_map(|rule| rule.host.as_deref());
    let host = hosts.find(|host| host.starts_with("*.")).filter(|_| is_true(value))?;
    Some(Fault::Name(key, value, host))
}

/// The paths that are not valid expressions.
fn of_expressions<'c>(claims: &'c Claims<'_>, cx: &Context<'_>) -> impl Iterator<Item = Fault<'c>> {
    let may_be = claims.path_regex().any(|controller| controller == Controller::IngressNginx);
    let all = if may_be { cx.part.of(claims.distinct()) } else { &[] };
    let routes = all.iter().map(|position| &claims.routes[*position]);
    routes.filter(|route| match_of(route).is_some() && is_refused(route.written)).map(Fault::Expression)
}

/// The paths that end in a slash beside another one of the Ingress without it, each with that one.
fn of_slashes<'c>(claims: &'c Claims<'_>) -> impl Iterator<Item = (&'c Route<'c>, &'c str)> {
    let prefixes = || claims.routes.iter().filter(|route| match_of(route) == Some(Match::Prefix));
    let slashed = prefixes().filter(|route| route.written.len() > 1 && route.written.ends_with('/'));
    let slashed: Vec<&Route<'_>> = slashed.collect();
    let plain: HashSet<(&Host<'_>, &str)> = match slashed.is_empty() {
        true => HashSet::new(),
        false => prefixes().map(|route| (&route.host, route.written_or_root())).collect(),
    };
    slashed.into_iter().filter_map(move |route| {
        let without = &route.written[..route.written.len() - 1];
        (!without.ends_with('/') && plain.contains(&(&route.host, without))).then_some((route, without))
    })
}

/// The paths that overlap with one of another Ingress so that nginx gets a location twice.
fn of_others<'f>(claims: &'f Claims<'f>, rivals: &IngressRivals<'_, 'f>, cx: &'f Context<'f>) -> Vec<Fault<'f>> {
    let of_route = |position: &usize| {
        let route = &claims.routes[*position];
        let path = route.path.as_ref()?.notated(claims.notation(route));
        let at = |path| -> Vec<Theirs<'_>> {
            rivals.at(&route.host, path).filter_map(|theirs| theirs_of(theirs, rivals)).collect()
        };
        let of_any_type = || at(NotatedPath { kind: PathType::ImplementationSpecific, ..path });
        let overlapping = overlapping(route, at(path), of_any_type, claims, cx)?;
        Some(Fault::Location(route, overlapping.path, Some(overlapping.object_ref)))
    };
    cx.part.of(claims.distinct()).iter().filter_map(of_route).collect()
}

/// A location of another Ingress.
struct Theirs<'c> {
    path: Cow<'c, str>,
    kind: Match,
    created: Timestamp,
    object_ref: &'c ObjectRef,
}

/// The location of a claim of an Ingress that ingress-nginx certainly serves beside the one under review.
fn theirs_of<'c>(claim: IngressClaim<'c>, rivals: &IngressRivals<'_, 'c>) -> Option<Theirs<'c>> {
    let (facts, route) = (claim.facts, claim.route);
    let nearest = rivals.nearest(facts);
    let is_served = nearest.relation == Relation::Same && !nearest.is_assumed && facts.mark == Mark::None;
    if !is_served || facts.nginx.may_be_ignored || claim.alias.is_some() || route.notation.is_default_backend {
        return None;
    }
    let kind = if route.kind == PathType::Exact { Match::Exact } else { Match::Prefix };
    let is_trimmed = route.kind == PathType::Prefix && route.notation.ends_in_slash && *route.path != *"/";
    let path = if is_trimmed { Cow::Owned(format!("{}/", route.path)) } else { Cow::Borrowed(&*route.path) };
    Some(Theirs { path, kind, created: facts.created?, object_ref: &facts.object_ref })
}

/// The location of another Ingress because of which nginx gets one of the path of the Ingress under review twice. ingress-nginx compares a
/// path only with the first location of that text (`createServers` in internal/ingress/controller/controller.go).
fn overlapping<'c>(
    route: &Route<'_>,
    of_type: Vec<Theirs<'c>>,
    of_any_type: impl FnOnce() -> Vec<Theirs<'c>>,
    claims: &Claims<'_>,
    cx: &Context<'_>,
) -> Option<Theirs<'c>> {
    let (path, kind) = (route.written_or_root(), match_of(route)?);
    let order = |created: Option<Timestamp>, name: &ObjectRef| {
        (created.is_none(), created, Reverse(format!("{}/{}", name.namespace, name.name)))
    };
    let theirs_at = |theirs: &Theirs<'_>| order(Some(theirs.created), theirs.object_ref);
    let own_at = order(cx.created.or(claims.ingress.metadata.created()), cx.cluster.this());
    let overlaps = |theirs: &Theirs<'_>| {
        let (one, other) = (theirs.path.as_ref(), path);
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let is_slashed = long.strip_suffix('/') == Some(short) && !short.ends_with('/');
        theirs.kind == kind && (one == other || is_slashed && kind == Match::Prefix)
    };
    // Of two stored Ingresses the later one is at fault.
    let counts = |theirs: &Theirs<'_>| cx.created.is_none() || theirs_at(theirs) < own_at;
    let all = of_type.into_iter().filter(|theirs| overlaps(theirs) && counts(theirs));
    let overlapping = all.min_by_key(|theirs| theirs.path == path)?;
    // Of one Ingress with both types, the order of its paths decides, which is not known here.
    let is_other_first = || {
        let all: Vec<Theirs<'_>> = of_any_type().into_iter().filter(|theirs| theirs.path == path).collect();
        let first = all.iter().map(theirs_at).min().filter(|first| *first < own_at);
        first.is_some_and(|first| {
            all.iter().filter(|theirs| theirs_at(theirs) == first).all(|theirs| theirs.kind != kind)
        })
    };
    let is_twice = match path {
        _ if overlapping.path != path => true,
        // Each server has a location `/` for a prefix.
        "/" => kind == Match::Exact,
        _ => is_other_first(),
    };
    is_twice.then_some(overlapping)
}

/// How nginx matches the path of a route that has a Service.
fn match_of(route: &Route<'_>) -> Option<Match> {
    route.backend.service.as_ref()?;
    Some(if route.path.as_ref()?.kind == PathType::Exact { Match::Exact } else { Match::Prefix })
}
