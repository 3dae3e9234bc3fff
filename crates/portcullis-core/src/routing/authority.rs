//! Whether a ConfigMap or a Secret holds a usable certificate authority.

use super::read_failure;
use crate::cluster::{DataEntry, Lookup, Overlay, ReadKey};

/// The key of the certificates.
const KEY: &str = "ca.crt";
/// The reason for a reference to an object that does not exist or has no usable certificate.
const INVALID_REF: &str = "InvalidCACertificateRef";

/// What is known of a certificate authority.
#[derive(Debug, PartialEq, Eq)]
pub enum Authority {
    /// It is usable.
    Valid,
    /// The reason and a message why it is not.
    Invalid(&'static str, String),
    /// A message that says what is not known.
    Unknown(String),
}

/// The authority in a ConfigMap.
pub fn in_config_map((namespace, name): (&str, &str), cluster: &Overlay<'_>) -> Authority {
    let entry = cluster.config_map(namespace, name).map(|facts| &facts.authority);
    let key = || ReadKey::ConfigMap((namespace.into(), name.into()));
    of_entry("ConfigMap", (namespace, name), entry, || read_failure::of(&key(), cluster))
}

/// The authority in a Secret.
pub fn in_secret((namespace, name): (&str, &str), cluster: &Overlay<'_>) -> Authority {
    let entry = cluster.secret(namespace, name).map(|facts| &facts.authority);
    let key = || ReadKey::Secret((namespace.into(), name.into()));
    of_entry("Secret", (namespace, name), entry, || read_failure::of(&key(), cluster))
}

fn of_entry(
    kind: &str,
    (namespace, name): (&str, &str),
    entry: Lookup<&DataEntry<()>>,
    failure: impl FnOnce() -> Option<String>,
) -> Authority {
    match entry {
        Lookup::Found(DataEntry::Read(())) => Authority::Valid,
        Lookup::Found(DataEntry::Missing) => invalid(format!("{kind} {namespace}/{name} has no {KEY}")),
        Lookup::Found(DataEntry::Unreadable) => {
            invalid(format!("{KEY} of {kind} {namespace}/{name} is not a valid certificate"))
        }
        Lookup::Absent => invalid(format!("{kind} {namespace}/{name} not found")),
        Lookup::Unknown => Authority::Unknown(match failure() {
            Some(failure) => format!("{kind} {namespace}/{name} {failure}"),
            None => format!(
                "{kind}s of a cluster are not read, so it is not known whether {kind} {namespace}/{name} has a usable {KEY}"
            ),
        }),
    }
}

/// An authority that is not usable because of the object that the reference is to.
pub fn invalid(message: String) -> Authority {
    Authority::Invalid(INVALID_REF, message)
}
