//! The exact output of kubectl about Ingresses.

use libtest_mimic::Trial;

use portcullis_testing::golden;
use portcullis_testing::pages::manifests;

use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{ControlPlane, Flavour, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("live::kubectl_output_matches_golden_files", golden_output)]
}

/// One command of a tenant, and the objects that exist before.
#[derive(Default)]
struct Case {
    /// The name, which is also that of the golden file.
    name: &'static str,
    config: &'static str,
    stored: String,
    command: &'static str,
    input: String,
}

fn golden_output() {
    let control_plane = ControlPlane::shared(Flavour::NoDefaultIngressClass);
    let _alone = control_plane.cluster_scope();
    let fixture = ClusterFixture::new(control_plane, RegisteredWebhooks::Validate, "");
    let wrong: Vec<String> =
        cases().iter().filter_map(|case| golden::differs(case.name, &case.run(&fixture))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Case {
    /// The output of kubectl, beginning with warnings and errors.
    fn run(&self, fixture: &ClusterFixture<'_>) -> String {
        fixture.configure(self.config);
        fixture.set_text(&self.stored);
        manifests(&self.input).iter().for_each(|written| fixture.track(&written.object_ref));
        let output = fixture.kubectl(self.command).stdin(&self.input).run();
        fixture.clear();
        output.in_terminal(self.command)
    }
}

const OWNERSHIP: &str = "
hostOwnership:
  hosts:
  - {host: '*.example.com', namespaces: {names: [platform]}}
  - {host: shop.example.com, namespaces: {names: [web]}}
";

const HIDDEN: &str = "
revealOtherNamespaces: false
hostOwnership:
  hosts:
  - {host: pay.example.com, namespaces: {names: [payments]}}
";

fn cases() -> Vec<Case> {
    let shop = || ingress("web", "shop", &[("shop.example.com", &["/cart"])]);
    let long = format!("/{}", "catalogue/".repeat(12));
    let hosts = [("shop.example.com", &["/cart", "/new"][..]), ("api.example.com", &["/"])];
    let many: Vec<String> = (10..70).map(|number| format!("/{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let create = || Case { command: "apply -f -", ..Case::default() };
    vec![
        Case {
            name: "denials_and_warnings",
            stored: shop() + &ingress("team-a", "api", &[("api.example.com", &["/"])]),
            input: ingress("team-b", "copy", &hosts),
            ..create()
        },
        Case { name: "tenancy_refused", config: OWNERSHIP, input: ingress("team-b", "copy", &hosts), ..create() },
        Case {
            name: "tenancy_and_conflict_refused",
            config: OWNERSHIP,
            stored: shop(),
            input: ingress("team-b", "copy", &[("shop.example.com", &["/cart"])]),
            ..create()
        },
        Case {
            name: "long_values",
            stored: ingress("web", "shop", &[("shop.example.com", &[&long])]),
            input: ingress("team-b", "copy", &[("shop.example.com", &[&long])]),
            ..create()
        },
        Case {
            name: "sixty_findings",
            stored: ingress("web", "shop", &[("shop.example.com", &many)]),
            input: ingress("team-b", "copy", &[("shop.example.com", &many)]),
            ..create()
        },
        Case {
            name: "names_hidden",
            config: HIDDEN,
            stored: shop(),
            input: ingress("team-b", "copy", &[("shop.example.com", &["/cart"]), ("pay.example.com", &["/"])]),
            ..create()
        },
        Case { name: "warnings_only", input: ingress("web", "shop", &[("shop.example.com", &["/cart"])]), ..create() },
        Case { name: "class_in_use", stored: shop() + CLASS, command: "delete ingressclass nginx", ..Case::default() },
        Case {
            name: "old_violation_kept",
            stored: shop() + &ingress("team-b", "copy", &[("shop.example.com", &["/cart"])]),
            command: "replace -f -",
            input: ingress("team-b", "copy", &[("shop.example.com", &["/cart", "/new"])]),
            ..Case::default()
        },
    ]
}

const CLASS: &str = "
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: example.com/nginx}
";

/// A YAML document with an Ingress of class `nginx`. All its paths lead to the Service `cart`.
fn ingress(namespace: &str, name: &str, hosts: &[(&str, &[&str])]) -> String {
    let path = |path: &&str| {
        format!(
            "\n      - {{path: {path}, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}"
        )
    };
    let rule = |(host, paths): &(&str, &[&str])| {
        let paths: String = paths.iter().map(path).collect();
        format!("\n  - host: {host}\n    http:\n      paths:{paths}")
    };
    let rules: String = hosts.iter().map(rule).collect();
    format!(
        "
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: {name}}}
spec:
  ingressClassName: nginx
  rules:{rules}
"
    )
}
