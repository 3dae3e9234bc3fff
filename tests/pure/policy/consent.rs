//! A write is not denied because of what objects of other namespaces do without consent. It is denied for what the
//! author's own namespace does.

use portcullis_core::checks::registry;
use portcullis_core::finding::Action;
use portcullis_testing::page::Example;
use portcullis_testing::pages::judge;

/// The strictest action among the findings of the check for the first object of `yaml`. The other documents are the
/// cluster.
fn action(id: &str, config: &str, old: Option<&str>, yaml: &str) -> Option<Action> {
    let check = registry::find(id).unwrap_or_else(|| panic!("no check {id}"));
    let (config, old) = (Some(config.to_owned()), old.map(str::to_owned));
    let judgement = judge(check, &Example { yaml: yaml.to_owned(), old, config, ..Example::default() });
    let own = judgement.findings.iter().filter(|evaluated| evaluated.finding.check == id);
    own.map(|evaluated| evaluated.action).max()
}

const DENY: Option<Action> = Some(Action::Deny);
const WARN: Option<Action> = Some(Action::Warn);

/// A YAML document; `spec` is in flow style.
fn object(kind: &str, object_ref: &str, spec: &str) -> String {
    let (namespace, name) = object_ref.split_once('/').expect("a place");
    let version = if kind == "HTTPProxy" { "projectcontour.io/v1" } else { "contour.heptio.com/v1beta1" };
    format!(
        "---\napiVersion: {version}\nkind: {kind}\nmetadata: {{namespace: {namespace}, name: {name}}}\nspec: {spec}\n"
    )
}

/// An HTTPProxy with this number of routes, and this number of includes of one object.
fn proxy(object_ref: &str, fqdn: &str, routes: usize, (included, times): (&str, usize)) -> String {
    let (namespace, name) = included.split_once('/').expect("a place");
    let route = |number| format!("{{conditions: [{{prefix: /r{number}}}], services: [{{name: shop, port: 80}}]}}");
    let include = |number| format!("{{name: {name}, namespace: {namespace}, conditions: [{{prefix: /i{number}}}]}}");
    let routes = (0..routes).map(route).collect::<Vec<_>>().join(", ");
    let includes = (0..times).map(include).collect::<Vec<_>>().join(", ");
    let host = if fqdn.is_empty() { String::new() } else { format!("virtualhost: {{fqdn: {fqdn}}}, ") };
    object("HTTPProxy", object_ref, &format!("{{{host}routes: [{routes}], includes: [{includes}]}}"))
}

const NONE: (&str, usize) = ("-/-", 0);
const EXPANSION: &str = "http-proxy/include-too-many-routes";
const MOST: &str = "checks: {http-proxy/include-too-many-routes: {action: Deny, maxRoutes: 10}}\n";

#[test]
fn includes_of_other_namespaces_do_not_deny_the_included_proxy() {
    let evil = proxy("team-b/evil", "evil.example.com", 0, ("web/part", 6));
    let (old, part) = (proxy("web/part", "", 1, NONE), proxy("web/part", "", 2, NONE));
    assert_eq!(action(EXPANSION, MOST, Some(&old), &(part.clone() + &evil)), WARN);
    assert_eq!(action(EXPANSION, MOST, None, &(part.clone() + &evil)), WARN);

    // A tenant includes many times below a root that includes an object of the tenant.
    let root = |routes| proxy("web/root", "shop.example.com", routes, ("team-b/x", 1));
    let x = proxy("team-b/x", "", 0, ("web/part", 6));
    assert_eq!(action(EXPANSION, MOST, Some(&old), &(part.clone() + &root(1) + &x)), WARN);
    assert_eq!(action(EXPANSION, MOST, Some(&root(1)), &(root(2) + &x + &old + &evil)), None);
    assert_eq!(action(EXPANSION, MOST, Some(&root(4)), &(root(5) + &x + &old)), WARN);
    // The result is the same if the root includes that object twice.
    let twice = proxy("web/root", "shop.example.com", 1, ("team-b/x", 2));
    assert_eq!(action(EXPANSION, MOST, Some(&old), &(part + &twice + &x)), WARN);
}

#[test]
fn multiplying_own_includes_is_denied() {
    let evil = proxy("team-b/evil", "evil.example.com", 0, ("web/part", 6));
    let part = proxy("web/part", "", 2, NONE);
    assert_eq!(action(EXPANSION, MOST, None, &(evil + &part)), DENY);

    // A chain that doubles at each level, written from the top. The last write is denied.
    let doubling = |at: usize| {
        let host = if at == 0 { "evil.example.com" } else { "" };
        proxy(&format!("team-b/d-{at}"), host, 0, (&format!("team-b/d-{}", at + 1), 2))
    };
    let above: String = (0..4).map(doubling).collect();
    let last = |routes| proxy("team-b/d-4", "", routes, NONE);
    assert_eq!(action(EXPANSION, MOST, None, &(last(1) + &above)), DENY);
    // Written from the bottom, the first object of the chain is denied.
    let below: String = (1..4).map(doubling).collect();
    assert_eq!(action(EXPANSION, MOST, None, &(doubling(0) + &below + &last(1))), DENY);
}

