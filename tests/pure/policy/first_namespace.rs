//! `unlisted: FirstNamespace`: the first namespace that serves a host owns it.

use portcullis_core::checks::{Operation, Write};
use portcullis_core::cluster::Overlay;
use portcullis_core::finding::Action;
use portcullis_testing::config::plan;
use portcullis_testing::pages::{cluster, manifests, today};

use super::review_fixture::{Review, ingress};

const CONFIG: &str = "checks: {'*': Off, host/not-owned: Deny}\nhostOwnership: {unlisted: FirstNamespace}\n";
const HOST: &str = "shop.example.com";

fn created(object_ref: &str, time: &str) -> String {
    ingress(object_ref, &format!("creationTimestamp: \"{time}\""), HOST, "/")
}

fn denials(object: &str, old: Option<&str>, rest: &[String]) -> Vec<String> {
    let rest = rest.join("\n---\n");
    let review = Review { config: CONFIG, object, old, rest: &rest, ..Review::default() };
    review.response().denials().into_iter().map(str::to_owned).collect()
}

/// The references of the stored objects that an audit of all of them would deny.
fn audited(objects: &[String]) -> Vec<String> {
    reported(objects, Action::Deny)
}

/// The stored objects that an audit reports with this action.
fn reported(objects: &[String], action: Action) -> Vec<String> {
    let (plan, objects) = (plan(CONFIG), manifests(&objects.join("\n---\n")));
    let cluster = cluster(&objects);
    let cluster = cluster.read();
    let denied = objects.iter().filter(|manifest| {
        let write = Write { operation: Operation::Stored, this: &manifest.object_ref, user: None, now: today() };
        let object = manifest.object().expect("a manifest can be read");
        let outcome = plan.check(&object, || None, &Overlay::new(&cluster, &manifest.object_ref), &write);
        outcome
            .findings
            .iter()
            .any(|evaluated| evaluated.finding.check == "host/not-owned" && evaluated.action == action)
    });
    denied.map(|manifest| format!("{}/{}", manifest.object_ref.namespace, manifest.object_ref.name)).collect()
}

#[test]
fn the_oldest_object_decides_which_namespace_is_first() {
    let web = [created("web/b", "2026-01-03T00:00:00Z"), created("web/a", "2026-01-01T00:00:00Z")];
    let team = created("team/a", "2026-01-02T00:00:00Z");
    let all = [web[0].clone(), web[1].clone(), team.clone()];
    assert_eq!(audited(&all), ["team/a"]);
    // Without its oldest object, `web` is second.
    assert_eq!(audited(&[web[0].clone(), team.clone()]), ["web/b"]);
    let tied = ["x/a", "a-b/z", "a/z"].map(|object_ref| created(object_ref, "2026-01-01T00:00:00Z"));
    assert_eq!(audited(&tied), ["x/a", "a/z"], "as text, a-b/z precedes a/z");
}

#[test]
fn stored_objects_of_unknown_age_are_reported_once() {
    let objects = ["web/a", "team/a"].map(|object_ref| ingress(object_ref, "", HOST, "/"));
    assert_eq!(audited(&objects), [""; 0], "either may be the first");
    assert_eq!(reported(&objects, Action::Warn), ["web/a"]);
    let objects = [objects[1].clone(), created("web/a", "2026-01-01T00:00:00Z")];
    assert_eq!(audited(&objects), ["team/a"], "an object of unknown age is the youngest");
}

#[test]
fn an_older_object_cannot_take_a_host_by_an_update() {
    let old = ingress("team/old", "creationTimestamp: \"2020-01-01T00:00:00Z\"", "old.example.com", "/");
    let new = created("team/old", "2020-01-01T00:00:00Z");
    let rest = [old.clone(), created("web/a", "2026-01-01T00:00:00Z")];
    let denied = denials(&new, Some(&old), &rest);
    assert_eq!(denied.len(), 1, "{denied:?}");
    assert!(denied[0].contains("is already served by Ingress web/a"), "{denied:?}");
}

/// An HTTPRoute for the host.
fn route(namespace: &str, spec: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{namespace: {namespace}, name: shop}}\nspec: {{{spec}hostnames: [{HOST}]}}\n"
    )
}

/// A Gateway whose listeners accept routes from these namespaces.
fn gateway(from: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{namespace: infra, name: edge}}\nspec:\n  gatewayClassName: shared\n  listeners: [{{name: http, port: 80, protocol: HTTP, allowedRoutes: {{namespaces: {{from: {from}}}}}}}]\n---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {{name: shared}}\nspec: {{controllerName: example.com/gateway}}\n"
    )
}

