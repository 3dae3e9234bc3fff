//! The routes of a root that is stored already are counted at the root, not at each object below it.

use portcullis_core::checks::Operation;
use portcullis_testing::config::plan;
use portcullis_testing::pages::manifests;

use super::messages;

const OBJECTS: &str = "
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: web, name: shop}
spec:
  virtualhost: {fqdn: shop.example.com}
  includes:
  - {name: cart, namespace: team-a, conditions: [{prefix: /x}]}
  - {name: cart, namespace: team-a, conditions: [{prefix: /y}]}
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: team-a, name: cart}
spec:
  routes: [{services: [{name: cart, port: 80}]}, {conditions: [{prefix: /b}], services: [{name: cart, port: 80}]}]
";

/// Which object the check reports for this operation, and the message.
fn found(operation: Operation) -> Vec<String> {
    let plan = plan("checks: {'*': Off, http-proxy/include-too-many-routes: {action: Deny, maxRoutes: 3}}");
    let objects = manifests(OBJECTS);
    messages(&plan, &objects, operation)
}

#[test]
fn routes_of_a_stored_root_are_reported_at_the_root() {
    let stored = found(Operation::Stored);
    assert!(stored.len() == 1 && stored[0].starts_with("HTTPProxy web/shop: "), "{stored:?}");
    assert!(stored[0].contains("the includes add up to 4 routes here; at most 3 are allowed"), "{stored:?}");
    let created = found(Operation::Create);
    assert!(created.len() == 2 && created[1].starts_with("HTTPProxy team-a/cart: "), "{created:?}");
    assert!(created[1].contains("this would bring the routes of HTTPProxy web/shop to 4"), "{created:?}");
}
