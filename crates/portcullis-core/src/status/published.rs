//! The addresses through which traffic enters, taken from the published Services of the configuration.

use std::net::IpAddr;

use super::StatusContext;
use crate::cluster::Lookup;
use crate::config::PublishedService;
use crate::kinds::Routability;

/// An address of a published Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedAddress<'c> {
    /// The IP address or hostname.
    pub value: &'c str,
    /// From where it can be reached; `None` if the configuration names no valid routability.
    pub routability: Option<Routability<'c>>,
}

impl PublishedAddress<'_> {
    /// The type of the address in the Gateway API.
    pub fn type_name(&self) -> &'static str {
        if self.value.parse::<IpAddr>().is_ok() { "IPAddress" } else { "Hostname" }
    }
}

/// The addresses of all published Services, in the order of the configuration and without duplicates: those of the load
/// balancers with the configured routability, and cluster IPs, which are reachable from inside the cluster only.
pub fn addresses<'c>(context: &StatusContext<'c>) -> Vec<PublishedAddress<'c>> {
    let mut all: Vec<PublishedAddress<'c>> = Vec::new();
    for PublishedService { namespace, name, routability } in &context.settings().publish_service {
        let Lookup::Found(service) = context.cluster.service(namespace, name) else { continue };
        let outside = service.load_balancer.iter().map(|value| (value, Routability::parse(routability)));
        let inside = service.cluster_ips.iter().map(|value| (value, Some(Routability::Cluster)));
        for (value, routability) in outside.chain(inside) {
            if !all.iter().any(|known| *known.value == **value) {
                all.push(PublishedAddress { value, routability });
            }
        }
    }
    all
}

/// The first published Service of which it is not known whether it exists.
pub fn unknown<'c>(context: &StatusContext<'c>) -> Option<&'c PublishedService> {
    let mut services = context.settings().publish_service.iter();
    services.find(|service| context.cluster.service(&service.namespace, &service.name) == Lookup::Unknown)
}
