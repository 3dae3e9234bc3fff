//! Whether what a BackendTLSPolicy targets exists.

use crate::cluster::{Lookup, Overlay, ServiceFacts};
use crate::kinds::reference::TargetRef;

/// What does not exist of a target.
#[derive(Debug, Clone, Copy)]
pub enum MissingTarget<'c> {
    /// The Service.
    Service,
    /// A port of this Service with the name in `sectionName`.
    Port(&'c ServiceFacts),
}

/// What is known not to exist of `target`, which is in the namespace of the policy. Targets that are not Services are not looked up.
pub fn missing<'c>(target: &TargetRef<'_>, cluster: &Overlay<'c>) -> Option<MissingTarget<'c>> {
    if !target.is_service() {
        return None;
    }
    let service = match cluster.service(&cluster.this().namespace, &target.name) {
        Lookup::Found(service) => service,
        Lookup::Unknown => return None,
        Lookup::Absent => return Some(MissingTarget::Service),
    };
    let section = target.section_name.as_deref().filter(|section| !section.is_empty())?;
    // A Service without ports, such as one of type ExternalName, says nothing about them.
    let is_missing = service.port_named(section).is_none() && !service.ports.is_empty();
    is_missing.then_some(MissingTarget::Port(service))
}
