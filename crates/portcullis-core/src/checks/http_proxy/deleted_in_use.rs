//! `http-proxy/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};
use crate::routing::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/deleted-in-use",
    needs: &[Kind::HttpProxy],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::HttpProxy(check),
    ..Check::reference(Actions::WARN)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (name, includes) = (proxy.metadata.name(), Includes::new(cx.cluster, cx.this, cx.subject.class));
    let mut referrers = cx.cluster.referrers(cx.this).filter(|facts| includes.is_beside(facts));
    let Some(first) = referrers.next() else { return };
    let at = At::field("metadata.name");
    let finding = match referrers.count() {
        0 => found.forbidden(
            at,
            name,
            "{other} still includes this object and answers 502 there: remove the include first",
        ),
        more => {
            let finding = found.forbidden(
                at,
                name,
                "{other} and {} more still include this object and answer 502 there: remove the includes first",
            );
            finding.args([&more.to_string()])
        }
    };
    finding.other(&first.object_ref).only_warns();
}
