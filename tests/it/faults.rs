//! A real API server that is slow, denies access, closes connections, dies and returns. The webhook always responds,
//! and its view recovers as soon as possible.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use serde_json::json;

use crate::contact::{Account, SOON};
use crate::harness::{
    ControlPlane, FlakyProxy, Flavour, Namespace, PortcullisServer, Webhooks, eventually, must_within, on_cluster,
};
use crate::reviews::{create, ingress, send, update, warnings};
use crate::test_server::post;

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("faults::before_the_first_list_only_dependent_reviews_wait", before_the_first_list),
        on_cluster("faults::a_create_before_the_first_list_succeeds_after_it", a_create_before_the_first_list),
        on_cluster("faults::a_forbidden_kind_makes_checks_silent", a_forbidden_kind_makes_checks_silent),
        on_cluster("faults::interrupted_watch_loses_no_event", interrupted_watch_loses_no_event),
        on_cluster("faults::an_api_server_may_die_and_come_back", an_api_server_may_die_and_come_back),
        on_cluster("faults::a_deleted_class_leaves_the_view", a_deleted_class_leaves_the_view),
        on_cluster("faults::audit_log_names_the_checks_that_acted", audit_log_names_the_checks_that_acted),
    ]
}

/// A server that reaches the API server through `proxy`, and may not be ready.
pub fn server_through(control_plane: &ControlPlane, proxy: &FlakyProxy) -> PortcullisServer {
    let kubeconfig = control_plane.kubeconfig_through(proxy.address);
    PortcullisServer::start(["--kubeconfig".as_ref(), kubeconfig.as_os_str()])
}

/// Whether the server denies that a namespace `elsewhere` serves `/` on `host`.
pub fn is_claimed(server: &PortcullisServer, host: &str) -> bool {
    let (status, answer) = server.post("/validate", create(&ingress("elsewhere", "copy", host, "/")));
    assert_eq!(status, 200, "{answer}");
    answer["response"]["allowed"] == false
}

fn before_the_first_list() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let proxy = FlakyProxy::to(control_plane.address());
    proxy.hold();
    let server = server_through(control_plane, &proxy);
    let (status, says) = server.health().get("/readyz");
    assert!(status == 503 && says.contains("[-]ingresses failed: not synced\n"), "{status}: {says}");
    assert_eq!(server.health().get("/livez").0, 200);

    let shop = ingress("web", "shop", "shop.example.com", "/");
    let refused = send(&server, &post("/validate", create(&shop).as_bytes()));
    let waiting = "not synced yet: Ingress, IngressClass; if this lasts, see /readyz?verbose; `portcullis disarm` stops enforcement";
    assert_eq!((refused.status, refused.body.trim_end()), (503, waiting));
    assert!(refused.head.contains("retry-after: 1\r\n"), "{}", refused.head);
    assert_eq!(server.metric("portcullis_reviews_not_synced_total"), Some(1.0));

    // An object that is invalid by itself is denied without any list.
    let (_, answer) = server.post("/validate", create(&ingress("web", "shop", "shop.example.com", "cart")));
    assert_eq!(answer["response"]["status"]["code"], 422, "{answer}");
    // A controller that writes a status or removes a finalizer is neither denied nor delayed.
    let with_status = shop.replacen('{', r#"{"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"}]}},"#, 1);
    let finalised = shop.replace(r#""name":"shop""#, r#""name":"shop","finalizers":["example.com/a"]"#);
    for new in [with_status, finalised] {
        let (status, answer) = server.post("/validate", update(&shop, &new));
        assert_eq!((status, &answer["response"]), (200, &json!({"uid": "u-1", "allowed": true})));
    }
    let (status, answer) = server.post("/mutate", create(&shop));
    assert_eq!((status, answer["response"].get("patch")), (200, None), "{answer}");

    proxy.resume();
    let server = server.ready();
    assert_eq!(server.post("/validate", create(&shop)).0, 200);
}

/// Webhooks for this namespace only.
fn of(namespace: &Namespace<'_>) -> Webhooks {
    Webhooks::validating().in_namespace(&namespace.to_string())
}

fn a_create_before_the_first_list() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    let proxy = FlakyProxy::to(control_plane.address());
    proxy.hold();
    let server = server_through(control_plane, &proxy);
    let _registered = control_plane.register(&server, of(&team));
    let is_resumed = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let not_synced = || server.metric("portcullis_reviews_not_synced_total").unwrap_or_default();
            eventually("the review is answered with 503", || not_synced() >= 1.0);
            is_resumed.store(true, Ordering::Relaxed);
            proxy.resume();
        });
        team.apply(&ingress(&team.to_string(), "shop", &format!("{team}.example.com"), "/")).accepted();
        assert!(is_resumed.load(Ordering::Relaxed), "accepted before the list");
    });
}

