//! `gateway/class-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::cluster::{Lookup, Overlay};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind};

pub static CHECK: Check = Check {
    id: "gateway/class-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[Kind::GatewayClass],
    options: &[],
    page: include_str!("class_missing.md"),
    run: Run::Gateway(check),
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    without_class(gateway, cx.cluster, &cx.config.gateway_class_default_keys, found);
}

/// Reports that `gateway` names no class, and what the classes that are marked as default have to do with it.
pub fn without_class(gateway: &Gateway<'_>, cluster: &Overlay<'_>, keys: &[impl AsRef<str>], found: &mut Findings<'_>) {
    let at = At::field("spec.gatewayClassName");
    match gateway.spec.gateway_class_name.as_deref() {
        Some("") => {
            found.required(at, "the class is empty: name a GatewayClass");
            return;
        }
        Some(_) => return,
        None => {}
    }
    match cluster.default_gateway_classes(keys) {
        Lookup::Absent => {
            found.required(at, "no class is named and no GatewayClass is the default: name one");
        }
        Lookup::Found(defaults) => match defaults.as_slice() {
            [only] => {
                let sentence = "no class is named; {other} is meant only where `/mutate` fills it in";
                found.required(at, sentence).other(&only.place()).only_warns();
            }
            several => {
                let names: Vec<&str> = several.iter().take(3).map(|class| &*class.name).collect();
                let more = if several.len() > names.len() { " and more" } else { "" };
                let sentence = "no class is named, and {}{} are all the default: name one";
                found.required(at, sentence).shown([&names.join(", "), more]);
            }
        },
        Lookup::Unknown => {
            found.required(at, "a Gateway must name its class");
        }
    }
}
