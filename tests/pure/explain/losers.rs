//! The checks of conflicts and `explain` agree in random worlds: a rule that loses its requests to another one answers none of
//! them.

use portcullis_core::checks::registry;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::page::Example;
use portcullis_testing::pages::judge;
use portcullis_testing::rng::Rng;

use super::worlds::Objects;

const WORLDS: u64 = 3_000;
/// Without what `explain` leaves to the class: wildcards of several labels and patterns of an ALB.
const HOSTS: [&str; 3] = ["a.example.com", "*.example.com", ""];
const PATHS: [&str; 3] = ["/", "/a", "/a/b"];
const ORDERS: [&str; 4] = ["-1", "1", "7", "100000"];

/// A controller that orders rules, and its annotations for a common load balancer and for the order.
const CONTROLLERS: [(&str, &str, &str); 3] = [
    ("alb", "alb.ingress.kubernetes.io/group.name: shared", "alb.ingress.kubernetes.io/group.order"),
    ("cce", "kubernetes.io/elb.id: shared", "kubernetes.io/elb.ingress-order"),
    ("traefik", "example.com/none: ''", "traefik.ingress.kubernetes.io/router.priority"),
];

/// An Ingress with one rule.
struct Rule {
    host: &'static str,
    path: &'static str,
    yaml: String,
}

fn rule(rng: &mut Rng, (class, group, order): (&str, &str, &str), namespace: &str, day: u64) -> Rule {
    let (host, path) = (rng.pick(&HOSTS), rng.pick(&PATHS));
    let kind = rng.pick(&["Prefix", "Exact"]);
    let order = if rng.one_in(2) { format!(", {order}: '{}'", rng.pick(&ORDERS)) } else { String::new() };
    let yaml = format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: own, namespace: {namespace}, \
         creationTimestamp: '2026-01-0{day}T00:00:00Z', annotations: {{{group}{order}}}}}\n\
         spec: {{ingressClassName: {class}, rules: [{{host: '{host}', http: {{paths: [{{path: '{path}', pathType: {kind}, \
         backend: {{service: {{name: s, port: {{number: 80}}}}}}}}]}}}}]}}\n"
    );
    Rule { host, path, yaml }
}

/// A request that both rules match, if the hosts and the paths of both have one in common.
fn common(own: &Rule, other: &Rule) -> String {
    let host = match [own.host, other.host].into_iter().max_by_key(|host| (!host.contains('*'), host.len())) {
        Some("") | None => "none.example.org".to_owned(),
        Some(host) => host.replace('*', "x"),
    };
    let path = [own.path, other.path].into_iter().max_by_key(|path| path.len());
    format!("http://{host}{}", path.unwrap_or("/"))
}

#[test]
fn rule_that_loses_all_requests_never_answers() {
    let check = registry::all().find(|check| check.id == "host/order-takes-requests").expect("a check");
    let mut found = 0;
    for seed in 0..WORLDS {
        let mut rng = Rng::new(seed);
        let controller = rng.pick(&CONTROLLERS);
        let namespaces = if rng.one_in(2) { ["a", "b"] } else { ["b", "a"] };
        let [own, other] =
            [(namespaces[0], 2), (namespaces[1], 1)].map(|(name, day)| rule(&mut rng, controller, name, day));
        let yaml = format!("{}---\n{}", own.yaml, other.yaml);
        let outcome = judge(check, &Example { yaml: yaml.clone(), ..Example::default() });
        let findings = outcome.findings.iter().filter(|evaluated| evaluated.finding.check == check.id);
        if findings.count() == 0 {
            continue;
        }
        found += 1;
        let request = common(&own, &other);
        let answer = Objects::of(&yaml).ask(&request);
        let loser = ObjectRef::new(Kind::Ingress, namespaces[1], "own");
        let winner = answer.winner.as_ref().map(|(_, winner)| &winner.object);
        assert_ne!(winner, Some(&loser), "world {seed}: {request}\n{yaml}");
    }
    assert!(found > 100, "{found} findings prove little");
}
