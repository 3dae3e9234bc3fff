//! `portcullis compare`: the example of the guide, and the formats and exit codes.

mod elsewhere;

use std::fs;
use std::process::Command;

use libtest_mimic::Trial;
use portcullis_testing::page::blocks;
use portcullis_testing::repository::read;
use serde_json::Value;

const GUIDE: &str = "docs/guides/from-ingress-nginx.md";

/// The migration of the guide, as a converter leaves it.
const CONVERTED: [&str; 9] = [
    "compare",
    "--from",
    "class/nginx",
    "--to",
    "gateway/edge/public",
    "--objects",
    "examples/migration/ingresses.yaml",
    "--objects",
    "examples/migration/converted.yaml",
];

/// The exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, run: fn()| {
        Trial::test(format!("compare::{name}"), move || {
            run();
            Ok(())
        })
    };
    vec![
        trial("the_guide_shows_what_the_program_prints", the_guide_shows_what_the_program_prints),
        trial("each_format_has_the_differences", each_format_has_the_differences),
        trial("differences_are_accepted_until_a_day", differences_are_accepted_until_a_day),
        trial("a_change_of_files_is_found_at_its_line", a_change_of_files_is_found_at_its_line),
        trial("unevaluated_change_is_never_the_same", unevaluated_change_is_never_the_same),
        trial("a_change_is_compared_within_a_cluster", a_change_is_compared_within_a_cluster),
        trial("a_new_object_is_younger", a_new_object_is_younger),
        trial("a_new_ingress_is_younger", a_new_ingress_is_younger),
        trial("a_class_that_is_missing_is_named", a_class_that_is_missing_is_named),
        trial("a_policy_replaces_what_it_may_protect_with", a_policy_replaces_what_it_may_protect_with),
        trial("changed_dependency_of_an_answer_is_a_difference", changed_dependency_of_an_answer_is_a_difference),
        trial("what_is_elsewhere_is_never_the_same", elsewhere::what_is_elsewhere_is_never_the_same),
        trial("a_changed_patch_is_not_the_same", elsewhere::a_changed_patch_is_not_the_same),
        trial("wrong_usage_is_reported", wrong_usage_is_reported),
    ]
}

/// Each command of the guide that compares, with the output in the block after it.
fn the_guide_shows_what_the_program_prints() {
    let page = blocks(&read(GUIDE));
    let pairs = page.windows(2).filter(|pair| pair[0].words == "sh" && pair[1].words.is_empty());
    let mut count = 0;
    for pair in pairs {
        let Some(arguments) = pair[0].text.trim().strip_prefix("portcullis ") else { continue };
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let (_, printed, errors) = run(&arguments);
        assert_eq!(printed, pair[1].text, "{arguments:?}: {errors}");
        count += 1;
    }
    assert!(count >= 2, "{count} outputs");
}

fn each_format_has_the_differences() {
    let (code, json, errors) = run(&[&CONVERTED[..], &["-o", "json"]].concat());
    let document: Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json} {errors}"));
    assert_eq!((code, &document["verdict"]), (1, &"different".into()));
    let causes: Vec<&str> =
        document["different"].as_array().expect("a list").iter().filter_map(|one| one["cause"].as_str()).collect();
    assert!(causes.iter().any(|cause| cause.contains("/$2")), "{causes:?}");
    let (code, commands, _) = run(&[&CONVERTED[..], &["-o", "github"]].concat());
    assert_eq!(code, 1);
    let place = "::error file=examples/migration/converted.yaml,line=";
    assert!(commands.lines().any(|line| line.starts_with(place)), "{commands}");
    let probes = std::env::temp_dir().join(format!("portcullis-probes-{}.hurl", std::process::id()));
    let written = probes.to_str().expect("text");
    run(&[&CONVERTED[..], &["--probes", written]].concat());
    let text = fs::read_to_string(&probes).expect("the probes");
    fs::remove_file(&probes).expect("the file is there");
    let requests = text.lines().filter(|line| line.starts_with("GET https://")).count();
    assert!(requests > 3 && text.contains("\nHTTP *\n"), "{text}");
}

