//! `ingress-route/upstream-validation-incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::DataEntry;
use crate::cluster::{Lookup, SecretFacts};
use crate::finding::Findings;
use crate::kinds::walk::IngressRouteParts;
use crate::names;
use crate::validation::validators;

pub static CHECK: Check = Check {
    id: "ingress-route/upstream-validation-incomplete",
    page: include_str!("upstream_validation_incomplete.md"),
    run: Run::IngressRouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &IngressRouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, service) in route.services() {
        let Some(validation) = &service.validation else { continue };
        match &*validation.ca_secret {
            "" => {
                let message = "a CA Secret is required to verify the certificate of `{}`";
                found.invalid(at.then("validation.caSecret"), &service.name, message);
            }
            secret if !names::is_subdomain(secret) => {
                found.each([(at.child("validation.caSecret"), secret)], validators::object_name);
            }
            secret => {
                if let Some(message) = without_authority(cx.cluster.secret(cx.namespace(), secret)) {
                    found.not_found(at.then("validation.caSecret"), secret, message);
                }
            }
        }
        if validation.subject_name.is_empty() {
            let message = "a subject name is required to verify the certificate of `{}`";
            found.invalid(at.then("validation.subjectName"), &service.name, message);
        }
    }
}

/// The message if a Secret contains no CA certificate; `None` if it does, or if Secrets are not known.
fn without_authority(secret: Lookup<&SecretFacts>) -> Option<&'static str> {
    match secret {
        Lookup::Absent => Some("Secret `{}` not found: the certificate is not verified until it exists"),
        Lookup::Found(SecretFacts { authority: DataEntry::Read(()), .. }) | Lookup::Unknown => None,
        Lookup::Found(_) => Some("Secret `{}` has no CA certificate in ca.crt"),
    }
}
