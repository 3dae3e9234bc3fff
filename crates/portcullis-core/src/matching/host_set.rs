//! A set of hosts with look-ups. An Ingress can name tens of thousands of hosts, and comparing all pairs would stall a
//! review.

use std::cell::OnceCell;

use hashbrown::HashSet;

use super::Host;

/// Hosts of an Ingress, whose wildcards match exactly one label (KEP-758).
#[derive(Debug, Default)]
pub struct HostSet<'h> {
    hosts: HashSet<Host<'h>>,
    /// For each precise host, the wildcard that covers it. Computed when a host is not covered, which is rare.
    above: OnceCell<HashSet<Host<'h>>>,
}

impl<'h> HostSet<'h> {
    /// Whether one of the hosts covers every request for `host`.
    pub fn covers(&self, host: &Host<'h>) -> bool {
        self.hosts.contains(host)
            || self.hosts.contains(&Host::Any)
            || host.clone().wildcard_above().is_some_and(|wildcard| self.hosts.contains(&wildcard))
    }

    /// Whether some request matches `host` and one of the hosts.
    pub fn overlaps(&self, host: &Host<'h>) -> bool {
        self.covers(host) || self.above().contains(host) || (*host == Host::Any && !self.hosts.is_empty())
    }

    fn above(&self) -> &HashSet<Host<'h>> {
        self.above.get_or_init(|| self.hosts.iter().cloned().filter_map(Host::wildcard_above).collect())
    }
}

impl<'h> FromIterator<Host<'h>> for HostSet<'h> {
    fn from_iter<I: IntoIterator<Item = Host<'h>>>(hosts: I) -> Self {
        Self { hosts: hosts.into_iter().collect(), above: OnceCell::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::Depth;

    #[test]
    fn a_set_answers_as_its_hosts_do_one_by_one() {
        let written = ["", "com", "a.com", "b.com", "*.com", "x.a.com", "*.a.com", "y.x.a.com", "*.x.a.com", "A.com."];
        for bits in 0..1u32 << written.len() {
            let chosen = written.iter().zip(0..).filter(|(_, bit)| bits & (1 << bit) != 0);
            let hosts: Vec<_> = chosen.map(|(host, _)| Host::parse(host)).collect();
            let set: HostSet<'_> = hosts.iter().cloned().collect();
            for host in written.map(Host::parse) {
                assert_eq!(set.covers(&host), hosts.iter().any(|own| own.covers(&host, Depth::OneLabel)), "{host}");
                assert_eq!(set.overlaps(&host), hosts.iter().any(|own| own.overlaps(&host, Depth::OneLabel)), "{host}");
            }
        }
    }
}
