//! Which Certificates are behind a Secret that an object refers to.

use crate::checks::Context;
use crate::cluster::{IssuedCertificateFacts, Lookup};
use crate::finding::Finding;
use crate::kinds::Kind;
use crate::kinds::walk::NamedSecret;
use crate::names;
use crate::routing::grant::{self, Referent, Referrer};

/// The kinds that the look-up reads.
pub const NEEDS: &[Kind] = &[Kind::Certificate, Kind::ReferenceGrant];

/// The Certificates whose certificate is in the Secret; none if the Secret is in another namespace without a known grant.
pub fn certificates<'c>(secret: &NamedSecret<'_>, cx: &Context<'c>) -> Vec<&'c IssuedCertificateFacts> {
    let (own, name) = (cx.namespace(), secret.name);
    let namespace = secret.namespace.unwrap_or(own);
    let from = Referrer { kind: cx.this.kind, namespace: own };
    let to = Referent { group: "", kind: "Secret", namespace, name };
    let is_usable = || namespace == own || matches!(grant::find(from, to, cx.cluster), Lookup::Found(_));
    // Some controllers read other names as references to other namespaces.
    match names::is_subdomain(name) && is_usable() {
        true => cx.cluster.certificates_of(namespace, name).collect(),
        false => Vec::new(),
    }
}

/// Adds an argument that a Certificate contains, which is not shown to others if it is in another namespace.
pub fn show<'f>(
    finding: &'f mut Finding,
    text: &str,
    instead: &'static str,
    certificate: &IssuedCertificateFacts,
    cx: &Context<'_>,
) -> &'f mut Finding {
    match certificate.object_ref.namespace == cx.namespace() {
        true => finding.also(text),
        false => finding.redactable(text, instead),
    }
}
