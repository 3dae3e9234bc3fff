//! `listener-set/feature-unsupported`

use crate::checks::feature_uses::{Feature, FeatureUses, add_tls_modes, with_features};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ListenerSet};
use crate::routing::controllers::gateway_class_of;

pub static CHECK: Check = Check {
    id: "listener-set/feature-unsupported",
    needs: &[Kind::Gateway, Kind::GatewayClass],
    page: include_str!("feature_unsupported.md"),
    run: Run::ListenerSet(check),
    ..Check::reference(Actions::WARN)
};

const LISTENER_SET: Feature = &["ListenerSet"];

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let parent = ParentFacts::of(&set.spec.parent_ref, cx.namespace());
    let Some(parent) = parent.filter(|parent| parent.target.kind == Kind::Gateway) else { return };
    let Some(class) = with_features(gateway_class_of(&parent.target, cx.cluster)) else { return };
    let mut uses = FeatureUses::default();
    uses.add(LISTENER_SET, At::field("spec.parentRef"));
    add_tls_modes(&set.listeners(), &mut uses);
    uses.report(&[class], found);
}
