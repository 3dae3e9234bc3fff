//! `backend-tls-policy/target-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/target-not-found",
    needs: &[Kind::Service],
    page: include_str!("target_not_found.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::reference(Actions::WARN)
};

fn check(policy: &BackendTlsPolicy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::backend_tls_policy::targets(policy).filter(|(_, target)| target.is_service()) {
        let service = match cx.cluster.service(cx.namespace(), &target.name) {
            Lookup::Found(service) => service,
            Lookup::Unknown => continue,
            Lookup::Absent => {
                let object_ref = ObjectRef::new(Kind::Service, cx.namespace(), &target.name);
                let template = "{other} not found: the policy has no effect until it exists";
                found
                    .not_found(at.then("name"), &target.name, template)
                    .other(&object_ref)
                    .suggest(cx.cluster.similar(&object_ref));
                continue;
            }
        };
        let Some(section) = target.section_name.as_deref().filter(|section| !section.is_empty()) else { continue };
        if service.port_named(section).is_none() && !service.ports.is_empty() {
            found
                .not_found(at.then("sectionName"), section, "{} is not a port name of {other} (it has {})")
                .args([section, &service.port_names()])
                .other(&service.object_ref());
        }
    }
}
