//! `ingress/stops-data-plane`

use hashbrown::HashSet;

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::annotation_value::is_true;
use crate::kinds::ingress::HttpPath;
use crate::kinds::{Ingress, Kind};
use crate::nginx::{ControllerSettings, Settings, annotations};

pub static CHECK: Check = Check {
    id: "ingress/stops-data-plane",
    needs: &[Kind::IngressClass],
    page: include_str!("stops_data_plane.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut hosts = ingress.spec.rules.iter().filter_map(|rule| rule.host.as_deref());
    let www = annotations::find("from-to-www-redirect", ingress).filter(|(_, value)| is_true(value));
    let www = www.and_then(|annotation| Some((annotation, hosts.find(|host| host.starts_with("*."))?)));
    let mut slashed = slashed(ingress).peekable();
    if (slashed.peek().is_none() && www.is_none()) || !nginx_annotations::are_read(ingress, cx) {
        return;
    }
    let settings = Settings::of(cx.cluster.this(), ingress, &ControllerSettings::default(), cx.cluster);
    if settings.rejected.is_some() || settings.canary.is_some() {
        return;
    }
    if let Some(((key, value), host)) = www {
        let at = At::field("metadata.annotations").key(key);
        let template = "nginx refuses the name www.{}, and then applies no change to any Ingress: remove the redirect";
        found.invalid(at, value, template).args([host]);
    }
    if all(ingress).any(|(.., path)| settings.enforces_regex(path)) {
        return;
    }
    let plain: HashSet<(&str, &str)> = all(ingress).map(|(_, host, path)| (host, path)).collect();
    for (position, host, path) in slashed {
        let without = &path[..path.len() - 1];
        if plain.contains(&(host, without)) {
            let at = At::element("spec.rules[].http.paths[]", position).child("path");
            let identity = format!("{host} {path}");
            let template =
                "beside {} on {}, nginx refuses this path, and then applies no change to any Ingress: remove one";
            found.duplicate(at, &identity, template).args([without, host]);
        }
    }
}

/// The paths that become prefixes of nginx, each with its indexes and its host. A path that is absent is `/`.
fn all<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = ([usize; 2], &'i str, &'i str)> {
    let is_prefix = |path: &HttpPath<'_>| path.path_type.as_deref() != Some("Exact") && path.backend.service.is_some();
    ingress.spec.rules.iter().enumerate().flat_map(move |(number, rule)| {
        let host = rule.host.as_deref().unwrap_or_default();
        let paths = rule.paths().iter().enumerate().filter(move |(_, path)| is_prefix(path));
        paths.map(move |(index, path)| ([number, index], host, path.path.as_deref().unwrap_or("/")))
    })
}

/// Those that end in a slash, but for `/`.
fn slashed<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = ([usize; 2], &'i str, &'i str)> {
    all(ingress).filter(|(.., path)| path.len() > 1 && path.ends_with('/'))
}
