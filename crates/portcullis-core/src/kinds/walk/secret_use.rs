//! The Secrets from which an object serves hosts over TLS.

use crate::field::{At, FieldPath};
use crate::kinds::listener::Listeners;
use crate::kinds::{Entries, Ingress, Object};

/// How an object serves hosts over TLS.
#[derive(Debug)]
pub struct SecretUses<'o, 'a> {
    /// The annotations of the object, which may ask for certificates.
    pub annotations: &'o Entries<'a>,
    /// Each use of Secrets.
    pub all: Vec<SecretUse<'o>>,
}

/// Hosts that are served over TLS, and the Secrets with their certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretUse<'o> {
    /// The hosts, as written; none if that is not known.
    pub hosts: Vec<(At, &'o str)>,
    /// The Secrets.
    pub secrets: Vec<NamedSecret<'o>>,
    /// Whether certificates may also come from elsewhere.
    pub is_partial: bool,
}

/// A Secret that a field names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSecret<'o> {
    /// The address of its name.
    pub at: FieldPath,
    /// The namespace; `None` for that of the object.
    pub namespace: Option<&'o str>,
    /// The name.
    pub name: &'o str,
}

impl<'o, 'a> SecretUses<'o, 'a> {
    /// Of an Ingress, a Gateway or a ListenerSet; `None` for another kind.
    pub fn of(object: &'o Object<'a>) -> Option<Self> {
        let all = match object {
            Object::Ingress(ingress) => of_ingress(ingress).collect(),
            _ => of_listeners(&object.listeners()?).collect(),
        };
        Some(Self { annotations: &object.metadata().annotations, all })
    }

    /// The Secrets of all uses.
    pub fn secrets(&self) -> impl Iterator<Item = &NamedSecret<'o>> {
        self.all.iter().flat_map(|used| &used.secrets)
    }
}

fn of_ingress<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = SecretUse<'o>> {
    ingress.spec.tls.iter().enumerate().filter_map(|(entry, tls)| {
        let at = At::element("spec.tls[].secretName", [entry]);
        let secret = NamedSecret { at: at.into(), namespace: None, name: tls.secret_name.as_deref()? };
        let hosts = tls.hosts.iter().enumerate();
        let hosts = hosts.map(|(host, text)| (At::element("spec.tls[].hosts[]", [entry, host]), &**text));
        Some(SecretUse { hosts: hosts.collect(), secrets: vec![secret], is_partial: false })
    })
}

fn of_listeners<'o>(listeners: &Listeners<'o, '_>) -> impl Iterator<Item = SecretUse<'o>> + use<'o> {
    let terminating = listeners.all.iter().enumerate().filter(|(_, listener)| !listener.is_passthrough());
    terminating.map(|(index, listener)| {
        let at = At::element("spec.listeners[].hostname", [index]);
        let hosts = listener.hostname.iter().map(|host| (at, &**host)).collect();
        let refs = || super::listener::certificates_of(index, listener);
        let secrets: Vec<NamedSecret<'o>> = refs()
            .filter(|(_, target)| (target.group(), target.kind_or("Secret")) == ("", "Secret"))
            .map(|(at, target)| NamedSecret {
                at: at.then("name"),
                namespace: target.namespace.as_deref().filter(|namespace| !namespace.is_empty()),
                name: &target.name,
            })
            .collect();
        let is_partial = secrets.len() != refs().count();
        SecretUse { hosts, secrets, is_partial }
    })
}
