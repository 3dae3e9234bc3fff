//! The labels or annotations that the option `required` asks for.

use super::Context;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::config::RequiredEntry;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Entries, Object};
use crate::matching::Mark;

/// The messages about one kind of entries.
#[derive(Debug)]
pub struct Templates {
    /// The entry is missing.
    pub missing: &'static str,
    /// The value of the entry does not match.
    pub mismatch: &'static str,
}

/// Reports the entries that are missing in `entries`, the map at `field`, or have another value. An ACME solver needs
/// none, since its author is a program that adds only its own.
pub fn check(
    object: &Object<'_>,
    (field, entries): (&'static str, &Entries<'_>),
    templates: &Templates,
    cx: &Context<'_>,
    found: &mut Findings<'_>,
) {
    let Some(required) = &cx.options.required else { return };
    let kind = cx.this.kind.api().kind;
    let missing = required.iter().filter(|entry| entry.is_for(kind) && !is_satisfied(entry, entries));
    for entry in missing {
        if is_solver(object) {
            return;
        }
        let at = At::field(field).key(&entry.key);
        match (entries.get(&entry.key), &entry.value) {
            (Some(value), Some(pattern)) => {
                found.invalid(at, value, templates.mismatch).args([value, pattern.as_str()]);
            }
            _ => {
                found.required(at, templates.missing).args([&entry.key]);
            }
        }
    }
}

fn is_satisfied(entry: &RequiredEntry, entries: &Entries<'_>) -> bool {
    entries.get(&entry.key).is_some_and(|value| entry.value.as_ref().is_none_or(|pattern| pattern.is_match(value)))
}

fn is_solver(object: &Object<'_>) -> bool {
    match object {
        Object::Ingress(ingress) => Mark::of_ingress(ingress) == Mark::AcmeSolver,
        object => object.route().is_some_and(|route| GatewayRouteFacts::without_matches(&route).is_solver),
    }
}
