//! `portcullis claims from`: the example of the guide, what each comment names, and the exit codes.

use std::fs;
use std::process::Command;

use libtest_mimic::Trial;
use portcullis_core::config::{API_VERSION, KIND};
use portcullis_testing::page::blocks;
use portcullis_testing::repository::read;
use serde_json::{Value, json};
use tempfile::TempDir;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("claims::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("the_guide_shows_what_the_program_prints", the_guide_shows_what_the_program_prints),
        trial("each_host_is_claimed_or_named", each_host_is_claimed_or_named),
        trial("existing_claims_count_whatever_the_configuration", existing_claims_count_whatever_the_configuration),
        trial("json_has_the_same_claims", json_has_the_same_claims),
        trial("unread_document_is_named_by_claims_from", unread_document_is_named_by_claims_from),
    ]
}

/// A folder with these objects, and a configuration of these lines.
fn folder(objects: &str, config: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("objects")).expect("our folder is writable");
    fs::write(folder.path().join("objects/a.yaml"), objects).expect("our folder is writable");
    let head = if config.starts_with("apiVersion: ") { String::new() } else { head() };
    fs::write(folder.path().join("config.yaml"), head + config).expect("our folder is writable");
    folder
}

fn head() -> String {
    format!("apiVersion: {API_VERSION}\nkind: {KIND}\n")
}

/// The exit code, standard output and standard error of the command on the objects of a folder.
fn claims_from(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    program.args(["claims", "from", "objects", "--config", "config.yaml"]).args(arguments).current_dir(folder.path());
    let output = program.output().expect("cargo built it");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The output for the guide's cluster. With the claims in it, and the disputed host as the comment proposes, each host has an owner.
fn the_guide_shows_what_the_program_prints() {
    let page = blocks(&read("docs/guides/host-claims.md"));
    let block = |words: &str| &page.iter().find(|block| block.words == words).expect("the guide has the block").text;
    let shown = page.windows(2).find(|pair| pair[0].text.starts_with("portcullis claims from "));
    let shown = &shown.expect("the guide shows the command")[1].text;
    let folder = folder(block("yaml cluster"), block("yaml config"));
    let (code, printed, errors) = claims_from(&folder, &["--complete"]);
    assert_eq!((code, &printed, &*errors), (Some(1), shown, "portcullis: 1 claim; 1 host is disputed\n"));

    let (_, proposal) = printed.split_once("# ---\n").expect("a claim for the disputed host");
    let settled: String = proposal.lines().map(|line| format!("{}\n", line.trim_start_matches("# "))).collect();
    fs::write(folder.path().join("objects/claims.yaml"), format!("{printed}---\n{settled}")).expect("writable");
    let (code, printed, errors) = claims_from(&folder, &["--complete"]);
    let summary = "portcullis: 0 claims; 2 hosts have an owner already\n";
    assert_eq!((code, &*printed, &*errors), (Some(0), "", summary));
}

/// An object of each kind that claims hosts.
const OBJECTS: &str = "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: web, name: all}
spec: {ingressClassName: public, defaultBackend: {service: {name: a, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: platform, name: apps, annotations: {nginx.ingress.kubernetes.io/server-alias: Alias.example.com}}
spec:
  ingressClassName: public
  rules: [{host: '*.apps.example.com', http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: a, port: {number: 80}}}}]}}]
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: k8s.io/ingress-nginx}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: shop, name: cart}
spec: {parentRefs: [{name: edge, namespace: infra}], hostnames: [cart.apps.example.com, www.apps.example.com]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: shop, name: more}
spec: {parentRefs: [{name: edge, namespace: infra}], hostnames: [cart.apps.example.com]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: infra, name: edge}
spec:
  gatewayClassName: any
  listeners: [{name: http, port: 80, protocol: HTTP, hostname: cart.apps.example.com, allowedRoutes: {namespaces: {from: All}}}]
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: blog, name: posts}
spec: {virtualhost: {fqdn: www.apps.example.com}, routes: [{services: [{name: a, port: 80}]}]}
---
apiVersion: contour.heptio.com/v1beta1
kind: IngressRoute
metadata: {namespace: web, name: pay}
spec: {virtualhost: {fqdn: pay.example.com}, routes: [{match: /, services: [{name: a, port: 80}]}]}
";

const CONFIG: &str = "hostOwnership:
  hosts:
  - {host: pay.example.com, namespaces: {names: [payments]}}
exemptions:
- checks: [host/not-owned]
  match: {kinds: [Gateway], namespaces: {names: [infra]}}
  reason: the shared Gateway serves the hosts of every team
";

fn claim(name: &str, host: &str, namespace: &str, object: &str) -> String {
    format!(
        "apiVersion: portcullis.dev/v1alpha1\nkind: HostClaim\nmetadata:\n  name: \"{name}\"\nspec:\n  host: \"{host}\"\n  \
         namespace: \"{namespace}\"\n  reason: \"served by {object}\"\n"
    )
}

