//! The webhook with a real API server, from the view of a tenant: what kubectl prints, and what is stored.

mod claim_policies;
mod claims;
mod class_features;
mod clients;
mod crds;
mod defaulting;
mod delegation;
mod demo;
mod fixture;
mod kubectl_output;
mod outage;
mod pages;
mod policies;
pub mod policy_cluster;
mod pull_request;
mod races;
mod reading;
mod reply;
mod takeover;

use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    [
        claim_policies::trials(),
        claims::trials(),
        class_features::trials(),
        clients::trials(),
        crds::trials(),
        defaulting::trials(),
        delegation::trials(),
        demo::trials(),
        outage::trials(),
        pages::trials(),
        policies::trials(),
        pull_request::trials(),
        races::trials(),
        reading::trials(),
        kubectl_output::trials(),
        takeover::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
