//! Who may claim which host: the configuration's entries, indexed by host, held against what is known of the claimant's namespace.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::{HostTemplate, Lookup, Overlay};
use crate::config::{ConfigError, HostOwnership, NamespaceSelector, OwnedHost, Unlisted};
use crate::matching::{Depth, Host};

/// The entries, compiled once for each configuration.
#[derive(Debug, Default)]
pub struct Ownership {
    entries: Vec<Entry>,
    /// Entries without places by host.
    by_host: HashMap<Host<'static>, usize>,
    /// The same by the host's labels from the right, so that what a wildcard covers stands together.
    under: BTreeMap<String, usize>,
    templates: Vec<usize>,
    unlisted: Unlisted,
}

#[derive(Debug)]
struct Entry {
    /// As written.
    written: String,
    form: Form,
    namespaces: NamespaceSelector,
}

#[derive(Debug)]
enum Form {
    Host(Host<'static>),
    Template(HostTemplate),
}

/// What the entries say of one claim.
#[derive(Debug, PartialEq, Eq)]
pub enum OwnershipClaim<'o> {
    /// It is the claimant's, or nobody's.
    Free,
    /// It is, or covers, the host of this entry, which is for these namespaces.
    Owned {
        /// The entry's host, as written.
        entry: &'o str,
        /// Who may claim it.
        by: &'o NamespaceSelector,
    },
    /// No entry covers it, and only listed hosts may be claimed.
    Unlisted,
    /// That hangs on labels that are not known.
    Unknown,
}

impl Ownership {
    /// Compiles the entries; the errors are places in templates that mean nothing.
    pub fn new(config: &HostOwnership) -> Result<Self, Vec<ConfigError>> {
        let mut ownership = Self { unlisted: config.unlisted, ..Self::default() };
        let errors: Vec<ConfigError> = config.hosts.iter().filter_map(|entry| ownership.add(entry).err()).collect();
        if errors.is_empty() { Ok(ownership) } else { Err(errors) }
    }

    fn add(&mut self, entry: &OwnedHost) -> Result<(), ConfigError> {
        let position = self.entries.len();
        let unknown = |object_ref: String| {
            entry.host.error(format!(
                "`{object_ref}` means nothing in a host; use {{namespace.name}} or {{namespace.labels.KEY}}"
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
                self.by_host.insert(host.clone(), position);
                Form::Host(host)
            }
        };
        self.entries.push(Entry { written: entry.host.value.clone(), form, namespaces: entry.namespaces.clone() });
        Ok(())
    }

    /// Whether there is nothing to judge by.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.unlisted == Unlisted::Allow
    }

    /// Whether a Namespace's labels are needed to decide.
    pub fn needs_labels(&self) -> bool {
        self.entries.iter().any(|entry| {
            entry.namespaces.needs_labels()
                || matches!(&entry.form, Form::Template(template) if template.needs_labels())
        })
    }

    /// What the entries say of `host`, claimed from `namespace`: the most specific entry that covers it decides, and a claim of many hosts
    /// must not cover somebody else's.
    pub fn claim(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> OwnershipClaim<'_> {
        let deciding = self.deciding(host);
        if let Some(entry) = deciding {
            match entry.admits(host, namespace, cluster) {
                Some(true) if entry.is_just(host) => return OwnershipClaim::Free,
                Some(true) => {}
                Some(false) => return entry.owned(),
                None => return OwnershipClaim::Unknown,
            }
        }
        match self.covered(host, namespace, cluster) {
            OwnershipClaim::Free if deciding.is_none() && self.unlisted == Unlisted::Deny => OwnershipClaim::Unlisted,
            answer => answer,
        }
    }

    /// The most specific entry that covers `host`: a precise one, then the wildcard with the most labels, a text before a template.
    fn deciding(&self, host: &Host<'_>) -> Option<&Entry> {
        let literal = self.literal(host);
        let templates = self.templates.iter().map(|position| &self.entries[*position]);
        let covering = templates.filter(|entry| entry.could_cover(host));
        covering.chain(literal).max_by_key(|entry| entry.rank())
    }

    fn literal(&self, host: &Host<'_>) -> Option<&Entry> {
        let above = || host.wildcards_above().find_map(|wildcard| self.entry(&wildcard));
        self.entry(host).or_else(above).or_else(|| self.entry(&Host::Any))
    }

    fn entry(&self, host: &Host<'_>) -> Option<&Entry> {
        self.by_host.get(host).map(|position| &self.entries[*position])
    }

    /// Whether a claim of many hosts covers one that is somebody else's.
    fn covered(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> OwnershipClaim<'_> {
        let Some(prefix) = host.prefix_of_covered() else { return OwnershipClaim::Free };
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
        if unknown { OwnershipClaim::Unknown } else { OwnershipClaim::Free }
    }
}

impl Entry {
    fn owned(&self) -> OwnershipClaim<'_> {
        OwnershipClaim::Owned { entry: &self.written, by: &self.namespaces }
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

    /// Whether `namespace` may claim `host` under this entry.
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

    /// Whether all of this entry that `host` covers is for `namespace`.
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
            // Its hosts are many namespaces'.
            Form::Template(_) => Some(false),
        }
    }

    /// The greater, the more specific: precise before wildcard, more labels before fewer, text before template.
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

/// The host that a template gives `namespace`, if any; `None` where its labels are not known.
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
