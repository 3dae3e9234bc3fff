//! `ingress/stops-data-plane`

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::{At, FieldPath};
use crate::finding::Findings;
use crate::kinds::annotation_value::is_true;
use crate::kinds::{Ingress, Kind};
use crate::nginx::servers::OriginField;
use crate::nginx::{ControllerSettings, Location, Proxy, Source, annotations};

pub static CHECK: Check = Check {
    id: "ingress/stops-data-plane",
    needs: &[Kind::IngressClass],
    page: include_str!("stops_data_plane.md"),
    run: Run::Ingress(check),
    ..Check::conflict(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let ends_in_slash = |path: Option<&str>| path.is_some_and(|path| path.len() > 1 && path.ends_with('/'));
    let mut paths = ingress.spec.rules.iter().flat_map(|rule| rule.paths());
    let may_collide = paths.any(|path| ends_in_slash(path.path.as_deref()));
    let wildcard =
        || ingress.spec.rules.iter().filter_map(|rule| rule.host.as_deref()).find(|host| host.starts_with("*."));
    let www = annotations::find("from-to-www-redirect", ingress).filter(|(_, value)| is_true(value));
    let www = www.and_then(|annotation| Some((annotation, wildcard()?)));
    if (!may_collide && www.is_none()) || !nginx_annotations::are_read(ingress, cx) {
        return;
    }
    if let Some(((key, value), host)) = www {
        let at = At::field("metadata.annotations").key(key);
        let template = "nginx refuses the name www.{}, and then applies no change to any Ingress: remove the redirect";
        found.invalid(at, value, template).args([host]);
    }
    let source = Source { object_ref: cx.cluster.this(), ingress };
    let proxy = Proxy::new(vec![source], ControllerSettings::default(), cx.cluster);
    for server in proxy.servers() {
        let Some((second, first)) = server.locations.duplicate() else { continue };
        let (Some(one), Some(other)) = (written(ingress, first), written(ingress, second)) else { continue };
        // The path that is written with the slash is the one to change.
        let ((at, path), (_, plain)) = if ends_in_slash(Some(one.1)) { (one, other) } else { (other, one) };
        let identity = format!("{} {path}", server.host);
        let template =
            "beside {} on {}, nginx refuses this path, and then applies no change to any Ingress: remove one";
        found.duplicate(at, &identity, template).args([plain, server.host]);
    }
}

/// The field of the path that a location comes from, and the path as written.
fn written<'i>(ingress: &'i Ingress<'_>, location: &Location<'_>) -> Option<(FieldPath, &'i str)> {
    let OriginField::Path([rule, index]) = location.origin?.field else { return None };
    let path = ingress.spec.rules.get(rule)?.paths().get(index)?.path.as_deref()?;
    Some((FieldPath::from(At::element("spec.rules[].http.paths[]", [rule, index]).child("path")), path))
}
