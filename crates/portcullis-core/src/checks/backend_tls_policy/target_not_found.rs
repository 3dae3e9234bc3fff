//! `backend-tls-policy/target-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, Kind, ObjectRef, walk};
use crate::routing::policy_target::{self, MissingTarget};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/target-not-found",
    needs: &[Kind::Service],
    page: include_str!("target_not_found.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::reference(Actions::WARN)
};

fn check(policy: &BackendTlsPolicy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::backend_tls_policy::targets(policy) {
        match policy_target::missing(target, cx.cluster) {
            None => {}
            Some(MissingTarget::Service) => {
                let object_ref = ObjectRef::new(Kind::Service, cx.namespace(), &target.name);
                let template = "{other} not found: the policy has no effect until it exists";
                found
                    .not_found(at.then("name"), &target.name, template)
                    .other(&object_ref)
                    .suggest(cx.cluster.similar(&object_ref));
            }
            Some(MissingTarget::Port(service)) => {
                let section = target.section_name.as_deref().unwrap_or_default();
                found
                    .not_found(at.then("sectionName"), section, "{} is not a port name of {other} (it has {})")
                    .args([section, &service.port_names()])
                    .other(&service.object_ref());
            }
        }
    }
}
