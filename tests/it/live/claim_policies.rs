//! The policies for HostClaims deny what the webhook denies, by the list that the controller keeps.

use std::collections::BTreeMap;
use std::time::Instant;

use axum::http::Request;
use libtest_mimic::Trial;
use portcullis_core::checks::{Plan, registry};
use portcullis_core::finding::Action;
use portcullis_testing::config::plan;
use portcullis_testing::page::Example;
use portcullis_testing::pages::{cluster, judge_by, manifests};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::fixture::NAMESPACES;
use super::policy_cluster::{Cluster, LATE, OBJECTS, ingress};
use crate::harness::{on_full_cluster, until};

pub fn trials() -> Vec<Trial> {
    vec![
        on_full_cluster("live::policies_for_host_claims_agree_with_the_webhook", policies_agree),
        on_full_cluster("live::policies_for_host_claims_hold_with_5000", policies_hold_with_5000),
    ]
}

/// Configurations with different meanings of HostClaims.
const CONFIGS: [&str; 9] = [
    "hostOwnership: {claims: Required}\n",
    "hostOwnership: {claims: Optional}\n",
    "hostOwnership: {claims: Optional, unlisted: Deny}\n",
    "revealOtherNamespaces: false
hostOwnership:
  hosts:
  - {host: '*.invalid', claims: Optional}
  - {host: '*.apps.example.com', claims: Required}
  - {host: '*.a.apps.example.com', namespaces: {names: [web]}, claims: Optional}
",
    "hostOwnership:
  claims: Optional
  hosts:
  - {host: '*.apps.example.com', namespaces: {names: [team-a]}, claims: Required}
  - {host: '*.example.org', namespaces: {labels: {team: b}}}
  - {host: '*.a.apps.example.com', claims: 'Off'}
  - {host: shop.example.com, namespaces: {names: [web, team-a]}}
  - {host: cart.example.com, claims: Required}
",
    "hostOwnership:
  claims: Required
  hosts:
  - {host: '*', namespaces: {names: [team-a, web]}, claims: Optional}
  - {host: '*.{namespace.name}.example.com', namespaces: {names: ['*']}}
",
    "hostOwnership:
  claims: Required
  unlisted: FirstNamespace
  hosts:
  - {host: '*.example.com', namespaces: {names: [web]}, claims: Required}
handovers:
- {host: '*.apps.example.com', from: team-a, to: team-b}
exemptions:
- {checks: [host/not-owned], match: {kinds: [Gateway], namespaces: {names: [web]}}, reason: the shared Gateway}
",
    "hostOwnership:
  claims: Optional
  hosts:
  - {host: '{namespace.name}.example.com', namespaces: {names: ['*']}}
  - {host: '*.{namespace.name}.example.org', namespaces: {names: [web, team-a]}}
overrides:
- {match: {namespaces: {names: ['team-*']}}, profile: restricted}
",
    "hostOwnership:
  unlisted: Deny
  hosts:
  - {host: '*.invalid', claims: Optional}
  - {host: '*.apps.example.com', claims: Required}
  - {host: '*.example.org', claims: 'Off'}
",
];

const FIRST: [&str; 5] = ["shop", "cart", "*", "x.y", "web"];
const DOMAINS: [&str; 6] =
    ["example.com", "apps.example.com", "a.apps.example.com", "example.org", "team-a.example.com", "com"];

fn host(rng: &mut Rng) -> String {
    format!("{}.{}", rng.pick(&FIRST), rng.pick(&DOMAINS))
}

/// HostClaims with different hosts, some of which have no effect.
fn claims(rng: &mut Rng) -> Vec<Value> {
    let hosts: BTreeMap<String, (&str, usize)> =
        (0..10).map(|_| (host(rng), (rng.pick(&NAMESPACES), rng.below(4)))).collect();
    let claims = hosts.into_iter().map(|(host, (namespace, number))| {
        let also = if number == 0 { vec!["team-b"] } else { Vec::new() };
        let created = format!("2025-01-0{}T00:00:00Z", number + 1);
        json!({
            "apiVersion": "portcullis.dev/v1alpha1", "kind": "HostClaim",
            "metadata": {"name": host.replace('*', "wc--any"), "creationTimestamp": created},
            "spec": {"host": host, "namespace": namespace, "alsoServedBy": also},
        })
    });
    claims.collect()
}

