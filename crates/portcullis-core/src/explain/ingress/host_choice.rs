//! The host whose rules answer in a data plane that selects it by the length of the host, or falls back to wider hosts.

use std::collections::BTreeSet;

use super::{Dialect, Ingresses};
use crate::explain::request::Request;

impl Ingresses<'_> {
    /// The index of the rules for the request among the `ranks` of [`Self::verdict`]: those of the most specific host, or in a data plane
    /// that falls back to wider hosts, of the first one with a path that matches.
    pub(super) fn rank_of(&self, ranks: &[Vec<usize>; 3], dialect: Dialect, request: &Request) -> usize {
        let matches =
            |rule: &usize| self.rules[*rule].backend.is_some() && self.rules[*rule].candidate.matches(request);
        let matching = ranks.iter().position(|rules| rules.iter().any(matches)).filter(|_| dialect.falls_back());
        matching.or(ranks.iter().position(|rules| !rules.is_empty())).unwrap_or_default()
    }

    /// Those of `own` with the longest host.
    pub(super) fn of_longest_host(&self, own: Vec<usize>) -> Vec<usize> {
        let length = |rule: &usize| self.rules[*rule].host.parts().1.len();
        let longest = own.iter().map(length).max();
        own.into_iter().filter(|rule| Some(length(rule)) == longest).collect()
    }
}

impl Dialect {
    /// The default backend that answers for a host of which no rule matches, among `all` of the data plane, the oldest first. `owners` are the
    /// Ingresses with rules for the host.
    pub(super) fn default_backend(self, all: &[usize], owners: &BTreeSet<usize>) -> Option<usize> {
        let owned = || all.iter().find(|source| owners.contains(source));
        let default = match self {
            // That of the oldest Ingress is the one for all hosts.
            Self::Kong => all.first(),
            // It is a location of the hosts of its Ingress.
            Self::F5Nginx => owned(),
            Self::Specified | Self::Contour | Self::Gke | Self::Traefik => owned().or(all.first()),
        };
        default.copied()
    }
}