fn differences_are_accepted_until_a_day() {
    let file = std::env::temp_dir().join(format!("portcullis-accept-{}.yaml", std::process::id()));
    let written = file.to_str().expect("text");
    let with = |differences: &[&str], expires: &str| {
        let entry =
            |difference: &&str| format!("- {{difference: \"{difference}\", reason: decided, expires: {expires}}}\n");
        let text = format!("accept:\n{}", differences.iter().map(entry).collect::<String>());
        fs::write(&file, text).expect("written");
        run(&[&CONVERTED[..], &["--accept", written]].concat())
    };
    let all = ["plain HTTP", "without authentication", "the backend gets the path"];
    let (code, printed, errors) = with(&all, "2999-12-31");
    assert!(code == 0 && printed.contains("accepted: decided (until 2999-12-31)"), "{code} {printed} {errors}");
    // One of several texts, and a part of a word.
    assert_eq!([with(&all[1..], "2999-12-31").0, with(&["e"], "2999-12-31").0], [1, 1]);
    let (code, _, errors) = with(&all, "2020-01-01");
    assert!(code == 1 && errors.contains("only until 2020-01-01"), "{errors}");
    let (code, _, errors) = with(&["no such text"], "2999-12-31");
    assert!(code == 1 && errors.contains("nothing differs like that"), "{errors}");
    let (code, _, errors) = with(&["plain HTTP"], "tomorrow");
    assert!(code == 2 && errors.contains("--accept"), "{errors}");
    fs::remove_file(&file).expect("the file is there");
}

fn a_change_of_files_is_found_at_its_line() {
    let folder = std::env::temp_dir().join(format!("portcullis-compare-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let changed = folder.join("changed.yaml");
    let text = read("examples/migration/finished.yaml").replace("name: admin, port: 80", "name: admin, port: 81");
    fs::write(&changed, &text).expect("written");
    let after = changed.to_str().expect("text");
    let arguments = ["compare", "--before", "examples/migration/finished.yaml", "--after", after, "-o", "github"];
    let (code, commands, errors) = run(&arguments);
    fs::remove_dir_all(&folder).expect("the folder is there");
    assert!(code == 1 && commands.lines().count() == 1, "{commands} {errors}");
    assert!(
        commands.contains("changed.yaml,line=") && commands.contains("Service shop/admin:81 answers"),
        "{commands}"
    );
    let same = ["compare", "--before", "examples/migration", "--after", "examples/migration"];
    let (code, printed, errors) = run(&same);
    assert!(code == 0 && printed.ends_with("same\n"), "{printed} {errors}");
}

/// Objects of several APIs that ask for things which are not evaluated.
const UNEVALUATED: &str = r#"
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {namespace: edge, name: public}, spec: {
  gatewayClassName: x, addresses: [{value: 192.0.2.10}], tls: {frontend: {default: {validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}}}},
  listeners: [{name: web, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: site}]}, allowedRoutes: {namespaces: {from: All}}},
    {name: db, port: 5432, protocol: TCP, allowedRoutes: {namespaces: {from: All}}},
    {name: mail, port: 993, protocol: TLS, tls: {mode: Passthrough, certificateRefs: [{name: site}]}, allowedRoutes: {namespaces: {from: All}}}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: TLSRoute, metadata: {namespace: shop, name: mail}, spec: {hostnames: [mail.example.com],
  parentRefs: [{namespace: edge, name: public, sectionName: mail}], rules: [{backendRefs: [{name: primary, port: 5432}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: shop, name: cart}, spec: {
  parentRefs: [{namespace: edge, name: public}], hostnames: [shop.example.com], rules: [{retry: {attempts: 3}, filters: [
    {type: CORS, cors: {allowOrigins: ["https://a.example.com"]}},
    {type: ExtensionRef, extensionRef: {group: example.com, kind: Login, name: strict}}],
    backendRefs: [{name: cart, port: 80, filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: a, value: b}]}}]}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: shop, name: parts}, spec: {
  parentRefs: [{namespace: edge, name: public}], hostnames: [parts.example.com], rules: [
    {matches: [{queryParams: [{type: RegularExpression, name: q, value: "a*"}]}], backendRefs: [{namespace: data, name: parts, port: 80}]},
    {matches: [{path: {value: /two}}], backendRefs: [{name: a, port: 80, filters: [{type: CORS, cors: {}}]}, {name: c, port: 80}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1beta1, kind: ReferenceGrant, metadata: {namespace: data, name: parts}, spec: {
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}], to: [{group: "", kind: Service}]}}
---
{apiVersion: gateway.networking.k8s.io/v1alpha2, kind: TCPRoute, metadata: {namespace: shop, name: db}, spec: {
  parentRefs: [{namespace: edge, name: public, sectionName: db}], rules: [{backendRefs: [{name: primary, port: 5432}]}]}}
---
{apiVersion: gateway.networking.k8s.io/v1alpha2, kind: UDPRoute, metadata: {namespace: shop, name: dns}, spec: {
  parentRefs: [{namespace: edge, name: public}], rules: [{backendRefs: [{name: resolver, port: 53}]}]}}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: k8s.io/ingress-nginx}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: admin, annotations: {
  nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-secret: passwords, nginx.ingress.kubernetes.io/auth-realm: Staff,
  nginx.ingress.kubernetes.io/server-alias: "~^admin[0-9]+$",
  nginx.ingress.kubernetes.io/auth-tls-secret: shop/authority, nginx.ingress.kubernetes.io/auth-tls-verify-client: "on"}}, spec: {
  ingressClassName: nginx, tls: [{hosts: [admin.example.com], secretName: admin}], rules: [{host: admin.example.com, http: {
    paths: [{path: /, pathType: Prefix, backend: {service: {name: admin, port: {number: 80}}}}]}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: snippets, annotations: {
  nginx.ingress.kubernetes.io/configuration-snippet: "deny all;"}}, spec: {ingressClassName: nginx, rules: [{host: snippets.example.com,
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: snippets, port: {number: 80}}}}]}}]}}
---
{apiVersion: projectcontour.io/v1, kind: HTTPProxy, metadata: {namespace: shop, name: old}, spec: {virtualhost: {fqdn: old.example.com,
  tls: {secretName: old, minimumProtocolVersion: "1.2"}},
  routes: [{conditions: [{prefix: /api}], rateLimitPolicy: {local: {requests: 5, unit: minute}}, services: [{name: cart, port: 80}]},
    {conditions: [{prefix: /chat}], enableWebsockets: true, services: [{name: cart, port: 80}]},
    {conditions: [{prefix: /}], directResponsePolicy: {statusCode: 200, body: closed}}]}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: shop, name: a-1, labels: {kubernetes.io/service-name: a}},
  addressType: IPv4, endpoints: [{addresses: [192.0.2.7]}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {namespace: projectcontour, name: contour}, data: {contour.yaml: "disablePermitInsecure: true"}}