fn a_forbidden_kind_makes_checks_silent() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let account = Account::new(control_plane, &["ingressclasses"]);
    let team = &account.team;
    let host = format!("{team}.example.com");
    team.apply(&ingress(&team.to_string(), "shop", &host, "/")).accepted();

    // It is new, so it is not ready; the trials of `contact` show that a running one stays ready.
    let server = account.server(None, &[]);
    let gauge = |name: &str, kind: &str| server.metric(&format!("portcullis_{name}{{kind=\"{kind}\"}}"));
    eventually("the kind is not readable", || gauge("unreadable", "Ingress") == Some(1.0));
    assert_eq!(gauge("synced", "Ingress"), Some(0.0));
    eventually("the right is used", || gauge("synced", "IngressClass") == Some(1.0));
    assert_eq!(gauge("unreadable", "IngressClass"), Some(0.0));
    let (_, answer) = server.post("/validate", create(&ingress("elsewhere", "copy", &host, "/")));
    assert!(answer["response"]["allowed"] == true && !warnings(&answer).contains("conflict"), "{answer}");
    thread::sleep(Duration::from_secs(3));
    let failures =
        server.log().lines().filter(|line| line.contains("watch failed") && line.contains(r#""Ingress""#)).count();
    assert_eq!(failures, 1, "what repeats itself is logged once\n{}", server.log());

    account.allow("ingresses");
    eventually("the right that came is used", || is_claimed(&server, &host));
    assert_eq!(gauge("unreadable", "Ingress"), Some(0.0));
    ["ingresses", "ingressclasses"].into_iter().for_each(|resource| account.deny(resource));
}

/// The hosts of all Ingresses, from a new list.
fn hosts(control_plane: &ControlPlane) -> Vec<String> {
    let listed = control_plane.http().object("/apis/networking.k8s.io/v1/ingresses").expect("the kind is served");
    let items = listed["items"].as_array().expect("a list");
    items.iter().map(|item| item["spec"]["rules"][0]["host"].as_str().expect("a host").to_owned()).collect()
}

/// Whether the view contains exactly the Ingresses of these hosts. Each Ingress has one host.
fn holds(server: &PortcullisServer, hosts: &[String]) -> bool {
    server.metric(r#"portcullis_objects{kind="Ingress"}"#) == Some(hosts.len() as f64)
        && hosts.iter().all(|host| is_claimed(server, host))
}

fn interrupted_watch_loses_no_event() {
    // Not the shared server, since other trials also write Ingresses.
    let control_plane = ControlPlane::start(Flavour::Plain);
    let proxy = FlakyProxy::to(control_plane.address());
    let server = server_through(&control_plane, &proxy).ready();
    let http = control_plane.http();
    for round in 0..20 {
        proxy.cut();
        let shop = ingress("default", &format!("shop-{}", round % 5), &format!("r{round}.example.com"), "/");
        let shop = serde_json::from_str(&shop).expect("it is JSON");
        http.apply(&shop);
        if round % 3 == 2 {
            http.remove(&shop);
        }
        let hosts = hosts(&control_plane);
        eventually("the view equals a fresh list", || holds(&server, &hosts));
        assert_eq!(is_claimed(&server, &format!("r{round}.example.com")), round % 3 != 2, "round {round}");
    }
    assert_eq!(server.health().get("/readyz").0, 200);
}

/// First the API server dies and returns, and the watches continue where they stopped. Then it dies while the server
/// under test is disconnected and objects change, so that the new API server mostly no longer has the resource versions
/// of the watches (410) and they list again.
fn an_api_server_may_die_and_come_back() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let proxy = FlakyProxy::to(control_plane.address());
    let server = server_through(&control_plane, &proxy).ready();
    let put =
        |name: &str| control_plane.apply(&ingress("default", name, &format!("{name}.example.com"), "/")).accepted();
    put("first");
    eventually("the first Ingress is seen", || is_claimed(&server, "first.example.com"));

    control_plane.kill_api_server();
    for _ in 0..10 {
        assert!(is_claimed(&server, "first.example.com"), "what was known stays known");
        assert!(!is_claimed(&server, "second.example.com"));
        assert_eq!(server.health().get("/readyz").0, 200);
        thread::sleep(Duration::from_millis(200));
    }
    control_plane.start_api_server();
    put("second");
    let back = must_within(SOON, "the watch is back", || is_claimed(&server, "second.example.com"));
    println!("the watch was back {back:?} after the server");

    proxy.hold();
    control_plane.delete("ingress/first").accepted();
    put("third");
    control_plane.kill_api_server();
    assert!(is_claimed(&server, "first.example.com"), "the server has not seen the deletion");
    control_plane.start_api_server();
    put("fourth");
    // Bytes that waited in the proxy are lost.
    proxy.cut();
    proxy.resume();
    eventually("the view equals a fresh list", || holds(&server, &hosts(&control_plane)));
    assert!(!is_claimed(&server, "first.example.com") && is_claimed(&server, "third.example.com"));
    assert_eq!(server.metric("portcullis_panics_total"), Some(0.0));
}

fn a_deleted_class_leaves_the_view() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let server = crate::cluster::server(control_plane, &[]);
    let _registered = control_plane.register(&server, Webhooks::validating().of_cluster_scope());
    let class = |name: &str| {
        json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "spec": {"controller": "example.com/a"},
            "metadata": {"name": name, "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
        })
    };
    let (first, second) = (control_plane.unique("first"), control_plane.unique("second"));
    control_plane.apply(&class(&first).to_string()).accepted();
    let (http, list) = (control_plane.http(), "/apis/networking.k8s.io/v1/ingressclasses");
    let create = || http.dry_run(list, &class(&second).to_string());
    let denial = format!("IngressClass {first} is already the default");
    eventually("Portcullis has seen the first class", || create().1.to_string().contains(&denial));
    let reviewed = || {
        server
            .metric(r#"portcullis_reviews_total{kind="IngressClass",verdict="allowed",dry_run="false"}"#)
            .unwrap_or_default()
    };
    let before = reviewed();
    control_plane.delete(&format!("ingressclass/{first}")).accepted();
    assert_eq!(reviewed(), before + 1.0, "the deletion was reviewed");
    eventually("Portcullis has seen the deletion", || create().0 == 201);
}

