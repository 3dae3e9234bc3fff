//! The policies that `portcullis export policies` prints deny nothing that the webhook admits, and hosts of others while it is away.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
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
    ]
}

const CHECK: &str = "host/not-owned";

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
            let all = manifests(&example.yaml);
            for manifest in &all {
                let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
                match object["kind"].as_str() {
                    Some("Namespace") => {
                        cluster.add_namespace(&manifest.object_ref.name, &object["metadata"]["labels"])
                    }
                    _ if manifest.object_ref.namespace.is_empty() => {}
                    _ => cluster.add_namespace(&manifest.object_ref.namespace, &json!({})),
                }
            }
            let lines: Vec<&str> = example.findings.as_deref().unwrap_or_default().lines().collect();
            let is_denied = lines.iter().any(|line| !line.starts_with("warn"));
            match (cluster.answer_to(&all[0]), is_denied) {
                (Err(message), true) if message.contains(CHECK) => denied += 1,
                (Err(message), false) if message.contains(CHECK) => {
                    wrong.push(format!("{message}\nunder\n{config}\n{}", example.yaml));
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
    cluster.cp.kubectl("delete validatingadmissionpolicybindings --all").run().accepted();
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