const EDGE: &str = "parentRefs: [{name: edge, namespace: infra}], ";

#[test]
fn a_route_without_a_parent_holds_and_claims_nothing() {
    let (loose, attached) = (route("team", ""), route("team", EDGE));
    let held = [ingress("web/a", "", HOST, "/")];
    let none = route("team", "useDefaultGateways: None, ");
    let mesh = route("team", "parentRefs: [{group: '', kind: Service, name: a}], ");
    for route in [&loose, &none, &mesh] {
        assert_eq!(denials(&held[0], None, std::slice::from_ref(route)), [""; 0], "it holds nothing");
        assert_eq!(denials(route, None, &held), [""; 0], "it claims nothing");
    }
    assert_eq!(denials(&attached, Some(&loose), &held).len(), 1, "the parent makes it a claim");
    let unknown = route("team", "parentRefs: [{group: gateway.networking.x-k8s.io, kind: XListenerSet, name: a}], ");
    assert_eq!(denials(&unknown, None, &held).len(), 1, "a parent of an unknown kind may have listeners");
}

#[test]
fn a_route_holds_a_host_if_a_listener_accepts_it() {
    let (attached, own) = (route("team", EDGE), ingress("web/a", "", HOST, "/"));
    assert_eq!(denials(&own, None, &[attached.clone(), gateway("All")]).len(), 1, "it holds the host");
    for rest in [vec![attached.clone()], vec![attached, gateway("Same")]] {
        assert_eq!(denials(&own, None, &rest), [""; 0], "no listener accepts it: {rest:?}");
    }
}

/// All routes of a Gateway that is created again may serve their hosts since the same time.
#[test]
fn a_gateway_that_is_created_again_leaves_the_order_of_its_routes() {
    let of = |namespace: &str, time: &str| {
        let metadata = format!("name: shop, creationTimestamp: \"{time}\"");
        route(namespace, EDGE).replace("name: shop", &metadata)
    };
    let edge = gateway("All").replace("name: edge", "name: edge, creationTimestamp: \"2026-03-01T00:00:00Z\"");
    let rest = [edge, of("web", "2026-01-01T00:00:00Z"), of("team", "2026-02-01T00:00:00Z")];
    let more = |namespace: &str| route(namespace, EDGE).replace("name: shop", "name: more");
    assert_eq!(denials(&more("web"), None, &rest), [""; 0]);
    assert_eq!(denials(&more("team"), None, &rest).len(), 1);
}

#[test]
fn a_route_without_hostnames_stays_first_while_it_is_updated() {
    let edge = gateway("All").replace("name: http,", &format!("name: http, hostname: {HOST},"));
    let of = |namespace: &str, year: u16, rest: &str| {
        let metadata = format!("name: shop, creationTimestamp: \"{year}-01-01T00:00:00Z\"");
        route(namespace, EDGE).replace("name: shop", &metadata).replace(&format!("hostnames: [{HOST}]"), rest)
    };
    let (named, more) = (format!("hostnames: [{HOST}]"), "rules: [{}, {matches: [{path: {value: /new}}]}]");
    let denied = |year: u16| {
        let old = of("web", year, "rules: [{}]");
        denials(&of("web", year, more), Some(&old), &[edge.clone(), old.clone(), of("team", 2025, &named)]).len()
    };
    assert_eq!(denied(2024), 0, "it serves the host of its listener first");
    assert_eq!(denied(2026), 1);
}

/// The owner of a Gateway may give the host of another namespace to routes of that namespace, and not to own routes alone.
#[test]
fn a_listener_gives_no_host_of_others_to_own_routes() {
    let edge = |from: &str| gateway(from).replace("name: http,", &format!("name: http, hostname: {HOST},"));
    let own = route("infra", "parentRefs: [{name: edge}], ").replace(&format!("hostnames: [{HOST}]"), "rules: [{}]");
    let held = ingress("web/a", "", HOST, "/");
    let denied = |from: &str, rest: &[String]| denials(&edge(from), Some(&gateway(from)), rest).len();
    assert_eq!(denied("Same", &[own.clone(), held.clone()]), 1, "the route serves the host by this listener");
    assert_eq!(denied("All", &[own.clone(), held.clone()]), 0, "the listener serves the other namespace, too");
    let class = "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: shared}\nspec: {controllerName: traefik.io/gateway-controller}\n";
    let rest = [own.clone(), held.clone(), class.to_owned()];
    let (new, old) = (edge("All"), gateway("All"));
    let review =
        Review { config: CONFIG, object: &new, old: Some(&old), rest: &rest.join("\n---\n"), ..Review::default() };
    let response = review.response();
    let found = (response.denials().len(), response.warnings().len());
    assert_eq!(found, (0, 1), "one proxy serves all Gateways, so that this one may take the requests");
    assert_eq!(denied("Same", &[held]), 0, "no route serves the host");
    assert_eq!(denied("Same", &[own]), 0, "no other namespace serves the host");
}