fn each_host_is_claimed_or_named() {
    let (code, printed, errors) = claims_from(&folder(OBJECTS, CONFIG), &["--complete"]);
    let summary = "3 claims; 1 host is disputed, 1 belongs to others, 1 cannot be claimed";
    assert_eq!((code, &*errors), (Some(1), &*format!("portcullis: {summary}\n")), "{printed}");
    let (cart, alias) = ("cart.apps.example.com", "alias.example.com");
    let notes = "# covers hosts that other namespaces serve: cart.apps.example.com, www.apps.example.com\n\
                 # claim these first, since a claim below an older one of another namespace has no effect: www.apps.example.com\n";
    let parts = [
        format!("---\n{}", claim(alias, alias, "platform", "Ingress platform/apps")),
        format!("---\n{}", claim(cart, cart, "shop", "HTTPRoute shop/cart and 1 more")),
        "\n# host www.apps.example.com is disputed: 2 namespaces serve it\n\
         #   namespace blog: HTTPProxy blog/posts\n#   namespace shop: HTTPRoute shop/cart\n"
            .to_owned(),
        format!(
            "---\n{notes}{}",
            claim("wc--any.apps.example.com", "*.apps.example.com", "platform", "Ingress platform/apps")
        ),
        "\n# host pay.example.com belongs to namespace payments by the entry pay.example.com of hostOwnership; served by\n\
         #   namespace web: IngressRoute web/pay\n"
            .to_owned(),
        "\n# host * cannot be claimed, since it means every host, and hosts are claimed one by one; served by\n\
         #   namespace web: Ingress web/all\n"
            .to_owned(),
    ];
    let mut rest = printed.as_str();
    for part in parts {
        let (_, after) = rest.split_once(&*part).unwrap_or_else(|| panic!("not in this order: {part}\n{printed}"));
        rest = after;
    }
    assert_eq!(rest, "", "{printed}");
}

fn existing_claims_count_whatever_the_configuration() {
    let claims = "---\napiVersion: portcullis.dev/v1alpha1\nkind: HostClaim\nmetadata: {name: wc--any.apps.example.com}\n\
                  spec: {host: '*.apps.example.com', namespace: platform, alsoServedBy: [shop]}\n";
    let objects = format!("{OBJECTS}{claims}");
    for mode in ["\"Off\"", "Optional", "Required"] {
        let config = format!("hostOwnership: {{claims: {mode}}}\n");
        let (code, printed, errors) = claims_from(&folder(&objects, &config), &["--complete"]);
        assert_eq!(code, Some(1), "{errors}");
        let www = "# host www.apps.example.com belongs to namespaces platform, shop by HostClaim wc--any.apps.example.com; served by\n\
                   #   namespace blog: HTTPProxy blog/posts\n";
        let cart = "# host cart.apps.example.com belongs to namespaces platform, shop by HostClaim wc--any.apps.example.com; served by\n\
                    #   namespace infra: Gateway infra/edge\n";
        assert!(printed.contains(www) && printed.contains(cart), "{mode}: {printed}");
        assert!(!printed.contains("wc--any.apps.example.com\"\n"), "{mode}: it exists already: {printed}");
    }
}

fn json_has_the_same_claims() {
    let (code, printed, _) = claims_from(&folder(OBJECTS, CONFIG), &["--complete", "-o", "json"]);
    let document: Value = serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
    let host = |list: &str, index: usize| document[list][index]["host"].clone();
    assert_eq!(code, Some(1));
    let expected = json!({
        "apiVersion": "portcullis.dev/v1alpha1",
        "kind": "HostClaim",
        "metadata": {"name": "alias.example.com"},
        "spec": {"host": "alias.example.com", "namespace": "platform", "reason": "served by Ingress platform/apps"},
    });
    assert_eq!((&document["claims"][0], document["claims"].as_array().map(Vec::len)), (&expected, Some(3)));
    assert_eq!(host("disputed", 0), "www.apps.example.com");
    assert_eq!(document["disputed"][0]["namespaces"][0]["objects"][0]["object"], "HTTPProxy blog/posts");
    assert_eq!((host("ofOthers", 0), host("unclaimable", 0)), (json!("pay.example.com"), json!("*")));
    assert_eq!((&document["owned"], &document["unread"]), (&json!(0), &json!([])));
}

fn unread_document_is_named_by_claims_from() {
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {namespace: shop, name: cart}\n\
                 spec: {hostnames: [cart.example.com]}\n";
    let folder = folder(route, "");
    let (code, printed, errors) = claims_from(&folder, &[]);
    let summary = "portcullis: note: HostClaims that are not in these files are not known\nportcullis: 1 claim\n";
    assert_eq!((code, &*errors), (Some(0), summary), "{printed}");
    fs::write(folder.path().join("objects/b.yaml"), "kind: Ingress\nspec: [\n").expect("our folder is writable");
    let (code, printed, _) = claims_from(&folder, &[]);
    assert!(code == Some(3) && printed.starts_with("# not read: objects/b.yaml: "), "{printed}");
    assert!(printed.contains("\n---\napiVersion: portcullis.dev/v1alpha1\n"), "{printed}");
}
