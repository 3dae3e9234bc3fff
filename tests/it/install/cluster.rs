//! The base and the chart on a real API server, without pods.

use base64::prelude::*;
use portcullis::enforcement::{FIELD_MANAGER, disown};
use portcullis::manifests::policy_names;
use portcullis::webhook_configuration::Configuration;
use serde_json::{Value, json};

use super::objects::{Objects, overlay, root};
use crate::harness::{ControlPlane, Flavour, Helm, PortcullisServer, chart, eventually, text};
use crate::manifests::installation::{documents, ingress, list, with_external_service};

const CONFIGURATIONS: [&str; 2] = ["validatingwebhookconfiguration", "mutatingwebhookconfiguration"];

pub fn all_objects_are_accepted() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    control_plane.http().create_namespace("portcullis");
    let components = ["enforce", "exempt-namespaces", "high-availability", "network-policy"];
    let values = ["crds.install=true", r#"config={"profile":"audit"}"#];
    let all = [
        Objects::base(&[]),
        Objects::base(&components),
        Objects::chart(Helm::Three, &values),
        Objects::chart(Helm::Four, &values),
    ];
    for Objects(objects) in all {
        let dry_run = control_plane.kubectl("apply --server-side --dry-run=server -f -");
        let output = dry_run.stdin(&list(objects.into_values().collect())).run().accepted();
        assert_eq!(output.stderr, "", "the API server warns");
    }
}

/// By either way to apply. Applying a component, and leaving it out again, keeps the caBundle, too. None of them sets `Fail`.
pub fn applying_again_keeps_the_ca_bundle() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let (base, enforcing) = (root().join("manifests"), overlay(&["enforce"]));
    let apply =
        |flags: &str, folder| control_plane.kubectl(&format!("apply {flags} -k")).arg(folder).run().accepted().stdout;
    apply("", &base);
    let bundle = publish_a_ca(&control_plane);
    let again = apply("", &base);
    // kubectl sends the selector of a budget each time, which changes nothing.
    let is_unchanged = |line: &str| line.ends_with(" unchanged") || line.starts_with("poddisruptionbudget.policy/");
    let changed: Vec<&str> = again.lines().filter(|line| !is_unchanged(line)).collect();
    assert_eq!(changed, [""; 0], "applying the same again changes objects");
    for flags in ["", "--server-side"] {
        for folder in [&base, &enforcing, &base] {
            enforce_as_arm_does(&control_plane);
            apply(flags, folder);
            assert_eq!(bundles(&control_plane), [bundle.as_str()], "of {} {flags}", folder.display());
            assert_eq!(policies(&control_plane), ["Ignore"; 10]);
        }
    }

    control_plane.kubectl("delete --wait=false -k").arg(&base).run().accepted();
    assert_webhooks_were_deleted_first(&control_plane.audit_log());
}

/// A server with the arguments and the rights of the pods serves the webhooks as they were applied, and enforces, with nothing else
/// installed.
pub fn the_base_serves_by_itself() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let base = documents(&control_plane.kubectl("kustomize").arg(overlay(&["enforce"])).run().accepted().stdout);
    let deployment = base.iter().find(|object| object["kind"] == "Deployment").expect("there is a Deployment");
    let pod = deployment.pointer("/spec/template/spec/containers/0").expect("it has a container");
    let args = pod["args"].as_array().expect("the container has arguments").iter().map(text);
    // The harness starts `serve` with addresses and a log format.
    let of_harness = ["serve", "--log-format=json", "--listen=[::]:10250"];
    let args: Vec<String> = args.filter(|arg| !of_harness.contains(&arg.as_str())).collect();
    control_plane.kubectl("apply --server-side -f -").stdin(&with_external_service(base)).run().accepted();
    control_plane.http().create_namespace("web");
    assert_eq!(bundles(&control_plane), [""], "the base contains no caBundle");

    let kubeconfig = format!("--kubeconfig={}", control_plane.installed_account("portcullis").display());
    let args = args.into_iter().chain([kubeconfig, "--replica-name=gate-a".to_owned()]);
    let server = PortcullisServer::with_certificate(args, &control_plane.webhook_client_ca()).ready();
    eventually("each entry has a caBundle", || bundles(&control_plane).len() == 1 && bundles(&control_plane) != [""]);
    let port = server.webhook.port();
    let ports: Value = (0..entries(&control_plane, CONFIGURATIONS[0]).len())
        .map(|n| json!({"op": "replace", "path": format!("/webhooks/{n}/clientConfig/service/port"), "value": port}))
        .collect();
    json_patch(&control_plane, CONFIGURATIONS[0], &ports);
    let bad = ingress("bad").replace("/cart", r#"/x\"y"#);
    let (http, ingresses) = (control_plane.http(), "/apis/networking.k8s.io/v1/namespaces/web/ingresses");
    eventually("a write is refused through the Service", || {
        http.dry_run(ingresses, &bad).1.to_string().contains("[ingress/path-unsafe-character]")
    });
    assert_eq!(policies(&control_plane), ["Ignore"; 10], "no replica is ready behind the Service");
    control_plane.kubectl("apply -f -").stdin(&endpoint("gate-a").to_string()).run().accepted();
    eventually("the server enforces", || {
        policies(&control_plane).iter().filter(|policy| *policy == "Fail").count() == 3
    });
}

