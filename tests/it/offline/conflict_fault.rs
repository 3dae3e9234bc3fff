//! If two stored objects conflict, only one of them is reported: the one that may not claim the host, otherwise the
//! younger one.

use portcullis_core::config::{API_VERSION, KIND};

use super::{folder, lint};

/// The host that both objects claim.
const HOST: &str = "shop.example.com";

/// One kind of object that claims [`HOST`], and the other objects that it needs.
struct Claim {
    kind: &'static str,
    api: &'static str,
    spec: &'static str,
    beside: &'static str,
}

const CLAIMS: &[Claim] = &[
    Claim {
        kind: "Ingress",
        api: "networking.k8s.io/v1",
        spec: "{ingressClassName: public, rules: [{host: shop.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}]}}]}",
        beside: "",
    },
    Claim {
        kind: "IngressRoute",
        api: "contour.heptio.com/v1beta1",
        spec: "{virtualhost: {fqdn: shop.example.com}, routes: [{match: /, services: [{name: cart, port: 80}]}]}",
        beside: "",
    },
    Claim {
        kind: "HTTPProxy",
        api: "projectcontour.io/v1",
        spec: "{virtualhost: {fqdn: shop.example.com}, routes: [{services: [{name: cart, port: 80}]}]}",
        beside: "",
    },
    Claim {
        kind: "HTTPRoute",
        api: "gateway.networking.k8s.io/v1",
        spec: "{parentRefs: [{namespace: infra, name: edge}], hostnames: [shop.example.com], rules: [{backendRefs: [{name: cart, port: 80}]}]}",
        beside: "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {namespace: infra, name: edge}\n\
                 spec: {gatewayClassName: public, listeners: [{name: web, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]}\n",
    },
];

impl Claim {
    fn of(&self, namespace: &str, created: Option<&str>) -> String {
        let Self { kind, api, spec, .. } = self;
        let created = created.map(|time| format!(", creationTimestamp: \"{time}\"")).unwrap_or_default();
        format!(
            "---\napiVersion: {api}\nkind: {kind}\nmetadata: {{namespace: {namespace}, name: shop{created}}}\nspec: {spec}\n"
        )
    }

    /// The denials of `lint` about [`HOST`] in the profile `restricted`, each with its object.
    fn refusals(&self, objects: &str, more: &str) -> Vec<String> {
        let config = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: restricted\n{more}");
        let (folder, config) =
            (folder(&[("a.yaml", &format!("{objects}{}", self.beside))]), folder(&[("config", &config)]));
        let config = config.path().join("config");
        let flags = ["--config", config.to_str().expect("a path")];
        let (_, printed, errors) = lint(folder.path(), &flags);
        let (mut object, mut refusals) = ("", Vec::new());
        for line in printed.lines() {
            match line.split_once("  Deny  ").map(|(_, words)| words).filter(|words| words.contains(HOST)) {
                Some(words) => refusals.push(format!("{object} {words}")),
                None if line.starts_with("DIR/") => object = line.trim_start_matches("DIR/a.yaml: "),
                None => {}
            }
        }
        println!("{printed}{errors}");
        refusals
    }
}

pub fn younger_of_two_objects_is_at_fault() {
    let (old, young) = (Some("2026-01-01T00:00:00Z"), Some("2026-02-01T00:00:00Z"));
    for claim in CLAIMS {
        for [first, second] in [[old, young], [young, old]] {
            let refusals = claim.refusals(&(claim.of("aaa", first) + &claim.of("zzz", second)), "");
            let at_fault = if first == young { "aaa/shop" } else { "zzz/shop" };
            let blamed: Vec<_> = refusals.iter().map(|line| line.split(' ').nth(1).unwrap_or_default()).collect();
            assert_eq!(blamed, [at_fault], "{}: {refusals:#?}", claim.kind);
        }
    }
}

/// An Ingress with a rule for [`HOST`], and one with an annotation that adds it to another rule.
const ADDED: [Claim; 2] = [
    Claim {
        kind: "Ingress",
        api: "networking.k8s.io/v1",
        spec: "{ingressClassName: kong, rules: [{host: shop.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}]}}]}",
        beside: "",
    },
    Claim {
        kind: "Ingress",
        api: "networking.k8s.io/v1",
        spec: "{ingressClassName: kong, rules: [{host: free.example.org, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}]}}]}",
        beside: "",
    },
];

