//! The `explain` command: golden output, JSON, wrong usage, and a live cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::harness::{ControlPlane, Flavour, on_cluster};

pub fn live_trial() -> Trial {
    on_cluster("explain::explain_reads_a_live_cluster", explain_reads_a_live_cluster)
}

/// The exit code, stdout and stderr.
fn explain(words: &[&str]) -> (Option<i32>, String, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_portcullis")).arg("explain").args(words).output();
    let output = program.expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The example shop, which most golden outputs use.
fn shop() -> String {
    folder("tests/explain")
}

fn folder(name: &str) -> String {
    repository().join(name).display().to_string()
}

/// The name of the golden file, the folder, the exit code, and the request.
type GoldenCase = (&'static str, &'static str, i32, &'static [&'static str]);

const GOLDEN_CASES: [GoldenCase; 6] = [
    ("explain_route", "tests/explain", 0, &["https://shop.example.com/cart/1?beta=1", "--header", "x-canary=always"]),
    ("explain_ingress", "tests/explain", 0, &["POST", "http://shop.example.com/pay", "--class", "public"]),
    ("explain_nobody", "tests/explain", 1, &["http://cart.shop.example.com/", "--gateway", "infra/edge"]),
    ("explain_delegation", "examples/delegation", 0, &["https://www.google.com/finance/partners/1"]),
    ("explain_redirect", "examples/delegation", 0, &["http://www.google.com/finance/static"]),
    ("explain_planes", "tests/planes", 0, &["https://shop.example.com/cart"]),
];

pub fn output_matches_golden_files() {
    let differing: Vec<String> = GOLDEN_CASES
        .into_iter()
        .filter_map(|(name, objects, code, words)| {
            let output = explain(&[words, &["--objects", &folder(objects)]].concat());
            assert_eq!((output.0, output.2.as_str()), (Some(code), ""), "{name}");
            let file = repository().join("tests/golden").join(name).with_extension("txt");
            if std::env::var_os("GOLDEN").is_some() {
                fs::write(&file, &output.1).expect("the golden files are writable");
            }
            let golden = fs::read_to_string(&file).unwrap_or_default();
            (golden != output.1).then(|| format!("{name} should be\n{golden}and is\n{}", output.1))
        })
        .collect();
    assert!(differing.is_empty(), "{}\nGOLDEN=1 writes them again", differing.join("\n"));
    let read = |file: &str| fs::read_to_string(repository().join(file)).expect("it is there");
    for name in ["explain_ingress", "explain_delegation"] {
        let shown = format!("```\n{}```\n", read(&format!("tests/golden/{name}.txt")));
        assert!(read("docs/explain.md").contains(&shown), "docs/explain.md differs from tests/golden/{name}.txt");
    }
}