/// A ready pod behind the Service.
fn endpoint(pod: &str) -> Value {
    let target = json!({"kind": "Pod", "namespace": "portcullis", "name": pod});
    json!({
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {"name": pod, "namespace": "portcullis", "labels": {"kubernetes.io/service-name": "portcullis"}},
        "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": true}, "targetRef": target}], "ports": [],
    })
}

pub fn helm_installs_upgrades_and_uninstalls() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    for (helm, namespace) in [(Helm::Three, "gate-3"), (Helm::Four, "gate-4")] {
        let run = |words: &str| {
            let command = helm.on(&control_plane, words).arg("--namespace").arg(namespace);
            let is_removal = words.starts_with("uninstall");
            let command = if is_removal { command } else { command.arg(chart()).arg("--set").arg("crds.install=true") };
            command.run().accepted()
        };
        run("install portcullis --create-namespace");
        assert_eq!(policies(&control_plane), ["Ignore"; 10], "a fresh installation blocks no write");
        let bundle = publish_a_ca(&control_plane);
        enforce_as_arm_does(&control_plane);
        run("upgrade portcullis --set enforce=true");
        assert_eq!(policies(&control_plane), ["Ignore"; 10], "{helm:?}");
        assert_eq!(bundles(&control_plane), [bundle.as_str()], "{helm:?} removes the caBundle");

        let before = control_plane.audit_log().len();
        // No pod can run here, and so no hook: see `uninstalling_stops_enforcement_first`.
        run("uninstall portcullis --no-hooks");
        if helm == Helm::Four {
            assert_webhooks_were_deleted_first(&control_plane.audit_log()[before..]);
        }
        for kind in ["validatingwebhookconfigurations", "mutatingwebhookconfigurations", "clusterroles/portcullis"] {
            let left =
                control_plane.kubectl(&format!("get {kind} --ignore-not-found --output=name")).run().accepted().stdout;
            assert_eq!(left, "", "{helm:?} leaves it behind");
        }
        // The CRDs were kept, and the next release takes them over.
        run("install portcullis");
        run("uninstall portcullis --no-hooks");
        control_plane.delete("crds --all").accepted();
    }
}

/// Helm 3 deletes webhook configurations last, and so runs `portcullis disarm` before it deletes anything, whichever Helm has rendered
/// the release.
pub fn uninstalling_stops_enforcement_first() {
    for helm in Helm::ALL {
        let hooks = Objects::hooks(helm, &[]);
        let hook = hooks.get("Pod/portcullis-disarm");
        assert_eq!(hook["metadata"]["annotations"]["helm.sh/hook"], "pre-delete");
        assert_eq!(hook["spec"]["containers"][0]["args"], json!(["disarm", "--policies"]));
        let role = hooks.get("ClusterRole/portcullis-disarm");
        let deletable = role["rules"][1]["resourceNames"].as_array().expect("names");
        let mut deletable: Vec<&str> = deletable.iter().filter_map(|name| name.as_str()).collect();
        deletable.sort_unstable();
        let mut names: Vec<String> = policy_names().collect();
        names.sort_unstable();
        assert_eq!(deletable, names);
    }
}

