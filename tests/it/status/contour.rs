//! Five errors of Contour with IngressRoutes, and the statuses of the same objects in Portcullis.

use serde_json::Value;

use super::{DELEGATED, ORPHANED, ROOT, delegate, root, route, serve, services, statuses, summarized, vertex};

/// Contour invalidated both roots, whatever the namespace of the second one was.
pub fn root_of_another_namespace_does_not_invalidate_a_host() {
    let manifests = [
        services(&["prod", "evil"]),
        route("prod/shop", &root("shop.example.com", &[serve("/")])),
        route("evil/shop", &root("Shop.example.com", &[serve("/")])),
    ];
    let fenced = statuses(&manifests, "rootNamespaces: {IngressRoute: [prod]}\n");
    let expected = [("evil/shop", "invalid", "roots are not allowed in its namespace"), ("prod/shop", "valid", ROOT)];
    assert_eq!(summarized(&fenced), expected);
    // If both namespaces may contain roots, both are invalid according to the design document.
    let claimed = |other: &str| format!("IngressRoute {other} also claims the host in spec.virtualhost.fqdn");
    let free = statuses(&manifests, "");
    let (evil, prod) = (claimed("prod/shop"), claimed("evil/shop"));
    assert_eq!(summarized(&free), [("evil/shop", "invalid", &*evil), ("prod/shop", "invalid", &*prod)]);
    let discreet = statuses(&manifests, "revealOtherNamespaces: false\n");
    let unnamed = "an IngressRoute of another namespace also claims the host in spec.virtualhost.fqdn";
    assert_eq!(summarized(&discreet), [("evil/shop", "invalid", unnamed), ("prod/shop", "invalid", unnamed)]);
}

/// Contour invalidated the parent of an object that claimed a host.
pub fn delegated_root_does_not_invalidate_its_parent() {
    let manifests = [
        services(&["prod", "team"]),
        route(
            "prod/shop",
            &root("shop.example.com", &[serve("/"), delegate("/a", "team/a"), delegate("/b", "team/b")]),
        ),
        route("team/a", &root("a.example.com", &[serve("/a")])),
        route("team/b", &vertex(&[serve("/b")])),
    ];
    let fenced = statuses(&manifests, "rootNamespaces: {IngressRoute: [prod]}\n");
    let expected = [
        ("prod/shop", "valid", ROOT),
        ("team/a", "invalid", "roots are not allowed in its namespace"),
        ("team/b", "valid", DELEGATED),
    ];
    assert_eq!(summarized(&fenced), expected);
    let failing = &fenced["prod/shop"]["conditions"][1];
    let message =
        "spec.routes[1] delegates to IngressRoute team/a, which is a root in a namespace where roots are not allowed";
    assert_eq!((&failing["reason"], &failing["message"]), (&"RootNamespaceNotAllowed".into(), &message.into()));
    // If the child may be a root, the parent delegates to a root, and the webhook would have denied the change of the
    // child.
    let free = statuses(&manifests, "");
    let blamed = "spec.routes[1] delegates to IngressRoute team/a, which is a root";
    let expected = [("prod/shop", "invalid", blamed), ("team/a", "valid", ROOT), ("team/b", "orphaned", ORPHANED)];
    assert_eq!(summarized(&free), expected);
}

/// Contour programmed `/` and `/admin` of the last object, although only `/finance` was delegated.
pub fn child_does_not_serve_beyond_its_prefix() {
    let manifests = [
        services(&["prod", "team"]),
        route("prod/shop", &root("shop.example.com", &[serve("/"), delegate("/finance", "team/a")])),
        route("team/a", &vertex(&[serve("/finance"), delegate("/", "team/b")])),
        route("team/b", &vertex(&[serve("/"), serve("/admin")])),
    ];
    let statuses = statuses(&manifests, "");
    let escape = "delegates `/`, which is outside `/finance`, the prefix that IngressRoute prod/shop delegates to it";
    let expected = [("prod/shop", "valid", ROOT), ("team/a", "invalid", escape), ("team/b", "orphaned", ORPHANED)];
    assert_eq!(summarized(&statuses), expected);
    assert_eq!(statuses["team/a"]["conditions"][0]["reason"], "DelegationOutsidePrefix");
    assert_eq!(statuses["prod/shop"]["conditions"][1]["reason"], "DelegationOutsidePrefix");
}

/// Contour reported the child as valid in 158 of 200 runs.
pub fn one_of_two_parents_is_enough() {
    let mut manifests = vec![
        services(&["team"]),
        route("prod/one", &root("one.example.com", &[delegate("/a", "team/app")])),
        route("prod/two", &root("two.example.com", &[delegate("/b", "team/app")])),
        route("team/app", &vertex(&[serve("/a")])),
    ];
    let first = statuses(&manifests, "");
    let expected = [("prod/one", "valid", ROOT), ("prod/two", "valid", ROOT), ("team/app", "valid", DELEGATED)];
    assert_eq!(summarized(&first), expected);
    assert_eq!(first["team/app"]["roots"].as_array().map(Vec::len), Some(1));
    let message = "spec.routes[0] delegates to IngressRoute team/app, which serves `/a` outside the match";
    assert_eq!(first["prod/two"]["conditions"][1]["message"], message);
    for _ in 0..4 {
        manifests.rotate_left(1);
        assert_eq!(statuses(&manifests, ""), first);
    }
}

/// Contour served the routes before the faulty one and dropped those after it.
pub fn nothing_of_a_rejected_object_is_served() {
    let both = "{match: /b, services: [{name: web, port: 80}], delegate: {name: b, namespace: team}}".to_owned();
    let manifests = [
        services(&["prod", "team"]),
        route(
            "prod/shop",
            &root("shop.example.com", &[serve("/"), delegate("/a", "team/a"), both, delegate("/c", "team/c")]),
        ),
        route("team/a", &vertex(&[serve("/a")])),
        route("team/c", &vertex(&[serve("/c")])),
    ];
    let statuses = statuses(&manifests, "");
    let expected = [
        ("prod/shop", "invalid", "spec.routes[2]: route `/b` has both services and a delegate: remove one of them"),
        ("team/a", "orphaned", ORPHANED),
        ("team/c", "orphaned", ORPHANED),
    ];
    assert_eq!(summarized(&statuses), expected);
    assert_eq!(statuses["prod/shop"]["roots"], Value::Null);
}