pub fn json_has_just_these_fields() {
    let (code, output, _) =
        explain(&["http://shop.example.com/pay", "--class", "public", "-o", "json", "--objects", &shop()]);
    let answer: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(code, Some(0));
    let request = json!({"method": "GET", "url": "http://shop.example.com/pay", "scheme": "http",
        "host": "shop.example.com", "port": 80, "path": "/pay", "query": [], "headers": [], "sni": null});
    assert_eq!(answer["request"], request);
    let winner = &answer["winner"];
    assert_eq!(winner["object"], "Ingress/web/shop");
    assert_eq!(winner["field"], "spec.rules[0].http.paths[0]");
    assert_eq!(winner["backends"], json!([{"service": "pay", "port": 8080, "share": 1.0}]));
    let backend = json!({"namespace": "web", "service": "pay", "port": 8080, "share": 1.0, "answers": true});
    let received = json!({"path": "/pay", "host": "shop.example.com", "headers": []});
    let outcome = json!({"kind": "backends", "backends": [backend], "request": received, "notEvaluated": []});
    assert_eq!(answer["outcome"], outcome);
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let sorted = |mut keys: Vec<String>| {
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(sorted(keys(&answer)), "ambiguous answered losers outcome request winner");
    assert_eq!(sorted(keys(winner)), "backends chain field object");
    assert_eq!(sorted(keys(&winner["chain"][0])), "field message object");
    assert_eq!(sorted(keys(&answer["losers"][0])), "field object reason");
    let (code, output, _) =
        explain(&["http://nobody.example.com/", "--gateway", "a/b", "-o", "json", "--objects", &shop()]);
    let answer: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((code, &answer["winner"]), (Some(1), &Value::Null));
}

pub fn a_bad_secret_serves_no_tls() {
    let roots = "\
kind: IngressRoute
apiVersion: contour.heptio.com/v1beta1
metadata: {namespace: web, name: one}
spec:
  virtualhost: {fqdn: one.example.com, tls: {secretName: pair}}
  routes: [{match: /, services: [{name: web, port: 80}]}]
---
kind: HTTPProxy
apiVersion: projectcontour.io/v1
metadata: {namespace: web, name: two}
spec:
  virtualhost: {fqdn: two.example.com, tls: {secretName: pair}}
  routes: [{services: [{name: web, port: 80}]}]
---
kind: Service
apiVersion: v1
metadata: {namespace: web, name: web}
spec: {ports: [{port: 80}]}
";
    let secret =
        "---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: web, name: pair}\nstringData: {tls.crt: none}\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ask = |manifests: &str, host: &str| {
        fs::write(folder.path().join("all.yaml"), manifests).expect("the folder is writable");
        explain(&[&format!("https://{host}.example.com/"), "--complete", "--objects", path(folder.path())])
    };
    for host in ["one", "two"] {
        assert_eq!(ask(roots, host).0, Some(0), "few keep Secrets beside their manifests");
        let (code, output, _) = ask(&format!("{roots}{secret}"), host);
        assert_eq!(code, Some(1), "{output}");
        assert!(output.contains("Secret pair has no usable certificate and key"), "{output}");
    }

    let borrows = roots.replace("secretName: pair", "secretName: certs/pair");
    let delegates_certificate = |group: &str, version: &str| {
        format!(
            "---\nkind: TLSCertificateDelegation\napiVersion: {group}/{version}\nmetadata: {{namespace: certs, name: lent}}\n\
             spec: {{delegations: [{{secretName: pair, targetNamespaces: [web]}}]}}\n"
        )
    };
    let other = format!("{borrows}{}", delegates_certificate("contour.heptio.com", "v1beta1"));
    for manifests in [&borrows, &other] {
        let (code, output, _) = ask(manifests, "two");
        assert_eq!(code, Some(1), "{output}");
        assert!(
            output.contains(
                "no TLSCertificateDelegation.projectcontour.io in namespace certs delegates Secret pair to the namespace of this object"
            ),
            "{output}"
        );
    }
    assert_eq!(ask(&format!("{borrows}{}", delegates_certificate("projectcontour.io", "v1")), "two").0, Some(0));
}

pub fn a_class_that_does_not_exist_is_marked() {
    let ingress = |class: &str| {
        format!(
            "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: web, name: {class}}}\n\
             spec: {{ingressClassName: {class}, rules: [{{host: a.example.com, http: {{paths: [{{path: /, pathType: Prefix, \
             backend: {{service: {{name: web, port: {{number: 80}}}}}}}}]}}}}]}}\n"
        )
    };
    let class = "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: public}\nspec: {controller: a/b}\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ask = |manifests: &str, more: &[&str]| {
        fs::write(folder.path().join("all.yaml"), manifests).expect("the folder is writable");
        explain(&[&["http://a.example.com/", "--objects", path(folder.path())], more].concat()).1
    };
    let ingresses = ingress("legacy") + &ingress("public");
    let elsewhere = ask(&ingresses, &[]);
    assert!(elsewhere.contains("\n  IngressClass legacy\n  IngressClass public\n"), "{elsewhere}");
    assert!(elsewhere.contains("it is not known whether the class exists"), "{elsewhere}");
    let absent = ask(&ingresses, &["--complete"]);
    assert!(absent.contains("\n  IngressClass legacy (not found)\n  IngressClass public (not found)\n"), "{absent}");
    let one = ask(&(ingresses + class), &["--complete"]);
    assert!(one.contains("\n  IngressClass legacy (not found)\n  IngressClass public\n"), "{one}");
    assert!(one.contains("not found, so most controllers ignore the Ingress\n"), "{one}");
}