fn audit_log_names_the_checks_that_acted() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let server = crate::cluster::server(control_plane, &[]);
    let (web, team) = (control_plane.namespace("web"), control_plane.namespace("team"));
    let host = format!("{web}.example.com");
    web.apply(&ingress(&web.to_string(), "shop", &host, "/")).accepted();
    let _registered = control_plane.register(&server, of(&team));
    eventually("Portcullis has seen the first Ingress", || is_claimed(&server, &host));
    team.apply(&ingress(&team.to_string(), "copy", &host, "/")).refused_with("[host/path-conflict]");
    team.apply(&ingress(&team.to_string(), "own", &format!("{team}.example.com"), "/")).accepted();
    eventually("Portcullis has seen the second Ingress", || is_claimed(&server, &format!("{team}.example.com")));
    team.apply(&ingress(&team.to_string(), "twin", &format!("{team}.example.com"), "/")).accepted();

    let log = team.audit_log();
    let annotation_of = |name: &str| {
        let event = log.iter().find(|event| event["objectRef"]["name"] == name && event["verb"] == "create");
        event.unwrap_or_else(|| panic!("the creation of {name} is not in the audit log"))["annotations"]["ingresses.portcullis.dev/checks"].clone()
    };
    // The class and the Service are missing, too.
    let besides = "ingress/class-not-found=Warn,ingress/service-not-found=Warn";
    assert_eq!(annotation_of("copy"), format!("host/path-conflict=Deny,{besides}"));
    assert_eq!(annotation_of("own"), besides);
    assert_eq!(annotation_of("twin"), format!("host/path-conflict=Warn,{besides}"));
}
