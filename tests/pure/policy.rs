//! The effects of the configuration, tested by the responses to reviews.

mod added_claims;
mod claims_of_findings;
mod consent;
mod effect;
mod errors;
mod exemptions;
mod files;
mod first_holder;
mod first_namespace;
mod ineffective;
mod kep;
mod layers;
mod losses;
mod max_action;
mod misspelled;
mod names;
mod omitted_findings;
mod overrides;
mod required_options;
mod reservations;
mod review_fixture;
mod routes_of_roots;
mod schema;
mod selectors;
mod unknown_age;
mod unreadable;
mod waiting;

use portcullis::files::Manifest;
use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::Overlay;
use portcullis_core::message::render_text;
use portcullis_testing::pages::{cluster, today};

/// What a plan finds in each of these objects beside the others, each message after its object.
fn messages(plan: &Plan, objects: &[Manifest], operation: Operation) -> Vec<String> {
    let cluster = cluster(objects);
    let cluster = cluster.read();
    let found = objects.iter().flat_map(|manifest| {
        let write = Write { operation, this: &manifest.object_ref, user: None, now: today() };
        let object = manifest.object().expect("a manifest can be read");
        let outcome = plan.check(&object, || None, &Overlay::new(&cluster, &manifest.object_ref), &write);
        let findings = outcome.findings.iter();
        findings
            .map(|evaluated| format!("{}: {}", manifest.object_ref, render_text(&evaluated.finding)))
            .collect::<Vec<_>>()
    });
    found.collect()
}
