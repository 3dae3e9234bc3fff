//! What an entry decides, as far as the labels of Namespaces are known.

use super::super::host_entry::{Entry, Form};
use super::super::{HostTemplate, Lookup, Overlay};
use super::OwnershipDecision;
use crate::config::NamespaceSelector;
use crate::matching::{Depth, Host};

impl Entry {
    /// The decision about a host of this entry, which is for `by`.
    pub(super) fn owned<'o>(&'o self, by: &'o NamespaceSelector) -> OwnershipDecision<'o> {
        OwnershipDecision::Owned { entry: &self.written, by, is_claim: self.is_claim }
    }

    /// Whether it is for `namespace`; `None` if labels are not known.
    pub(super) fn selects(&self, namespace: &str, cluster: &Overlay<'_>) -> Option<bool> {
        self.namespaces.as_ref().map_or(Some(false), |namespaces| cluster.selects(namespaces, namespace))
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
