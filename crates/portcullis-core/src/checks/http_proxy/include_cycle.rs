//! `http-proxy/include-cycle`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};
use crate::routing::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/include-cycle",
    needs: &[Kind::HttpProxy],
    page: include_str!("include_cycle.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    let mut above = [None, None];
    for included in walk::http_proxy::included_proxies(proxy) {
        let object_ref = ObjectRef::new(Kind::HttpProxy, included.namespace, included.name);
        let known = &mut above[usize::from(included.traffic == Traffic::Connections)];
        let above = known.get_or_insert_with(|| includes.above(included.traffic));
        let Some(cycle) = above.cycle(&object_ref) else { continue };
        let names: Vec<String> =
            cycle.iter().map(|object_ref| format!("{}/{}", object_ref.namespace, object_ref.name)).collect();
        let value = format!("{}/{}", object_ref.namespace, object_ref.name);
        let (finding, names) =
            (found.invalid(included.at, &value, "this include closes a cycle: {}"), names.join(" -> "));
        match cycle.iter().all(|object_ref| object_ref.namespace == cx.this.namespace) {
            true => finding.args([names]),
            false => finding.args([""; 0]).redactable(&names, "it leads back here through other namespaces"),
        };
    }
}
