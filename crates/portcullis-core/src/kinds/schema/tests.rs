//! The faults that are found in manifests that an API server would not accept unchanged.

use super::*;

fn unknown(kind: Kind, json: &str) -> Vec<String> {
    let line = |field: UnknownField| match field.like {
        Some(like) => format!("{} ({like})", field.at),
        None => field.at.to_string(),
    };
    ManifestErrors::of(kind, json).unknown.into_iter().map(line).collect()
}

#[test]
fn unknown_fields_are_found_at_any_depth() {
    let json = r#"{"apiVersion": "v1", "kind": "Ingress", "metadata": {"annotation": {}, "labels": {"any": "key"}},
        "spec": {"rulez": [], "rules": [{}, {"http": {"paths": [{"pathtype": "Exact"}]}}], "zzz": 1},
        "status": {"loadBalancer": {"ingress": [{"ports": [{"port": 80, "x y": 1}]}]}}}"#;
    let expected = [
        "metadata.annotation (annotations)",
        "spec.rules[1].http.paths[0].pathtype (pathType)",
        "spec.rulez (rules)",
        "spec.zzz",
        "status.loadBalancer.ingress[0].ports[0][x y]",
    ];
    assert_eq!(unknown(Kind::Ingress, json), expected);
    assert_eq!(unknown(Kind::IngressClass, r#"{"spec": {"controler": "a.com/b"}}"#), ["spec.controler (controller)"]);
}

#[test]
fn fields_of_our_own_crds_are_told_where_their_type_is_declared() {
    let json = r#"{"metadata": {"anything": 1}, "spec": {"route": [], "healthCheck (Optional)": {"any": 1},
        "routes": [{"prefix": "/", "service": {"anything": 1}, "services": [{"weigth": 1}]},
            {"service": [{"name": "a", "port": 80, "healthCheck": {"paths": "/"}}]}]}}"#;
    let expected = [
        "metadata.anything",
        "spec.route (routes)",
        "spec.routes[0].prefix (prefixRewrite)",
        "spec.routes[0].service.anything",
        "spec.routes[0].services[0].weigth (weight)",
        "spec.routes[1].service[0].healthCheck.paths (path)",
    ];
    assert_eq!(unknown(Kind::IngressRoute, json), expected);
    let json = r#"{"spec": {"delegations": [{"secret": "a"}]}}"#;
    assert_eq!(unknown(Kind::TlsCertificateDelegation, json), ["spec.delegations[0].secret (secretName)"]);
}

#[test]
fn values_of_another_type_or_without_schema_are_skipped() {
    for json in [
        "{",
        "[]",
        r#"{"spec": []}"#,
        r#"{"spec": {"rules": {"host": 1}}}"#,
        r#"{"metadata": {"managedFields": [{"fieldsV1": {"f:a": {}}}]}}"#,
    ] {
        assert_eq!(unknown(Kind::Ingress, json), [""; 0], "{json}");
    }
    assert_eq!(unknown(Kind::Service, r#"{"spec": {"any": 1}}"#), [""; 0]);
}

/// Each violation with its address.
fn violations(kind: Kind, json: &str) -> Vec<(String, SchemaError)> {
    ManifestErrors::of(kind, json).violations.into_iter().map(|found| (found.at.to_string(), found.fault)).collect()
}

#[test]
fn the_table_of_fields_holds_lists_maps_and_what_is_required() {
    let json = r#"{"spec": {"listeners": [{"name": "web", "port": "80", "hostName": "a"}], "infrastructure": {"labels": {"a": 7}}}}"#;
    let expected = [
        ("spec.gatewayClassName".to_owned(), SchemaError::Missing("gatewayClassName".to_owned())),
        (
            "spec.infrastructure.labels[a]".to_owned(),
            SchemaError::Mistyped { expected: "a string in quotes", written: "a number" },
        ),
        (
            "spec.listeners[0].port".to_owned(),
            SchemaError::Mistyped { expected: "a whole number", written: "a string" },
        ),
        ("spec.listeners[0].protocol".to_owned(), SchemaError::Missing("protocol".to_owned())),
    ];
    let mut found = violations(Kind::Gateway, json);
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    assert_eq!(found, expected);
    assert_eq!(unknown(Kind::Gateway, json), ["spec.listeners[0].hostName (hostname)"]);
}

#[test]
fn null_is_absent_and_whole_numbers_may_have_a_point() {
    let json = r#"{"metadata": {"labels": null}, "spec": {"rules": [null, {"host": null}],
        "defaultBackend": {"service": {"name": "a", "port": {"number": 80.0}}}}}"#;
    assert_eq!(violations(Kind::Ingress, json), []);
    let json = r#"{"spec": {"tls": [{"hosts": [null]}], "defaultBackend": {"service": {"port": {"number": 80.5}}}}}"#;
    let places: Vec<String> = violations(Kind::Ingress, json).into_iter().map(|(at, _)| at).collect();
    assert_eq!(places, ["spec.defaultBackend.service.port.number", "spec.tls[0].hosts[0]"]);
}