---
{apiVersion: route.openshift.io/v1, kind: Route, metadata: {namespace: shop, name: front}, spec: {host: front.example.com}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: cart}, spec: {selector: {app: cart}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: a}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: c}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: primary}, spec: {ports: [{port: 5432}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: replica}, spec: {ports: [{port: 5432}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: admin}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: data, name: parts}, spec: {ports: [{port: 80}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: x}, spec: {controllerName: example.com/one}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ingress, name: ingress-nginx-controller}, data: {block-cidrs: 192.0.2.0/24}}
---
{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {namespace: shop, name: mesh}, spec: {hosts: [shop.example.com]}}
---
{apiVersion: gateway.envoyproxy.io/v1alpha1, kind: SecurityPolicy, metadata: {namespace: shop, name: login}, spec: {
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}], jwt: {}}}
"#;

/// Each change of what is not evaluated is named, and the exit code says that the comparison is incomplete.
fn unevaluated_change_is_never_the_same() {
    let changes = [
        ("name: ca}", "name: others}", 3, "spec.tls.frontend of Gateway edge/public has another value"),
        (
            "{name: site}]}",
            "{name: site}], options: {a: b}}",
            3,
            "what is not evaluated of Gateway edge/public differs",
        ),
        ("192.0.2.10", "192.0.2.11", 3, "what is not evaluated of Gateway edge/public differs"),
        ("Passthrough", "Terminate", 3, "what is not evaluated of Gateway edge/public differs"),
        ("attempts: 3", "attempts: 0", 3, "spec.rules[].retry has another value"),
        ("https://a.example.com", "*", 3, "filter CORS at spec.rules[].filters[] has another value"),
        ("name: strict", "name: lax", 3, "filter ExtensionRef at spec.rules[].filters[] has another value"),
        ("value: b", "value: c", 1, "the backend gets the header a: c"),
        (
            "80, filters: [{type: CORS, cors: {}}]}, {name: c, port: 80}",
            "80}, {name: c, port: 80, filters: [{type: CORS, cors: {}}]}",
            3,
            "filter CORS at spec.rules[].backendRefs[].filters[] has another value",
        ),
        ("a*", "a+", 1, "no rule answers, before Service data/parts:80 answers"),
        (
            "kind: ReferenceGrant",
            "kind: ConfigMap",
            3,
            "ReferenceGrant data/parts is removed, and may be defined elsewhere",
        ),
        ("name: primary", "name: replica", 1, "Service shop/replica:5432 answers, before Service shop/primary:5432"),
        ("name: resolver", "name: other", 3, "UDPRoute shop/dns differs, and is not evaluated"),
        (
            "service: {name: admin,",
            "service: {name: cart,",
            1,
            "Service shop/cart:80 answers, before Service shop/admin:80",
        ),
        ("auth-secret: passwords", "auth-secret: p", 3, "nginx.ingress.kubernetes.io/auth-secret has another value"),
        ("auth-realm: Staff", "auth-realm: Owners", 3, "nginx.ingress.kubernetes.io/auth-realm has another value"),
        ("[0-9]+$", "[a-z]+$", 3, "server-alias (~^admin[a-z]+$) of Ingress shop/admin differs"),
        ("client: \"on\"", "client: \"off\"", 1, "without client certificates"),
        ("client: \"on\"", "client: optional", 1, "without client certificates"),
        ("name: snippets, port", "name: other, port", 3, "not compared:"),
        ("requests: 5", "requests: 500", 3, "spec.routes[].rateLimitPolicy has another value"),
        ("n: \"1.2\"", "n: \"1.3\"", 3, "what is not evaluated of HTTPProxy shop/old differs"),
        ("enableWebsockets: true", "enableWebsockets: false", 3, "what is not evaluated of HTTPProxy shop/old differs"),
        ("192.0.2.7", "192.0.2.8", 3, "EndpointSlice shop/a-1"),
        ("Insecure: true", "Insecure: false", 3, "ConfigMap projectcontour/contour differs"),
        ("host: front.example.com", "host: back.example.com", 3, "Route shop/front differs"),
        ("body: closed", "body: open", 3, "spec.routes[].directResponsePolicy.body has another value"),
        ("kind: Service, metadata", "kind: ConfigMap, metadata", 3, "Service shop/cart is removed"),
        ("kind: GatewayClass", "kind: ConfigMap", 3, "GatewayClass x is removed"),
        ("app: cart", "app: other", 3, "what Service shop/cart:80 leads to differs"),
        ("example.com/one", "example.com/two", 3, "spec.controllerName of GatewayClass x differs"),
        ("192.0.2.0/24", "198.51.100.0/24", 3, "ConfigMap ingress/ingress-nginx-controller differs"),
        ("hosts: [shop.example.com]", "hosts: [other.example.com]", 3, "VirtualService shop/mesh differs"),
        ("jwt: {}", "jwt: {providers: []}", 3, "SecurityPolicy shop/login or what it is attached to differs"),
        ("kind: HTTPRoute, name: cart}]", "kind: HTTPRoute, name: other}]", 1, "without SecurityPolicy shop/login"),
        ("rules: [{retry", "rules: [}{retry", 2, "not read, and may change answers"),
    ];
    let folder = std::env::temp_dir().join(format!("portcullis-unevaluated-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let [before, after] = ["before.yaml", "after.yaml"].map(|name| folder.join(name));
    fs::write(&before, UNEVALUATED).expect("written");
    let [before, after] = [&before, &after].map(|path| path.to_str().expect("text"));
    for (own, other, expected, words) in changes {
        let text = UNEVALUATED.replace(own, other);
        assert_ne!(text, UNEVALUATED);
        fs::write(after, &text).expect("written");
        let (code, printed, errors) = run(&["compare", "--before", before, "--after", after]);
        assert!(code == expected && printed.contains(words), "{other}: {code} {printed} {errors}");
    }
    fs::remove_dir_all(&folder).expect("the folder is there");
}

/// What a migration leaves open about the Ingresses of a class is never the same.
fn a_class_that_is_missing_is_named() {
    let ingress = |name: &str, class: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{name: {name}}}, spec: {{{class} rules: [\
             {{host: {name}.example.com, http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: s, port: {{number: 80}}}}}}}}]}}}}]}}}}\n---\n"
        )
    };
    let file = std::env::temp_dir().join(format!("portcullis-classes-{}.yaml", std::process::id()));
    let path = file.to_str().expect("text");
    let own = ingress("a", "ingressClassName: public,") + &ingress("b", "");
    fs::write(&file, own).expect("written");
    let (code, printed, errors) =
        run(&["compare", "--from", "class/public", "--to", "class/public", "--objects", path]);
    fs::remove_file(&file).expect("the file is there");
    assert_eq!(code, 3, "{printed} {errors}");
    for words in ["IngressClass public is missing", "Ingress default/b has no class and is not compared"] {
        assert!(printed.contains(words), "{printed}");
    }
}

