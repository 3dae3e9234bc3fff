//! `ingress/redirect-beyond-paths`

use super::nginx_annotations;
use super::sole_host::is_sole;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host, Mark, Path, PathType};
use crate::nginx::{ControllerSettings, Settings, annotations};

pub static CHECK: Check = Check {
    id: "ingress/redirect-beyond-paths",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("redirect_beyond_paths.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

/// The annotations that redirect every request.
const REDIRECTS: [&str; 2] = ["permanent-redirect", "temporal-redirect"];

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let ingress = claims.ingress;
    let is_redirecting = REDIRECTS.iter().any(|name| annotations::find(name, ingress).is_some());
    if !is_redirecting
        || claims.mark != Mark::None
        || claims.has_default_backend()
        || !nginx_annotations::are_read(ingress, cx)
    {
        return;
    }
    let settings = Settings::of(cx.cluster.this(), ingress, &ControllerSettings::default(), cx.cluster);
    let redirect = settings.redirect.filter(|_| settings.rejected.is_none());
    let Some((key, value)) = redirect.and_then(|(.., name)| annotations::find(name, ingress)) else { return };
    let is_root = |path: &Path<'_>| path.kind != PathType::Exact && *path.text == *"/";
    let has_root = |host: &Host<'_>| {
        let mut own = claims.routes.iter().filter(|route| route.host == *host);
        own.any(|route| route.path.as_ref().is_none_or(is_root))
    };
    let hosts = claims.first_by_host().iter().map(|position| &claims.routes[*position].host);
    let first = hosts.into_iter().find(|host| is_sole(host, cx) && !has_root(host));
    if let Some(host) = first.map(ToString::to_string) {
        let at = At::field("metadata.annotations").key(key);
        let template = "also redirects every path of {} that no rule has: add a rule for / if these must answer 404";
        found.invalid(at, value, template).args([&host]).claim(&host, None);
    }
}
