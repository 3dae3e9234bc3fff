//! `http-proxy/include-is-root`

use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::Lookup;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};
use crate::routing::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/include-is-root",
    needs: &[Kind::HttpProxy],
    page: include_str!("include_is_root.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    for included in walk::http_proxy::included_proxies(proxy) {
        let object_ref = ObjectRef::new(Kind::HttpProxy, included.namespace, included.name);
        // An object that includes itself is a cycle, whether it is a root or not.
        if object_ref == *cx.this {
            continue;
        }
        let Lookup::Found(facts) = cx.cluster.delegation(&object_ref) else { continue };
        if facts.root.is_some() && includes.has_same_class(facts) {
            let value = format!("{}/{}", object_ref.namespace, object_ref.name);
            let message = "{other} is a root and must not be included: include an object without virtualhost";
            found.forbidden(included.at, &value, message).other(&object_ref);
        }
    }
    if proxy.spec.virtualhost.is_none() {
        return;
    }
    let is_own = |facts: &&DelegationFacts| facts.object_ref.namespace == cx.namespace();
    // An include from another namespace must not prevent this object from being a root. It is only reported if an
    // update makes an included object a root.
    let counts = |facts: &&DelegationFacts| is_own(facts) || cx.operation == Operation::Update;
    let referrers = || cx.cluster.referrers(cx.this).filter(counts).filter(|facts| includes.has_same_class(facts));
    if let Some(referrer) = referrers().find(is_own).or_else(|| referrers().next()) {
        let message = match is_own(&referrer) {
            true => "{other} includes this object, which must not be a root: remove virtualhost",
            false => "{other} includes this object and is invalid while this object is a root",
        };
        let finding = found.forbidden(At::field("spec.virtualhost"), "", message).other(&referrer.object_ref);
        // An include needs no consent. An include that waits for an object of this name must not prevent its creation,
        // one that is added later must not invalidate the object, and one of another namespace must not prevent the
        // object from becoming a root.
        if matches!(cx.operation, Operation::Create | Operation::Stored) || !is_own(&referrer) {
            finding.only_warns();
        }
    }
}
