//! `ingress/path-looks-like-regex`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};
use crate::matching::annotation_effect::Effect;
use crate::matching::path;
use crate::routing::controllers::effect_of;

pub static CHECK: Check = Check {
    id: "ingress/path-looks-like-regex",
    needs: &[Kind::IngressClass],
    page: include_str!("path_looks_like_regex.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

/// The class of Application Gateway, in the annotation and as its documentation names the IngressClass. With this
/// class, a prefix may end in `*`.
const TRAILING_STAR: [&str; 2] = ["azure-application-gateway", "azure/application-gateway"];

/// The annotation prefix of ingress-nginx, which no longer treats paths of type `Prefix` as regular expressions.
const INGRESS_NGINX: &str = "nginx.ingress.kubernetes.io/";

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let takes_star = ingress.class().is_some_and(|class| TRAILING_STAR.contains(&class));
    for (at, element, _) in walk::http_paths(ingress) {
        let Some(kind @ ("Exact" | "Prefix")) = element.path_type.as_deref() else { continue };
        let written = element.path.as_deref().unwrap_or_default();
        let plain = if takes_star { written.strip_suffix('*').unwrap_or(written) } else { written };
        // Other rules report a path that no request can have, and a regular expression that an annotation enables.
        let Some(pattern) = path::pattern_piece(plain).filter(|_| path::unsafe_character(written).is_none()) else {
            continue;
        };
        match effect_of(Effect::PathRegex, ingress, cx.cluster) {
            None => {
                let template = "`{}` in `{}` is matched literally: type {} does not support patterns";
                found.invalid(at.child("path"), written, template).args([pattern, written, kind]);
            }
            Some((key, _)) if key.starts_with(INGRESS_NGINX) => {
                let template = "`{}` requires pathType ImplementationSpecific since ingress-nginx 1.12";
                found.invalid(at.child("path"), written, template);
            }
            Some(_) => {}
        }
    }
}
