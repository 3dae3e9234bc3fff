//! `gateway/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, KindSet};

pub static CHECK: Check = Check {
    id: "gateway/deleted-in-use",
    needs: &[Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::Gateway(check),
    // Only warns, so that no configuration can deny a deletion.
    ..Check::reference(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let routes = KindSet::ROUTES.iter().flat_map(|kind| cx.cluster.routes_of(cx.this, kind));
    let routes = routes.filter(|route| !route.is_solver).map(|route| &route.object_ref);
    let mut referrers = routes.chain(cx.cluster.sets_of(cx.this).map(|set| &set.object_ref));
    let Some(first) = referrers.next() else { return };
    let (at, name) = (At::field("metadata.name"), gateway.metadata.name());
    let finding = match referrers.count() {
        0 => found.forbidden(at, name, "{other} still refers to this Gateway: move it to another Gateway first"),
        more => {
            let template = "{other} and {} more still refer to this Gateway: move them to another Gateway first";
            found.forbidden(at, name, template).args([&more.to_string()])
        }
    };
    finding.other(first).only_warns();
}
