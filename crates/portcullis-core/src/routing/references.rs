//! Whether the references of Gateways and listeners resolve: to certificates, and to authorities for client
//! certificates. A grant is looked for before the kind and the object, so that no answer discloses whether an object of another
//! namespace exists.

use super::authority::{self, Authority};
use super::grant::{self, Referent, Referrer};
use super::obstacle::Obstacle;
use super::read_failure;
use crate::cluster::gateway_facts::CertificateRef;
use crate::cluster::{Lookup, Overlay, ReadKey};
use crate::field::FieldPath;

/// The maximum number of references in a message.
const MAX_REFERENCES: usize = 3;

/// The messages of the first few.
pub fn listed<'o>(all: impl IntoIterator<Item = &'o Obstacle>) -> String {
    let mut all = all.into_iter().map(|obstacle| &*obstacle.message);
    let mut texts: Vec<&str> = all.by_ref().take(MAX_REFERENCES).collect();
    texts.extend(all.next().map(|_| "…"));
    texts.join("; ")
}

/// Why a certificate of an object of `from` cannot be used; `invalid` is the reason for everything but a missing grant.
pub fn certificate(
    certificate: &CertificateRef,
    from: Referrer<'_>,
    invalid: &'static str,
    cluster: &Overlay<'_>,
) -> Option<Obstacle> {
    if let Some(error) = &certificate.error {
        return Some(Obstacle::because(invalid, error.message.to_string()));
    }
    let CertificateRef { at, group, kind, namespace, name, .. } = certificate;
    let (at, to) = (FieldPath::from(*at), Referent { group, kind, namespace, name });
    if let Some(unresolved) = not_granted(&at, from, to, cluster) {
        return Some(unresolved);
    }
    if (to.group, to.kind) != ("", "Secret") {
        return Some(Obstacle::unsupported(invalid, format!("{at}: {} is not supported: use a Secret", kind_name(to))));
    }
    let secret = format!("{at}: Secret {namespace}/{}", to.name);
    match cluster.secret(namespace, to.name) {
        Lookup::Found(facts) if facts.speaks_tls() => None,
        Lookup::Found(_) => {
            let message =
                "has no usable certificate and key: use type kubernetes.io/tls with tls.crt and tls.key in PEM";
            Some(Obstacle::because(invalid, format!("{secret} {message}")))
        }
        Lookup::Absent => {
            let cause = unready(from, to, cluster);
            let cause = cause.unwrap_or_else(|| "create it, or correct the name".to_owned());
            Some(Obstacle::because(invalid, format!("{secret} not found: {cause}")))
        }
        Lookup::Unknown => Some(Obstacle::unknown(
            match read_failure::of(&ReadKey::Secret(((**namespace).into(), to.name.into())), cluster) {
                Some(failure) => format!("{secret} {failure}"),
                None => format!("{secret}: Portcullis does not read Secrets"),
            },
        )),
    }
}

/// Why cert-manager has not created a Secret, if a Certificate of the same namespace asks for it.
fn unready(from: Referrer<'_>, to: Referent<'_>, cluster: &Overlay<'_>) -> Option<String> {
    let mut own = cluster.certificates_of(to.namespace, to.name).filter(|_| from.namespace == to.namespace);
    own.find_map(|certificate| {
        let reason = certificate.unready.as_deref()?;
        Some(format!("{} is not ready ({reason})", certificate.object_ref))
    })
}

/// Why an authority for client certificates of a Gateway cannot be used.
pub fn authority(authority: &CertificateRef, from: Referrer<'_>, cluster: &Overlay<'_>) -> Option<Obstacle> {
    if let Some(error) = &authority.error {
        return Some(Obstacle::because("InvalidCACertificateRef", error.message.to_string()));
    }
    let CertificateRef { at, group, kind, namespace, name, .. } = authority;
    let (at, to) = (FieldPath::from(*at), Referent { group, kind, namespace, name });
    if let Some(unresolved) = not_granted(&at, from, to, cluster) {
        return Some(unresolved);
    }
    if (to.group, to.kind) != ("", "ConfigMap") {
        let message = format!("{at}: {} is not supported: use a ConfigMap with the key ca.crt", kind_name(to));
        return Some(Obstacle::unsupported("InvalidCACertificateKind", message));
    }
    match authority::in_config_map((namespace, name), cluster) {
        Authority::Valid => None,
        Authority::Invalid(reason, message) => Some(Obstacle::because(reason, format!("{at}: {message}"))),
        Authority::Unknown(message) => Some(Obstacle::unknown(format!("{at}: {message}"))),
    }
}

/// Why an object of `from` may not refer to `to`.
fn not_granted(at: &FieldPath, from: Referrer<'_>, to: Referent<'_>, cluster: &Overlay<'_>) -> Option<Obstacle> {
    if from.namespace == to.namespace {
        return None;
    }
    let Referent { kind, namespace, name, .. } = to;
    match grant::find(from, to, cluster) {
        Lookup::Found(_) => None,
        Lookup::Absent => {
            let message = format!(
                "{at}: no ReferenceGrant in namespace {namespace} allows a {} of namespace {} to refer to {kind} \
                 `{name}`: create one there",
                from.kind.api().kind,
                from.namespace
            );
            Some(Obstacle::because("RefNotPermitted", message))
        }
        Lookup::Unknown => {
            Some(Obstacle::unknown(format!("{at}: the ReferenceGrants of namespace {namespace} are not known")))
        }
    }
}

fn kind_name(to: Referent<'_>) -> String {
    if to.group.is_empty() { to.kind.to_owned() } else { format!("{}/{}", to.group, to.kind) }
}
