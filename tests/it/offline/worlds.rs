//! A repository of which not all files describe one cluster: objects are judged beside those that do.

use std::fs;

use super::{folder, ingress, lint};

/// A Service `web/cart` with this port.
fn service(port: u16) -> String {
    format!(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{namespace: web, name: cart}}\nspec: {{ports: [{{port: {port}}}]}}\n"
    )
}

/// The code and the findings of `lint` over files, a line each as `FILE: CHECK`.
fn found(files: &[(&str, &str)], options: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }
    let (_, printed, errors) = lint(folder.path(), options);
    let mut file = "";
    let mut all = Vec::new();
    for line in printed.lines() {
        if let Some((name, _)) = line.strip_prefix("DIR/").and_then(|line| line.split_once(": ")) {
            file = name;
        } else if let Some((_, check)) = line.rsplit_once('[').filter(|_| line.starts_with("  ")) {
            all.push(format!("{file}: {}", check.trim_end_matches(']')));
        }
    }
    assert!(printed.contains("would be denied"), "{printed}{errors}");
    all
}

pub fn variants_are_judged_apart() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let [bad, good] = [8080, 80].map(service);
    let files = [
        ("env/dev/service.yaml", &*bad),
        ("env/dev/shop.yaml", &*shop),
        ("env/prod/service.yaml", &*good),
        ("env/prod/shop.yaml", &*shop),
        ("base/shop.yaml", &*shop),
    ];
    assert_eq!(found(&files, &[]), ["env/dev/shop.yaml: ingress/service-port-not-found"]);
}

pub fn variant_in_the_same_folder_is_not_a_conflict() {
    let [one, other] = ["/", "/cart"].map(|path| ingress("web", "shop", "shop.example.com", path));
    let rival = ingress("bank", "shop", "shop.example.com", "/");
    let files = [("a.yaml", &*one), ("b.yaml", &*other), ("c.yaml", &*rival)];
    let conflicts = ["a.yaml: host/path-conflict", "c.yaml: host/path-conflict"];
    let all = found(&files, &[]);
    assert!(all.contains(&conflicts[0].to_owned()) && !all.iter().any(|line| line.starts_with("b.yaml")), "{all:?}");
}

pub fn examples_and_tests_have_no_rivals() {
    let [one, other] = ["web", "bank"].map(|namespace| ingress(namespace, "shop", "shop.example.com", "/"));
    for [first, second] in
        [["examples/a/a.yaml", "examples/b/a.yaml"], ["tests/a.yaml", "tests/b.yaml"], ["deploy/a.yaml", "docs/a.yaml"]]
    {
        assert_eq!(found(&[(first, &one), (second, &other)], &[]), [""; 0], "{first} {second}");
        assert_ne!(found(&[(first, &one), (second, &other)], &["--complete"]), [""; 0], "{first} {second}");
    }
    assert_ne!(found(&[("deploy/a.yaml", &one), ("apps/a.yaml", &other)], &[]), [""; 0]);
    assert_eq!(found(&[("examples/a.yaml", &one), ("examples/b.yaml", &other)], &[]), [""; 0]);
    let both = format!("{one}---\n{other}");
    assert_ne!(found(&[("examples/a.yaml", &both)], &[]), [""; 0], "one file describes one cluster");
}

pub fn services_of_which_most_are_missing_are_elsewhere() {
    let using = |name: &str| {
        ingress("web", name, &format!("{name}.example.com"), "/").replace("name: cart", &format!("name: {name}"))
    };
    let (cart, shop, login, other) = (service(80), using("shop"), using("login"), using("cart"));
    let files = [("service.yaml", &*cart), ("shop.yaml", &*shop), ("login.yaml", &*login), ("cart.yaml", &*other)];
    assert_eq!(found(&files[..2], &[]), ["shop.yaml: ingress/service-not-found"]);
    assert_eq!(found(&files, &[]), [""; 0]);
    let complete = found(&files, &["--complete"]);
    assert_eq!(complete.iter().filter(|line| line.ends_with("ingress/service-not-found")).count(), 2, "{complete:?}");
}

pub fn service_created_by_a_controller_is_not_missing() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let other = service(80).replace("cart", "other");
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cart}\n";
    let files = [("service.yaml", &*other), ("shop.yaml", &*shop)];
    assert_eq!(found(&files, &[]), ["shop.yaml: ingress/service-not-found"]);
    assert_eq!(found(&[files[0], files[1], ("release.yaml", release)], &[]), [""; 0]);
    let elsewhere = release.replace("name: cart", "name: cart, namespace: bank");
    assert_eq!(
        found(&[files[0], files[1], ("release.yaml", &elsewhere)], &[]),
        ["shop.yaml: ingress/service-not-found"]
    );
    let class = |name: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{namespace: web, name: {name}}}\nspec:\n  \
             gatewayClassName: {name}\n  listeners: [{{name: http, port: 80, protocol: HTTP}}]\n---\napiVersion: \
             gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {{name: own}}\nspec: {{controllerName: example.com/own}}\n"
        )
    };
    assert_eq!(found(&[("a.yaml", &class("cilium"))], &[]), [""; 0]);
    assert_eq!(found(&[("a.yaml", &class("cilum"))], &[]), ["a.yaml: gateway/class-not-found"]);
    // Without any class, only the misspelled name of a well-known one is reported.
    let alone = |name: &str| class(name).split("---").next().unwrap_or_default().to_owned();
    assert_eq!(found(&[("a.yaml", &alone("cilum"))], &[]), ["a.yaml: gateway/class-not-found"]);
    assert_eq!(found(&[("a.yaml", &alone("cilium2"))], &[]), [""; 0]);
}

pub fn test_assertions_are_not_objects() {
    let shop = ingress("web", "shop", "shop.example.com", "no/path");
    let asserted = shop.replace("spec:", "spec:\n  (length(rules)): 1");
    let good = ingress("web", "good", "good.example.com", "/");
    for (name, text) in [("tests/00-assert.yaml", &shop), ("assertions/a.yaml", &shop), ("a.yaml", &asserted)] {
        assert_eq!(found(&[("good.yaml", &good), (name, text)], &[]), [""; 0], "{name}");
    }
}

pub fn variables_are_not_judged() {
    let text = ingress("web", "shop", "shop.${DOMAIN}", "cart");
    assert_eq!(found(&[("a.yaml", &text)], &[]), ["a.yaml: ingress/path-not-absolute"]);
    let folder = folder(&[("a.yaml", &text)]);
    let (_, _, errors) = lint(folder.path(), &[]);
    let note = "portcullis: note: 1 finding is left out, since the value contains a variable such as `${NAME}` or a placeholder such as \
                `<NAME>`; to check it, pass the manifest with the value filled in\n";
    assert_eq!(errors, note);
}
