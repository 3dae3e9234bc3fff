//! Host ownership: the configuration's entries, indexed by host, and the decision whether a namespace may claim a host.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::host_template::TemplateOwner;
use super::{HostTemplate, Lookup, Overlay};
use crate::config::{ConfigError, HostOwnership, NamespaceSelector, OwnedHost, Unlisted};
use crate::matching::{Depth, Host};

/// The entries, compiled once for each configuration.
#[derive(Debug, Default)]
pub struct Ownership {
    entries: Vec<Entry>,
    /// Entries without placeholders.
    literals: Literals,
    /// The same entries by the host's labels in reverse order, so that the hosts a wildcard covers are adjacent.
    under: BTreeMap<String, usize>,
    templates: Vec<usize>,
    unlisted: Unlisted,
}

/// The entries without placeholders, as positions.
#[derive(Debug, Default)]
struct Literals {
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

/// What the decision about one claim found, and the next one may need again: hosts of one domain follow each other.
#[derive(Debug, Default)]
struct Last<'o, 'h> {
    domain: Option<(&'h str, Found<'o>)>,
    /// An entry for hosts without placeholders, and whether the namespace may claim them; `None` if labels are not known.
    admitted: Option<(&'o Entry, Option<bool>)>,
}

/// What the entries say about the hosts directly below one domain.
#[derive(Debug, Clone, Copy)]
struct Found<'o> {
    domain: Option<&'o Domain>,
    /// The narrowest wildcard that covers them.
    covering: Option<usize>,
}

#[derive(Debug)]
struct Entry {
    /// The host as written.
    written: String,
    form: Form,
    namespaces: NamespaceSelector,
}

#[derive(Debug)]
enum Form {
    Host(Host<'static>),
    Template(HostTemplate),
}

/// The decision about one claim.
#[derive(Debug, PartialEq, Eq)]
pub enum OwnershipDecision<'o> {
    /// The claimant owns the host, or no entry covers it.
    Free,
    /// The entry is for other namespaces, and it either covers the host or is covered by it.
    Owned {
        /// The entry's host, as written.
        entry: &'o str,
        /// The namespaces that may claim it.
        by: &'o NamespaceSelector,
    },
    /// No entry covers the host, and only listed hosts may be claimed.
    Unlisted,
    /// No entry covers the host, and the first namespace that serves it may claim it.
    FirstNamespace,
    /// The decision depends on labels that are not known.
    Unknown,
}

impl Ownership {
    /// Compiles the entries. The errors are invalid placeholders in templates.
    pub fn new(config: &HostOwnership) -> Result<Self, Vec<ConfigError>> {
        let mut ownership = Self { unlisted: config.unlisted, ..Self::default() };
        let errors: Vec<ConfigError> = config.hosts.iter().filter_map(|entry| ownership.add(entry).err()).collect();
        if errors.is_empty() { Ok(ownership) } else { Err(errors) }
    }

    fn add(&mut self, entry: &OwnedHost) -> Result<(), ConfigError> {
        let position = self.entries.len();
        let unknown = |placeholder: String| {
            entry.host.error(format!(
                "`{placeholder}` means nothing in a host; use {{namespace.name}} or {{namespace.labels.KEY}}"
            ))
        };
        let form = match HostTemplate::parse(&entry.host).map_err(unknown)? {
            Some(template) => {
                self.templates.push(position);
                Form::Template(template)
            }
            None => {
                let host = Host::parse(&entry.host).into_owned();
                self.under.insert(host.from_the_right(), position);
                self.literals.insert(&host, position);
                Form::Host(host)
            }
        };
        self.entries.push(Entry { written: entry.host.value.clone(), form, namespaces: entry.namespaces.clone() });
        Ok(())
    }

    /// Whether every claim is allowed: the list of owners is empty, and unlisted hosts are allowed.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.unlisted == Unlisted::Allow
    }

    /// Whether the first namespace that serves a host without an entry owns it.
    pub fn is_first_namespace(&self) -> bool {
        self.unlisted == Unlisted::FirstNamespace
    }

