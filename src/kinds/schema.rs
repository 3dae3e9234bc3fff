//! Fields that a kind does not have, by the API's own schema: the view types skip what nobody judges, so they cannot tell.

use std::sync::OnceLock;

use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use schemars::schema_for;
use serde_json::{Map, Value};

use super::Kind;
use crate::field::FieldPath;
use crate::names::closest;

/// The CRDs that are ours, as they are installed.
const INGRESS_ROUTES: &str = include_str!("../../manifests/crds/ingressroutes.yaml");
const CERTIFICATE_DELEGATIONS: &str = include_str!("../../manifests/crds/tlscertificatedelegations.yaml");

/// A field that the kind does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// Its address.
    pub at: FieldPath,
    /// Its name.
    pub name: String,
    /// The field of the same object that was likely meant.
    pub like: Option<String>,
}

/// The fields of `json` that an object of `kind` does not have, level by level by name; none for kinds that are not judged, and for
/// what is no JSON.
pub fn unknown_fields(kind: Kind, json: &str) -> Vec<UnknownField> {
    let (mut unknown, object) = (Vec::new(), serde_json::from_str::<Value>(json));
    if let (Some(root), Ok(object)) = (schema(kind), object) {
        Walk { root, unknown: &mut unknown }.walk(root, &object, &FieldPath::default());
    }
    unknown
}

/// The schema of a judged kind, made when it is first asked for.
fn schema(kind: Kind) -> Option<&'static Value> {
    static SCHEMAS: [OnceLock<Value>; 4] = [const { OnceLock::new() }; 4];
    match kind {
        Kind::Ingress => Some(SCHEMAS[0].get_or_init(|| schema_for!(Ingress).to_value())),
        Kind::IngressClass => Some(SCHEMAS[1].get_or_init(|| schema_for!(IngressClass).to_value())),
        Kind::IngressRoute => Some(SCHEMAS[2].get_or_init(|| of_crd(INGRESS_ROUTES))),
        Kind::TlsCertificateDelegation => Some(SCHEMAS[3].get_or_init(|| of_crd(CERTIFICATE_DELEGATIONS))),
        _ => None,
    }
}

/// The schema in the CRD of a single version; one of a CRD that is none knows no field, and so tells of none.
fn of_crd(crd: &str) -> Value {
    let crd: Value = serde_saphyr::from_str(crd).unwrap_or_default();
    crd.pointer("/spec/versions/0/schema/openAPIV3Schema").cloned().unwrap_or_default()
}

struct Walk<'w> {
    root: &'static Value,
    unknown: &'w mut Vec<UnknownField>,
}

impl Walk<'_> {
    /// Holds `value`, which stands at `at`, against `schema`. What is of another shape is another check's affair.
    fn walk(&mut self, schema: &'static Value, value: &Value, at: &FieldPath) {
        let schema = self.referred(schema);
        match value {
            Value::Object(fields) => match schema["properties"].as_object() {
                Some(known) => self.walk_fields(known, fields, at),
                None => {
                    let entries = fields.iter();
                    entries.for_each(|(key, value)| {
                        self.walk(&schema["additionalProperties"], value, &at.clone().key(key))
                    });
                }
            },
            Value::Array(elements) => {
                let elements = elements.iter().enumerate();
                elements.for_each(|(index, value)| self.walk(&schema["items"], value, &at.clone().index(index)));
            }
            _ => {}
        }
    }

    fn walk_fields(&mut self, known: &'static Map<String, Value>, fields: &Map<String, Value>, at: &FieldPath) {
        for (name, value) in fields {
            let at = at.clone().member(name);
            match known.get(name) {
                Some(schema) => self.walk(schema, value, &at),
                None => {
                    let like = closest(name, known.keys().map(String::as_str));
                    self.unknown.push(UnknownField { at, name: name.clone(), like });
                }
            }
        }
    }

    /// The schema itself, or the one that it refers to.
    fn referred(&self, schema: &'static Value) -> &'static Value {
        let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        reference.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(kind: Kind, json: &str) -> Vec<String> {
        let line = |field: UnknownField| match field.like {
            Some(like) => format!("{} ({like})", field.at),
            None => field.at.to_string(),
        };
        unknown_fields(kind, json).into_iter().map(line).collect()
    }

    #[test]
    fn fields_are_told_at_any_depth() {
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
        assert_eq!(
            unknown(Kind::IngressClass, r#"{"spec": {"controler": "a.com/b"}}"#),
            ["spec.controler (controller)"]
        );
    }

    #[test]
    fn fields_of_our_own_crds_are_told_where_their_type_is_declared() {
        let json = r#"{"metadata": {"anything": 1}, "spec": {"route": [], "healthCheck (Optional)": {"any": 1},
            "routes": [{"prefix": "/", "service": {"anything": 1}, "services": [{"weigth": 1}]}]}}"#;
        let expected = [
            "spec.route (routes)",
            "spec.routes[0].prefix (prefixRewrite)",
            "spec.routes[0].services[0].weigth (weight)",
        ];
        assert_eq!(unknown(Kind::IngressRoute, json), expected);
        let json = r#"{"spec": {"delegations": [{"secret": "a"}]}}"#;
        assert_eq!(unknown(Kind::TlsCertificateDelegation, json), ["spec.delegations[0].secret (secretName)"]);
    }

    #[test]
    fn what_has_another_shape_or_no_schema_is_passed_over() {
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
}
