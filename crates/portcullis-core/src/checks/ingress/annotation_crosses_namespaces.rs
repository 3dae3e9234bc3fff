//! `ingress/annotation-crosses-namespaces`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::matching::annotation_effect::Effect;
use crate::routing::controllers::effects_of;

pub static CHECK: Check = Check {
    id: "ingress/annotation-crosses-namespaces",
    needs: &[Kind::IngressClass],
    page: include_str!("annotation_crosses_namespaces.md"),
    run: Run::Ingress(check),
    ..Check::tenancy(Actions::ACROSS)
};

/// The prefix by which HAProxy Ingress distinguishes Secrets from files.
const SECRET: &str = "secret://";

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let own = cx.namespace();
    let is_other = |namespace: &str| !namespace.is_empty() && !own.is_empty() && namespace != own;
    for (_, key, value) in effects_of(Effect::Secret, ingress, cx.cluster) {
        let reference = value.trim();
        let named = reference.strip_prefix(SECRET).unwrap_or(reference).split_once('/');
        // Beside Secrets, HAProxy Ingress reads files, as in `file:///etc/ssl/ca.pem`.
        if let Some((namespace, _)) = named.filter(|(namespace, _)| !namespace.contains(':') && is_other(namespace)) {
            let template = "Secret `{}` is in namespace {}: use one of namespace {}";
            found.forbidden(At::field("metadata.annotations").key(key), value, template).args([value, namespace, own]);
        }
    }
    for (_, key, value) in effects_of(Effect::ServiceNamespace, ingress, cx.cluster) {
        if is_other(value.trim()) {
            let template = "requests go to Services of namespace {}: use Services of namespace {}";
            found.forbidden(At::field("metadata.annotations").key(key), value, template).args([value, own]);
        }
    }
}
