//! `httpproxy/include-cycle`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};
use crate::routing::Includes;

pub static CHECK: Check = Check {
    id: "httpproxy/include-cycle",
    needs: &[Kind::HttpProxy],
    page: include_str!("include_cycle.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    let mut above = [None, None];
    for target in walk::http_proxy::targets(proxy) {
        let place = ObjectRef::new(Kind::HttpProxy, target.namespace, target.name);
        let known = &mut above[usize::from(target.traffic == Traffic::Connections)];
        let above = known.get_or_insert_with(|| includes.above(target.traffic));
        let Some(way) = above.cycle(&place) else { continue };
        let names: Vec<String> = way.iter().map(|place| format!("{}/{}", place.namespace, place.name)).collect();
        let value = format!("{}/{}", place.namespace, place.name);
        let (finding, names) =
            (found.invalid(target.at, &value, "this include closes a cycle: {}"), names.join(" -> "));
        match way.iter().all(|place| place.namespace == cx.this.namespace) {
            true => finding.shown([names]),
            false => finding.shown([""; 0]).foreign(&names, "it leads back here through other namespaces"),
        };
    }
}
