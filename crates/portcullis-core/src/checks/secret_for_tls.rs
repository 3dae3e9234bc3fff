//! Checks the TLS Secret of a virtual host. Secrets are only known where they are in files.

use crate::cluster::{DataEntry, secret_facts};
use crate::cluster::{Lookup, SecretFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Entries;

/// Reports why a proxy cannot serve TLS with the Secret that the field at `at` refers to as `name`.
pub fn check(at: At, name: &str, secret: Lookup<&SecretFacts>, found: &mut Findings<'_>) {
    let facts = match secret {
        Lookup::Found(facts) => facts,
        Lookup::Absent => {
            found.not_found(at, name, "Secret `{}` not found: the host is not served until it exists");
            return;
        }
        Lookup::Unknown => return,
    };
    if *facts.kind != *secret_facts::TLS {
        let message = "Secret `{}` has type {}; it must be kubernetes.io/tls";
        found.invalid(at, name, message).args([name, &facts.kind]);
    }
    let parts = [
        ("tls.crt", state(&facts.certificate), "Secret `{}` has no {}", "Secret `{}` has no valid certificate in {}"),
        (
            "tls.key",
            state(&facts.key),
            "Secret `{}` has no {}",
            "Secret `{}` has no valid private key for its certificate in {}",
        ),
    ];
    for (key, state, missing, unreadable) in parts {
        match state {
            DataEntry::Missing => found.not_found(at, name, missing).args([name, key]),
            DataEntry::Unreadable => found.invalid(at, name, unreadable).args([name, key]),
            DataEntry::Read(()) => continue,
        };
    }
}

/// Whether cert-manager, or an older ACME client, creates the Secrets for TLS that an object with these annotations refers to.
pub fn is_issued(annotations: &Entries<'_>) -> bool {
    annotations.iter().any(|(key, _)| match key.split_once('/') {
        Some(("cert-manager.io" | "certmanager.k8s.io", name)) => name.ends_with("issuer"),
        Some((_, name)) => name == "tls-acme",
        None => false,
    })
}

/// The state of an entry without its content, so that entries of different types can be handled in one loop.
fn state<T>(held: &DataEntry<T>) -> DataEntry<()> {
    match held {
        DataEntry::Missing => DataEntry::Missing,
        DataEntry::Unreadable => DataEntry::Unreadable,
        DataEntry::Read(_) => DataEntry::Read(()),
    }
}