    /// Whether decisions depend on the labels of a Namespace.
    pub fn needs_labels(&self) -> bool {
        self.entries.iter().any(|entry| {
            entry.namespaces.needs_labels()
                || matches!(&entry.form, Form::Template(template) if template.needs_labels())
        })
    }

    /// Decides a claim of `host` from `namespace`. The most specific entry that covers the host decides. A claim of
    /// many hosts must also not cover a host that is owned by another namespace.
    pub fn claim(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> OwnershipDecision<'_> {
        self.decide(host, namespace, cluster, &mut Last::default())
    }

    /// Decides the claims of `hosts` from `namespace`. Adjacent hosts of the same domain share the search.
    pub fn claims<'o, 'h>(
        &'o self,
        hosts: impl Iterator<Item = &'h Host<'h>>,
        namespace: &str,
        cluster: &Overlay<'_>,
    ) -> impl Iterator<Item = OwnershipDecision<'o>> {
        let mut last = Last::default();
        hosts.map(move |host| self.decide(host, namespace, cluster, &mut last))
    }

    fn decide<'o, 'h>(
        &'o self,
        host: &'h Host<'_>,
        namespace: &str,
        cluster: &Overlay<'_>,
        last: &mut Last<'o, 'h>,
    ) -> OwnershipDecision<'o> {
        let deciding = self.deciding(host, last);
        if let Some(entry) = deciding {
            match last.admits(entry, host, namespace, cluster) {
                Some(true) if matches!(host, Host::Precise(_)) || entry.is_just(host) => {
                    return OwnershipDecision::Free;
                }
                Some(true) => {}
                Some(false) => return entry.owned(),
                None => return OwnershipDecision::Unknown,
            }
        }
        match self.covered(host, namespace, cluster) {
            OwnershipDecision::Free if deciding.is_none() => match self.unlisted {
                Unlisted::Allow => OwnershipDecision::Free,
                Unlisted::Deny => OwnershipDecision::Unlisted,
                Unlisted::FirstNamespace => OwnershipDecision::FirstNamespace,
            },
            answer => answer,
        }
    }

    /// The host of the entry that decides who may claim `host`, as written, and the namespaces that may. `None` if no
    /// entry covers it.
    pub fn entry_of(&self, host: &Host<'_>) -> Option<(&str, &NamespaceSelector)> {
        self.deciding(host, &mut Last::default()).map(|entry| (&*entry.written, &entry.namespaces))
    }

    /// The namespaces to which the entry for `entry`, which has placeholders, gives `host`; `None` if the host does not say
    /// which ones.
    pub fn owner_of(&self, entry: &str, host: &Host<'_>) -> Option<TemplateOwner> {
        let entry = self.entries.iter().find(|own| own.written == entry)?;
        match &entry.form {
            Form::Template(template) => template.owner_of(host),
            Form::Host(_) => None,
        }
    }

    /// The host that the entry for `entry`, which has placeholders, gives to `namespace`. `None` if it gives none, or if
    /// labels are not known.
    pub fn host_for(&self, entry: &str, namespace: &str, cluster: &Overlay<'_>) -> Option<Host<'static>> {
        let entry = self.entries.iter().find(|own| own.written == entry)?;
        match &entry.form {
            Form::Template(template) if cluster.selects(&entry.namespaces, namespace) == Some(true) => {
                own_host(template, namespace, cluster).flatten()
            }
            _ => None,
        }
    }

    /// The most specific entry that covers `host`: a precise one, then the wildcard with the most labels. A literal
    /// host precedes a template.
    fn deciding<'o, 'h>(&'o self, host: &'h Host<'_>, last: &mut Last<'o, 'h>) -> Option<&'o Entry> {
        let literal = self.literals.deciding(host, last);
        let literal = literal.map(|position| &self.entries[position]);
        if self.templates.is_empty() {
            return literal;
        }
        let templates = self.templates.iter().map(|position| &self.entries[*position]);
        let covering = templates.filter(|entry| entry.could_cover(host));
        covering.chain(literal).max_by_key(|entry| entry.rank())
    }

    /// Whether a claim of many hosts covers a host that another namespace owns.
    fn covered(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> OwnershipDecision<'_> {
        let Some(prefix) = host.prefix_of_covered() else { return OwnershipDecision::Free };
        let literal = self.under.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        let literal = literal.map(|(_, position)| *position);
        let templates = self.templates.iter().copied().filter(|position| self.entries[*position].could_be_under(host));
        let mut unknown = false;
        for entry in literal.chain(templates).map(|position| &self.entries[position]) {
            match entry.is_all_for(host, namespace, cluster) {
                Some(true) => {}
                Some(false) => return entry.owned(),
                None => unknown = true,
            }
        }
        if unknown { OwnershipDecision::Unknown } else { OwnershipDecision::Free }
    }
}

impl Literals {
    fn insert(&mut self, host: &Host<'_>, position: usize) {
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
    fn deciding<'o, 'h>(&'o self, host: &'h Host<'_>, last: &mut Last<'o, 'h>) -> Option<usize> {
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
    fn admits(&mut self, entry: &'o Entry, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
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

impl Entry {
    fn owned(&self) -> OwnershipDecision<'_> {
        OwnershipDecision::Owned { entry: &self.written, by: &self.namespaces }
    }

    fn is_just(&self, host: &Host<'_>) -> bool {
        matches!(&self.form, Form::Host(own) if own == host)
    }

    fn could_cover(&self, host: &Host<'_>) -> bool {
        matches!(&self.form, Form::Template(template) if template.could_cover(host))
    }

    fn could_be_under(&self, host: &Host<'_>) -> bool {
        matches!(&self.form, Form::Template(template) if template.could_be_under(host))
    }

    /// Whether `namespace` may claim `host` under this entry; `None` if labels are not known.
    fn admits(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        if !cluster.selects(&self.namespaces, namespace)? {
            return Some(false);
        }
        match &self.form {
            Form::Host(_) => Some(true),
            Form::Template(template) => {
                let own = own_host(template, namespace, cluster)?;
                Some(own.is_some_and(|own| own.covers(host, Depth::AnyLabels)))
            }
        }
    }

    /// Whether every host of this entry that `host` covers is for `namespace`; `None` if labels are not known.
    fn is_all_for(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        if !cluster.selects(&self.namespaces, namespace)? {
            return Some(false);
        }
        match &self.form {
            Form::Host(_) => Some(true),
            Form::Template(template) if template.is_settled_by(host) => {
                let own = own_host(template, namespace, cluster)?;
                Some(own.is_some_and(|own| host.covers(&own, Depth::AnyLabels)))
            }
            // The covered hosts of this template belong to several namespaces.
            Form::Template(_) => Some(false),
        }
    }

    /// The sort key of specificity: precise before wildcard, more labels before fewer, literal before template.
    fn rank(&self) -> (bool, usize, bool) {
        match &self.form {
            Form::Host(Host::Any) => (false, 0, true),
            Form::Host(Host::Wildcard(suffix)) => (false, suffix.split('.').count() + 1, true),
            Form::Host(Host::Precise(name)) => (true, name.split('.').count(), true),
            Form::Template(template) => {
                let (is_precise, labels) = template.rank();
                (is_precise, labels, false)
            }
        }
    }
}

/// The host that a template gives `namespace`, if any; `None` if its labels are not known.
fn own_host(template: &HostTemplate, namespace: &str, cluster: &Overlay<'_>) -> Option<Option<Host<'static>>> {
    if !template.needs_labels() {
        return Some(template.host(namespace, |_| None));
    }
    match cluster.namespace(namespace) {
        Lookup::Found(facts) => Some(template.host(namespace, |key| facts.label(key))),
        Lookup::Absent => Some(None),
        Lookup::Unknown => None,
    }
}
