//! `ingress/path-looks-like-regex`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, annotation, walk};
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "ingress/path-looks-like-regex",
    page: include_str!("path_looks_like_regex.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

/// The class of Application Gateway, by the annotation and by the name that its documentation gives the IngressClass: there a prefix may end
/// in `*`.
const TRAILING_STAR: [&str; 2] = ["azure-application-gateway", "azure/application-gateway"];

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let takes_star = ingress.class().is_some_and(|class| TRAILING_STAR.contains(&class));
    for (at, element, _) in walk::http_paths(ingress) {
        let Some(kind @ ("Exact" | "Prefix")) = element.path_type.as_deref() else { continue };
        let written = element.path.as_deref().unwrap_or_default();
        let plain = if takes_star { written.strip_suffix('*').unwrap_or(written) } else { written };
        // A path that no request can have is another fault, and so is an expression that an annotation asks for.
        let Some(pattern) = path::pattern_piece(plain).filter(|_| path::unsafe_character(written).is_none()) else {
            continue;
        };
        match annotation::path_regex(&ingress.metadata.annotations) {
            None => {
                let sentence = "`{}` stands for itself in `{}`: type {} knows no patterns";
                found.invalid(at.then("path"), written, sentence).shown([pattern, written, kind]);
            }
            Some(key) if key.starts_with(INGRESS_NGINX) => {
                let sentence = "`{}` needs pathType ImplementationSpecific from ingress-nginx 1.12 on";
                found.invalid(at.then("path"), written, sentence);
            }
            Some(_) => {}
        }
    }
}

/// The annotations of ingress-nginx, which gave up regular expressions under the type `Prefix`.
const INGRESS_NGINX: &str = "nginx.ingress.kubernetes.io/";
