//! One entry: who may claim a host.

use super::super::{HostTemplate, Lookup, Overlay};
use crate::config::{ClaimMode, NamespaceSelector};
use crate::matching::{Depth, Host};

/// Who may claim a host.
#[derive(Debug, Clone)]
pub(in crate::cluster) struct Entry {
    /// The host as written.
    pub(super) written: String,
    pub(super) form: Form,
    pub(super) holders: Holders,
}

/// The form follows from the text.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (&self.written, &self.holders) == (&other.written, &other.holders)
    }
}

impl Eq for Entry {}

#[derive(Debug, Clone)]
pub(super) enum Form {
    Host(Host<'static>),
    Template(HostTemplate),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holders {
    Namespaces(NamespaceSelector),
    /// The namespaces of HostClaims.
    Claims(ClaimMode),
}

impl Entry {
    /// The entry of a HostClaim: `host` belongs to the namespaces with these names.
    pub(in crate::cluster) fn of_host(host: Host<'static>, names: Vec<String>) -> Self {
        let holders = Holders::Namespaces(NamespaceSelector { names, ..NamespaceSelector::default() });
        Self { written: host.to_string(), form: Form::Host(host), holders }
    }

    /// The host, if it has no placeholders.
    pub(in crate::cluster) fn host(&self) -> Option<&Host<'static>> {
        match &self.form {
            Form::Host(host) => Some(host),
            Form::Template(_) => None,
        }
    }

    pub(super) fn namespaces(&self) -> Option<&NamespaceSelector> {
        match &self.holders {
            Holders::Namespaces(namespaces) => Some(namespaces),
            Holders::Claims(_) => None,
        }
    }

    /// Whether it is for `namespace`; `None` if labels are not known.
    pub(super) fn selects(&self, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        match &self.holders {
            Holders::Namespaces(namespaces) => cluster.selects(namespaces, namespace),
            Holders::Claims(_) => Some(false),
        }
    }

    pub(super) fn is_just(&self, host: &Host<'_>) -> bool {
        matches!(&self.form, Form::Host(own) if own == host)
    }

    pub(super) fn could_cover(&self, host: &Host<'_>) -> bool {
        matches!(&self.form, Form::Template(template) if template.could_cover(host))
    }

    pub(super) fn could_be_under(&self, host: &Host<'_>) -> bool {
        matches!(&self.form, Form::Template(template) if template.could_be_under(host))
    }

    /// Whether `namespace` may claim `host` under this entry; `None` if labels are not known.
    pub(super) fn admits(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        if !self.selects(namespace, cluster)? {
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
    pub(super) fn is_all_for(&self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        if !self.selects(namespace, cluster)? {
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
    pub(super) fn rank(&self) -> (bool, usize, bool) {
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
pub(super) fn own_host(
    template: &HostTemplate,
    namespace: &str,
    cluster: &Overlay<'_>,
) -> Option<Option<Host<'static>>> {
    if !template.needs_labels() {
        return Some(template.host(namespace, |_| None));
    }
    match cluster.namespace(namespace) {
        Lookup::Found(facts) => Some(template.host(namespace, |key| facts.label(key))),
        Lookup::Absent => Some(None),
        Lookup::Unknown => None,
    }
}