#[test]
fn a_wildcard_holds_the_host_of_the_listener_that_accepts_it() {
    let listener = |host: &str| gateway("All").replace("name: http,", &format!("name: http, hostname: '{host}',"));
    let held = |wildcard: &str| route("web", EDGE).replace(&format!("[{HOST}]"), &format!("['{wildcard}']"));
    let taken = |listener: String, held: String| denials(&route("team", EDGE), None, &[listener, held]).len();
    assert_eq!(taken(listener(HOST), held("*.example.com")), 1);
    assert_eq!(taken(listener(HOST), held("*.com")), 1);
    assert_eq!(taken(listener(HOST), held("*.example.org")), 0, "the listener does not accept it");
    assert_eq!(taken(listener("*.example.com"), held("*.example.com")), 0, "it serves the rest of the hosts");
}

#[test]
fn an_ingress_holds_a_host_if_its_class_may_exist() {
    let own = ingress("web/a", "", HOST, "/");
    let of_class = |class: &str| ingress("team/a", "", HOST, "/").replace("ingressClassName: nginx", class);
    let named = "ingressClassName: nowhere";
    assert_eq!(denials(&own, None, &[of_class(named)]), [""; 0], "its class does not exist");
    let class = "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: nowhere}\nspec: {controller: example.com/ingress}\n";
    assert_eq!(denials(&own, None, &[of_class(named), class.to_owned()]).len(), 1, "its class exists");
    assert_eq!(denials(&own, None, &[of_class("ingressClassName: traefik")]).len(), 1, "Traefik knows the name");
    let annotated = ingress("team/a", "annotations: {kubernetes.io/ingress.class: nowhere}", HOST, "/");
    assert_eq!(denials(&own, None, &[annotated.replace("ingressClassName: nginx", "")]).len(), 1, "a controller may");
}

#[test]
fn a_redirect_between_names_holds_the_other_name() {
    let annotation = "annotations: {nginx.ingress.kubernetes.io/from-to-www-redirect: 'true'}";
    let (held, other) = (ingress("web/a", annotation, HOST, "/"), format!("www.{HOST}"));
    assert_eq!(denials(&ingress("team/a", "", &other, "/"), None, &[held]).len(), 1);
    assert_eq!(denials(&ingress("team/a", "", &other, "/"), None, &[ingress("web/a", "", HOST, "/")]).len(), 0);
}

#[test]
fn an_update_that_adds_no_host_passes() {
    let (first, second) = (created("web/a", "2026-01-01T00:00:00Z"), created("team/a", "2026-01-02T00:00:00Z"));
    let rest = [first.clone(), second.clone()];
    for object in [&first, &second] {
        let changed = object.replace("name: cart", "name: list");
        assert_ne!(changed, *object);
        assert_eq!(denials(&changed, Some(object), &rest), [""; 0], "{changed}");
    }
    // The second namespace may keep what it has, and may not take another path.
    let moved = |object: &str| object.replace("path: \"/\"", "path: \"/v2\"");
    assert_eq!(denials(&moved(&first), Some(&first), &rest), [""; 0]);
    assert_eq!(denials(&moved(&second), Some(&second), &rest).len(), 1);
    // The second namespace may not add another object.
    assert_eq!(denials(&ingress("team/more", "", HOST, "/more"), None, &rest).len(), 1);
    assert_eq!(denials(&ingress("web/more", "", HOST, "/more"), None, &rest), [""; 0]);
}

/// A host that hundreds of namespaces share from before costs each review one pass over them.
#[test]
fn a_host_shared_by_many_is_decided_by_its_first_namespace() {
    let rest: Vec<String> =
        (0..600).map(|n| created(&format!("team-{n}/a"), &format!("2026-01-01T00:{:02}:00Z", n % 60))).collect();
    let denied = denials(&ingress("web/new", "", HOST, "/new"), None, &rest);
    assert_eq!(denied.len(), 1, "{denied:?}");
    assert!(denied[0].contains("Ingress team-0/a"), "{denied:?}");
}
