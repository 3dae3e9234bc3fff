//! `route/backend-not-granted`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::routing::backend::{Destination, Resolution};

pub static CHECK: Check = Check {
    id: "route/backend-not-granted",
    needs: &[Kind::ReferenceGrant, Kind::Service],
    page: include_str!("backend_not_granted.md"),
    run: Run::Destinations(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(destinations: &[Destination<'_, '_, '_>], cx: &Context<'_>, found: &mut Findings<'_>) {
    for Destination { at, backend, resolution } in destinations {
        if *resolution == Resolution::NotPermitted {
            let namespace = backend.namespace_from(cx.namespace());
            let value = [namespace, backend.kind(), &backend.name].join("/");
            let template = "no ReferenceGrant in `{}` allows {}s of `{}` to refer to {} `{}`";
            let args = [namespace, cx.this.kind.api().kind, cx.namespace(), backend.kind(), &backend.name];
            found.forbidden(at.then("namespace"), &value, template).args(args);
        }
    }
}
