//! Parts of the Gateway API that the random worlds do not contain: ListenerSets, TLS server names, gRPC, filters,
//! weights, and other data planes.

use std::collections::BTreeSet;

use portcullis_core::explain::{Explanation, Port};

use super::worlds::{Objects, who};

/// A Gateway in namespace `infra` with these listeners, in flow style. It accepts ListenerSets of its own namespace.
fn gateway(name: &str, listeners: &str) -> String {
    format!(
        "{{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {{namespace: infra, name: {name}}},
          spec: {{gatewayClassName: shared, allowedListeners: {{namespaces: {{from: Same}}}}, listeners: [{listeners}]}}}}\n---\n"
    )
}

/// A listener that accepts routes of all namespaces.
fn listener(name: &str, port: u16, protocol: &str, more: &str) -> String {
    format!(
        "{{name: {name}, port: {port}, protocol: {protocol}, allowedRoutes: {{namespaces: {{from: All}}}}{more}}}, "
    )
}

/// A route in namespace `web`.
fn route(kind: &str, name: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: gateway.networking.k8s.io/v1, kind: {kind}, metadata: {{namespace: web, name: {name}}}, spec: {{{spec}}}}}\n---\n"
    )
}

/// An HTTPRoute with one backend, for all listeners of Gateway `edge`.
fn simple(name: &str, hosts: &str) -> String {
    let rule = "rules: [{backendRefs: [{name: s, port: 80}]}]";
    route("HTTPRoute", name, &format!("parentRefs: [{{namespace: infra, name: edge}}], hostnames: [{hosts}], {rule}"))
}

/// The reason why the object with this name lost.
fn reason<'a>(answer: &'a Explanation, name: &str) -> &'a str {
    let lost = answer.losers.iter().find(|loser| loser.object.name == name);
    &lost.unwrap_or_else(|| panic!("{name} is not among {:#?}", answer.losers)).reason
}

fn chain(answer: &Explanation) -> Vec<&str> {
    let (_, winner) = answer.winner.as_ref().expect("an object answers");
    winner.chain.iter().map(|link| link.message.as_str()).collect()
}