/// The documents that the decision depends on, beside the object.
fn documents(claims: &[Value]) -> Vec<Value> {
    let labels = |name: &str| if name == "team-b" { json!({"team": "b"}) } else { json!({}) };
    let namespace = |name: &&str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels(name)}});
    NAMESPACES.iter().map(namespace).chain(claims.iter().cloned()).collect()
}

fn yaml(documents: &[Value]) -> String {
    documents.iter().map(|document| format!("---\n{document}\n")).collect()
}

impl Cluster {
    /// Stores a list, and waits until it is in effect.
    fn store(&self, mut hosts: BTreeMap<String, String>, number: usize) {
        let probe = format!("probe-{number}.invalid");
        hosts.insert(probe.clone(), "no-tenant".to_owned());
        self.write(&json!({"isComplete": true, "hosts": hosts}));
        self.wait_until_denied(&probe);
    }

    fn write(&self, spec: &Value) {
        let list = json!({
            "apiVersion": "portcullis.dev/v1alpha1", "kind": "HostGrants", "metadata": {"name": "granted"}, "spec": spec,
        });
        let request = Request::patch(format!("{GRANTS}/granted?fieldManager=trial&force=true"));
        let (status, answer) =
            self.http.send_as(request, "application/apply-patch+yaml", list.to_string().into_bytes());
        assert!(matches!(status, 200 | 201), "{}", String::from_utf8_lossy(&answer));
    }
}

const GRANTS: &str = "/apis/portcullis.dev/v1alpha1/hostgrants";

/// What the webhook denies by ownership.
fn denials(plan: &Plan, object: &Value, others: &[Value]) -> Vec<String> {
    let check = registry::find("host/not-owned").expect("the check exists");
    let example = Example { yaml: yaml(&[std::slice::from_ref(object), others].concat()), ..Example::default() };
    let outcome = judge_by(plan, check, &example, &[]);
    let denied =
        outcome.findings.iter().filter(|finding| finding.finding.check == check.id && finding.action == Action::Deny);
    denied.map(|finding| format!("{:?}", finding.finding)).collect()
}

