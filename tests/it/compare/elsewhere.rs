//! Changes of what only references and policies name, and what files do not contain.

use std::fs;

use super::run;

/// Gateways with TLS and routes of several kinds, of which the next changes are made.
const ELSEWHERE: &str = r#"
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: shop, name: far}, spec: {
  parentRefs: [{name: absent, namespace: infra}], hostnames: [far.example.com], rules: [{backendRefs: [{name: one, port: 80}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: shop, name: labeled}, spec: {
  parentRefs: [{name: edge, namespace: infra}], hostnames: [labeled.example.com], rules: [{backendRefs: [{name: two, port: 80}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: infra, name: own}, spec: {
  parentRefs: [{name: edge}], hostnames: [own.example.com], rules: [{backendRefs: [{name: three, port: 80}], filters: [
    {type: RequestMirror, requestMirror: {backendRef: {name: copies, port: 80}}}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {namespace: infra, name: edge}, spec: {gatewayClassName: x, listeners: [
  {name: web, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {edge: "yes"}}}}},
  {name: tls, port: 443, protocol: HTTPS, hostname: own.example.com, tls: {certificateRefs: [{name: site, namespace: certs}]}},
  {name: same, port: 81, protocol: HTTP}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: ReferenceGrant, metadata: {namespace: certs, name: site}, spec: {
  from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}], to: [{group: "", kind: Secret}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: infra, name: three}, spec: {ports: [{port: 80}], selector: {app: three}}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: infra, name: copies}, spec: {ports: [{port: 80}], selector: {app: copies}}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: infra, name: login}, spec: {ports: [{port: 80}], selector: {app: login}}}
---
{apiVersion: gateway.envoyproxy.io/v1alpha1, kind: SecurityPolicy, metadata: {namespace: infra, name: login}, spec: {
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: own}], extAuth: {http: {backendRefs: [{name: login, port: 80}]}}}}
---
{apiVersion: projectcontour.io/v1, kind: HTTPProxy, metadata: {namespace: shop, name: part}, spec: {
  routes: [{services: [{name: four, port: 80}]}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: other, annotations: {example.net/rewrite: one,
  app.kubernetes.io/part: two}}, spec: {ingressClassName: own, rules: [{host: ingress.example.com, http: {
    paths: [{path: /, pathType: Prefix, backend: {service: {name: five, port: {number: 80}}}}]}}]}}
"#;

/// What may answer and is not among the files, or is named only by a policy, makes the answers unknown.
pub(super) fn what_is_elsewhere_is_never_the_same() {
    let file =
        |side: &str| std::env::temp_dir().join(format!("portcullis-elsewhere-{side}-{}.yaml", std::process::id()));
    let [before, after] = ["before", "after"].map(file);
    fs::write(&before, ELSEWHERE).expect("written");
    let paths = [&before, &after].map(|path| path.to_str().expect("text"));
    let cases = [
        (
            "name: one",
            "name: own",
            3,
            "Gateway infra/absent, which decides whether HTTPRoute shop/far is served, is not known",
        ),
        (
            "name: two",
            "name: own",
            3,
            "Namespace shop, which decides whether listener web of Gateway infra/edge accepts HTTPRoute shop/labeled, is not known",
        ),
        ("app: copies", "app: others", 3, "what Service infra/copies:80 leads to differs"),
        (
            "kind: ReferenceGrant",
            "kind: ConfigMap",
            3,
            "ReferenceGrant certs/site is removed, and may be defined elsewhere",
        ),
        ("app: login", "app: others", 3, "SecurityPolicy infra/login or what it is attached to differs"),
        ("name: four", "name: own", 3, "HTTPProxy shop/part differs, and what leads to it is not in the files"),
        ("rewrite: one", "rewrite: own", 3, "what annotations of Ingress shop/other ask for differs"),
        ("part: two", "part: own", 0, "same"),
    ];
    for (own, other, expected, words) in cases {
        let text = ELSEWHERE.replace(own, other);
        assert_ne!(text, ELSEWHERE);
        fs::write(&after, &text).expect("written");
        let (code, printed, errors) = run(&["compare", "--before", paths[0], "--after", paths[1]]);
        assert!(code == expected && printed.contains(words), "{other}: {code} {printed} {errors}");
    }
    let url = "http://labeled.example.com/";
    let (code, printed, _) = run(&["explain", url, "--objects", paths[0]]);
    assert!(code == 3 && printed.contains("Namespace shop, which decides whether listener web"), "{code} {printed}");
    [before, after].iter().for_each(|file| fs::remove_file(file).expect("the file is there"));
}

/// Objects that a kustomization renders are not built, so a changed patch may change them.
pub(super) fn a_changed_patch_is_not_the_same() {
    let folders = ["one", "two"].map(|host| {
        let folder = std::env::temp_dir().join(format!("portcullis-patch-{host}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let patch = format!("patches: [{{patch: 'host: {host}.example.com', target: {{kind: Ingress}}}}]\n");
        fs::write(folder.join("kustomization.yaml"), patch).expect("written");
        let start = ELSEWHERE.find("{apiVersion: networking.k8s.io").expect("an Ingress");
        fs::write(folder.join("ingress.yaml"), &ELSEWHERE[start..]).expect("written");
        folder
    });
    let paths = folders.each_ref().map(|folder| folder.to_str().expect("text"));
    let (code, printed, errors) = run(&["compare", "--before", paths[0], "--after", paths[1]]);
    let words = "Kustomization differs, and is not evaluated";
    assert!(code == 3 && printed.contains(words), "{code} {printed} {errors}");
    folders.iter().for_each(|folder| fs::remove_dir_all(folder).expect("the folder is there"));
}