#[test]
fn a_request_reaches_one_listener() {
    let listeners = listener("plain", 80, "HTTP", "")
        + &listener("all", 443, "HTTPS", ", tls: {options: {a.b/c: d}}")
        + &listener("shop", 443, "HTTPS", ", hostname: shop.example.com, tls: {options: {a.b/c: d}}");
    let set = "{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {namespace: NS, name: NAME},
        spec: {parentRef: {namespace: infra, name: edge}, listeners: [
            {name: late, port: 443, protocol: HTTPS, tls: {options: {a.b/c: d}}, hostname: \"HOST\", allowedRoutes: {namespaces: {from: All}}}]}}\n---\n";
    let set = |namespace: &str, name: &str, host: &str| {
        set.replace("NS", namespace).replace("NAME", name).replace("HOST", host)
    };
    let of_set = |name: &str, namespace: &str, set: &str| {
        let parent = format!("parentRefs: [{{kind: ListenerSet, namespace: {namespace}, name: {set}}}]");
        route("HTTPRoute", name, &format!("{parent}, rules: [{{backendRefs: [{{name: s, port: 80}}]}}]"))
    };
    let to_section = |name: &str, section: &str| {
        let parent = format!("parentRefs: [{{namespace: infra, name: edge, sectionName: {section}}}]");
        route("HTTPRoute", name, &format!("{parent}, hostnames: [shop.example.com], rules: [{{}}]"))
    };
    let objects = Objects::of(
        &(gateway("edge", &listeners)
            + &set("infra", "in", "*.in.example.com")
            + &set("infra", "twice", "shop.example.com")
            + &set("web", "out", "*.out.example.com")
            + &of_set("by-set", "infra", "in")
            + &of_set("by-loser", "infra", "twice")
            + &of_set("by-stranger", "web", "out")
            + &to_section("to-all", "all")
            + &to_section("to-shop", "shop")
            + &to_section("to-none", "none")),
    );
    let shop = objects.ask("https://shop.example.com/");
    assert_eq!(who(&shop).as_deref(), Some("HTTPRoute web/to-shop spec.rules[0]"));
    let narrower = "listener all of Gateway infra/edge is not the one with the most specific host";
    assert_eq!(reason(&shop, "to-all"), narrower);
    assert_eq!(reason(&shop, "to-none"), "Gateway infra/edge has no listener none");
    let beaten = "listener late of ListenerSet infra/twice is not served: listener `shop` of Gateway infra/edge, which takes \
                  precedence, already uses port 443 with protocol HTTPS and the same hostname: use another hostname or port";
    assert_eq!(reason(&shop, "by-loser"), beaten);
    assert_eq!(reason(&shop, "by-stranger"), "ListenerSet web/out is not part of its Gateway");
    let by_set = objects.ask("https://a.in.example.com/");
    assert_eq!(who(&by_set).as_deref(), Some("HTTPRoute web/by-set spec.rules[0]"));
    assert!(chain(&by_set).contains(&"includes ListenerSet infra/in"), "{by_set:#?}");
    let plain = objects.ask("http://shop.example.com/");
    assert_eq!(reason(&plain, "to-shop"), "listener shop of Gateway infra/edge is on port 443, not 80");
    let port = objects.ask("http://shop.example.com/ --port 443");
    assert_eq!(
        reason(&port, "to-shop"),
        "listener shop of Gateway infra/edge has protocol HTTPS; the request uses http"
    );
    let other = objects.ask("https://other.example.com/ --sni shop.example.com");
    assert_eq!((who(&other), reason(&other, "to-shop")), (None, "host shop.example.com"));
    let misled = objects.ask("https://shop.example.com/ --sni other.example.com");
    let words =
        "421: TLS server name other.example.com selects listener all; host shop.example.com belongs to listener shop";
    assert_eq!((who(&misled), reason(&misled, "to-all")), (None, words));
    let reached: Vec<_> =
        misled.reached.iter().map(|reached| (reached.code, format!("421: {}", reached.reason))).collect();
    assert_eq!(reached, [(Some(421), words.to_owned())], "the code is not in the reason");
}

#[test]
fn grpc_and_tls_routes_answer_their_protocols() {
    let grpc = |name: &str, matches: &str| {
        let parent = "parentRefs: [{namespace: infra, name: edge}], hostnames: [grpc.example.com]";
        route(
            "GRPCRoute",
            name,
            &format!("{parent}, rules: [{{matches: [{matches}], backendRefs: [{{name: s, port: 80}}]}}]"),
        )
    };
    let tls = |name: &str, host: &str| {
        let parent = "parentRefs: [{namespace: infra, name: edge}]";
        let rules = "rules: [{backendRefs: [{name: s, port: 443}]}]";
        route("TLSRoute", name, &format!("{parent}, hostnames: [\"{host}\"], {rules}"))
    };
    let listeners = listener("http", 80, "HTTP", "")
        + &listener("tls", 443, "TLS", ", hostname: \"*.tls.example.com\", tls: {mode: Passthrough}")
        + &listener("tcp", 9000, "TCP", "");
    let tcp = "parentRefs: [{namespace: infra, name: edge}], rules: [{backendRefs: [{name: s, port: 9000}]}]";
    let objects = Objects::of(
        &(gateway("edge", &listeners)
            + &grpc("a-service", "{method: {service: com.example.Users}}")
            + &grpc("b-login", "{method: {service: com.example.Users, method: Login}}")
            + &grpc(
                "c-any-login",
                "{method: {method: Login}}, {method: {type: RegularExpression, service: 'com[.]x[.].*'}}",
            )
            + &grpc("d-all", "{}")
            + &simple("e-http", "grpc.example.com")
            + &tls("narrow", "a.tls.example.com")
            + &tls("wide", "*.tls.example.com")
            + &route("TCPRoute", "tcp", tcp)),
    );
    let answers = [
        ("POST http://grpc.example.com/com.example.Users/Login", "GRPCRoute web/b-login spec.rules[0].matches[0]"),
        ("POST http://grpc.example.com/com.example.Users/Get", "GRPCRoute web/a-service spec.rules[0].matches[0]"),
        ("POST http://grpc.example.com/other.Users/Login", "GRPCRoute web/c-any-login spec.rules[0].matches[0]"),
        ("POST http://grpc.example.com/com.x.y/Get", "GRPCRoute web/c-any-login spec.rules[0].matches[1]"),
        ("POST http://grpc.example.com/com.y.x/Get", "GRPCRoute web/d-all spec.rules[0].matches[0]"),
        ("https://a.tls.example.com/any", "TLSRoute web/narrow spec.rules[0]"),
        ("https://b.tls.example.com/any", "TLSRoute web/wide spec.rules[0]"),
        ("https://elsewhere.example.com/ --sni b.tls.example.com", "TLSRoute web/wide spec.rules[0]"),
        ("http://any.example.com:9000/", "TCPRoute web/tcp spec.rules[0]"),
    ];
    for (words, expected) in answers {
        assert_eq!(who(&objects.ask(words)).as_deref(), Some(expected), "{words}");
    }
    let clash = objects.ask("http://grpc.example.com/");
    let rejected = "listener http accepts GRPCRoute web/a-service instead, which takes precedence";
    assert_eq!((who(&clash).is_some(), reason(&clash, "e-http")), (true, rejected));
    let through = objects.ask("https://a.tls.example.com/");
    assert!(chain(&through).contains(&"TLS on port 443, host *.tls.example.com, TLS passthrough"), "{through:#?}");
}

#[test]
fn filters_and_backends_end_the_chain() {
    let rules = "rules: [
        {matches: [{path: {value: /old}}], filters: [{type: RequestRedirect, requestRedirect: {hostname: new.example.com, statusCode: 301}}]},
        {matches: [{path: {value: /split}}], filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}],
         backendRefs: [{name: s, port: 80, weight: 3}, {name: s, namespace: other, port: 80}, {name: none, port: 80, weight: 0}]},
        {matches: [{path: {value: /empty}}]},
        {matches: [{path: {type: RegularExpression, value: '/v[0-9]+/.*'}}], backendRefs: [{name: s, port: 81}]},
        {matches: [{path: {type: RegularExpression, value: '/('}}], backendRefs: [{name: s, port: 80}]},
        {backendRefs: [{group: acme.io, kind: Bucket, name: b}]}]";
    let parent = "parentRefs: [{namespace: infra, name: edge}]";
    let service = "{apiVersion: v1, kind: Service, metadata: {namespace: web, name: s}, spec: {ports: [{port: 80}]}}";
    let objects = Objects::of(
        &(gateway("edge", &listener("http", 80, "HTTP", ""))
            + &route("HTTPRoute", "shop", &format!("{parent}, {rules}"))
            + service),
    );
    let ask = |path: &str| objects.ask(&format!("http://shop.example.com{path}"));
    let backends = |answer: &Explanation| -> Vec<(String, Option<Port>, f64)> {
        let (_, winner) = answer.winner.as_ref().expect("an object answers");
        let describe = winner.outcome.backends().iter().map(|b| (b.label("web"), b.port.clone(), b.share));
        describe.collect()
    };
    let message = |answer: &Explanation, words: &str| assert!(chain(answer).contains(&words), "{words}: {answer:#?}");
    let port = |number| Some(Port::Number(number));

    let old = ask("/old/x");
    assert_eq!(backends(&old), []);
    message(&old, "answers with a redirect, 301: host new.example.com");
    let split = ask("/split");
    let shares =
        [("s", 0.75), ("other/s", 0.25), ("none", 0.0)].map(|(name, share)| (name.to_owned(), port(80), share));
    assert_eq!(backends(&split), shares);
    message(&split, "rewrites to path / for the matched prefix");
    message(&split, "no ReferenceGrant lets the route refer to it: 500 for its share of requests");
    message(&split, "Service not found: 500 for its share of requests");
    message(&ask("/empty"), "no backend has a weight above 0: answers 500");
    let pattern = ask("/v12/x");
    assert_eq!(who(&pattern).as_deref(), Some("HTTPRoute web/shop spec.rules[3].matches[0]"));
    message(&pattern, "has no port 81, only 80: 500 for its share of requests");
    let rest = ask("/v/x");
    assert_eq!(backends(&rest), [("Bucket b".to_owned(), None, 1.0)]);
    message(&rest, "only the implementation knows kind Bucket of group acme.io");
    let unread = rest.losers.iter().find(|loser| loser.field.to_string() == "spec.rules[4].matches[0]");
    assert_eq!(unread.expect("it is reported").reason, "path pattern /(, which cannot be evaluated");
}