pub fn rules_of_other_hosts_show_only_what_is_misspelled() {
    let proxy = |name: &str| {
        format!(
            "---\napiVersion: projectcontour.io/v1\nkind: HTTPProxy\nmetadata: {{namespace: web, name: {name}}}\n\
             spec: {{virtualhost: {{fqdn: {name}.example.com}}, routes: [{{services: [{{name: web, port: 80}}]}}]}}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("all.yaml"), proxy("cart") + &proxy("shop")).expect("the folder is writable");
    let ask = |url: &str| explain(&[url, "--objects", path(folder.path())]).1;
    let without_tls = ask("https://shop.example.com/");
    let expected = "\nlost\n  HTTPProxy web/shop  spec.virtualhost.fqdn  host shop.example.com has no TLS\n\n1 more rule is for another host\n";
    assert!(without_tls.ends_with(expected), "{without_tls}");
    let misspelled = ask("http://shopp.example.com/");
    let expected = "\nlost\n  HTTPProxy web/cart  spec.virtualhost.fqdn  host cart.example.com\n  \
                    HTTPProxy web/shop  spec.virtualhost.fqdn  host shop.example.com\n";
    assert!(misspelled.ends_with(expected), "{misspelled}");
    let many: String = (0..21).map(|index| proxy(&format!("cart-{index}"))).collect();
    fs::write(folder.path().join("all.yaml"), many).expect("the folder is writable");
    let unnamed = ask("http://shop.example.com/");
    assert!(unnamed.ends_with("\nno rule names this host; 21 rules are for other hosts\n"), "{unnamed}");
}

pub fn wrong_usage_is_reported() {
    let shop = shop();
    let wrong: [(&[&str], &str); 9] = [
        (&["http://a.example/"], "--objects <PATH>|--against <FILE>|--kubeconfig <FILE>"),
        (&["--objects", &shop], "<URL>"),
        (&["shop.example.com", "--objects", &shop], "`shop.example.com` is not a valid URL: use"),
        (&["http://a.example/", "--objects", &shop, "--header", "x"], "`x` is not a valid header: use NAME=VALUE"),
        (&["http://a.example/", "--objects", &shop, "--sni", "b"], "a server name (SNI) requires an https URL"),
        (&["http://a.example/", "--objects", &shop, "--gateway", "edge"], "must be NAMESPACE/NAME"),
        (&["http://a.example/", "--objects", &shop, "--port", "0"], "invalid value '0'"),
        (&["http://a.example/", "--objects", &shop, "--kubeconfig", "x"], "cannot be used with"),
        (&["http://a.example/", "--objects", "/nowhere/at/all"], "portcullis: --objects: /nowhere/at/all"),
    ];
    for (words, expected) in wrong {
        let (code, output, describe) = explain(words);
        assert_eq!((code, output.as_str()), (Some(2), ""), "{words:?}");
        assert!(describe.contains(expected), "{words:?}: {describe}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.yaml"), "kind: [\n").expect("the folder is writable");
    let (code, output, describe) = explain(&["http://a.example/", "--objects", path(folder.path())]);
    assert_eq!(code, Some(3), "what cannot be read could have answered");
    assert!(
        output.contains("no object that could be read answers") && describe.contains("a.yaml: line "),
        "{output}{describe}"
    );
}

pub fn invalid_objects_are_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let explained = |kind: &str, manifests: &[&str]| {
        let version = if kind == "HTTPProxy" { "projectcontour.io/v1" } else { "contour.heptio.com/v1beta1" };
        let document = |spec: &&str| format!("---\nkind: {kind}\napiVersion: {version}\n{spec}\n");
        fs::write(folder.path().join("all.yaml"), manifests.iter().map(document).collect::<String>())
            .expect("writable");
        explain(&["https://a.example.com/x?y=1", "--objects", path(folder.path())]).1
    };
    let (root, tls) = ("metadata: {namespace: web, name: a}", "secretName: s, minimumProtocolVersion: '1.3'");
    let host = |tls: &str, more: &str| {
        format!("{root}\nspec: {{virtualhost: {{fqdn: a.example.com, tls: {{{tls}}}}}, {more}}}")
    };
    let routes = "routes: [{services: [{name: web, port: 80}]}]";
    let old = explained("HTTPProxy", &[&host(&format!("{tls}, maximumProtocolVersion: '1.2'"), routes)]);
    assert!(old.contains("the minimum version 1.3 must not be greater than the maximum version 1.2"), "{old}");
    let brace = explained(
        "HTTPProxy",
        &[&host(
            tls,
            &routes.replace(
                "[{services",
                "[{conditions: [{regex: '/{id}'}], services: [{name: id, port: 80}]}, {services",
            ),
        )],
    );
    assert!(brace.contains("HTTPProxy web/a answers: spec.routes[1]"), "{brace}");
    let below = explained(
        "HTTPProxy",
        &[&host(tls, "includes: [{name: b}]"), "metadata: {namespace: web, name: b}\nspec: {routes: 7}"],
    );
    assert!(below.contains("HTTPProxy web/b cannot be read"), "{below}");
    let unread = explained("IngressRoute", &["metadata: {namespace: web, name: a}\nspec: {virtualhost: 7}"]);
    assert!(unread.contains("IngressRoute web/a  invalid: cannot be read: spec.virtualhost: "), "{unread}");
    let other = "metadata: {namespace: web, name: a}\nspec: {virtualhost: {fqdn: b.example.com}, routes: [{services: [{name: web, port: 80}]}]}";
    let first = explained("HTTPProxy", &[&host(tls, routes), other]);
    assert!(first.contains("HTTPProxy web/a answers: spec.routes[0]"), "{first}");
}

pub fn losing_route_is_explained_by_the_reached_listener() {
    let manifests = "
kind: Gateway
apiVersion: gateway.networking.k8s.io/v1
metadata: {namespace: infra, name: gw}
spec:
  gatewayClassName: any
  listeners:
  - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
  - name: https
    port: 443
    protocol: HTTPS
    hostname: '*.example.com'
    tls: {certificateRefs: [{name: c}]}
    allowedRoutes: {namespaces: {from: Same}}
---
kind: HTTPRoute
apiVersion: gateway.networking.k8s.io/v1
metadata: {namespace: b, name: r}
spec:
  parentRefs: [{name: gw, namespace: infra}]
  hostnames: [foo.example.com]
  rules: [{backendRefs: [{name: web, port: 80}]}]
";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ask = |manifests: &str, more: &[&str]| {
        fs::write(folder.path().join("all.yaml"), manifests).expect("the folder is writable");
        explain(&[&["https://foo.example.com/", "--objects", path(folder.path())], more].concat()).1
    };
    let output = ask(manifests, &[]);
    assert!(output.contains("listener https of Gateway infra/gw does not allow routes of namespace b"), "{output}");
    let output = ask(&manifests.replace("from: Same", "from: All"), &["--sni", "other.org"]);
    assert!(output.contains("listener https of Gateway infra/gw has host *.example.com"), "{output}");
}

