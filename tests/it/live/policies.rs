//! The policies that `portcullis export policies` prints deny nothing that the webhook admits, and hosts of others while it is away.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use portcullis::files::Manifest;
use portcullis_core::checks::registry;
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{config_text, manifests};
use serde_json::{Value, json};

use super::policy_cluster::{Cluster, LATE, OBJECTS, gateway, ingress};
use crate::harness::{on_full_cluster, until};

pub fn trials() -> Vec<Trial> {
    vec![
        on_full_cluster("live::policies_deny_only_what_the_webhook_denies", policies_agree),
        on_full_cluster("live::policies_hold_in_each_kind", policies_hold_in_each_kind),
        on_full_cluster("live::policies_for_classes_and_labels_agree_with_the_webhook", policies_of_settings_agree),
    ]
}

const CHECK: &str = "host/not-owned";

impl Cluster {
    /// Creates the Namespaces of an example, and those of its objects. Returns the object under review.
    fn create_namespaces(&self, example: &Example) -> Manifest {
        let mut all = manifests(&example.yaml);
        for manifest in &all {
            let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
            match object["kind"].as_str() {
                Some("Namespace") => self.add_namespace(&manifest.object_ref.name, &object["metadata"]["labels"]),
                _ if manifest.object_ref.namespace.is_empty() => {}
                _ => self.add_namespace(&manifest.object_ref.namespace, &json!({})),
            }
        }
        all.remove(0)
    }
}

