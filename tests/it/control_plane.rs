//! Tests of the harness: what the trials expect from the control plane, without Portcullis.

use crate::harness::{
    BehindService, Canned, Channel, ControlPlane, Flavour, NEWEST, ProcessGuard, Webhooks, allow, crds, deny,
    eventually, examples, not_yet, on_cluster, on_gateway_api, on_gateway_cluster, until, versions,
};
use libtest_mimic::Trial;
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("children_and_folder_go_with_the_process", || {
            children_and_folder_go_with_the_process();
            Ok(())
        }),
        on_gateway_api("the_bundles_are_the_pinned_ones", the_bundles_are_the_pinned_ones),
        on_cluster("the_server_is_the_pinned_one", the_server_is_the_pinned_one),
        on_cluster("writes_are_audited", writes_are_audited),
        on_cluster("concurrent_trials_share_one_server", concurrent_trials_share_one_server),
        on_cluster("namespace_is_deleted_with_its_trial", namespace_is_deleted_with_its_trial),
        on_cluster(
            "a_webhook_behind_a_service_is_called_without_pods",
            a_webhook_behind_a_service_is_called_without_pods,
        ),
        on_cluster("api_server_retries_a_webhook_that_is_not_ready", api_server_retries_a_webhook_that_is_not_ready),
        on_cluster("a_mutating_webhook_is_called_too", a_mutating_webhook_is_called_too),
        on_cluster("a_service_account_has_its_own_rights_only", a_service_account_has_its_own_rights_only),
        on_cluster("default_ingress_class_plugin_can_be_disabled", default_ingress_class_plugin_can_be_disabled),
        on_cluster("a_stopped_server_answers_no_request", a_stopped_server_answers_no_request),
        on_gateway_cluster("a_server_has_nothing_of_an_earlier_trial", a_server_has_nothing_of_an_earlier_trial),
    ]
}

const INGRESS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  rules:
  - host: shop.example.com
    http:
      paths:
      - {path: /, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}
"#;

const DEFAULT_CLASS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
spec: {controller: example.com/nginx}
"#;

fn children_and_folder_go_with_the_process() {
    let process_guard = ProcessGuard::begin();
    let mut child = process_guard.command("sh").args(["-c", "sleep 600 & wait"]).spawn().expect("sh is on the PATH");
    std::fs::write(process_guard.folder("any").join("file"), "text").expect("the folder is writable");

    process_guard.end();

    let ended = child.wait().expect("a child of ours can be waited for");
    assert_eq!(ended.signal(), Some(9), "the child was killed");
    assert!(!process_guard.root().exists(), "{} is still there", process_guard.root().display());
}

fn the_bundles_are_the_pinned_ones() {
    for version in versions() {
        for channel in [Channel::Standard, Channel::Experimental] {
            let crds = crds(version, channel);
            let route = crds.iter().find(|crd| crd["spec"]["names"]["kind"] == "HTTPRoute").expect("a route is there");
            let output = &route["metadata"]["annotations"];
            assert_eq!(output["gateway.networking.k8s.io/bundle-version"], format!("v{version}"));
            assert_eq!(output["gateway.networking.k8s.io/channel"], channel.name());
        }
        let shows_routes = examples(version).iter().any(|(_, text)| text.contains("kind: HTTPRoute"));
        assert!(shows_routes, "the examples of {version} show an HTTPRoute");
    }
}

fn the_server_is_the_pinned_one() {
    // A folder that is given chooses its version.
    if std::env::var_os("KUBEBUILDER_ASSETS").is_some() {
        return;
    }
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let version = control_plane.kubectl("version -o json").run().json();
    for side in ["clientVersion", "serverVersion"] {
        let release = version[side]["gitVersion"].as_str().unwrap_or_default();
        assert!(release.starts_with("v1.37."), "{side} is {release}");
    }
}

fn writes_are_audited() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    team.kubectl("create -f -").stdin(INGRESS).acting_as("jane").in_group("system:masters").run().accepted();

    let creation = |event: &Value| event["verb"] == "create" && event["objectRef"]["resource"] == "ingresses";
    let event = team.audit_log().into_iter().find(creation).expect("the creation is in the audit log");
    assert_eq!(event["objectRef"]["name"], "shop");
    assert_eq!(event["impersonatedUser"]["username"], "jane");
    assert_eq!(event["responseStatus"]["code"], 201);
}

fn concurrent_trials_share_one_server() {
    let trial = || {
        let control_plane = ControlPlane::shared(Flavour::Plain);
        let team = control_plane.namespace("team");
        team.apply(INGRESS).accepted();
        (std::ptr::from_ref(control_plane).addr(), team.to_string())
    };
    let (here, there) = thread::scope(|scope| {
        let other = scope.spawn(trial);
        (trial(), other.join().expect("the other trial ends well"))
    });
    assert_eq!(here.0, there.0, "two servers were started");
    assert_ne!(here.1, there.1, "two trials were given one namespace");
}

fn namespace_is_deleted_with_its_trial() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    let name = team.to_string();
    team.apply(INGRESS).accepted();

    drop(team);

    control_plane.kubectl(&format!("get namespace {name}")).run().refused_with("NotFound");
    let left = control_plane.kubectl(&format!("get ingresses --namespace={name} -o name")).run().accepted().stdout;
    assert_eq!(left, "", "Ingresses outlive their namespace");
}

