//! `ingress-route/delegation-too-deep`

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run, delegation};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};
use crate::routing::delegation::Chain;

pub static CHECK: Check = Check {
    id: "ingress-route/delegation-too-deep",
    needs: &[Kind::IngressRoute],
    options: &[CheckOption::Optional("maxDepth", OptionDefault::Number(MOST))],
    page: include_str!("delegation_too_deep.md"),
    run: Run::IngressRoute(check),
    ..Check::policy(Actions::DENY)
};

/// The default of `maxDepth`: the maximum number of objects in a chain of delegations.
const MOST: u32 = 16;

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let most = cx.options.max_depth.unwrap_or(MOST) as usize;
    let targets: Vec<ObjectRef> =
        walk::ingress_route::delegates(route).map(|(_, delegate)| delegation::target_of(delegate, cx)).collect();
    let chain = Chain::of(&delegation::graph_context(route, cx), &targets);
    let args = most.to_string();
    if chain.above + 1 > most {
        let message = "the chain of delegations to this object has more than {} objects: delegate from nearer the root";
        // The objects above made the chain too long, and delegation needs no consent of its target.
        found.invalid(At::field("metadata.name"), &args, message).only_warns();
    }
    for ((at, delegate), below) in walk::ingress_route::delegates(route).zip(chain.below) {
        if below > 0 && chain.above + 1 + below > most {
            let message =
                "delegating to `{}` makes a chain of more than {} objects: delegate to it from nearer the root";
            let finding = found.invalid(at, &delegate.name, message).args([&*delegate.name, &args]);
            // Objects of other namespaces above this one needed no consent of its namespace, so their part of the chain
            // denies nothing.
            if chain.above_here + 1 + below <= most {
                finding.only_warns();
            }
        }
    }
}
