//! An entry of the configuration, or of a HostClaim, that says who may claim a host.

use super::HostTemplate;
use crate::config::{ClaimMode, NamespaceSelector, OwnedHost};
use crate::matching::Host;

/// Who may claim a host.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The host as written.
    pub(super) written: String,
    pub(super) form: Form,
    /// The namespaces that own it; `None` if only HostClaims give its hosts to namespaces.
    pub(super) namespaces: Option<NamespaceSelector>,
    /// What HostClaims mean for the hosts that it covers, if the entry says so.
    pub(super) claims: Option<ClaimMode>,
    /// Whether it is that of a HostClaim.
    pub(super) is_claim: bool,
}

/// The form follows from the text.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (&self.written, &self.namespaces, self.claims) == (&other.written, &other.namespaces, other.claims)
    }
}

impl Eq for Entry {}

#[derive(Debug, Clone)]
pub(super) enum Form {
    Host(Host<'static>),
    Template(HostTemplate),
}

impl Entry {
    /// The entry of a HostClaim: `host` belongs to the namespaces with these names.
    pub(super) fn of_host(host: Host<'static>, names: Vec<String>) -> Self {
        let namespaces = Some(NamespaceSelector { names, ..NamespaceSelector::default() });
        Self { written: host.to_string(), form: Form::Host(host), namespaces, claims: None, is_claim: true }
    }

    /// An entry of the configuration.
    pub(super) fn of_config(entry: &OwnedHost, form: Form) -> Self {
        let is_left_to_claims = entry.claims.is_some() && entry.namespaces.is_empty();
        let namespaces = (!is_left_to_claims).then(|| entry.namespaces.clone());
        Self { written: entry.host.value.clone(), form, namespaces, claims: entry.claims, is_claim: false }
    }

    /// The host, if it has no placeholders.
    pub(super) fn host(&self) -> Option<&Host<'static>> {
        match &self.form {
            Form::Host(host) => Some(host),
            Form::Template(_) => None,
        }
    }

    /// The namespaces that own `host`, which the entry covers. Where HostClaims are required, they do not own what it covers at a wildcard.
    pub(super) fn owners_of(&self, host: &Host<'_>) -> Option<&NamespaceSelector> {
        let is_left_to_claims = self.claims == Some(ClaimMode::Required) && !self.is_just(host);
        self.namespaces.as_ref().filter(|_| !is_left_to_claims)
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
