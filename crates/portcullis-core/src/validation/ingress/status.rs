//! The rules about what a controller published in the status of an Ingress. Only the commands that read stored objects see it.

use crate::finding::{Action, Actions};
use crate::kinds::walk;
use crate::names;
use crate::validation::{Rule, Test, validators as must};

/// The design document (KEP-758) does not cover the status.
const STATUS: Actions = Actions::new(Action::Warn, Action::Warn, Action::Off);

/// The rules about the status of an Ingress.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "ingress/status-hostname-malformed",
        include_str!("../../checks/ingress/status_hostname_malformed.md"),
        STATUS,
        Test::IngressStatus(|ingress, found| {
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
        Test::IngressStatus(|ingress, found| {
            let points = walk::load_balancer_points(ingress);
            let addresses = points.filter_map(|(at, point)| Some((at.child("ip"), point.ip.as_deref()?)));
            let is_valid = |ip: &str| ip.is_empty() || names::is_strict_ip(ip);
            let template = "`{}` is not a valid IP address: use no leading zeros and no IPv4-mapped IPv6 address";
            found.each(addresses, must::be(is_valid, template))
        }),
    ),
];