#[test]
fn data_planes_never_compete() {
    let ingress = |name: &str, class: &str, path: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{namespace: web, name: {name}}},
              spec: {{ingressClassName: {class}, rules: [{{host: shop.example.com, http: {{paths: [
                {{path: {path}, pathType: Exact, backend: {{service: {{name: s, port: {{number: 80}}}}}}}}]}}}}]}}}}\n---\n"
        )
    };
    let edges =
        gateway("edge", &listener("http", 80, "HTTP", "")) + &gateway("inner", &listener("http", 80, "HTTP", ""));
    let both = "parentRefs: [{namespace: infra, name: edge}, {namespace: infra, name: inner}], hostnames: [\"*.example.com\"], rules: [{}]";
    let ingresses = ingress("a", "one", "/cart") + &ingress("b", "two", "/cart") + &ingress("c", "two", "/pay");
    let objects = Objects::of(&(edges + &route("HTTPRoute", "shop", both) + &ingresses));
    let answer = objects.ask("http://shop.example.com/cart");
    assert_eq!(who(&answer).as_deref(), Some("HTTPRoute web/shop spec.rules[0]"));
    let planes: Vec<&str> = answer.answering.iter().map(|plane| plane.name.as_str()).collect();
    let classes = ["IngressClass one (not found)", "IngressClass two (not found)"];
    assert_eq!(planes, ["Gateway infra/edge", "Gateway infra/inner", classes[0], classes[1]]);
    assert_eq!(reason(&answer, "a"), "in another data plane: IngressClass one (not found)");
    assert_eq!(reason(&answer, "b"), "in another data plane: IngressClass two (not found)");
    assert_eq!(reason(&answer, "c"), "path /pay exactly");
    let narrowed = objects.ask("http://shop.example.com/cart --class two");
    assert_eq!(who(&narrowed).as_deref(), Some("Ingress web/b spec.rules[0].http.paths[0]"));
    assert!(!narrowed.is_ambiguous() && narrowed.losers.len() == 1, "{narrowed:#?}");
    let inner = objects.ask("http://shop.example.com/cart --gateway infra/inner");
    assert!(!inner.is_ambiguous() && chain(&inner).contains(&"HTTP on port 80"), "{inner:#?}");
    assert_eq!(who(&objects.ask("http://shop.example.com/cart --gateway infra/none")), None);
}

