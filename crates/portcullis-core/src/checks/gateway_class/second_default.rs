//! `gateway-class/second-default`

use crate::checks::host::{is_later, is_of_unknown_age};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::gateway_class::DEFAULT_ANNOTATION;
use crate::kinds::{GatewayClass, Kind};

pub static CHECK: Check = Check {
    id: "gateway-class/second-default",
    needs: &[Kind::GatewayClass],
    page: include_str!("second_default.md"),
    run: Run::GatewayClass(check),
    ..Check::conflict(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let keys = &cx.config.gateway_class_default_keys;
    if !class.is_default(keys) {
        return;
    }
    if let Lookup::Found(others) = cx.cluster.default_gateway_classes(keys)
        && let Some(first) = others.into_iter().find(|other| is_later(&other.object_ref(), other.created, cx))
    {
        let says_so = |key: &&str| class.metadata.annotations.get(key).is_some_and(|value| &**value == "true");
        let mut keys = std::iter::once(DEFAULT_ANNOTATION).chain(keys.iter().map(|key| key.as_str()));
        let at = At::field("metadata.annotations").key(keys.find(says_so).unwrap_or(DEFAULT_ANNOTATION));
        let template = match is_of_unknown_age(first.created, cx) {
            true => "{other} is also marked as the default: unmark one of the two",
            false => "{other} is already the default: unmark it first",
        };
        found.duplicate(at, "true", template).other(&first.object_ref());
    }
}