/// Where Portcullis may set finalizers, they are removed after everything else was deleted, since a replica would set them again.
pub fn uninstalling_removes_finalizers_last() {
    for helm in Helm::ALL {
        for values in [&[][..], &["controller.gatewayStatus=true", "controller.enabled=false"]] {
            let hooks = Objects::hooks(helm, values);
            assert_eq!(hooks.0.keys().find(|key| key.contains("finalizers")), None, "{values:?}");
        }
        let hooks = Objects::hooks(helm, &["controller.gatewayStatus=true"]);
        let hook = hooks.get("Pod/portcullis-remove-finalizers");
        assert_eq!(hook["metadata"]["annotations"]["helm.sh/hook"], "post-delete");
        let spec = &hook["spec"];
        assert_eq!(spec["containers"][0]["args"], json!(["remove-finalizers"]));
        assert_eq!(spec["serviceAccountName"], "portcullis-remove-finalizers");
        // As in the trial of the command.
        let rule = json!({"apiGroups": ["gateway.networking.k8s.io"], "resources": ["gatewayclasses"], "verbs": ["list", "patch"]});
        assert_eq!(hooks.get("ClusterRole/portcullis-remove-finalizers")["rules"], json!([rule]));
        for kind in ["ServiceAccount", "ClusterRole", "ClusterRoleBinding"] {
            let annotations = &hooks.get(&format!("{kind}/portcullis-remove-finalizers"))["metadata"]["annotations"];
            assert_eq!(annotations["helm.sh/hook"], "post-delete");
            assert_eq!(annotations["helm.sh/hook-weight"], "-1", "it exists before the pod");
        }
    }
}

/// Sets `Fail` in the first entry, and gives up the ownership of that.
fn enforce_as_arm_does(control_plane: &ControlPlane) {
    let patch = json!([{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Fail"}]);
    json_patch_by(FIELD_MANAGER, control_plane, CONFIGURATIONS[0], &patch);
    let stored = stored(control_plane, CONFIGURATIONS[0]);
    let read = Configuration::of(serde_json::from_value(stored).expect("it is an object"));
    let disown: Value = disown(&read, FIELD_MANAGER).into();
    assert_ne!(disown, json!([]), "the API server records who has written");
    json_patch_by(FIELD_MANAGER, control_plane, CONFIGURATIONS[0], &disown);
    assert_eq!(policies(control_plane)[0], "Fail");
}

/// Puts a CA into each entry, as a running server does, and returns the caBundle.
fn publish_a_ca(control_plane: &ControlPlane) -> String {
    let certificate = rcgen::generate_simple_self_signed(["portcullis.portcullis.svc".to_owned()]).expect("a name");
    let bundle = BASE64_STANDARD.encode(certificate.cert.pem());
    for kind in CONFIGURATIONS {
        let additions: Value = (0..entries(control_plane, kind).len())
            .map(|n| json!({"op": "add", "path": format!("/webhooks/{n}/clientConfig/caBundle"), "value": bundle}))
            .collect();
        json_patch(control_plane, kind, &additions);
    }
    bundle
}

fn json_patch(control_plane: &ControlPlane, kind: &str, patch: &Value) {
    json_patch_by("portcullis", control_plane, kind, patch);
}

fn json_patch_by(manager: &str, control_plane: &ControlPlane, kind: &str, patch: &Value) {
    control_plane.http().json_patch(&format!("{}?fieldManager={manager}", path_of(kind)), patch);
}

/// The caBundles of all entries, each once.
fn bundles(control_plane: &ControlPlane) -> Vec<String> {
    let entries = CONFIGURATIONS.iter().flat_map(|kind| entries(control_plane, kind));
    let bundle = |entry: Value| entry["clientConfig"]["caBundle"].as_str().unwrap_or_default().to_owned();
    let mut bundles: Vec<String> = entries.map(bundle).collect();
    bundles.sort();
    bundles.dedup();
    bundles
}

/// The failure policies of all entries.
fn policies(control_plane: &ControlPlane) -> Vec<String> {
    CONFIGURATIONS
        .iter()
        .flat_map(|kind| entries(control_plane, kind))
        .map(|entry| text(&entry["failurePolicy"]))
        .collect()
}

fn entries(control_plane: &ControlPlane, kind: &str) -> Vec<Value> {
    stored(control_plane, kind)["webhooks"].as_array().expect("a configuration has entries").clone()
}

/// A configuration as the API server has it.
fn stored(control_plane: &ControlPlane, kind: &str) -> Value {
    control_plane.http().object(&path_of(kind)).expect("the configuration exists")
}

fn path_of(kind: &str) -> String {
    format!("/apis/admissionregistration.k8s.io/v1/{kind}s/portcullis")
}

/// Nothing that answers a webhook was deleted while the webhook was there.
#[track_caller]
fn assert_webhooks_were_deleted_first(log: &[Value]) {
    let deletions = log.iter().filter(|event| event["verb"] == "delete" && event["responseStatus"]["code"] == 200);
    let resources: Vec<String> = deletions.map(|event| text(&event["objectRef"]["resource"])).collect();
    let webhooks = resources.iter().position(|resource| resource == "validatingwebhookconfigurations");
    let served = ["services", "deployments", "clusterrolebindings", "namespaces"];
    let rest = resources.iter().position(|resource| served.contains(&resource.as_str()));
    assert!(webhooks.is_some() && webhooks < rest, "{resources:?}");
}
