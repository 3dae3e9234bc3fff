//! `ingress/annotation-risky`

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::config::Risk;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;
use crate::nginx::annotations::{self, PREFIX};

pub static CHECK: Check = Check {
    id: "ingress/annotation-risky",
    options: &[CheckOption::Optional("maxRisk", OptionDefault::Text(MOST.name()))],
    page: include_str!("annotation_risky.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::OFF)
};

/// The default of `maxRisk`: the highest risk that ingress-nginx accepted by default.
const MOST: Risk = Risk::High;

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let most = cx.options.max_risk.unwrap_or(MOST);
    for (key, value) in ingress.metadata.annotations.iter() {
        let Some(name) = key.strip_prefix(PREFIX) else { continue };
        let risk = annotations::named(name).map_or(Risk::Low, |known| known.risk);
        if risk > most {
            let at = At::field("metadata.annotations").key(key);
            let template = "the risk of {} is {}; at most {} is allowed here";
            found.forbidden(at, value, template).args([name, risk.name(), most.name()]);
        }
    }
}