/// Some controllers create a load balancer for each Ingress, except for the Ingresses of a group, which share one.
#[test]
fn load_balancers_are_data_planes() {
    let ingress = |name: &str, group: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: Ingress,
              metadata: {{namespace: web, name: {name}, annotations: {{{group}}}}},
              spec: {{ingressClassName: alb, rules: [{{http: {{paths: [
                {{path: /, pathType: Prefix, backend: {{service: {{name: s, port: {{number: 80}}}}}}}}]}}}}]}}}}\n---\n"
        )
    };
    let group = "alb.ingress.kubernetes.io/group.name: shared";
    let ingresses = [ingress("a", ""), ingress("b", ""), ingress("c", group), ingress("d", group)].concat();
    let answer = Objects::of(&ingresses).ask("http://shop.example.com/");
    let planes: BTreeSet<&str> = answer.answering.iter().map(|plane| plane.name.as_str()).collect();
    let expected = ["Ingress web/a", "Ingress web/b", "group shared"]
        .map(|plane| format!("IngressClass alb (not found), {plane}"));
    assert_eq!(planes, expected.iter().map(String::as_str).collect());
}

/// According to the API, a rule that matches the request serves it even if another route has a more specific host, but
/// no matching rule.
#[test]
fn wider_host_answers_requests_that_the_narrower_does_not_match() {
    let narrow = "parentRefs: [{namespace: infra, name: edge}], hostnames: [shop.example.com], \
                  rules: [{matches: [{path: {value: /cart}}], backendRefs: [{name: s, port: 80}]}]";
    let objects = Objects::of(
        &(gateway("edge", &listener("http", 80, "HTTP", ""))
            + &route("HTTPRoute", "narrow", narrow)
            + &simple("wide", "'*.example.com'")),
    );
    let cart = objects.ask("http://shop.example.com/cart");
    assert_eq!(who(&cart).as_deref(), Some("HTTPRoute web/narrow spec.rules[0].matches[0]"));
    assert_eq!(reason(&cart, "wide"), "host shop.example.com is more specific");
    let pay = objects.ask("http://shop.example.com/pay");
    assert_eq!(who(&pay).as_deref(), Some("HTTPRoute web/wide spec.rules[0]"));
    assert_eq!(reason(&pay, "narrow"), "path /cart, but its host is more specific: many proxies answer 404 here");
}

#[test]
fn each_parent_of_a_route_has_a_reason() {
    let rule = "rules: [{backendRefs: [{name: s, port: 80}]}]";
    let parents = "parentRefs: [{name: edge}, {namespace: infra, name: edge, sectionName: chekout}, {namespace: infra, name: edge, sectionName: http}]";
    let text = gateway("edge", &listener("http", 8080, "HTTP", ""))
        + &route("HTTPRoute", "shop", &format!("{parents}, hostnames: [shop.example.com], {rule}"));
    let answer = Objects::of(&text).ask("GET http://shop.example.com/");
    let reasons: Vec<(String, &str)> =
        answer.losers.iter().map(|loser| (loser.field.to_string(), &*loser.reason)).collect();
    let expected = [
        ("spec.parentRefs[0]", "Gateway web/edge not found"),
        ("spec.parentRefs[1]", "Gateway infra/edge has no listener chekout"),
        ("spec.parentRefs[2]", "listener http of Gateway infra/edge is on port 8080, not 80"),
    ];
    assert_eq!(reasons, expected.map(|(field, reason)| (field.to_owned(), reason)));
}