fn policies_agree() {
    let target = Cluster::new();
    target.add_namespace("team-b", &json!({"team": "b"}));
    let rng = &mut Rng::new(7);
    let (mut denied, mut left, mut wrong, mut admitted) = (0, Vec::new(), Vec::new(), 0);
    for (number, config) in CONFIGS.iter().enumerate() {
        // Policies of the configuration before would decide for a moment.
        target
            .control_plane
            .kubectl("delete validatingadmissionpolicies,validatingadmissionpolicybindings --all")
            .run()
            .accepted();
        let known = ingress("team-b", &format!("probe-{}.invalid", (number.max(1) - 1) * 10 + 1));
        until(LATE, || target.answer(&known).is_ok().then_some(())).expect("no policy is left");
        let config = format!("{config}acmeSolvers: {{users: []}}\n");
        target.apply_policies(&config, &["--host-claims"]).expect("exported");
        let plan = plan(&config);
        for round in 0..2 {
            let claims = claims(rng);
            let others = documents(&claims);
            let list = plan.ownership().effective_claims(&cluster(&manifests(&yaml(&others))).read());
            target.store(list.expect("all HostClaims are known"), number * 10 + round);
            for _ in 0..60 {
                let mut object = rng.pick(&OBJECTS)(rng.pick(&NAMESPACES), &host(rng));
                if object["kind"] == "Ingress" && rng.one_in(2) {
                    let mut second = object["spec"]["rules"][0].clone();
                    second["host"] = host(rng).into();
                    object["spec"]["rules"].as_array_mut().expect("a list").push(second);
                }
                let expected = denials(&plan, &object, &others);
                let answer = target.answer(&object);
                let context = || format!("{answer:?}, {expected:?}: {object}\n{}\n{config}", yaml(&claims));
                match (&answer, expected.is_empty()) {
                    (Err(message), false) if message.contains("host/not-owned") => denied += 1,
                    (Err(message), true) if message.contains("host/not-owned") => {
                        let lasting =
                            target.lasting_denial(&manifests(&object.to_string()).remove(0), "host/not-owned");
                        wrong.extend(lasting.map(|_| context()));
                    }
                    (_, false) => left.push(context()),
                    (_, true) => admitted += 1,
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} objects are denied that the webhook admits:\n{}", wrong.len(), wrong.join("\n\n"));
    eprintln!("{denied} denials agree, {} are left to the webhook, {admitted} are admitted", left.len());
    assert!(left.len() * 20 < denied, "{denied} denials agree, but {} are left:\n{}", left.len(), left.join("\n\n"));
}

/// A large list, its time, and what policies admit without it.
fn policies_hold_with_5000() {
    let target = Cluster::new();
    let free = ingress("team-a", "free.example.net");
    let time = |rounds: u32| {
        let start = Instant::now();
        (0..rounds).for_each(|_| assert_eq!(target.answer(&free), Ok(())));
        start.elapsed() / rounds
    };
    time(20);
    let without = time(200);
    let config = "hostOwnership:\n  claims: Optional\n  hosts:\n  - {host: '*.example.com', claims: Required}\n";
    target.apply_policies(config, &["--host-claims"]).expect("exported");
    let list = (0..5000).map(|number| (format!("shop-{number}.tenants.example.com"), "web,team-a".to_owned()));
    let wildcard = ("wc--any.web.example.com".to_owned(), "web".to_owned());
    target.store(list.chain([wildcard]).collect(), 0);
    let with = time(200);
    eprintln!("an Ingress takes {without:?} without policies, and {with:?} with a list of 5000 HostClaims");

    let denied = |host: &str, words: &str| {
        for of in OBJECTS {
            let object = of("team-b", host);
            let message = target.answer(&object).expect_err("denied");
            assert!(message.contains(words) && message.contains("[host/not-owned]"), "{message}: {object}");
        }
    };
    denied("shop-4711.tenants.example.com", "belongs to namespaces web, team-a by its HostClaim");
    denied("a.b.web.example.com", "is under *.web.example.com, which belongs to namespace web by its HostClaim");
    denied("new.example.com", "ask the platform team to create HostClaim new.example.com with namespace team-b");
    for host in ["*.tenants.example.com", "*.com"] {
        denied(host, if host == "*.com" { "covers" } else { "create HostClaim wc--any.tenants.example.com" });
    }
    // As many hosts as an object may have, each below a wildcard.
    let mut large = ingress("web", "a.web.example.com");
    let rules = (0..400).map(|number| {
        let mut rule = large["spec"]["rules"][0].clone();
        rule["host"] = format!("h{number}.q.r.s.t.u.v.w.web.example.com").into();
        rule
    });
    large["spec"]["rules"] = rules.collect();
    assert_eq!(target.answer(&large), Ok(()));
    let mut wide = ingress("web", "a.web.example.com");
    let rules = ["*.example.net", "*.example.org", "*.net", "*.org"].map(|host| {
        let mut rule = wide["spec"]["rules"][0].clone();
        rule["host"] = host.into();
        rule
    });
    wide["spec"]["rules"] = rules.into_iter().collect();
    assert_eq!(target.answer(&wide), Ok(()));

    // An incomplete list is none, nor does a policy without its list or its kind deny anything.
    let stolen = ingress("team-b", "shop-4711.tenants.example.com");
    let is_admitted = || until(LATE, || target.answer(&stolen).is_ok().then_some(()));
    let is_denied = || until(LATE, || target.answer(&stolen).is_err().then_some(()));
    let shop = json!({"isComplete": true, "hosts": {"shop-4711.tenants.example.com": "web"}});
    target.write(&json!({"isComplete": false, "hosts": {"shop-4711.tenants.example.com": "web"}}));
    is_admitted().expect("the list is incomplete");
    target.write(&shop);
    is_denied().expect("the list is complete");
    target.control_plane.kubectl("delete hostgrants granted").run().accepted();
    is_admitted().expect("the list is gone");
    target.write(&shop);
    is_denied().expect("the list is there");
    target.control_plane.kubectl("delete crd hostgrants.portcullis.dev").run().accepted();
    is_admitted().expect("the kind is gone");
}
