//! The webhook with a real API server: what kubectl prints, and which objects are admitted.

use libtest_mimic::Trial;

use crate::harness::{ControlPlane, Flavour, Namespace, PortcullisServer, Webhooks, eventually, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("cluster::path_of_another_team_is_denied_in_kubectl", path_of_another_team_is_denied),
        on_cluster("cluster::an_update_cannot_slip_past_built_in_validation", an_update_cannot_slip_past),
        on_cluster("cluster::a_second_default_class_is_refused", a_second_default_class_is_refused),
        on_cluster("cluster::deleted_and_created_again_is_no_conflict", deleted_and_created_again),
    ]
}

/// A server in cluster mode with the permissions of the cluster's admin and further arguments.
pub fn server(control_plane: &ControlPlane, more: &[&str]) -> PortcullisServer {
    let kubeconfig = control_plane.kubeconfig();
    let kubeconfig = kubeconfig.to_str().expect("the folder of the trials has a plain name");
    PortcullisServer::start([&["--kubeconfig", kubeconfig], more].concat()).ready()
}

/// Webhooks for this namespace only, so that concurrent trials do not review objects of each other.
fn of(namespace: &Namespace<'_>) -> Webhooks {
    Webhooks::validating().in_namespace(&namespace.to_string())
}

fn ingress(name: &str, host: &str, path: &str) -> String {
    format!(
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: {name}}}
spec:
  ingressClassName: nginx
  rules:
  - host: "{host}"
    http: {{paths: [{{path: "{path}", pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}
"#
    )
}

fn path_of_another_team_is_denied() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let server = server(control_plane, &[]);
    let (web, team) = (control_plane.namespace("web"), control_plane.namespace("team"));
    let _registered = control_plane.register(&server, of(&team));
    let host = format!("{web}.example.com");
    web.apply(&ingress("shop", &host, "/cart")).accepted();
    let copy = ingress("copy", &host, "/cart/");
    eventually("Portcullis has seen the first Ingress", || {
        team.dry_run(&copy).1.to_string().contains("[host/path-conflict]")
    });
    let output = team.apply(&copy);
    let expected = format!(
        "The Ingress \"copy\" is invalid: spec.rules[0].http.paths[0].path: path /cart on {host} is already served by Ingress {web}/shop (class nginx) [host/path-conflict]"
    );
    output.refused_with(&expected);
}

fn an_update_cannot_slip_past() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    let host = format!("*.{team}.example.com");
    let odd = |path: &str| ingress("odd", &host, path).replace("name: cart", "name: 1svc");
    team.apply(&odd("/")).accepted();
    let dry = |path: &str| team.kubectl("apply --dry-run=server -f -").stdin(&odd(path)).run();
    dry("bad//../x").accepted();

    let server = server(control_plane, &[]);
    let _registered = control_plane.register(&server, of(&team));
    dry("bad//../x").refused_with("`bad//../x` must start with `/` [ingress/path-not-absolute]");
}

fn a_second_default_class_is_refused() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let _alone = control_plane.cluster_scope();
    let server = server(control_plane, &[]);
    let _registered = control_plane.register(&server, Webhooks::validating().of_cluster_scope());
    let class = |name: &str| {
        format!(
            r#"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {{name: {name}, annotations: {{ingressclass.kubernetes.io/is-default-class: "true"}}}}
spec: {{controller: example.com/a}}
"#
        )
    };
    let (first, second) = (control_plane.unique("first"), control_plane.unique("second"));
    control_plane.apply(&class(&first)).accepted();
    let (http, denial) = (control_plane.http(), format!("IngressClass {first} is already the default"));
    eventually("Portcullis has seen the first class", || {
        http.dry_run("/apis/networking.k8s.io/v1/ingressclasses", &class(&second)).1.to_string().contains(&denial)
    });
    control_plane.apply(&class(&second)).refused_with(&denial);
    control_plane.delete(&format!("ingressclass/{first}"));
}

fn deleted_and_created_again() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let server = server(control_plane, &[]);
    let team = control_plane.namespace("team");
    let _registered = control_plane.register(&server, of(&team));
    let own = ingress("shop", &format!("{team}.example.com"), "/");
    for _ in 0..3 {
        team.apply(&own).accepted();
        team.delete("ingress/shop").accepted();
    }
}
