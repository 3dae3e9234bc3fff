//! The status writer on a real API server, under the rights that are shipped.

mod claim_races;
mod fixture;
mod host_grants;
mod host_requests;
mod ingresses;
mod kinds;
mod losses;
mod memory;
mod objects;
mod rates;
mod replicas;
mod rivals;
mod routes;
mod secrets;

use std::env;
use std::thread::sleep;
use std::time::Duration;

use axum::http::Request;
use jiff::{SignedDuration, Timestamp};
use libtest_mimic::Trial;
use portcullis_testing::repository::read;
use serde_json::{Value, json};

use crate::harness::{
    Channel, Kubectl, KubectlOutput, NEWEST, PortcullisServer, eventually, on_contour_cluster, on_full_cluster,
    on_gateway_cluster, path_of, process_guard,
};
use fixture::{Cluster, SOON, condition};
use objects::{gateway, gateway_class, ingress_route, service};

const FINALIZER: &str = "gateway-exists-finalizer.gateway.networking.k8s.io";

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        on_contour_cluster("controller::ingress_routes_follow_each_change", ingress_routes_follow_each_change),
        on_full_cluster("controller::gateway_classes_follow_each_change", gateway_classes_follow_each_change),
        on_full_cluster("controller::a_kind_without_rights_is_left_alone", a_kind_without_rights_is_left_alone),
        on_contour_cluster("controller::a_refused_write_does_not_delay_others", a_refused_write_does_not_delay_others),
        on_contour_cluster(
            "controller::ingresses_get_the_published_address",
            ingresses::ingresses_get_the_published_address,
        ),
        on_contour_cluster("controller::at_rest_nothing_is_written", replicas::at_rest_nothing_is_written),
        on_contour_cluster(
            "controller::a_killed_holder_is_replaced_amid_writes",
            replicas::a_killed_holder_is_replaced,
        ),
        on_contour_cluster("controller::another_manager_keeps_its_status", rivals::another_manager_keeps_its_status),
        on_full_cluster(
            "controller::gateways_and_routes_follow_each_change",
            routes::gateways_and_routes_follow_each_change,
        ),
        on_full_cluster(
            "controller::each_kind_has_a_status_in_both_channels",
            kinds::each_kind_has_a_status_in_both_channels,
        ),
        on_full_cluster(
            "controller::no_entry_is_lost_between_two_controllers",
            routes::no_entry_is_lost_between_two_controllers,
        ),
        on_full_cluster("controller::a_host_has_one_owner", claim_races::a_host_has_one_owner),
        on_full_cluster(
            "controller::policies_for_host_claims_hold_without_a_replica",
            host_grants::policies_hold_without_a_replica,
        ),
        on_gateway_cluster(
            "controller::an_event_says_which_matches_lose_requests",
            losses::an_event_says_which_matches_lose_requests,
        ),
        on_gateway_cluster(
            "controller::an_event_reaches_listeners_and_those_that_another_write_takes_from",
            losses::an_event_reaches_listeners_and_those_that_another_write_takes_from,
        ),
        on_gateway_cluster("controller::host_requests_are_granted_once", host_requests::host_requests_are_granted_once),
        on_full_cluster("controller::listeners_follow_their_secrets", secrets::listeners_follow_their_secrets),
        on_full_cluster("controller::an_overwritten_status_is_repaired", rivals::an_overwritten_status_is_repaired),
    ];
    if env::var_os("PORTCULLIS_SLOW").is_some() {
        trials.extend(slow());
    }
    trials
}

/// What takes minutes, and measures: `just soak-status`.
fn slow() -> [Trial; 7] {
    [
        on_full_cluster("controller::slow::at_rest", replicas::at_rest_for_long),
        on_full_cluster("controller::slow::no_entry_is_lost", routes::no_entry_is_lost_in_many_writes),
        on_full_cluster("controller::slow::memory", memory::many_objects),
        on_contour_cluster("controller::slow::outdated", rates::outdated_statuses),
        on_contour_cluster("controller::slow::visible", rates::visible_statuses),
        on_contour_cluster("controller::slow::killed", replicas::a_killed_holder_of_many),
        on_contour_cluster("controller::slow::stopped", replicas::a_stopped_holder_is_replaced),
    ]
}

