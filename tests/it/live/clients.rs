//! Writers other than a plain `kubectl apply`: server-side apply, dry runs, generated names, and clients that show only
//! the status message.

use libtest_mimic::Trial;
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use super::fixture::{ALICE, ClusterFixture, RegisteredWebhooks};
use crate::harness::{ControlPlane, Flavour, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("live::every_client_gets_the_same_review", every_way_to_write)]
}

fn every_way_to_write() {
    let control_plane = ControlPlane::shared(Flavour::NoDefaultIngressClass);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Both, "");
    let stories = [two_managers_do_not_fight, a_dry_run_stores_nothing, a_generated_name, a_status_message_says_it_all];
    for test in stories {
        test(&fixture);
        fixture.clear();
    }
    an_audited_finding_is_silent(&fixture);
    fixture.clear();
}

const LIST: &str = "/apis/networking.k8s.io/v1/namespaces/team-b/ingresses";

const DEFAULT_CLASS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
spec: {controller: example.com/public}
"#;

/// No field manager owns the fields that `/mutate` filled in, so no later apply removes them.
fn two_managers_do_not_fight(fixture: &ClusterFixture<'_>) {
    fixture.set_text(DEFAULT_CLASS);
    let mut own = ingress("team-b", "copy");
    own["spec"].as_object_mut().expect("a spec").remove("ingressClassName");
    let labels = json!({"apiVersion": own["apiVersion"], "kind": own["kind"],
        "metadata": {"namespace": "team-b", "name": "copy", "labels": {"team": "b"}}});
    fixture.track(&manifests(&own.to_string())[0].object_ref);
    let apply = |manager: &str, object: &Value| {
        let words = format!("apply --server-side --field-manager={manager} -o json -f -");
        fixture.kubectl(&words).stdin(&object.to_string()).run().json()
    };

    apply("one", &own);
    let labelled = apply("two", &labels);
    let again = apply("one", &own);

    assert_eq!(again["spec"]["ingressClassName"], "public");
    assert_eq!(again["metadata"]["labels"], json!({"team": "b"}));
    assert_eq!(again["metadata"]["resourceVersion"], labelled["metadata"]["resourceVersion"], "something was written");
}

fn a_dry_run_stores_nothing(fixture: &ClusterFixture<'_>) {
    let dry = |object: Value| fixture.kubectl("apply --dry-run=server -f -").stdin(&object.to_string()).run();
    dry(ingress("web", "shop")).accepted();
    dry(ingress("team-b", "copy")).accepted();
    fixture.set_text(&ingress("web", "shop").to_string());

    dry(ingress("team-b", "copy")).refused_with(SENTENCE);
}

fn a_generated_name(fixture: &ClusterFixture<'_>) {
    fixture.set_text(&ingress("web", "shop").to_string());
    let mut unnamed = ingress("team-b", "copy");
    unnamed["metadata"] = json!({"namespace": "team-b", "generateName": "copy-"});

    let output = fixture.kubectl("create -f -").stdin(&unnamed.to_string()).run();

    // The API server generates the name before it calls webhooks, so the message contains it.
    let output = output.refused_with(&format!(" is invalid: {FIELD}: {SENTENCE}"));
    assert!(output.stderr.contains("The Ingress \"copy-"), "{output}");
}

/// Argo CD, Flux and Helm show the message, but not the causes.
fn a_status_message_says_it_all(fixture: &ClusterFixture<'_>) {
    fixture.set_text(&ingress("web", "shop").to_string());

    let (status, answer) = fixture.control_plane.http_as(ALICE).post(LIST, ingress("team-b", "copy").to_string());

    assert_eq!((status, &answer["reason"]), (422, &json!("Invalid")), "{answer}");
    let message = format!(r#"admission webhook "ingresses.portcullis.dev" denied the request: {FIELD}: {SENTENCE}"#);
    assert_eq!(answer["message"], message);
    let causes = json!([{"reason": "FieldValueDuplicate", "field": FIELD, "message": SENTENCE}]);
    let details = json!({"group": "networking.k8s.io", "kind": "Ingress", "name": "copy", "causes": causes});
    assert_eq!(answer["details"], details);
}

fn an_audited_finding_is_silent(fixture: &ClusterFixture<'_>) {
    fixture.configure("themes: {conflict: Audit, reference: Off}\n");
    fixture.set_text(&ingress("web", "shop").to_string());

    let output = fixture.kubectl("apply --dry-run=server -f -").stdin(&ingress("team-b", "audited").to_string()).run();

    assert_eq!(output.accepted().stderr, "");
    let events = fixture.control_plane.audit_log();
    let of_ours = |event: &&Value| event["objectRef"]["name"] == "audited" && event["verb"] == "create";
    let event = events.iter().find(of_ours).expect("the creation is in the audit log");
    assert_eq!(event["annotations"]["ingresses.portcullis.dev/checks"], "host/path-conflict=Audit");
}

const FIELD: &str = "spec.rules[0].http.paths[0].path";

const SENTENCE: &str =
    "path /cart on shop.example.com is already served by Ingress web/shop (class nginx) [host/path-conflict]";

fn ingress(namespace: &str, name: &str) -> Value {
    let path = json!({"path": "/cart", "pathType": "Prefix", "backend": {"service": {"name": "cart", "port": {"number": 80}}}});
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"ingressClassName": "nginx", "rules": [{"host": "shop.example.com", "http": {"paths": [path]}}]},
    })
}
