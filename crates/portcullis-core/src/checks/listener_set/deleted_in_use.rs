//! `listener-set/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, KindSet, ListenerSet};

pub static CHECK: Check = Check {
    id: "listener-set/deleted-in-use",
    needs: &[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::ListenerSet(check),
    // Only warns, so that no configuration can deny a deletion.
    ..Check::reference(Actions::WARN)
};

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let routes = KindSet::ROUTES.iter().flat_map(|kind| cx.cluster.routes_of(cx.this, kind));
    let mut routes = routes.filter(|route| !route.is_solver).map(|route| &route.object_ref);
    let Some(first) = routes.next() else { return };
    let (at, name) = (At::field("metadata.name"), set.metadata.name());
    let finding = match routes.count() {
        0 => found.forbidden(at, name, "{other} still refers to this ListenerSet: move it to another parent first"),
        more => {
            let template = "{other} and {} more still refer to this ListenerSet: move them to another parent first";
            found.forbidden(at, name, template).args([&more.to_string()])
        }
    };
    finding.other(first).only_warns();
}