/// The examples of the check, by configuration. A denial of the policies is one of the webhook.
fn policies_agree() {
    let cluster = Cluster::new();
    let check = registry::find(CHECK).expect("the check exists");
    let mut by_config: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for example in examples(check.page).into_iter().filter(|example| !example.delete && example.old.is_none()) {
        by_config.entry(config_text(check, &example)).or_default().push(example);
    }
    let (mut exported, mut denied, mut left, mut wrong) = (0, 0, 0, Vec::new());
    for (number, (config, examples)) in by_config.iter().enumerate() {
        if cluster.export(config, number).is_none() {
            continue;
        }
        exported += 1;
        for example in examples {
            let object = cluster.create_namespaces(example);
            let lines: Vec<&str> = example.findings.as_deref().unwrap_or_default().lines().collect();
            let is_denied = lines.iter().any(|line| !line.starts_with("Warn"));
            match (cluster.answer_to(&object), is_denied) {
                (Err(message), true) if message.contains(CHECK) => denied += 1,
                (Err(message), false) if message.contains(CHECK) => {
                    let lasting = cluster.lasting_denial(&object, CHECK);
                    wrong.extend(lasting.map(|message| format!("{message}\nunder\n{config}\n{}", example.yaml)));
                }
                (_, true) => left += 1,
                (_, false) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} objects are denied that the webhook admits:\n{}", wrong.len(), wrong.join("\n\n"));
    eprintln!(
        "{exported} configurations of {}: {denied} denials agree, {left} are left to the webhook",
        by_config.len()
    );
    assert!(
        exported > 8 && denied > 9,
        "{exported} configurations are exported, {denied} denials agree, {left} are left"
    );
}

fn policies_hold_in_each_kind() {
    let cluster = Cluster::new();
    cluster.add_namespace("team-b", &json!({"team": "b"}));
    let config = "hostOwnership:
  unlisted: Deny
  hosts:
  - {host: shop.example.com, namespaces: {names: [web]}}
  - {host: '*.b.example.com', namespaces: {labels: {team: b}}}
  - {host: '*.example.org', namespaces: {names: ['*']}}
  - {host: '*.apps.example.com', namespaces: {names: [web]}, claims: Optional}
  - {host: '*.{namespace.name}.example.com', namespaces: {names: ['*']}}
  - {host: '*.{namespace.labels.team}.example.net', namespaces: {names: ['*']}}
exemptions:
- {checks: [host/not-owned], match: {kinds: [Gateway], namespaces: {names: [web]}}, reason: the platform's}
handovers:
- {host: moving.example.org, from: web, to: team-a}
";
    cluster.export(config, 0).expect("this configuration is exported");
    for of in OBJECTS {
        let denied = |namespace: &str, host: &str, words: &str| {
            let object = of(namespace, host);
            let message = cluster.answer(&object).expect_err("denied");
            assert!(message.contains(words) && message.contains("[host/not-owned]"), "{message}: {object}");
        };
        denied("team-a", "shop.example.com", "host shop.example.com belongs to namespace web");
        denied(
            "team-a",
            "x.b.example.com",
            "host x.b.example.com is under *.b.example.com, which belongs to namespaces labeled team=b",
        );
        denied(
            "team-a",
            "x.team-b.example.com",
            "host x.team-b.example.com is not allowed here under *.{namespace.name}.example.com; this namespace may use *.team-a.example.com",
        );
        denied("team-a", "x.b.example.net", "is not allowed here under *.{namespace.labels.team}.example.net [host");
        for (namespace, host) in [
            ("team-b", "x.b.example.net"),
            ("web", "shop.example.com"),
            ("team-b", "x.b.example.com"),
            ("team-a", "x.example.org"),
            ("team-a", "moving.example.org"),
            ("team-a", "x.team-a.example.com"),
        ] {
            assert_eq!(cluster.answer(&of(namespace, host)), Ok(()), "{}", of(namespace, host));
        }
    }
    assert_eq!(cluster.answer(&gateway("web", "x.b.example.com")), Ok(()), "an exemption");
    assert_eq!(cluster.answer(&ingress("team-a", "x.apps.example.com")), Ok(()), "HostClaims decide");
    changes(&cluster);
}

/// A host that an object already has does not count as a new claim.
fn changes(cluster: &Cluster) {
    let path = "/apis/networking.k8s.io/v1/namespaces/team-a/ingresses";
    cluster.control_plane.kubectl("delete validatingadmissionpolicybindings --all").run().accepted();
    let old = ingress("team-a", "shop.example.com");
    let stored = until(LATE, || Some(cluster.http.post(path, old.to_string())).filter(|(status, _)| *status == 201));
    let (_, mut stored) = stored.expect("without a binding, nothing is denied");
    cluster
        .export("hostOwnership:\n  hosts:\n  - {host: '*.example.com', namespaces: {names: [web]}}\n", 1)
        .expect("exported");
    let covers = cluster.answer(&ingress("team-a", "*.com")).expect_err("it covers hosts of others");
    assert!(covers.contains("host *.com covers a host, which belongs to others"), "{covers}");
    stored["metadata"]["labels"] = json!({"changed": "true"});
    let (status, answer) = cluster.http.put(&format!("{path}/shop"), stored.to_string());
    assert_eq!(status, 200, "{answer}");
    let mut stored = answer;
    stored["spec"]["rules"][0]["host"] = "cart.example.com".into();
    let (status, answer) = cluster.http.put(&format!("{path}/shop"), stored.to_string());
    assert!(status == 422 || status == 403, "{status} {answer}");
}

/// The checks whose options are exported.
const SETTINGS: [&str; 4] =
    ["object/label-required", "object/annotation-required", "ingress/class-not-allowed", "gateway/class-not-allowed"];

/// The examples of the checks whose options are exported, by configuration.
fn policies_of_settings_agree() {
    let cluster = Cluster::new();
    for id in SETTINGS {
        let check = registry::find(id).expect("the check exists");
        let mut by_config: BTreeMap<String, Vec<Example>> = BTreeMap::new();
        for example in examples(check.page).into_iter().filter(|example| !example.delete && example.old.is_none()) {
            by_config.entry(config_text(check, &example)).or_default().push(example);
        }
        let (mut exported, mut denied, mut left, mut wrong) = (0, 0, Vec::new(), Vec::new());
        let mut known: Option<Manifest> = None;
        for (config, examples) in &by_config {
            cluster
                .control_plane
                .kubectl("delete validatingadmissionpolicies,validatingadmissionpolicybindings --all")
                .run()
                .accepted();
            if let Some(known) = known.take() {
                let is_denied = || cluster.answer_to(&known).is_err_and(|message| message.contains(id));
                until(LATE, || (!is_denied()).then_some(())).expect("no policy is left");
            }
            if cluster.apply_policies(config, &[]).is_none() {
                continue;
            }
            exported += 1;
            // Whether the policies are in effect is known by the first denial, so what is admitted is tried after it.
            let is_denied = |example: &Example| {
                example.findings.iter().flat_map(|findings| findings.lines()).any(|line| line.starts_with(id))
            };
            let (expected, others): (Vec<&Example>, Vec<&Example>) =
                examples.iter().partition(|example| is_denied(example));
            for example in &expected {
                let object = cluster.create_namespaces(example);
                match until(LATE / 10, || cluster.answer_to(&object).err().filter(|message| message.contains(id))) {
                    Some(_) => {
                        denied += 1;
                        known = Some(object);
                    }
                    None => left.push(format!("under\n{config}\n{}", example.yaml)),
                }
            }
            for example in others {
                let object = cluster.create_namespaces(example);
                if let Some(message) = cluster.lasting_denial(&object, id) {
                    wrong.push(format!("{message}\nunder\n{config}\n{}", example.yaml));
                }
            }
        }
        eprintln!(
            "{id}: {exported} configurations of {}: {denied} denials agree, {} are left",
            by_config.len(),
            left.len()
        );
        assert!(wrong.is_empty(), "{id}: objects are denied that the webhook admits:\n{}", wrong.join("\n\n"));
        assert!(denied > 0 && left.len() <= denied, "{id}: {denied} agree:\n{}", left.join("\n\n"));
    }
    tolerated(&cluster);
}

/// An update that leaves an old violation unchanged passes.
fn tolerated(cluster: &Cluster) {
    let path = "/apis/networking.k8s.io/v1/namespaces/team-a/ingresses";
    cluster
        .control_plane
        .kubectl("delete validatingadmissionpolicies,validatingadmissionpolicybindings --all")
        .run()
        .accepted();
    let [old, owned] = ["old", "owned"].map(|name| {
        let mut object = ingress("team-a", &format!("{name}.example.com"));
        object["metadata"]["name"] = name.into();
        object
    });
    let owned = {
        let mut owned = owned;
        owned["metadata"]["labels"] = json!({"owner": "team-a"});
        owned
    };
    let stored = |object: &Value| {
        until(LATE, || Some(cluster.http.post(path, object.to_string())).filter(|(status, _)| *status == 201))
    };
    let (_, mut old) = stored(&old).expect("nothing is denied");
    let (_, mut owned) = stored(&owned).expect("nothing is denied");
    let config = "checks:
  object/label-required: {action: Deny, required: [{key: owner, value: 'team-[a-z]+'}]}
  ingress/class-not-allowed: {action: Deny, unlisted: Deny, classes: [{class: internal, namespaces: {names: [web]}}]}
";
    cluster.apply_policies(config, &[]).expect("exported");
    // Each is denied by one of the two policies only.
    for (namespace, labels) in [("web", json!({})), ("team-b", json!({"owner": "team-b"}))] {
        let mut probe = ingress(namespace, "new.example.com");
        probe["metadata"]["labels"] = labels;
        probe["spec"]["ingressClassName"] = "internal".into();
        until(LATE, || cluster.answer(&probe).err()).expect("each policy is in effect");
    }
    old["metadata"]["annotations"] = json!({"changed": "true"});
    let put = |name: &str, object: &Value| cluster.http.put(&format!("{path}/{name}"), object.to_string());
    let (status, answer) = put("old", &old);
    assert_eq!(status, 200, "{answer}");
    owned["metadata"]["labels"] = json!({"owner": "me"});
    let (status, answer) = put("owned", &owned);
    let message = "the value `me` of a required label must match `team-[a-z]+` as a whole [object/label-required]";
    assert!(status >= 400 && answer["message"].to_string().contains(message), "{status} {answer}");
    owned["metadata"]["labels"] = json!({"owner": "team-b"});
    owned["spec"]["ingressClassName"] = "internal".into();
    let (status, answer) = put("owned", &owned);
    let message = "class internal is not allowed in namespace team-a [ingress/class-not-allowed]";
    assert!(status >= 400 && answer["message"].to_string().contains(message), "{status} {answer}");
}