fn a_webhook_behind_a_service_is_called_without_pods() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let (team, system) = (control_plane.namespace("team"), control_plane.namespace("system"));
    system.kubectl("create service externalname gate --external-name=localhost").run().accepted();
    let server_name = format!("gate.{system}.svc");
    let canned = Canned::start(&[server_name], |_, review| deny(review, "the shop is closed"));
    let behind = BehindService { callee: &canned, namespace: &system.to_string(), service: "gate" };

    let registered = control_plane.register(&behind, only_in(&team.to_string()));
    team.apply(INGRESS).refused_with("the shop is closed");
    assert_eq!(canned.calls(), 1);

    registered.unregister();
    team.apply(INGRESS).accepted();
    assert_eq!(canned.calls(), 1, "called after it was unregistered");
    team.delete("ingress/shop").accepted();
}

fn api_server_retries_a_webhook_that_is_not_ready() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    let canned = Canned::start(&[], |call, review| if call <= 2 { not_yet() } else { allow(review) });

    let _registered = control_plane.register(&canned, only_in(&team.to_string()));
    team.apply(INGRESS).accepted();

    assert_eq!(canned.calls(), 3);
    let annotated = |event: &Value| event["annotations"]["ingresses.portcullis.dev/canned"] == "yes";
    assert!(team.audit_log().iter().any(annotated), "the webhook's annotation is not in the audit log");
}

fn a_mutating_webhook_is_called_too() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    let canned = Canned::start(&[], |_, review| deny(review, "no changes today"));

    let _registered = control_plane.register(&canned, Webhooks::mutating().in_namespace(&team.to_string()));

    team.apply(INGRESS).refused_with("no changes today");
}

fn a_service_account_has_its_own_rights_only() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    team.kubectl("create serviceaccount reader").run().accepted();
    team.kubectl("create role reader --verb=list --resource=services").run().accepted();
    team.kubectl(&format!("create rolebinding reader --role=reader --serviceaccount={team}:reader")).run().accepted();

    let kubeconfig = control_plane.kubeconfig_for(&team.to_string(), "reader");
    let as_reader = |words: &str| team.kubectl(words).arg("--kubeconfig").arg(&kubeconfig).run();

    eventually("the role is in effect", || as_reader("get services").succeeded());
    as_reader("get secrets").refused_with("Forbidden");
}

fn default_ingress_class_plugin_can_be_disabled() {
    assert_eq!(class_given_by(Flavour::Plain).as_deref(), Some("nginx"));
    assert_eq!(class_given_by(Flavour::NoDefaultIngressClass), None);
}

/// The class that an Ingress without a class gets from the API server if a default class exists. The plugin notices the
/// class a moment after it is written.
fn class_given_by(flavour: Flavour) -> Option<String> {
    let control_plane = ControlPlane::shared(flavour);
    let _alone = control_plane.cluster_scope();
    let team = control_plane.namespace("team");
    control_plane.apply(DEFAULT_CLASS).accepted();
    let class = until(Duration::from_secs(3), || {
        let (status, answer) = team.dry_run(INGRESS);
        assert_eq!(status, 201, "{answer}");
        answer["spec"]["ingressClassName"].as_str().map(str::to_owned)
    });
    control_plane.delete("ingressclass/nginx").accepted();
    class
}

fn a_stopped_server_answers_no_request() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    control_plane.kubectl("get namespaces").run().accepted();
    let url = control_plane.kubectl("config view -o jsonpath={.clusters[0].cluster.server}").run().accepted().stdout;

    control_plane.stop();

    let address = url.trim_start_matches("https://");
    assert!(std::net::TcpStream::connect(address).is_err(), "a process still listens on {address}");
    assert!(!control_plane.kubeconfig().exists(), "its folder is still there");
}

fn a_server_has_nothing_of_an_earlier_trial() {
    // No other trial needs this CRD alone.
    let mut crds = crds(NEWEST, Channel::Standard).into_iter();
    let class = crds.find(|crd| crd["spec"]["names"]["kind"] == "GatewayClass").expect("the bundle has it");
    let start = || ControlPlane::serving(Flavour::Plain, vec![class.clone()]);
    let earlier = start();
    earlier.install_crds(&crds.collect::<Vec<_>>());
    let created = ["namespace team", "serviceaccount gate", "service clusterip cart --tcp=80"];
    created.iter().for_each(|what| drop(earlier.kubectl(&format!("create {what}")).run().accepted()));
    earlier.apply(INGRESS).accepted();
    earlier.kubectl("label namespace default team=shop").run().accepted();
    let webhooks = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/manifests/webhooks/validating.yaml"));
    let enforced = webhooks.expect("it is in the repository").replace("failurePolicy: Ignore", "failurePolicy: Fail");
    earlier.apply(&enforced).accepted();
    earlier.delete("crd/gatewayclasses.gateway.networking.k8s.io").accepted();
    drop(earlier);

    let later = start();
    let list = later.kubectl("get ingresses,services,serviceaccounts -A -o name").run().accepted();
    assert_eq!(list.stdout, "service/kubernetes\n");
    assert_eq!(later.kubectl("get namespaces -l team -o name").run().accepted().stdout, "");
    assert!(later.kubectl("get namespace team").run().stderr.contains("NotFound"));
    assert_eq!(later.kubectl("get crds -o name").run().accepted().stdout.lines().count(), 1);
    assert!(later.audit_log().is_empty(), "{:?}", later.audit_log());
    eventually("kubectl finds the kind of the CRD", || later.kubectl("get gatewayclasses").run().succeeded());
    later.kubectl("create service clusterip cart --tcp=80").run().accepted();
    later.apply(INGRESS).accepted();
}

/// Webhooks for this namespace only, so that other trials on the server are not affected.
fn only_in(namespace: &str) -> Webhooks {
    Webhooks::validating().in_namespace(namespace)
}
