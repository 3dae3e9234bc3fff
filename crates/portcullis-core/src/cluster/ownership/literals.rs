//! Entries without placeholders, by the labels of their hosts.

use hashbrown::HashMap;

use super::super::Overlay;
use super::super::host_entry::{Entry, Form};
use crate::matching::Host;

/// The entries without placeholders, as positions.
#[derive(Debug, Default)]
pub(super) struct Literals {
    domains: HashMap<String, Domain>,
    /// The entry for every host.
    any: Option<usize>,
}

/// The entries for the hosts directly below one domain, which is empty for hosts of one label.
#[derive(Debug, Default)]
struct Domain {
    /// Those for one host, by its first label.
    hosts: HashMap<String, usize>,
    /// The one for `*.` and the domain.
    wildcard: Option<usize>,
}

/// What the entries say about the hosts directly below one domain.
#[derive(Debug, Clone, Copy)]
struct Found<'o> {
    domain: Option<&'o Domain>,
    /// The narrowest wildcard that covers them.
    covering: Option<usize>,
}

/// What the decision about one claim found, and the next one may need again: hosts of one domain follow each other.
#[derive(Debug, Default)]
pub(super) struct Last<'o, 'h> {
    domain: Option<(&'h str, Found<'o>)>,
    /// An entry for hosts without placeholders, and whether the namespace may claim them; `None` if labels are not known.
    admitted: Option<(&'o Entry, Option<bool>)>,
}

impl Literals {
    pub(super) fn insert(&mut self, host: &Host<'_>, position: usize) {
        match host {
            Host::Any => self.any = Some(position),
            Host::Wildcard(suffix) => self.domain(suffix).wildcard = Some(position),
            Host::Precise(name) => {
                let (label, domain) = split(name);
                self.domain(domain).hosts.insert(label.to_owned(), position);
            }
        }
    }

    fn domain(&mut self, name: &str) -> &mut Domain {
        self.domains.entry_ref(name).or_default()
    }

    /// The entry for exactly this host, otherwise that for the narrowest wildcard that covers it.
    pub(super) fn deciding<'o, 'h>(&'o self, host: &'h Host<'_>, last: &mut Last<'o, 'h>) -> Option<usize> {
        match host {
            Host::Any => self.any,
            Host::Wildcard(suffix) => self.below(suffix).covering,
            Host::Precise(name) => {
                let (label, domain) = split(name);
                let found = match last.domain {
                    Some((of_last, found)) if of_last == domain => found,
                    _ => last.domain.insert((domain, self.below(domain))).1,
                };
                found.domain.and_then(|domain| domain.hosts.get(label)).copied().or(found.covering)
            }
        }
    }

    /// What the entries say about the hosts directly below this domain.
    fn below(&self, domain: &str) -> Found<'_> {
        let wildcard = |name| self.domains.get(name)?.wildcard;
        let mut domains =
            std::iter::successors(Some(domain), |name| Some(split(name).1).filter(|rest| !rest.is_empty()));
        Found { domain: self.domains.get(domain), covering: domains.find_map(wildcard).or(self.any) }
    }
}

/// The first label of a name, and the domain that follows it, which may be empty.
fn split(name: &str) -> (&str, &str) {
    match memchr::memchr(b'.', name.as_bytes()) {
        Some(dot) => (&name[..dot], &name[dot + 1..]),
        None => (name, ""),
    }
}

impl<'o> Last<'o, '_> {
    /// Whether `namespace` may claim `host` under `entry`; `None` if labels are not known.
    pub(super) fn admits(
        &mut self,
        entry: &'o Entry,
        host: &Host<'_>,
        namespace: &str,
        cluster: &Overlay<'_>,
    ) -> Option<bool> {
        if let Some((last, admitted)) = self.admitted
            && std::ptr::eq(last, entry)
        {
            return admitted;
        }
        let admitted = entry.admits(host, namespace, cluster);
        if matches!(entry.form, Form::Host(_)) {
            self.admitted = Some((entry, admitted));
        }
        admitted
    }
}
