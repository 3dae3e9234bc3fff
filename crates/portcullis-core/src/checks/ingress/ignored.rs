//! `ingress/ignored`

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::config::Risk;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::matching::NginxLocations;
use crate::nginx::{ControllerSettings, Settings, annotations};

pub static CHECK: Check = Check {
    id: "ingress/ignored",
    needs: &[Kind::IngressClass],
    page: include_str!("ignored.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if annotations::all(ingress).next().is_none() || !nginx_annotations::are_read(ingress, cx) {
        return;
    }
    let controller = match cx.cluster.controller_settings().next() {
        Some(_) => ControllerSettings::known(cx.cluster),
        // What is not known of the controller may allow everything but values of another form.
        None if !NginxLocations::of(ingress).may_be_ignored => return,
        None => ControllerSettings { allows_snippets: true, max_risk: Risk::Critical, ..ControllerSettings::default() },
    };
    let rejected = Settings::of(cx.cluster.this(), ingress, &controller, cx.cluster).rejected;
    if let Some((key, value)) = rejected.and_then(|name| annotations::find(name, ingress)) {
        let at = At::field("metadata.annotations").key(key);
        let template = "ingress-nginx ignores the whole Ingress because of this value: correct or remove it";
        found.invalid(at, value, template).without_args();
    }
}