pub fn an_unknown_gateway_or_class_is_an_error() {
    let shop = shop();
    let describe = |words: &[&str]| {
        let (code, _, describe) = explain(&[&["http://shop.example.com/", "--objects", &shop], words].concat());
        assert_eq!(code, Some(1), "{describe}");
        describe
    };
    assert_eq!(describe(&["--gateway", "web/none"]), "portcullis: Gateway web/none not found\n");
    assert_eq!(describe(&["--class", "none"]), "portcullis: no object has class `none`\n");
    let hint = "; did you mean `public`?";
    assert_eq!(describe(&["--class", "pubilc"]), format!("portcullis: no object has class `pubilc`{hint}\n"));
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

fn explain_reads_a_live_cluster() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let held = control_plane.namespace("explain");
    let namespace = held.to_string();
    let host = format!("{namespace}.example.com");
    control_plane
        .apply(&format!(
            "apiVersion: v1
kind: Service
metadata: {{namespace: {namespace}, name: cart}}
spec: {{ports: [{{name: web, port: 8080}}]}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: {namespace}, name: shop}}
spec:
  ingressClassName: {namespace}
  rules:
  - host: {host}
    http: {{paths: [{{path: /cart, pathType: Prefix, backend: {{service: {{name: cart, port: {{name: web}}}}}}}}]}}
"
        ))
        .accepted();
    let kubeconfig = control_plane.kubeconfig();
    let ask = |url: &str| explain(&[url, "--kubeconfig", path(&kubeconfig), "--class", &namespace, "-o", "json"]);
    let (code, output, describe) = ask(&format!("http://{host}/cart/1"));
    let answer: Value = serde_json::from_str(&output).unwrap_or_else(|_| panic!("no JSON: {output}{describe}"));
    assert_eq!((code, describe.as_str()), (Some(0), ""), "{output}");
    assert_eq!(answer["winner"]["object"], format!("Ingress/{namespace}/shop"));
    assert_eq!(answer["winner"]["backends"], json!([{"service": "cart", "port": 8080, "share": 1.0}]));
    let (code, output, describe) = ask(&format!("http://{host}/pay"));
    assert_eq!((code, describe.as_str()), (Some(1), ""), "{output}");
    assert!(output.contains(r#""reason":"path /cart""#), "{output}");
}