pub fn younger_of_rule_and_added_host_is_at_fault() {
    let (old, young) = (Some("2026-01-01T00:00:00Z"), Some("2026-02-01T00:00:00Z"));
    let [rule, alias] = ADDED;
    let adding = |namespace, created| {
        alias
            .of(namespace, created)
            .replace("name: shop", "name: shop, annotations: {konghq.com/host-aliases: shop.example.com}")
    };
    for [first, second] in [[old, young], [young, old], [None, None]] {
        let refusals = rule.refusals(&(rule.of("aaa", first) + &adding("zzz", second)), "");
        let at_fault = if first == young { "aaa/shop" } else { "zzz/shop" };
        let blamed: Vec<_> = refusals.iter().map(|line| line.split(' ').nth(1).unwrap_or_default()).collect();
        assert_eq!(blamed, [at_fault], "{refusals:#?}");
    }
}

/// With `unlisted: FirstNamespace`, files without ages do not say which namespace is the first.
pub fn first_namespace_of_unknown_age_is_not_decided() {
    let ingress = &CLAIMS[0];
    let internal = |text: String| text.replace("ingressClassName: public", "ingressClassName: internal");
    let ownership = "hostOwnership: {unlisted: FirstNamespace}\n";
    let of_claims = |first, second| {
        let objects = ingress.of("aaa", first) + &internal(ingress.of("zzz", second));
        ingress.refusals(&objects, ownership).into_iter().filter(|line| line.contains("host/not-owned")).count()
    };
    assert_eq!(of_claims(None, None), 0);
    assert_eq!(of_claims(None, Some("2026-01-01T00:00:00Z")), 1);
    assert_eq!(of_claims(Some("2026-01-01T00:00:00Z"), Some("2026-02-01T00:00:00Z")), 1);
}

/// Default classes of both kinds.
const DEFAULTS: [(&str, &str, &str, &str); 2] = [
    (
        "IngressClass",
        "networking.k8s.io/v1",
        "ingressclass.kubernetes.io/is-default-class",
        "{controller: example.com/proxy}",
    ),
    (
        "GatewayClass",
        "gateway.networking.k8s.io/v1",
        "gatewayclass.portcullis.dev/is-default-class",
        "{controllerName: example.com/proxy}",
    ),
];

pub fn one_of_two_default_classes_is_at_fault() {
    let (old, young) = (Some("2026-01-01T00:00:00Z"), Some("2026-02-01T00:00:00Z"));
    for (kind, api, mark, spec) in DEFAULTS {
        let class = |name: &str, created: Option<&str>| {
            let created = created.map(|time| format!(", creationTimestamp: \"{time}\"")).unwrap_or_default();
            format!(
                "---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}{created}, annotations: {{{mark}: 'true'}}}}\nspec: {spec}\n"
            )
        };
        for ([first, second], at_fault, words) in [
            ([old, young], "zzz", "is already the default"),
            ([young, old], "aaa", "is already the default"),
            ([None, None], "zzz", "is also marked as the default: unmark one of the two"),
        ] {
            let folder = folder(&[("a.yaml", &(class("aaa", first) + &class("zzz", second)))]);
            let (_, printed, errors) = lint(folder.path(), &[]);
            assert_eq!(printed.matches("second-default]").count(), 1, "{printed}{errors}");
            assert!(printed.contains(&format!("{kind} {at_fault}\n")) && printed.contains(words), "{printed}{errors}");
        }
    }
}

pub fn pair_of_unknown_age_is_reported_once() {
    for claim in CLAIMS {
        let refusals = claim.refusals(&(claim.of("aaa", None) + &claim.of("zzz", None)), "");
        assert_eq!(refusals.len(), 1, "{}: {refusals:#?}", claim.kind);
        assert!(refusals[0].contains("aaa/shop") && refusals[0].contains("zzz/shop"), "{refusals:#?}");
    }
}

pub fn owner_is_not_at_fault_for_a_claim_of_another_namespace() {
    let ownership = "hostOwnership: {unlisted: Allow, hosts: [{host: shop.example.com, namespaces: {names: [zzz]}}]}\n";
    let (old, young) = (Some("2026-01-01T00:00:00Z"), Some("2026-02-01T00:00:00Z"));
    for claim in CLAIMS {
        // The squatter is older, or both ages are unknown.
        for [squatter, owner] in [[old, young], [None, None]] {
            let refusals = claim.refusals(&(claim.of("aaa", squatter) + &claim.of("zzz", owner)), ownership);
            let of_owner = refusals.iter().filter(|line| line.split(' ').nth(1) == Some("zzz/shop")).count();
            assert_eq!(of_owner, 0, "{}: {refusals:#?}", claim.kind);
            assert!(refusals.iter().any(|line| line.contains("[host/not-owned]")), "{}: {refusals:#?}", claim.kind);
        }
    }
}
