//! Requests of test cases with the program: the example of the page, and what `explain --record` writes.

use std::fs;
use std::path::Path;
use std::process::Command;

use portcullis_testing::page::blocks;
use portcullis_testing::repository::read;

/// The exit code, standard output and standard error, run in `folder`.
fn run(words: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(words).current_dir(folder).output();
    let output = output.expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

pub fn the_page_shows_the_example_and_its_output() {
    let page = blocks(&read("docs/explain.md"));
    let command = "portcullis config test --untested examples/requests.yaml";
    let at = page.iter().position(|block| block.text.trim() == command).expect("the command is on the page");
    assert_eq!(page[at + 1].text, read("examples/requests.yaml"));
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let (code, printed, errors) = run(&words, Path::new(env!("CARGO_MANIFEST_DIR")));
    assert_eq!((code, printed, errors.as_str()), (Some(0), page[at + 2].text.clone(), ""));
}

const ROUTES: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: edge, name: public}
spec:
  gatewayClassName: edge
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: shop, name: web}
spec:
  parentRefs: [{namespace: edge, name: public}]
  hostnames: [shop.example.com]
  rules:
  - matches: [{path: {value: /cart}}]
    backendRefs: [{name: cart, port: 80}]
  - backendRefs: [{name: web, port: 80}]
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: cart}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: web}
spec: {ports: [{port: 80}]}
";

pub fn recorded_answers_pass_until_they_change() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let manifests = root.path().join("manifests");
    fs::create_dir_all(&manifests).expect("a folder");
    fs::create_dir_all(root.path().join("tests")).expect("a folder");
    let file = manifests.join("routes.yaml");
    let write = |text: &str| fs::write(&file, text).expect("the folder is writable");
    write(ROUTES);
    let record = ["explain", "--record", "tests/routes.yaml", "--objects", "manifests"];
    let (code, printed, errors) = run(&record, root.path());
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert_eq!(printed, "2 requests written; run: portcullis config test tests/routes.yaml\n");
    let recorded = fs::read_to_string(root.path().join("tests/routes.yaml")).expect("the file");
    assert!(recorded.contains("\ncluster:\n- ../manifests\nrequests:\n"), "{recorded}");

    let test = ["config", "test", "tests"];
    let passed = "tests/routes.yaml\n  ok    HTTPRoute shop/web spec.rules[0].matches[0]\n  \
                  ok    HTTPRoute shop/web spec.rules[1]\n  2 of 2 rules have a test\n  \
                  2 of 2 kinds of requests for the tested hosts have a test\n\n2 passed, 0 failed\n";
    assert_eq!(run(&test, root.path()), (Some(0), passed.to_owned(), String::new()), "no note about configurations");

    write(&ROUTES.replace("name: cart,", "name: web,"));
    let (code, printed, _) = run(&test, root.path());
    let failed = "  FAIL  HTTPRoute shop/web spec.rules[0].matches[0]\n        expected Service shop/cart:80 to answer, but \
                  shop/web:80 answers (HTTPRoute shop/web spec.rules[0].matches[0])\n";
    assert!(code == Some(1) && printed.contains(failed), "{printed}");
    assert!(run(&record, root.path()).0 == Some(0) && run(&test, root.path()).0 == Some(0), "it is recorded again");

    write(&ROUTES.replace("namespace: shop, name: cart}", "namespace: shop, name: carts}"));
    let (code, printed, errors) = run(&record, root.path());
    assert_eq!((code, printed.starts_with("1 request written;")), (Some(0), true), "{printed}");
    let rule = "HTTPRoute shop/web spec.rules[0].matches[0]";
    let skipped = format!("portcullis: not recorded: {rule}: shop/cart:80 cannot answer\n");
    assert_eq!(errors, skipped);
    let (code, printed, _) = run(&["config", "test", "tests", "--untested"], root.path());
    assert_eq!(code, Some(0));
    assert!(printed.contains(&format!("  1 of 2 rules have a test\n        {rule}\n")), "{printed}");

    fs::write(manifests.join("broken.yaml"), "kind: [\n").expect("the folder is writable");
    let (code, printed, _) = run(&test, root.path());
    let undecided = "        not decided, because it is not read: tests/../manifests/broken.yaml: line 1";
    assert!(code == Some(1) && printed.contains(undecided), "{printed}");
}

/// An annotation that is not evaluated does not hide what is: a redirect that is gone, or a Service that is.
pub fn what_is_recorded_fails_when_it_is_gone() {
    const SHOP: &str = "
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: k8s.io/ingress-nginx}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  namespace: shop
  name: web
  annotations: {nginx.ingress.kubernetes.io/ssl-redirect: \"true\", nginx.ingress.kubernetes.io/proxy-body-size: 8m}
spec:
  ingressClassName: nginx
  tls: [{hosts: [shop.example.com], secretName: shop}]
  rules: [{host: shop.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: web}
spec: {ports: [{port: 80}]}
";
    let root = tempfile::tempdir().expect("a temporary folder");
    let write = |text: &str| fs::write(root.path().join("shop.yaml"), text).expect("the folder is writable");
    write(SHOP);
    let (code, _, errors) = run(&["explain", "--record", "test.yaml", "--objects", "shop.yaml"], root.path());
    assert_eq!(code, Some(0), "{errors}");
    let test = || run(&["config", "test", "test.yaml"], root.path());
    assert_eq!(test().0, Some(0));
    write(&SHOP.replace("ssl-redirect: \"true\"", "ssl-redirect: \"false\""));
    let (code, printed, _) = test();
    assert!(code == Some(1) && printed.contains("expected a redirect to https://shop.example.com, but"), "{printed}");

    let about_object = "- name: object\n  request: https://shop.example.com/\n  expect: {object: Ingress/shop/web}\n";
    let head = "apiVersion: test.portcullis.dev/v1alpha1\nkind: PortcullisTest\ncluster: [shop.yaml]\nrequests:\n";
    fs::write(root.path().join("test.yaml"), format!("{head}{about_object}")).expect("the folder is writable");
    assert_eq!(test().0, Some(0), "{:?}", test());
    write(&SHOP.replace("metadata: {namespace: shop, name: web}", "metadata: {namespace: shop, name: other}"));
    let (code, printed, _) = test();
    assert!(code == Some(1) && printed.contains("expected Ingress/shop/web to answer, but "), "{printed}");
}

pub fn what_cannot_be_recorded_is_reported() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| fs::write(root.path().join(name), text).expect("the folder is writable");
    write("routes.yaml", ROUTES);
    write("own.yaml", "# mine\n");
    write("service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {namespace: a, name: a}\n");
    for (words, expected) in [
        (
            &["own.yaml", "--objects", "routes.yaml"][..],
            "the file exists and was not recorded: use another name, or delete it",
        ),
        (&["x.yaml", "--objects", "service.yaml"], "nothing to record: no rule answers a request with a known answer"),
        (&["x.yaml", "--objects", "none.yaml"], "--objects none.yaml: "),
        (&["none/x.yaml", "--objects", "routes.yaml"], "--record none/x.yaml: "),
        (&["x.yaml", "--objects", "routes.yaml", "--gateway", "edge/publik"], "did you mean `public`?"),
        (&["x.yaml", "--objects", "routes.yaml", "http://a/"], "cannot be used with"),
        (&["x.yaml", "--against", "a"], "required arguments"),
    ] {
        let (code, printed, errors) = run(&[&["explain", "--record"], words].concat(), root.path());
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{words:?}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }
    assert!(!root.path().join("x.yaml").exists());
}