/// An Ingress with a login and its migration, with a policy.
const LOGIN: &str = r#"
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: k8s.io/ingress-nginx}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: admin, annotations: {
  nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-secret: passwords, nginx.ingress.kubernetes.io/proxy-body-size: "0"}},
  spec: {ingressClassName: nginx, rules: [{host: admin.example.com, http: {
    paths: [{path: /, pathType: Prefix, backend: {service: {name: admin, port: {number: 80}}}}]}}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {namespace: shop, name: public}, spec: {gatewayClassName: x,
  listeners: [{name: web, port: 80, protocol: HTTP}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {namespace: shop, name: admin}, spec: {
  parentRefs: [{name: public}], hostnames: [admin.example.com], rules: [{backendRefs: [{name: admin, port: 80}]}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: admin}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: other}, spec: {ports: [{port: 80}]}}
---
{apiVersion: gateway.envoyproxy.io/v1alpha1, kind: SecurityPolicy, metadata: {namespace: shop, name: login}, spec: {
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: admin}], basicAuth: {users: {name: passwords}}}}
"#;

/// A policy that cannot refuse clients replaces no login. Behind a login, the backend is compared all the same.
fn a_policy_replaces_what_it_may_protect_with() {
    let file = std::env::temp_dir().join(format!("portcullis-login-{}.yaml", std::process::id()));
    let path = file.to_str().expect("text");
    let compare = |from: &str, to: &str| {
        let text = LOGIN.replace(from, to);
        assert_eq!(from.is_empty(), text == LOGIN);
        fs::write(&file, text).expect("written");
        run(&["compare", "--from", "class/nginx", "--to", "gateway/shop/public", "--objects", path])
    };
    let cases = [
        ("", "", 3, "whether SecurityPolicy shop/login refuses it"),
        ("SecurityPolicy", "BackendTrafficPolicy", 1, "Service shop/admin:80 answers, before the proxy answers 401"),
        (
            "[{name: admin, port",
            "[{name: other, port",
            1,
            "Service shop/other:80 answers, before Service shop/admin:80",
        ),
    ];
    for (from, to, expected, words) in cases {
        let (code, printed, errors) = compare(from, to);
        assert!(code == expected && printed.contains(words), "{to}: {code} {printed} {errors}");
        assert!(!printed.contains("not known: annotation nginx.ingress.kubernetes.io/proxy-body-size"), "{printed}");
    }
    fs::remove_file(&file).expect("the file is there");
}

/// A Gateway of one namespace, for routes of the next texts.
const EDGE: &str = "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {namespace: shop, name: edge}, spec: {gatewayClassName: x, \
                    listeners: [{name: web, port: 80, protocol: HTTP}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: a}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: b}, spec: {ports: [{port: 80}]}}
---
";

/// An HTTPRoute of EDGE with this rule.
fn route(rule: &str) -> String {
    format!(
        "{{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {{namespace: shop, name: r}}, spec: {{\
         parentRefs: [{{name: edge}}], rules: [{rule}]}}}}\n---\n"
    )
}

/// A policy of an implementation with this target, and other fields.
fn policy(kind: &str, target: &str) -> String {
    let group = if kind == "AuthorizationPolicy" { "security.istio.io" } else { "example.com" };
    format!(
        "{{apiVersion: {group}/v1, kind: {kind}, metadata: {{namespace: shop, name: p}}, spec: {{{target}}}}}\n---\n"
    )
}

/// An Ingress of ingress-nginx without a host, with these annotations, and its class.
fn nginx(annotations: &str) -> String {
    format!(
        "{{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {{name: nginx}}, spec: {{controller: k8s.io/ingress-nginx}}}}\n---\n\
         {{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{namespace: shop, name: i, annotations: {{{annotations}}}}}, spec: {{\
         ingressClassName: nginx, rules: [{{http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: a, \
         port: {{number: 80}}}}}}}}]}}}}]}}}}\n---\n"
    )
}

/// What each side consists of decides, although the rules that answer do the same.
fn changed_dependency_of_an_answer_is_a_difference() {
    let extension = |name: &str| {
        route(&format!(
            "{{filters: [{{type: ExtensionRef, extensionRef: {{group: example.com, kind: Filter, name: {name}}}}}]}}"
        ))
    };
    let redirect = route("{filters: [{type: RequestRedirect, requestRedirect: {hostname: b.example.com}}]}");
    let plain = route("{backendRefs: [{name: a, port: 80}]}");
    let of_route = "targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: r}]";
    let proxy = |name: &str, tls: &str| {
        format!(
            "{{apiVersion: projectcontour.io/v1, kind: HTTPProxy, metadata: {{namespace: shop, name: {name}}}, spec: {{virtualhost: {{fqdn: \
             a.example.com, tls: {{secretName: s{tls}}}}}, routes: [{{services: [{{name: a, port: 80}}]}}]}}}}\n---\n"
        )
    };
    let pairs = [
        (extension("deny"), extension("allow"), 3, "filter ExtensionRef at spec.rules[].filters[] has another value"),
        (format!("{redirect}{}", policy("SecurityPolicy", of_route)), redirect, 1, "without SecurityPolicy shop/p"),
        (
            proxy("p", ", minimumProtocolVersion: \"1.3\""),
            proxy("q", ""),
            3,
            "what is not evaluated of HTTPProxy shop/p is present only before",
        ),
        (proxy("p", ""), proxy("q", ""), 0, "same"),
    ];
    let folder = std::env::temp_dir().join(format!("portcullis-depend-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let [one, other] = ["one.yaml", "other.yaml"].map(|name| folder.join(name).display().to_string());
    for (before, after, expected, words) in pairs {
        fs::write(&one, format!("{EDGE}{before}")).expect("written");
        fs::write(&other, format!("{EDGE}{after}")).expect("written");
        let (code, printed, errors) = run(&["compare", "--before", &one, "--after", &other]);
        assert!(code == expected && printed.contains(words), "{words}: {code} {printed} {errors}");
    }
    let preflight = r#"nginx.ingress.kubernetes.io/enable-cors: "true", nginx.ingress.kubernetes.io/cors-allow-origin: "https://a.example.com""#;
    let istio = "selector: {matchLabels: {app: gateway}}, action: DENY";
    let of_service = "targetRefs: [{group: \"\", kind: Service, name: a}]";
    let migrations = [
        (format!("{}{plain}", nginx("")), 0, "/healthz, which ingress-nginx answers itself"),
        (format!("{}{plain}", nginx(preflight)), 1, "-X OPTIONS -H 'origin: https://a.example.com'"),
        (
            format!("{}{plain}{}", nginx(""), policy("AuthorizationPolicy", istio)),
            3,
            "AuthorizationPolicy shop/p is not evaluated",
        ),
        (
            format!("{}{plain}{}", nginx(""), policy("GCPBackendPolicy", of_service)),
            3,
            "GCPBackendPolicy shop/p is not evaluated",
        ),
    ];
    for (text, expected, words) in migrations {
        fs::write(&one, format!("{EDGE}{text}")).expect("written");
        let migration = ["compare", "--from", "class/nginx", "--to", "gateway/shop/edge", "--objects", &one];
        let (code, printed, errors) = run(&migration);
        assert!(code == expected && printed.contains(words), "{words}: {code} {printed} {errors}");
    }
    fs::remove_dir_all(&folder).expect("the folder is there");
}

fn wrong_usage_is_reported() {
    let cases: [(&[&str], &str); 5] = [
        (&["compare"], "--before"),
        (&["compare", "--objects", "examples/migration"], "--from and --to"),
        (&["compare", "--before", "examples/migration"], "--after"),
        (&["compare", "--from", "nginx", "--to", "class/b", "--objects", "examples/migration"], "class/NAME"),
        (
            &["compare", "--from", "class/ngin", "--to", "class/nginx", "--objects", "examples/migration"],
            "no object has class `ngin`",
        ),
    ];
    for (arguments, words) in cases {
        let (code, printed, errors) = run(arguments);
        assert!(code == 2 && errors.contains(words), "{arguments:?}: {code} {printed} {errors}");
    }
}

/// Files say nothing of ages, and a new route takes nothing from one that exists, whatever its name is. `lint` says the same.
fn a_new_object_is_younger() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = read("examples/migration/finished.yaml");
    let is_route = |document: &&str| document.contains("kind: HTTPRoute") && document.contains("name: admin, port: 80");
    let route = text.split("---\n").find(is_route).expect("a route");
    let [own, other] = ["{name: admin, namespace: shop}", "{name: admin, namespace: a}"];
    assert!(route.contains(own), "{route}");
    let service = format!("---\napiVersion: v1\nkind: Service\nmetadata: {other}\nspec: {{ports: [{{port: 80}}]}}\n");
    fs::write(path("before.yaml"), &text).expect("written");
    fs::write(path("new.yaml"), format!("{}{service}", route.replace(own, other))).expect("written");
    let (before, new) = (path("before.yaml"), path("new.yaml"));
    let (code, printed, errors) = run(&["compare", "--before", &before, "--after", &before, "--after", &new]);
    assert!(code == 0 && !printed.contains("different"), "{code} {printed} {errors}");
    let (_, printed, errors) = run(&["lint", &new, "--objects", &before]);
    assert!(printed.contains("which takes precedence [host/route-conflict]"), "{printed} {errors}");
}

/// The same for ingress-nginx, which serves the oldest Ingress and orders those without an age in another way.
fn a_new_ingress_is_younger() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let ingress = |namespace: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: web, namespace: {namespace}}}\nspec:\n  \
             ingressClassName: nginx\n  rules: [{{host: shop.example.com, http: {{paths: [{{path: /, pathType: Prefix, backend: \
             {{service: {{name: web, port: {{number: 80}}}}}}}}]}}}}]\n---\napiVersion: v1\nkind: Service\n\
             metadata: {{name: web, namespace: {namespace}}}\nspec: {{ports: [{{port: 80}}]}}\n"
        )
    };
    let class = "---\napiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: nginx}\nspec: {controller: k8s.io/ingress-nginx}\n";
    fs::write(path("before.yaml"), format!("{}{class}", ingress("m"))).expect("written");
    let before = path("before.yaml");
    for namespace in ["a", "z"] {
        let new = path(&format!("{namespace}.yaml"));
        fs::write(&new, ingress(namespace)).expect("written");
        let (code, printed, errors) = run(&["compare", "--before", &before, "--after", &before, "--after", &new]);
        assert!(code == 0 && !printed.contains("different"), "{namespace}: {code} {printed} {errors}");
    }
}

