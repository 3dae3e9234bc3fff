//! The rules for the status of an Ingress, which its controller writes. Only the commands that read stored objects see
//! the status.

use crate::finding::{Action, Actions};
use crate::kinds::walk;
use crate::names;
use crate::validation::{Rule, RuleFn, validators as must};

/// The actions for rules that the design document (KEP-758) does not contain, because it does not cover the status.
const STATUS: Actions = Actions::new(Action::Warn, Action::Warn, Action::Off);

/// The rules for the status of an Ingress.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "ingress/status-hostname-malformed",
        include_str!("../../checks/ingress/status_hostname_malformed.md"),
        STATUS,
        RuleFn::IngressStatus(|ingress, found| {
            let points = walk::load_balancer_points(ingress);
            let hosts = points.filter_map(|(at, point)| Some((at.child("hostname"), point.hostname.as_deref()?)));
            let is_valid = |host: &str| host.is_empty() || (names::is_subdomain(host) && !names::is_ip(host));
            found.each(hosts, must::be(is_valid, "`{}` is not a valid hostname: use a DNS name, not an IP address"))
        }),
    ),
    Rule::reported(
        "ingress/status-ip-malformed",
        include_str!("../../checks/ingress/status_ip_malformed.md"),
        STATUS,
        RuleFn::IngressStatus(|ingress, found| {
            let points = walk::load_balancer_points(ingress);
            let addresses = points.filter_map(|(at, point)| Some((at.child("ip"), point.ip.as_deref()?)));
            let is_valid = |ip: &str| ip.is_empty() || names::is_strict_ip(ip);
            let template = "`{}` is not a valid IP address: use a form such as 10.0.0.1 or 2001:db8::1";
            found.each(addresses, must::be(is_valid, template))
        }),
    ),
];
