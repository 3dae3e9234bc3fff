//! The complete error messages of invalid configurations, with line, column and suggested word.

use portcullis_core::checks::{Check, CheckOption, Plan, registry};
use portcullis_core::config::ConfigFile;
use portcullis_core::finding::Action;
use portcullis_testing::config::{plan, text};
use portcullis_testing::page::examples;

/// All errors of a configuration, one per line.
fn errors_of(config: &str) -> String {
    let file = ConfigFile { name: None, text: config.to_owned() };
    Plan::read(&[file], |_| {}).err().map(|errors| errors.to_string()).unwrap_or_default()
}

fn hold(cases: &[(&str, &str)]) {
    let wrong = cases.iter().filter_map(|(config, expected)| {
        let reported = errors_of(&text(config));
        (reported != *expected).then(|| format!("{config}\n  is:       {reported}\n  expected: {expected}"))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn api_version_and_kind_of_a_configuration_are_checked() {
    let cases = [
        (
            "apiVersion: v1\nkind: PortcullisConfiguration",
            "line 1, column 13: apiVersion must be `config.portcullis.dev/v1alpha1`, not `v1`",
        ),
        (
            "apiVersion: config.portcullis.dev/v1alpha1\nkind: Portcullis",
            "line 2, column 7: kind must be `PortcullisConfiguration`, not `Portcullis`",
        ),
        ("kind: PortcullisConfiguration", "line 1, column 1: missing field `apiVersion`"),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: portcullis}\ndata: {config.yaml: \"\"}",
            "line 1, column 1: this is a ConfigMap, not a configuration: give the text of its key as a file, or the name of a ConfigMap in \
             the cluster with --config-map",
        ),
        ("", "line 1, column 1: the file is empty"),
    ];
    for (config, expected) in cases {
        assert_eq!(errors_of(config), expected, "{config}");
    }
}

#[test]
fn syntax_errors_name_position_and_text() {
    hold(&[
        ("profil: baseline", "line 3, column 1: unknown field `profil`; did you mean `profile`?"),
        (
            "zzz: 1",
            "line 3, column 1: unknown field `zzz`; use one of apiVersion, kind, profile, maxAction, themes, checks, overrides, namespaceProfileLabel, defaults, exemptions, handovers, hostOwnership, dataPlanes, acmeSolvers, rootNamespaces, extensions, gatewayBundle, gatewayClassDefaultKeys, revealOtherNamespaces, status",
        ),
        ("gatewayBundle: {version: '1.6', channel: standard}", ""),
        ("gatewayBundle: {version: v1.6.3}", ""),
        ("gatewayBundle: {version: 1.10}", ""),
        ("gatewayBundle: {version: new}", "line 3, column 26: `new` is not a valid release: use a form such as 1.6"),
        (
            "gatewayBundle: {version: '1.6', channel: standart}",
            "line 3, column 42: unknown value `standart`; did you mean `standard`?",
        ),
        (
            "exemptions:\n- {checks: ['*'], match: {user: [alice]}, reason: any}",
            "line 4, column 27: unknown field `user`; did you mean `users`?",
        ),
        (
            "checks:\n  ingress/snippet: {prefix: [a]}",
            "line 4, column 21: unknown field `prefix`; did you mean `prefixes`?",
        ),
        (
            "checks:\n  ingress/snippet: {match: {namespaces: {name: [web]}}}",
            "line 4, column 42: unknown field `name`; did you mean `names`?",
        ),
        ("hostOwnership:\n  host: []", "line 4, column 3: unknown field `host`; did you mean `hosts`?"),
        (
            "hostOwnership:\n  hosts:\n  - {host: a.com, namespace: {names: [web]}}",
            "line 5, column 19: unknown field `namespace`; did you mean `namespaces`?",
        ),
        (
            "handovers:\n- {host: a.com, from: web, too: bank}",
            "line 4, column 28: unknown field `too`; did you mean `to`?",
        ),
        ("handovers:\n- {host: a.com, from: web}", "line 4, column 3: missing field `to`"),
        (
            "checks:\n  ingress/annotation-forbidden:\n    annotations:\n    - {keys: a}",
            "line 6, column 8: unknown field `keys`; did you mean `key`?",
        ),
        (
            "defaults:\n  ingress/default-class: {onMultipleDefault: Newest}",
            "line 4, column 27: unknown field `onMultipleDefault`; did you mean `onMultipleDefaults`?",
        ),
        ("themes: {shapes: Deny}", "line 3, column 10: unknown value `shapes`; did you mean `shape`?"),
        ("themes: {shape: Refuse}", "line 3, column 17: unknown value `Refuse`; use one of Off, Audit, Warn, Deny"),
        ("checks: {ingress/snippet: Denny}", "line 3, column 27: unknown value `Denny`; did you mean `Deny`?"),
        ("checks: {ingress/snippet: deny}", "line 3, column 27: unknown value `deny`; did you mean `Deny`?"),
        ("checks: {ingress/snippet: DENY}", "line 3, column 27: unknown value `DENY`; did you mean `Deny`?"),
        (
            "checks: {ingress/snippet: {action: Denny}}",
            "line 3, column 36: unknown value `Denny`; did you mean `Deny`?",
        ),
        ("checks: {ingress/snippet: 3}", "line 3, column 27: invalid type: integer `3`, expected an action or a map"),
        (
            "checks: {ingress/path-unsafe-character: {charset: rfc3987}}",
            "line 3, column 51: unknown value `rfc3987`; did you mean `rfc3986`?",
        ),
        (
            "checks: {ingress/annotation-risky: {maxRisk: Hihg}}",
            "line 3, column 46: unknown value `Hihg`; did you mean `High`?",
        ),
        (
            "exemptions:\n- checks: ['*']\n  match: {users: [alice]}\n  reason: any\n  expires: tomorrow",
            "line 7, column 12: `tomorrow` is not a date such as 2027-01-31",
        ),
        (
            "exemptions:\n- checks: ['*']\n  match: {users: [alice]}\n  reason: any\n  expires: 2026-02-30",
            "line 7, column 12: `2026-02-30` is not a date such as 2027-01-31",
        ),
        ("exemptions:\n- checks: ['*']\n  match: {users: [alice]}", "line 4, column 3: missing field `reason`"),
        (
            "checks:\n  ingress/annotation-forbidden:\n    annotations:\n    - {key: a, value: '('}",
            "line 6, column 23: `(` is not a regular expression",
        ),
        (
            "checks: {ingress/port-not-allowed: {deny: [70000]}}",
            "line 3, column 44: 70000 is not a valid port: use 1 to 65535",
        ),
        (
            "checks: {ingress/port-not-allowed: {deny: [90-80]}}",
            "line 3, column 44: `90-80` is not a port such as 443 or a range such as 8000-8999",
        ),
        (
            "checks: {ingress/port-not-allowed: {deny: [-1]}}",
            "line 3, column 44: -1 is not a valid port: use 1 to 65535",
        ),
        ("profile: audit\nprofile: baseline", "line 4, column 1: duplicate key `profile`"),
        (
            "checks:\n  ingress/snippet: Deny\n  ingress/snippet: Warn",
            "line 5, column 3: duplicate key `ingress/snippet`",
        ),
        ("themes: {shape: Deny, shape: Warn}", "line 3, column 23: duplicate key `shape`"),
        (
            "hostOwnership: {hosts: [{host: *.example.com, namespaces: {names: [web]}}]}",
            "line 3, column 32: while parsing node, found unknown anchor; quote a value that begins with `*`",
        ),
        ("revealOtherNamespaces: nope", "line 3, column 24: must be `true` or `false`"),
        ("gatewayBundle: 1.6", "line 3, column 16: must be a map, such as `{key: value}`"),
        ("rootNamespaces: {Gateway: infra}", "line 3, column 27: must be a list, such as `[infra]`"),
        (
            "checks: {listener-set/listeners-too-many: {maxListeners: -1}}",
            "line 3, column 58: must be a whole number from 0",
        ),
        ("a: b: c", "line 3, column 5: mapping values are not allowed in this context"),
    ]);
}

#[test]
fn semantic_errors_name_position_and_text() {
    hold(&[
        (
            "checks:\n  gateway-class/controller-reserved: Deny",
            "line 4, column 3: gateway-class/controller-reserved finds nothing without `controllers`",
        ),
        (
            "checks:\n  ingress/port-not-allowed: {action: Warn}",
            "line 4, column 3: ingress/port-not-allowed finds nothing without `allow` or `deny`",
        ),
        (
            "checks:\n  listener/port-not-allowed: Deny",
            "line 4, column 3: listener/port-not-allowed finds nothing without `allow` or `deny`",
        ),
        (
            "checks:\n  object/label-required: Deny",
            "line 4, column 3: object/label-required finds nothing without `required`",
        ),
        (
            "checks:\n  object/label-required: {required: [{key: team, kinds: [Ingres]}, {key: 'a b'}]}",
            "line 4, column 3: unknown kind `Ingres`; did you mean `Ingress`?\nline 4, column 3: `a b` is not a valid key of a label or an annotation: use a form such as example.com/team",
        ),
        (
            "checks:\n  object/label-required: {required: [{key: team, value: 'a)|(b'}]}",
            "line 4, column 57: `a)|(b` is not a regular expression",
        ),
        (
            "checks:\n  gateway/class-not-allowed: {unlisted: Deny, action: Deny}",
            "line 4, column 3: gateway/class-not-allowed finds nothing without `classes`",
        ),
        (
            "hostOwnership: {unlisted: FirstNamspace}",
            "line 3, column 27: unknown value `FirstNamspace`; did you mean `FirstNamespace`?",
        ),
        ("checks:\n  ingress/*: {deny: [22]}\n  ingress/port-not-allowed: Warn", ""),
        ("checks:\n  gateway-class/controller-reserved: Off", ""),
        ("dataPlanes: [[public, internal, '']]\ndefaults: {}", ""),
        (
            "dataPlanes: [[public], [internal, public]]",
            "line 3, column 35: class `public` is already in a data plane at line 3",
        ),
        ("dataPlanes: [[Public]]", "line 3, column 15: `Public` is not a valid name of an IngressClass"),
        (
            "dataPlanes: [{perIngress: false, classes: [lb]}]",
            "line 3, column 27: perIngress must be `true` and requires `classes` or `controllers`; if the classes share a proxy, write them as a plain list instead",
        ),
        ("dataPlanes: [{perIngress: true, controllers: [example.com/lb]}]", ""),
        ("profile: base-line", "line 3, column 10: unknown profile `base-line`; did you mean `baseline`?"),
        ("profile: strict", "line 3, column 10: unknown profile `strict`; did you mean `restricted`?"),
        ("profile: foo", "line 3, column 10: unknown profile `foo`: use audit, baseline, restricted, kep-758"),
        ("profile: baseline@0.0", "line 3, column 10: release 0.0 does not exist; the first is 0.1"),
        ("profile: baseline@1", "line 3, column 10: `1` is not a valid release: use a form such as 0.1"),
        ("profile: baseline@9.9", "line 3, column 10: profile is pinned to release 9.9, but this is release 0.1"),
        ("profile: baseln@0.1", "line 3, column 10: unknown profile `baseln`; did you mean `baseline`?"),
        (
            "checks:\n  ingress/path-mising: Deny",
            "line 4, column 3: unknown check `ingress/path-mising`; did you mean `ingress/path-missing`?",
        ),
        ("checks:\n  ingres/*: Deny", "line 4, column 3: unknown family `ingres/*`; did you mean `ingress/*`?"),
        ("checks:\n  q: Deny", "line 4, column 3: unknown check `q`"),
        (
            "checks:\n  ingress/*-missing: Deny",
            "line 4, column 3: `ingress/*-missing` matches no check: use `FAMILY/*`, such as `ingress/*`, or ids",
        ),
        (
            "checks:\n  ingress/snippet: {maxRisk: Low}",
            "line 4, column 3: `maxRisk` is not an option of ingress/snippet; its options are prefixes",
        ),
        (
            "checks:\n  host/*: {prefixes: [a], charset: nginx-safe}",
            "line 4, column 3: `charset` is not an option of host/*; it has no options\nline 4, column 3: `prefixes` is not an option of host/*; it has no options",
        ),
        (
            "checks:\n  ingress/snippet: {match: {users: [alice]}}",
            "line 4, column 3: match without an action or an option changes nothing; set the action of ingress/snippet",
        ),
        (
            "overrides:\n- {match: {}, profile: restricted}\n- {match: {users: [a]}}",
            "line 4, column 11: the override matches every write; set the profile, the themes, the checks or maxAction at the top instead\nline 5, column 11: the override changes nothing: set profile, themes, checks or maxAction",
        ),
        (
            "overrides:\n- match: {namespaces: {}}\n  profile: strict\n  checks: {ingress/snippet: {action: Deny, match: {users: [a]}}, host/none: Deny, ingress/port-not-allowed: Deny}",
            "line 4, column 10: match.namespaces selects no namespace: set names, notNames, labels or matchExpressions\nline 5, column 12: unknown profile `strict`; did you mean `restricted`?\nline 6, column 12: a check in an override must not have its own match; write another override instead\nline 6, column 66: unknown check `host/none`\nline 6, column 83: ingress/port-not-allowed finds nothing without `allow` or `deny`",
        ),
        (
            "checks:\n  ingress/*: {deny: [22]}\noverrides: [{match: {users: [a]}, checks: {ingress/port-not-allowed: Warn}}]",
            "",
        ),
        (
            "overrides:\n- match: {namespaces: {notNames: [Web], matchExpressions: [{key: a, operator: In}, {key: b, operator: Exists, values: [c]}, {key: '', operator: Exists}]}}\n  profile: audit",
            "line 4, column 10: `Web` is not a valid namespace: use a DNS label in lower case\nline 4, column 10: the operator Exists on label `b` must not have `values`\nline 4, column 10: `` is not a valid label key: use a key such as example.com/tier\nline 4, column 10: the operator In on label `a` requires `values`",
        ),
        (
            "maxAction: Audit\noverrides: [{match: {users: [a]}, maxAction: Off}]",
            "line 3, column 12: unknown value `Audit`; use one of Warn, Deny\nline 4, column 46: unknown value `Off`; use one of Warn, Deny",
        ),
        (
            "namespaceProfileLabel: a b",
            "line 3, column 24: `a b` is not a valid label key: use a key such as example.com/profile",
        ),
        (
            "defaults:\n  http-proxy/ingress-class-default: {}",
            "line 4, column 3: http-proxy/ingress-class-default requires `class`",
        ),
        ("defaults:\n  http-proxy/ingress-class-default: {enabled: false}", ""),
        ("defaults:\n  http-proxy/ingress-class-default: {class: public}", ""),
        ("defaults:\n  http-proxy/ingress-class-default: {class: ' '}", "line 4, column 45: `class` must not be empty"),
        (
            "defaults:\n  ingress/default-class: {class: public}",
            "line 4, column 34: `class` is not an option of ingress/default-class",
        ),
        (
            "defaults:\n  ingress/default-clas: {}",
            "line 4, column 3: unknown defaulter `ingress/default-clas`; did you mean `ingress/default-class`?",
        ),
        (
            "exemptions:\n- {checks: [ingress/snipet], match: {users: [alice]}, reason: any}",
            "line 4, column 13: unknown check `ingress/snipet`; did you mean `ingress/snippet`?",
        ),
        (
            "exemptions:\n- {checks: ['*'], match: {}, reason: any}",
            "line 4, column 38: the exemption matches every write; turn the checks off instead",
        ),
        (
            "exemptions:\n- {checks: ['*'], match: {users: [alice]}, reason: ' '}",
            "line 4, column 52: the exemption requires a reason",
        ),
        (
            "exemptions:\n- {checks: [], match: {users: [alice]}, reason: any}",
            "line 4, column 49: the exemption must list at least one check",
        ),
        (
            "handovers:\n- {host: 'https://a.b', from: web, to: Bank}",
            "line 4, column 10: `https://a.b` is not a valid host: use a DNS name such as shop.example.com, `*.` and a DNS name, or `*`\nline 4, column 10: `Bank` is not a valid namespace: use a DNS label in lower case",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: a.*.com, namespaces: {names: [web/*, 'we b']}}\n  - {host: '*.{namespace.name}_.com', namespaces: {names: ['*']}}",
            "line 5, column 12: `a.*.com` is not a valid host: use a DNS name such as shop.example.com, `*.` and a DNS name, or `*`\nline 5, column 12: `we b` is not a valid namespace: use a DNS label in lower case\nline 6, column 12: `*.{namespace.name}_.com` is not a valid host: use a DNS name such as shop.example.com, `*.` and a DNS name, or `*`",
        ),
        (
            "checks: {ingress/snippet: {action: Deny, match: {namespaces: {names: [Web, 'web-*']}}}}",
            "line 3, column 10: `Web` is not a valid namespace: use a DNS label in lower case",
        ),
        (
            "exemptions:\n- {checks: ['*'], match: {namespaces: {names: [Web]}}, reason: any}",
            "line 4, column 64: `Web` is not a valid namespace: use a DNS label in lower case",
        ),
        (
            "checks:\n  ingress/snippet: {action: Deny, match: {extra: {a: []}}}",
            "line 4, column 3: match.extra.a has no value: use `*` to match any",
        ),
        (
            "exemptions:\n- {checks: ['*'], match: {extra: {a: [b], c: []}}, reason: any}",
            "line 4, column 60: match.extra.c has no value: use `*` to match any",
        ),
        (
            "handovers:\n- {host: a.com, from: web, to: web}",
            "line 4, column 10: a handover from web to web changes nothing",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: a.com, namespaces: {names: [web]}}\n  - {host: A.com., namespaces: {names: [bank]}}",
            "line 6, column 12: `A.com.` already has an entry at line 5",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: a.com, namespaces: {}}",
            "line 5, column 12: no namespace may claim `a.com`: set names or labels",
        ),
        (
            "hostOwnership:\n  claims: Optional\n  grants:\n  - {hosts: [a.com], namespaces: {}}",
            "line 6, column 14: the rule for `a.com` has no namespaces: set names or labels",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: '{namespace.nam}.com', namespaces: {names: [web]}}",
            "line 5, column 12: `{namespace.nam}` is not a valid placeholder in a host; use {namespace.name} or {namespace.labels.KEY}",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: '{namespace.name.com', namespaces: {names: [web]}}",
            "line 5, column 12: `{namespace.name.com` is not a valid placeholder in a host; use {namespace.name} or {namespace.labels.KEY}",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: '{namespace.labels.a}-{namespace.name}.com', namespaces: {names: ['*']}}",
            "line 5, column 12: `{namespace.labels.a}-{namespace.name}.com` has two placeholders in one label, so two namespaces could get one host; put a dot between the placeholders",
        ),
        (
            "hostOwnership:\n  hosts:\n  - {host: '*.x{namespace.labels.a}.{namespace.name}.com', namespaces: {names: ['*']}}",
            "",
        ),
        (
            "rootNamespaces:\n  Gatway: [edge]",
            "line 4, column 3: unknown kind with roots `Gatway`; did you mean `Gateway`?",
        ),
        ("rootNamespaces: {Gateway: [edge, infra-*, '*'], ListenerSet: []}", ""),
        (
            "rootNamespaces:\n  Gateway: [edge, Infra]",
            "line 4, column 19: `Infra` is not a valid namespace: use a DNS label in lower case",
        ),
        ("gatewayClassDefaultKeys: [default, example.com/default]", ""),
        (
            "gatewayClassDefaultKeys:\n- example.com/default/x",
            "line 4, column 3: `example.com/default/x` is not a valid annotation key: use a name such as default, or one with a domain such as example.com/default",
        ),
        ("checks: {object/namespace-too-large: {maxEntries: 400000}}", ""),
        (
            "checks: {object/namespace-too-large: {maxEntries: 400001}}\noverrides:\n- match: {namespaces: {names: [web]}}\n  checks: {object/*: {maxEntries: 500000}}",
            "line 3, column 10: `maxEntries` is 400001, and must be at most 400000: beyond that, conflicts with the newest objects are not found\n\
             line 6, column 12: `maxEntries` is 500000, and must be at most 400000: beyond that, conflicts with the newest objects are not found",
        ),
    ]);
}

/// A check requires an option if and only if all findings on its page need it. Limits are an exception: they have a
/// default that the examples are too short to exceed.
#[test]
fn required_options_are_those_that_pages_need() {
    let has_default =
        |check: &Check| matches!(check.options, [CheckOption::Optional("maxRoutes" | "maxDepth" | "maxEntries", _)]);
    for check in registry::all().filter(|check| !check.options.is_empty() && !has_default(check)) {
        let must = check.options.iter().any(|option| matches!(option, CheckOption::RequireOneOf(_)));
        let counts = |option: &&CheckOption| !must || matches!(option, CheckOption::RequireOneOf(_));
        let options = || check.options.iter().filter(counts);
        let is_said = |config: &str| options().any(|option| config.contains(&format!("{}:", option.name())));
        let found = examples(check.page).into_iter().filter(|example| example.findings.is_some());
        let always = found.into_iter().all(|example| example.config.as_deref().is_some_and(is_said));
        assert_eq!(must, always, "{}", check.id);
    }
}

#[test]
fn the_status_section_is_validated() {
    hold(&[
        (
            "status:\n  controllerName: portcullis\n  publishService: [{namespace: Edge, name: a/b, routability: public}]\n  supportedFeatures: [HTTPRouteQueryParamMatching, http-route]\n  ingressRouteClasses: ['', Public]",
            "line 4, column 19: `portcullis` is not a valid controller: use a domain and a path, such as example.com/controller\n\
             line 5, column 32: `Edge` is not a valid namespace: use a DNS label in lower case\n\
             line 5, column 44: `a/b` is not a valid name of a Service\n\
             line 5, column 62: `public` is not a valid routability: use Public, Private, Cluster, or a domain and a name such as example.com/internal\n\
             line 6, column 52: `http-route` is not a valid feature: use a name of the Gateway API, such as HTTPRoutePathRedirect\n\
             line 7, column 29: `Public` is not a valid class",
        ),
        (
            "status: {controllerName: example.com/gate, publishService: [{namespace: edge, name: lb, routability: example.com/x}, {namespace: edge, name: lb2}]}",
            "",
        ),
    ]);
}

/// Faults in form and faults in meaning are reported together, and none that only follows from another.
#[test]
fn every_fault_is_reported_at_once() {
    hold(&[
        (
            "profile: foo\nthemes: {shapes: Deny, conflict: Refuse}\nchecks:\n  ingress/snipet: Deny\n  ingress/tls-missing: {action: Denny, mach: {}}\nrevealOtherNamespaces: nope",
            "line 3, column 10: unknown profile `foo`: use audit, baseline, restricted, kep-758\n\
             line 4, column 10: unknown value `shapes`; did you mean `shape`?\n\
             line 4, column 34: unknown value `Refuse`; use one of Off, Audit, Warn, Deny\n\
             line 6, column 3: unknown check `ingress/snipet`; did you mean `ingress/snippet`?\n\
             line 7, column 33: unknown value `Denny`; did you mean `Deny`?\n\
             line 7, column 40: unknown field `mach`; did you mean `match`?\n\
             line 8, column 24: must be `true` or `false`",
        ),
        (
            "exemptions:\n- {checks: 3, match: {users: [a]}, reason: any}\n- {checks: [host/*], match: {}, reason: any}\n- {match: {users: [b]}}\nhandovers: [{host: [a], from: a, to: a}]\nprofile: 1\nprofile: 2",
            "line 4, column 12: must be a list, such as `[infra]`\n\
             line 5, column 41: the exemption matches every write; turn the checks off instead\n\
             line 6, column 3: missing field `checks`\n\
             line 7, column 20: must be a text\n\
             line 8, column 10: unknown profile `1`: use audit, baseline, restricted, kep-758\n\
             line 9, column 1: duplicate key `profile`",
        ),
        (
            "checks:\n  ingress/snippet: {action: Deny, prefix: [a], options: b}\n  ingress/tls-missing: {enforce: true}",
            "line 4, column 35: unknown field `prefix`; did you mean `prefixes`?\n\
             line 4, column 48: unknown field `options`; use one of action, match, prefixes\n\
             line 5, column 25: unknown field `enforce`; use one of action, match",
        ),
        (
            "exemptions: [{checks: [host/*], match: {notUsers: [a]}, reason: any}]",
            "line 3, column 41: unknown field `notUsers`; use one of kinds, ingressClasses, namespaces, users, groups, extra",
        ),
    ]);
}

/// A fault in the form of an entry hides no other fault of the same entry, and what it leaves unread is not reported as missing.
#[test]
fn an_unreadable_part_hides_no_other_fault() {
    hold(&[
        (
            "hostOwnership:\n  hosts:\n  - {host: a.com, namespaces: {names: [Web], name: [b]}}\n  - {host: A.com, namespace: {names: [web]}}\n  - {host: b..com, namespaces: {names: [web]}}\n  - {host: c.com, namespaces: {labels: 3}}",
            "line 5, column 12: `Web` is not a valid namespace: use a DNS label in lower case\n\
             line 5, column 46: unknown field `name`; did you mean `names`?\n\
             line 6, column 12: `A.com` already has an entry at line 5\n\
             line 6, column 19: unknown field `namespace`; did you mean `namespaces`?\n\
             line 7, column 12: `b..com` is not a valid host: use a DNS name such as shop.example.com, `*.` and a DNS name, or `*`\n\
             line 8, column 40: must be a map, such as `{key: value}`",
        ),
        (
            "overrides:\n- match: {namespace: {names: [a]}}\n  profile: strict\n  themes: 3\n  checks: {ingress/snipet: Deny, ingress/snippet: {maxRisk: Low, action: Denny}}",
            "line 4, column 11: unknown field `namespace`; did you mean `namespaces`?\n\
             line 5, column 12: unknown profile `strict`; did you mean `restricted`?\n\
             line 6, column 11: must be a map, such as `{key: value}`\n\
             line 7, column 12: unknown check `ingress/snipet`; did you mean `ingress/snippet`?\n\
             line 7, column 34: `maxRisk` is not an option of ingress/snippet; its options are prefixes\n\
             line 7, column 74: unknown value `Denny`; did you mean `Deny`?",
        ),
        (
            "exemptions:\n- {checks: [ingress/snipet], match: {kinds: [Ingres], user: [a]}, reason: ' ', expires: soon}\ndataPlanes:\n- {perIngress: true, classes: [{}], controler: x}\n- [A_B, lb]\n- [lb]",
            "line 4, column 13: unknown check `ingress/snipet`; did you mean `ingress/snippet`?\n\
             line 4, column 55: unknown field `user`; did you mean `users`?\n\
             line 4, column 75: unknown kind `Ingres`; did you mean `Ingress`?\n\
             line 4, column 75: the exemption requires a reason\n\
             line 4, column 89: `soon` is not a date such as 2027-01-31\n\
             line 6, column 32: must be a text\n\
             line 6, column 37: unknown field `controler`; did you mean `controllers`?\n\
             line 7, column 4: `A_B` is not a valid name of an IngressClass\n\
             line 8, column 4: class `lb` is already in a data plane at line 7",
        ),
        (
            "checks:\n  ingress/*: {denny: [22], match: {users: [a]}}\n  ingress/port-not-allowed: Deny\n  ingress/path-forbidden-text: Deny\n  host/*: {match: {users: [b]}}\n  route/weights-all-zero: {match: {user: [b]}}",
            "line 4, column 15: unknown field `denny`; did you mean `deny`?\n\
             line 7, column 3: match without an action or an option changes nothing; set the action of host/*\n\
             line 8, column 36: unknown field `user`; did you mean `users`?",
        ),
        (
            "profil: baseline\nchecks: {ingress/port-not-allowed: Deny}",
            "line 3, column 1: unknown field `profil`; did you mean `profile`?\n\
             line 4, column 10: ingress/port-not-allowed finds nothing without `allow` or `deny`",
        ),
        (
            "check: {ingress/*: {deny: [22]}}\noverrides: [{match: {users: [a]}, checks: {ingress/port-not-allowed: Deny}}]",
            "line 3, column 1: unknown field `check`; did you mean `checks`?",
        ),
        (
            "themes: {policy: Warn}\nthemes: {shapes: Warn}",
            "line 4, column 1: duplicate key `themes`\n\
             line 4, column 10: unknown value `shapes`; did you mean `shape`?",
        ),
    ]);
}

#[test]
fn all_semantic_errors_are_reported_together() {
    let config = "rootNamespaces: {Gatway: [edge]}\nprofile: strict\nchecks: {ingress/path-mising: Deny, host/*: {maxRisk: Low}}";
    let expected = [
        "line 3, column 18: unknown kind with roots `Gatway`; did you mean `Gateway`?",
        "line 4, column 10: unknown profile `strict`; did you mean `restricted`?",
        "line 5, column 10: unknown check `ingress/path-mising`; did you mean `ingress/path-missing`?",
        "line 5, column 37: `maxRisk` is not an option of host/*; it has no options",
    ];
    hold(&[(config, &expected.join("\n"))]);
}

#[test]
fn off_needs_no_quotes() {
    for config in
        ["themes: {policy: Off}", "checks: {ingress/snippet: Off}", "checks: {ingress/snippet: {action: Off}}"]
    {
        let found = plan(config).checks().find(|(check, _)| check.id == "ingress/snippet").map(|(_, action)| action);
        assert_eq!(found, None::<Action>, "{config}");
    }
}