/// The files of a change replace objects of a snapshot, which has the others: without it, the Gateway would be unknown.
fn a_change_is_compared_within_a_cluster() {
    let folder = std::env::temp_dir().join(format!("portcullis-within-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let [whole, before, after, snapshot] =
        ["whole.yaml", "before.yaml", "after.yaml", "world.json.gz"].map(|name| folder.join(name));
    let text = read("examples/migration/finished.yaml");
    fs::write(&whole, &text).expect("written");
    let is_route = |document: &&str| document.contains("kind: HTTPRoute") && document.contains("name: admin, port: 80");
    let route = text.split("---\n").find(is_route).expect("a route").to_owned();
    fs::write(&before, &route).expect("written");
    fs::write(&after, route.replace("name: admin, port: 80", "name: admin, port: 81")).expect("written");
    let [whole, before, after, snapshot] =
        [&whole, &before, &after, &snapshot].map(|path| path.to_str().expect("text"));
    let program = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(["snapshot", "--objects", whole]).output();
    fs::write(snapshot, program.expect("the program runs").stdout).expect("written");
    let within = ["compare", "--before", before, "--after", after, "--against", snapshot];
    let (code, printed, errors) = run(&within);
    assert!(code == 1 && printed.contains("Service shop/admin:81"), "{code} {printed} {errors}");
    let (_, printed, _) = run(&within[..5]);
    assert!(!printed.contains("Service shop/admin:81"), "no Gateway is known: {printed}");
    fs::remove_dir_all(&folder).expect("the folder is there");
}
