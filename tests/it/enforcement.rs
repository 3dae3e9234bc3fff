//! `portcullis arm` and `portcullis disarm` on a real API server, before one server and before two.

mod fixture;
mod leader;
mod solvers;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use portcullis::manifests::enforced_entries;
use serde_json::json;

use crate::harness::{FlakyProxy, KubectlOutput, PortcullisServer, eventually, on_cluster, on_gateway_cluster};
use crate::reviews::{INGRESS, ingress, review, send};
use crate::test_server::post;
use fixture::{Fixture, portcullis};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    vec![
        on_cluster("enforcement::arm_and_disarm_change_the_failure_policy", arm_and_disarm_change_the_failure_policy),
        on_cluster("enforcement::every_replica_must_answer", every_replica_must_answer),
        on_cluster("enforcement::a_change_during_the_proof_is_proven_again", a_change_during_the_proof),
        on_cluster("enforcement::a_namespace_that_is_exempt_proves_nothing", an_exempt_namespace_proves_nothing),
        on_cluster("enforcement::the_leader_enforces", leader::the_leader_enforces),
        on_cluster("enforcement::solvers_of_cert_manager_do_not_wait", solvers::solvers_do_not_wait),
        on_gateway_cluster("enforcement::solver_routes_do_not_wait", solvers::solver_routes_do_not_wait),
        on_cluster("enforcement::a_slow_api_server_is_waited_for", a_slow_api_server_is_waited_for),
        on_cluster("enforcement::arm_fails_if_no_canary_can_be_sent", arm_fails_if_no_canary_can_be_sent),
        on_cluster("enforcement::a_policy_that_denies_the_canary_is_named", a_policy_that_denies_the_canary_is_named),
        trial("enforcement::the_answer_to_a_canary_ends_its_connection", the_answer_to_a_canary_ends_its_connection),
        trial("enforcement::without_a_cluster_the_last_resort_is_named", without_a_cluster_the_last_resort_is_named),
    ]
}

fn enforced() -> BTreeSet<String> {
    enforced_entries().collect()
}

