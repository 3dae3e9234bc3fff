//! `host/wildcard-takes-host`

use hashbrown::HashSet;

use super::is_handed_over;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host};

pub static CHECK: Check = Check {
    id: "host/wildcard-takes-host",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Ingress],
    options: &[],
    page: include_str!("wildcard_takes_host.md"),
    run: Run::Claims(check),
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut judged = HashSet::new();
    for route in &claims.routes {
        let Host::Wildcard(suffix) = &route.host else { continue };
        // One finding for all paths of a host, in however many rules they stand: splitting or reordering rules adds none.
        if !judged.insert(suffix) {
            continue;
        }
        let strangers = cx.cluster.ingress_hosts_one_label_under(suffix).filter(|(name, other)| {
            other.class.as_deref() == claims.class
                && other.place.namespace != cx.namespace()
                && !is_handed_over(&Host::Precise((*name).into()), &other.place.namespace, cx)
        });
        let Some((name, other)) = strangers.min_by_key(|(name, other)| (*name, &other.place)) else { continue };
        found
            .duplicate(route.host_at, &format!("{} {name}", route.host), "wildcard {} takes host {} of {other}")
            .shown([&route.host.to_string(), name])
            .other(&other.place);
    }
}
