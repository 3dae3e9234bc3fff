//! Backends whose Service has type `ExternalName`, for the kinds that name Services.

use super::Context;
use crate::cluster::{Lookup, ServiceFacts};
use crate::field::At;
use crate::finding::Findings;

/// Reports the name of the backend at `at` if its Service in the namespace of the object has type `ExternalName`.
pub fn report_named(at: At, name: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Lookup::Found(service) = cx.cluster.service(cx.namespace(), name) {
        report(at, name, service, found);
    }
}

/// Reports the name of the backend at `at` if `service`, to which it refers, has type `ExternalName`.
pub fn report(at: At, name: &str, service: &ServiceFacts, found: &mut Findings<'_>) {
    if service.external {
        let template = "{other} has type ExternalName, which controllers may reject (CVE-2021-25740)";
        found.invalid(at.then("name"), name, template).other(&service.object_ref());
    }
}
