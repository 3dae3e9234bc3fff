//! `ingress/hosts-too-many`

use std::collections::BTreeMap;

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;
use crate::matching::Host;

pub static CHECK: Check = Check {
    id: "ingress/hosts-too-many",
    options: &[CheckOption::Optional("maxHosts", OptionDefault::Number(MAX_HOSTS))],
    page: include_str!("hosts_too_many.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::OFF)
};

/// The default of `maxHosts`.
const MAX_HOSTS: u32 = 1;

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let max = cx.options.max_hosts.unwrap_or(MAX_HOSTS);
    let mut hosts = BTreeMap::new();
    for (index, rule) in ingress.spec.rules.iter().enumerate() {
        let host = Host::parse(rule.host.as_deref().unwrap_or_default()).to_string();
        hosts.entry(host).or_insert(index);
    }
    let (count, limit) = (hosts.len().to_string(), max.to_string());
    // Each host beyond the limit is a finding of its own, identified by its number, so that an update may replace or remove
    // hosts, and may not add one.
    for (number, (host, index)) in hosts.iter().enumerate().skip(max as usize) {
        let (at, number) = (At::element("spec.rules[].host", [*index]), number.to_string());
        if host == "*" {
            let template =
                "the limit is {} per Ingress here, and this one has {} hosts: move this rule to another Ingress";
            found.forbidden(at, &number, template).args([&limit, &count]);
        } else {
            let template = "the limit is {} per Ingress here, and this one has {} hosts: move {} to another Ingress";
            found.forbidden(at, &number, template).args([&limit, &count, host]);
        }
    }
}