fn arm_and_disarm_change_the_failure_policy() {
    let fixture = Fixture::behind_url();
    let refused = fixture.arm(&["--timeout=1s"]);
    assert_eq!(refused.code(), Some(1), "nothing serves\n{refused}");
    for words in [
        "portcullis: not armed, nothing was changed: https://",
        ": no replica has denied a canary within 1s\n",
        "portcullis: the last canary was admitted: the API server could not call the webhook",
        "portcullis: look at /readyz?verbose of the server\n",
    ] {
        assert!(refused.stderr.contains(words), "{words}\n{refused}");
    }
    assert_eq!(fixture.failing(), BTreeSet::new());

    let server = fixture.server("gate-a", &[]).ready();
    fixture.balancer.replace(fixture::NO_SERVER, server.webhook);
    let proven = fixture.arm(&["--dry-run"]);
    assert_eq!(proven.code(), Some(0), "{proven}");
    assert!(proven.stdout.starts_with("gate-a: denied the canary\n"), "{proven}");
    for entry in enforced() {
        assert!(proven.stdout.contains(&format!("{entry}: failurePolicy would be set to Fail\n")), "{proven}");
    }
    assert_eq!(fixture.failing(), BTreeSet::new());
    let armed = fixture.arm(&[]);
    assert_eq!(armed.code(), Some(0), "{armed}");
    assert!(armed.stdout.starts_with("gate-a: denied the canary\n"), "{armed}");
    for entry in enforced() {
        assert!(armed.stdout.contains(&format!("{entry}: failurePolicy set to Fail\n")), "{armed}");
    }
    assert!(armed.stdout.contains("to stop that immediately: portcullis disarm\n"), "{armed}");
    assert_eq!(fixture.failing(), enforced());
    fixture.create("good", "/").accepted();
    fixture.create("bad", r#"/x\"y"#).refused_with("[ingress/path-unsafe-character]");
    let again = fixture.arm(&[]);
    assert!(again.stdout.contains("failurePolicy is already Fail\n"), "{again}");
    assert_eq!(again.code(), Some(0), "{again}");

    // An upgrade by server-side apply meets no conflict, although every manifest says `Ignore`.
    fixture.apply("--dry-run=server").accepted();
    assert_eq!(fixture.failing(), enforced());

    drop(server);
    eventually("writes are denied", || !fixture.admits("good", "/"));
    let refused = fixture.arm(&["--timeout=1s"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr.contains("portcullis: the last canary failed: "), "{refused}");
    assert_eq!(fixture.failing(), enforced());

    fixture.add_mutating("Fail");
    let disarmed = fixture.disarm();
    assert_eq!(disarmed.code(), Some(0), "{disarmed}");
    for entry in enforced() {
        assert!(disarmed.stdout.contains(&format!("{entry}: failurePolicy set to Ignore\n")), "{disarmed}");
    }
    let recorded = format!(
        "ValidatingWebhookConfiguration {}: replicas with --enforce set Fail again only after `portcullis arm`\n",
        fixture.name()
    );
    let mutating = format!("{}: failurePolicy set to Ignore\n", fixture::MUTATING);
    assert!(disarmed.stdout.ends_with(&(recorded.clone() + &mutating)), "{disarmed}");
    assert_eq!(fixture.disarmed(), Some("true".to_owned()));
    assert_eq!((fixture.failing(), fixture.remove_mutating().as_str()), (BTreeSet::new(), "Ignore"));
    eventually("writes pass", || fixture.admits("good", "/"));
    let again = fixture.disarm();
    let nothing = format!("ValidatingWebhookConfiguration {}: no entry has Fail\n", fixture.name());
    let absent = format!("MutatingWebhookConfiguration {} not found\n", fixture.name());
    assert_eq!((again.code(), again.stdout), (Some(0), nothing + &recorded + &absent));
}

/// One of two replicas has not listed anything. The Service says that both are ready, as it does for seconds if one is not any more.
fn every_replica_must_answer() {
    let (fixture, control_plane) = (Fixture::behind_service(), fixture::control_plane());
    let none = fixture.arm(&["--timeout=1s"]);
    assert_eq!(none.code(), Some(1), "{none}");
    assert!(none.stderr.contains(": no replica is ready within 1s\n"), "{none}");

    let proxy = FlakyProxy::to(control_plane.address());
    proxy.hold();
    let through = format!("--kubeconfig={}", control_plane.kubeconfig_through(proxy.address).display());
    let (first, second) = (fixture.server("gate-a", &[]).ready(), fixture.server("gate-b", &[&through]));
    fixture.balancer.replace(fixture::NO_SERVER, first.webhook);
    fixture.balancer.add(second.webhook);
    fixture.set_endpoints(&[("gate-a", true), ("gate-b", true), ("gate-c", false)]);
    let refused = fixture.arm(&["--timeout=8s"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr.contains(": no canary was denied by gate-b within 8s\n"), "{refused}");
    let look = format!("/api/v1/namespaces/{}/pods/http:gate-b:8080/proxy/readyz?verbose'\n", fixture.namespace);
    assert!(refused.stderr.contains(&look), "{refused}");
    assert_eq!((refused.stdout.as_str(), fixture.failing()), ("", BTreeSet::new()));

    proxy.resume();
    let _second = second.ready();
    let armed = fixture.arm(&[]);
    assert_eq!(armed.code(), Some(0), "{armed}");
    assert!(armed.stdout.starts_with("gate-a: denied the canary\ngate-b: denied the canary\n"), "{armed}");
    assert_eq!(fixture.failing(), enforced());
}

/// What is patched is what was proven, so that a patch of what was read before the change fails.
fn a_change_during_the_proof() {
    let fixture = Fixture::behind_url();
    let server = fixture.server("gate-a", &[]).ready();
    let armed = thread::scope(|scope| {
        let arming = scope.spawn(|| fixture.arm(&[]));
        eventually("a canary is sent", || fixture.namespace.audit_log().iter().any(|event| event["verb"] == "create"));
        fixture.annotate();
        fixture.balancer.replace(fixture::NO_SERVER, server.webhook);
        arming.join().expect("it does not panic")
    });
    assert_eq!(armed.code(), Some(0), "{armed}");
    assert_eq!(fixture.failing(), enforced());
    // The last one gives up the ownership of the fields.
    assert_eq!(fixture.patches(), [422, 200, 200]);
}

fn an_exempt_namespace_proves_nothing() {
    let fixture = Fixture::behind_url();
    let server = fixture.server("gate-a", &[]).ready();
    fixture.balancer.replace(fixture::NO_SERVER, server.webhook);
    let refused = fixture.arm(&["--namespace=default", "--timeout=1s"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    let words = "or the webhook exempts namespace default; set --namespace to one that is checked";
    assert!(refused.stderr.contains(words), "{refused}");
    assert_eq!(fixture.failing(), BTreeSet::new());
}

/// Writes are slow while etcd is, which is when enforcement must be stopped.
fn a_slow_api_server_is_waited_for() {
    let fixture = Fixture::behind_url();
    let server = fixture.server("gate-a", &[]).ready();
    fixture.balancer.replace(fixture::NO_SERVER, server.webhook);
    let proxy = FlakyProxy::to(fixture::control_plane().address());
    let slowly = |command: &(dyn Fn(SocketAddr) -> KubectlOutput + Sync)| {
        proxy.hold();
        thread::scope(|scope| {
            let output = scope.spawn(|| command(proxy.address));
            thread::sleep(Duration::from_secs(6));
            proxy.resume();
            output.join().expect("it does not panic")
        })
    };
    let armed = slowly(&|address| fixture.arm_through(address));
    assert_eq!((armed.code(), fixture.failing()), (Some(0), enforced()), "{armed}");
    let disarmed = slowly(&|address| fixture.disarm_through(address));
    assert_eq!((disarmed.code(), fixture.failing()), (Some(0), BTreeSet::new()), "{disarmed}");
}

fn arm_fails_if_no_canary_can_be_sent() {
    let fixture = Fixture::behind_url();
    let refused = fixture.arm(&["--namespace=not-there"]);
    assert_eq!(refused.code(), Some(2), "{refused}");
    assert!(refused.stderr.contains(r#"no canary can be sent: "#), "{refused}");
    assert!(refused.stderr.contains(r#"namespaces "not-there" not found"#), "{refused}");
    let refused = fixture.arm(&["--webhook-configurations=not-there"]);
    assert_eq!(refused.code(), Some(1), "{refused}");
    assert!(refused.stderr.contains("ValidatingWebhookConfiguration not-there not found; install Portcullis first"));
    assert_eq!(fixture.failing(), BTreeSet::new());
}

fn a_policy_that_denies_the_canary_is_named() {
    let fixture = Fixture::behind_url();
    let server = fixture.server("gate-a", &[]).ready();
    fixture.balancer.replace(fixture::NO_SERVER, server.webhook);
    let name = fixture.name();
    let policy = json!({"apiVersion": "v1", "kind": "List", "items": [
        {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {
                "matchConstraints": {
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": fixture.namespace.to_string()}},
                    "resourceRules": [{
                        "apiGroups": ["networking.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"],
                        "resources": ["ingresses"],
                    }],
                },
                "validations": [{"expression": "false", "message": "no Ingresses here"}],
            },
        },
        {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]},
        },
    ]});
    fixture::control_plane().apply(&policy.to_string()).accepted();
    let words = format!(
        "ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: no Ingresses here; set --namespace "
    );
    let mut refused = None;
    // A policy is in effect a moment after it was created.
    eventually("the policy is named", || {
        let output = fixture.arm(&["--dry-run", "--timeout=5s"]);
        let is_named = output.stderr.contains(&words);
        refused = is_named.then_some(output);
        is_named
    });
    let refused = refused.expect("it was named");
    assert_eq!(refused.code(), Some(1), "{refused}");
    let delete = format!("delete validatingadmissionpolicybinding/{name} validatingadmissionpolicy/{name}");
    fixture::control_plane().kubectl(&delete).run().accepted();
    assert_eq!(fixture.failing(), BTreeSet::new());
}

fn the_answer_to_a_canary_ends_its_connection() {
    let server =
        PortcullisServer::start(["--objects", "examples/cluster", "--complete", "--replica-name=gate-a"]).ready();
    let object = ingress("web", "shop", "canary.example.com", "/");
    let canary =
        object.replacen(r#""name":"shop""#, r#""name":"shop","annotations":{"portcullis.dev/canary":"4f2a"}"#, 1);
    let create = |object: &str, dry_run: bool| {
        let fields = format!(r#""kind":{INGRESS},"operation":"CREATE","dryRun":{dry_run},"object":{object}"#);
        send(&server, &post("/validate", review("u-1", &fields).as_bytes()))
    };
    let closes = |head: &str| head.to_lowercase().contains("connection: close\r\n");
    let answer = create(&canary, true);
    assert!(answer.status == 200 && closes(&answer.head), "{}", answer.head);
    assert!(answer.body.contains("canary 4f2a answered by replica gate-a"), "{}", answer.body);
    for (object, dry_run) in [(&canary, false), (&object, true)] {
        let answer = create(object, dry_run);
        assert!(answer.status == 200 && !closes(&answer.head), "{}", answer.head);
        assert!(!answer.body.contains("gate-a"), "{}", answer.body);
    }
    assert_eq!(server.metric(r#"portcullis_reviews_total{kind="Ingress",verdict="canary",dry_run="true"}"#), Some(1.0));
}

fn without_a_cluster_the_last_resort_is_named() {
    let nowhere = "--kubeconfig=/nowhere/kubeconfig";
    let armed = portcullis(&["arm", nowhere]);
    assert_eq!(armed.code(), Some(2), "{armed}");
    let disarmed = portcullis(&["disarm", nowhere]);
    assert_eq!(disarmed.code(), Some(2), "{disarmed}");
    let words = "; as a last resort, run `kubectl delete validatingwebhookconfiguration portcullis`\n";
    assert!(disarmed.stderr.ends_with(words), "{disarmed}");
    assert_eq!(portcullis(&["arm", "--timeout=soon"]).code(), Some(2));
    assert_eq!(portcullis(&["serve", "--replica-name=a b"]).code(), Some(2));
}
