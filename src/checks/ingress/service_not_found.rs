//! `ingress/service-not-found`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-not-found",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Service],
    options: &[],
    page: include_str!("service_not_found.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let namespace = cx.namespace();
    for (at, service) in walk::service_backends(ingress).filter(|(_, backend)| !backend.is_action()) {
        if !service.name.is_empty() && cx.cluster.service(namespace, &service.name) == Lookup::Absent {
            found.not_found(at.then("name"), &service.name, "no Service {}/{}").shown([namespace, &service.name]);
        }
    }
}