fn ingress_routes_follow_each_change() {
    let cluster = Cluster::new();
    let root = ingress_route("web", "root", Some("shop.example.com"), &[("/a", "team/child")]);
    let (child, orphan) = (ingress_route("team", "child", None, &[]), ingress_route("team", "orphan", None, &[]));
    let objects = [service("web"), service("team"), root.clone(), child.clone(), orphan.clone()];
    objects.iter().for_each(|object| cluster.apply(object));
    let (exempt, end) = (
        ingress_route("web", "exempt", Some("owned.example.com"), &[]),
        Timestamp::now() + SignedDuration::from_secs(8),
    );
    cluster.apply(&exempt);
    let server = cluster.replica(&format!(
        "hostOwnership: {{hosts: [{{host: owned.example.com, namespaces: {{names: [team]}}}}]}}\n\
         exemptions: [{{checks: [host/not-owned], match: {{namespaces: {{names: [web]}}}}, reason: moving, expires: '{end}'}}]\n"
    ));
    let first = cluster.expect_state(&root, Duration::from_secs(10), "valid");
    let mut all = vec![cluster.expect_state(&child, SOON, "valid"), cluster.expect_state(&orphan, SOON, "orphaned")];
    let roots = json!([{"namespace": "web", "name": "root", "fqdn": "shop.example.com"}]);
    assert_eq!(cluster.status(&child)["roots"], roots);

    let duplicate = ingress_route("web", "duplicate", Some("shop.example.com"), &[]);
    cluster.apply(&duplicate);
    all.push(cluster.expect_state(&duplicate, SOON, "invalid"));
    cluster.delete(&duplicate);
    all.push(cluster.expect_state(&root, SOON, "valid"));
    cluster.delete(&service("team"));
    all.push(cluster.expect_state(&child, SOON, "invalid"));
    assert_eq!(condition(&cluster.status(&child), "Valid")["reason"], "ServiceNotFound");
    let changed = ingress_route("web", "root", Some("shop.example.com"), &[("/a", "team/child"), ("/b", "team/gone")]);
    cluster.apply(&changed);
    all.push(cluster.expect_state(&root, SOON, "valid"));
    cluster.expect(&root, SOON, |status| condition(status, "DelegationsAccepted")["status"] == "False");
    cluster.delete(&root);
    all.push(cluster.expect_state(&child, SOON, "orphaned"));
    eprintln!("the first status came after {first:?}, others after {all:?}");
    cluster.expect_state(&exempt, SOON, "valid");
    let rest = Duration::try_from(end.duration_since(Timestamp::now())).expect("the exemption has not expired yet");
    sleep(rest);
    cluster.expect_state(&exempt, SOON, "invalid");
    eventually("an Event tells of the Service", || !cluster.events(&child, "ServiceNotFound").is_empty());
    assert_eq!(server.metric(r#"contour_ingressroute_orphaned_total{namespace="team"}"#), Some(2.0));
    assert!(server.metric(r#"portcullis_status_written_total{kind="IngressRoute"}"#) >= Some(8.0));
}

fn gateway_classes_follow_each_change() {
    let cluster = Cluster::new();
    cluster.grant("gateway-status");
    let server = cluster.replica("status: {gatewayClassFinalizer: true}\n");
    server.logs("this replica leads");
    assert_eq!(remove_finalizers(&cluster).accepted().stdout, "no GatewayClass has the finalizer\n");
    // The CRDs come later than the controller.
    cluster.control_plane.install_gateway_api(NEWEST, Channel::Standard);
    let class = gateway_class("own");
    cluster.apply(&class);
    let accepted = |status: &Value| condition(status, "Accepted")["status"].clone();
    cluster.expect(&class, Duration::from_secs(20), |status| accepted(status) == "True");
    cluster.expect(&class, SOON, |status| condition(status, "SupportedVersion")["status"] == "True");
    assert_eq!(cluster.status(&class)["supportedFeatures"], Value::Null);
    let mut changed = class.clone();
    changed["spec"]["parametersRef"] = json!({"group": "", "kind": "ConfigMap", "name": "x", "namespace": "web"});
    cluster.apply(&changed);
    cluster.expect(&class, SOON, |status| accepted(status) == "False");
    eventually("an Event tells of it", || !cluster.events(&class, "InvalidParameters").is_empty());

    let finalizers = || cluster.get(&class)["metadata"]["finalizers"].clone();
    assert_eq!(finalizers(), Value::Null);
    cluster.apply(&gateway("edge", "own"));
    let finalizer = json!([FINALIZER]);
    eventually("a class in use gets the finalizer", || finalizers() == finalizer);
    cluster.delete(&gateway("edge", "own"));
    eventually("and loses it", || finalizers() == Value::Null);
    cluster.apply(&gateway("edge", "own"));
    eventually("a class in use gets it again", || finalizers() == finalizer);
    let other = json!({"controllerName": "example.com/other"});
    let mut class = gateway_class("other");
    class["spec"] = other;
    cluster.apply(&class);
    cluster.apply(&gateway_class("last"));
    cluster.expect(&gateway_class("last"), SOON, |status| accepted(status) == "True");
    assert_eq!(accepted(&cluster.status(&class)), "Unknown", "the class of another controller is left as it is");
    the_finalizer_can_be_removed(&cluster, server);
}

/// By the option, and by command or by hand once Portcullis is gone, as docs/remove.md says.
fn the_finalizer_can_be_removed(cluster: &Cluster, server: PortcullisServer) {
    let class = gateway_class("own");
    assert!(server.terminate().0.success());
    let finalizers = || cluster.get(&class)["metadata"]["finalizers"].clone();
    assert!(finalizers().is_array(), "it stays when Portcullis ends");
    the_finalizer_is_removed_by_command(cluster);
    let page = read("docs/remove.md");
    let command = page.lines().find(|line| line.starts_with("kubectl patch gatewayclass NAME "));
    let command = command.expect("the page has the command").replace("NAME", "own");
    let set = || cluster.shell(&command.replace("null", &json!([FINALIZER]).to_string())).run().accepted();
    set();
    cluster.shell(&command).run().accepted();
    assert_eq!(finalizers(), Value::Null);

    set();
    assert!(finalizers().is_array());
    let _gate = cluster.replica("");
    eventually("without the option, it is removed from a class in use", || finalizers() == Value::Null);
}

/// With the rights that the hook of the chart has, what Portcullis has set is removed, and nothing else.
fn the_finalizer_is_removed_by_command(cluster: &Cluster) {
    let kubectl = |words: &str| cluster.control_plane.kubectl(words).run().accepted();
    let patch = |class: &str, operations: Value| {
        let words = format!("patch gatewayclass {class} --type=json");
        cluster.control_plane.kubectl(&words).arg(format!("--patch={operations}")).run().accepted();
    };
    let waits = "example.com/wait";
    patch("own", json!([{"op": "add", "path": "/metadata/finalizers/0", "value": waits}]));
    patch("last", json!([{"op": "add", "path": "/metadata/finalizers", "value": [FINALIZER]}]));
    let foreign = "GatewayClass last: finalizer left, because Portcullis has not set it\n";

    let role = "clusterrole removing --resource=gatewayclasses.gateway.networking.k8s.io";
    kubectl(&format!("create {role} --verb=list"));
    kubectl("create clusterrolebinding removing --clusterrole=removing --serviceaccount=web:removing");
    let failed = remove_finalizers(cluster);
    assert_eq!((failed.code(), &*failed.stdout), (Some(1), foreign), "{failed}");
    let cause = "portcullis: GatewayClass own: the finalizer could not be removed: ";
    assert!(failed.stderr.starts_with(cause) && !failed.stderr.contains("rbac.yaml"), "{failed}");

    kubectl(
        "patch clusterrole removing --type=json --patch=[{\"op\":\"add\",\"path\":\"/rules/0/verbs/-\",\"value\":\"patch\"}]",
    );
    let removed = remove_finalizers(cluster).accepted();
    assert_eq!(removed.stdout, format!("GatewayClass own: finalizer removed\n{foreign}"));
    let finalizers = |class: &str| cluster.get(&gateway_class(class))["metadata"]["finalizers"].clone();
    assert_eq!((finalizers("own"), finalizers("last")), (json!([waits]), json!([FINALIZER])));
    assert_eq!(remove_finalizers(cluster).accepted().stdout, foreign);
}

/// `portcullis remove-finalizers` under an account with the rights of the ClusterRole `removing`, if there is one.
fn remove_finalizers(cluster: &Cluster) -> KubectlOutput {
    let account = "create serviceaccount removing --namespace=web --dry-run=client --output=yaml";
    let account = cluster.control_plane.kubectl(account).run().accepted().stdout;
    cluster.control_plane.apply(&account).accepted();
    let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["remove-finalizers", "--kubeconfig"]).arg(cluster.control_plane.kubeconfig_for("web", "removing"));
    Kubectl::from(command).run()
}

fn a_kind_without_rights_is_left_alone() {
    let cluster = Cluster::with_gateway_api();
    (0..30).for_each(|number| cluster.apply(&gateway_class(&format!("class-{number}"))));
    let server = cluster.replica("");
    server.logs("the status of this kind may not be written (RBAC); retrying every 3 minutes");
    let route = ingress_route("web", "orphan", None, &[]);
    cluster.apply(&route);
    cluster.expect_state(&route, SOON, "orphaned");
    assert_eq!(server.metric(r#"portcullis_status_forbidden{kind="GatewayClass"}"#), Some(1.0));
    let lines = server.log().lines().filter(|line| line.contains("may not be written (RBAC)")).count();
    assert_eq!(lines, 1, "{}", server.log());
    let tried = cluster.writes().iter().filter(|event| event["responseStatus"]["code"] == 403).count();
    assert_eq!(tried, 1, "one attempt is enough");
}

/// Refuses each write of a status in the namespace `team`.
fn refuse_team(cluster: &Cluster) {
    let rule = json!({
        "apiGroups": ["contour.heptio.com"], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["ingressroutes/status"],
    });
    let validation = json!({"expression": "object.metadata.namespace != 'team'", "message": "team refuses"});
    let spec =
        json!({"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [rule]}, "validations": [validation]});
    let named = |kind: &str, spec: Value| {
        let metadata = json!({"name": "refuse"});
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec})
    };
    let binding = json!({"policyName": "refuse", "validationActions": ["Deny"]});
    let (policy, binding) =
        (named("ValidatingAdmissionPolicy", spec), named("ValidatingAdmissionPolicyBinding", binding));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [policy, binding]});
    cluster.control_plane.kubectl("apply -f -").stdin(&list.to_string()).run().accepted();
    let probe = ingress_route("team", "probe", None, &[]);
    cluster.apply(&probe);
    eventually("the policy is in force", || {
        let (path, patch) = (format!("{}/status", path_of(&probe)), r#"{"status": {"description": "x"}}"#);
        let (_, answer) = cluster.http.send_as(Request::patch(path), "application/merge-patch+json", patch.into());
        String::from_utf8_lossy(&answer).contains("team refuses")
    });
    cluster.delete(&probe);
}

fn a_refused_write_does_not_delay_others() {
    let cluster = Cluster::new();
    refuse_team(&cluster);
    (0..40).for_each(|number| cluster.apply(&ingress_route("team", &format!("refused-{number}"), None, &[])));
    let server = cluster.replica("");
    server.logs("the status could not be written; retrying");
    let route = ingress_route("web", "orphan", None, &[]);
    cluster.apply(&route);
    cluster.expect_state(&route, SOON, "orphaned");
    sleep(Duration::from_secs(4));
    let lines = server.log().lines().filter(|line| line.contains("could not be written")).count();
    assert_eq!(lines, 40, "each refusal is logged once");
    let failures = server.metric(r#"portcullis_status_write_failures_total{kind="IngressRoute"}"#).unwrap_or_default();
    assert!((80.0..=160.0).contains(&failures), "{failures} attempts of 40 writes in 4 s, with a delay that doubles");
    cluster.control_plane.kubectl("delete validatingadmissionpolicybinding refuse").run().accepted();
    cluster.expect_state(&ingress_route("team", "refused-7", None, &[]), Duration::from_secs(12), "orphaned");
}