#[test]
fn include_of_another_namespace_does_not_deny_a_root() {
    let (part, root) = (proxy("web/part", "", 1, NONE), proxy("web/part", "part.example.com", 1, NONE));
    let includer = |object_ref: &str| proxy(object_ref, "evil.example.com", 0, ("web/part", 1));
    let becomes_root = |others: &str| action("http-proxy/include-is-root", "", Some(&part), &(root.clone() + others));
    assert_eq!(becomes_root(&includer("team-b/evil")), WARN);
    assert_eq!(becomes_root(&includer("web/shop")), DENY);
    assert_eq!(becomes_root(&(includer("team-b/evil") + &includer("web/shop"))), DENY);
}

/// An IngressRoute that serves the prefix `serves`, and delegates a prefix to an object.
fn route(object_ref: &str, fqdn: &str, serves: &str, delegates: Option<(&str, &str)>) -> String {
    let delegate = delegates.map(|(prefix, target)| {
        let (namespace, name) = target.split_once('/').expect("a place");
        format!("{{match: {prefix}, delegate: {{name: {name}, namespace: {namespace}}}}}")
    });
    let serves = (!serves.is_empty()).then(|| format!("{{match: {serves}, services: [{{name: shop, port: 80}}]}}"));
    let routes = serves.into_iter().chain(delegate).collect::<Vec<_>>().join(", ");
    let host = if fqdn.is_empty() { String::new() } else { format!("virtualhost: {{fqdn: {fqdn}}}, ") };
    object("IngressRoute", object_ref, &format!("{{{host}routes: [{routes}]}}"))
}

#[test]
fn delegation_of_another_namespace_does_not_deny_a_root() {
    let (part, root) = (route("web/part", "", "/", None), route("web/part", "part.example.com", "/", None));
    // The hosts differ, since two roots of one host would both be invalid.
    let parent = |object_ref: &str| route(object_ref, &object_ref.replace('/', "."), "", Some(("/", "web/part")));
    for (id, old) in [("ingress-route/delegate-is-root", None), ("ingress-route/role-changed-in-use", Some(&*part))] {
        assert_eq!(action(id, "", old, &(root.clone() + &parent("team-b/evil"))), WARN, "{id}");
        assert_eq!(action(id, "", old, &(root.clone() + &parent("web/shop"))), DENY, "{id}");
        assert_eq!(action(id, "", old, &(root.clone() + &parent("team-b/evil") + &parent("web/shop"))), DENY, "{id}");
    }
}

#[test]
fn prefix_of_another_namespace_denies_only_with_consent() {
    let (id, part) = ("ingress-route/path-outside-prefix", route("web/part", "", "/x", None));
    let parent = |object_ref: &str| route(object_ref, "evil.example.com", "", Some(("/y", "web/part")));
    assert_eq!(action(id, "", None, &(part.clone() + &parent("team-b/evil"))), WARN);
    assert_eq!(action(id, "", None, &(part.clone() + &parent("web/shop"))), DENY);
    let roots = "rootNamespaces: {IngressRoute: [platform]}\n";
    assert_eq!(action(id, roots, None, &(part.clone() + &parent("platform/shop"))), DENY);
    assert_eq!(action(id, roots, None, &(part.clone() + &parent("team-b/evil"))), None, "it is no root there");
    let consent = "name: part, annotations: {portcullis.dev/delegate-from: 'team-b/*'}";
    let consenting = part.replace("name: part", consent);
    assert_eq!(action(id, "", None, &(consenting + &parent("team-b/evil"))), DENY);
}

#[test]
fn delegation_outside_prefix_is_denied() {
    let vertex = route("team-a/finance", "", "", Some(("/", "team-a/leaf")));
    let root = route("web/shop", "shop.example.com", "", Some(("/finance", "team-a/finance")));
    assert_eq!(action("ingress-route/delegation-outside-prefix", "", None, &(vertex + &root)), DENY);
}

#[test]
fn long_chain_of_another_namespace_does_not_deny_a_delegation() {
    let config = "checks: {ingress-route/delegation-too-deep: {action: Deny, maxDepth: 3}}\n";
    let limits = |above: &str| {
        let chain = route(&format!("{above}/a"), "a.example.com", "", Some(("/", &*format!("{above}/b"))))
            + &route(&format!("{above}/b"), "", "", Some(("/", "web/part")));
        let part = route("web/part", "", "", Some(("/", "web/leaf")));
        action("ingress-route/delegation-too-deep", config, None, &(part + &chain + &route("web/leaf", "", "/", None)))
    };
    assert_eq!(limits("team-b"), WARN);
    assert_eq!(limits("web"), DENY);
}
