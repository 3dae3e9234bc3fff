//! Files rarely say when an object was created. Which of two stored objects came first is unknown then, unless `hostOwnership` decides.

use portcullis_core::checks::Operation;
use portcullis_testing::config::plan;
use portcullis_testing::pages::manifests;

use super::messages;

const GATEWAY: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: infra, name: edge}
spec: {gatewayClassName: c, listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]}
";

/// The messages about conflicts of an audit of two routes for one host, in the namespaces `a` and `web`, with these creation timestamps.
fn audited(ownership: &str, [first, second]: [&str; 2]) -> Vec<String> {
    let plan = plan(&format!("checks: {{'*': Off, host/route-conflict: Warn}}\n{ownership}"));
    let route = |namespace: &str, created: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n\
             metadata: {{namespace: {namespace}, name: shop{created}}}\n\
             spec: {{parentRefs: [{{name: edge, namespace: infra}}], hostnames: [shop.example.com]}}\n"
        )
    };
    let objects = manifests(&format!("{GATEWAY}{}{}", route("a", first), route("web", second)));
    messages(&plan, &objects, Operation::Stored)
}

const OLD: &str = ", creationTimestamp: '2026-01-01T00:00:00Z'";
const NEW: &str = ", creationTimestamp: '2026-01-02T00:00:00Z'";

#[test]
fn an_age_that_one_object_lacks_decides_nothing() {
    let either = "is also matched by HTTPRoute a/shop; remove it from one of the two";
    for ages in [["", ""], [OLD, ""], ["", OLD]] {
        let found = audited("", ages);
        assert!(found.len() == 1 && found[0].contains(either), "{ages:?}: {found:?}");
    }
    let found = audited("", [NEW, OLD]);
    assert!(found.len() == 1 && found[0].starts_with("HTTPRoute a/shop: "), "{found:?}");
    assert!(found[0].contains("is already matched by HTTPRoute web/shop, which takes precedence"), "{found:?}");
}

#[test]
fn without_ages_the_owner_of_the_host_was_first() {
    let ownership = "hostOwnership: {hosts: [{host: shop.example.com, namespaces: {names: [web]}}]}\n";
    let found = audited(ownership, ["", ""]);
    assert!(found.len() == 1 && found[0].starts_with("HTTPRoute a/shop: "), "{found:?}");
    assert!(found[0].contains("is already matched by HTTPRoute web/shop, which takes precedence"), "{found:?}");
}
