//! Values that a tool or a reader fills in before they are applied: `${NAME}` of Flux, Argo CD and envsubst, `{{ name }}` of templates,
//! `<NAME>` of instructions, `__NAME__` of scripts.

use portcullis_core::field::{FieldPath, Segment};
use portcullis_core::matching::annotation_names::is_plain;
use serde_json::Value;

/// Whether a manifest, given as JSON, may contain a variable.
pub fn may_have_variables(json: &str) -> bool {
    ["${", "{{", "<", "__"].iter().any(|start| json.contains(start))
}

/// Whether the value of a field is not known, because it contains a variable. In annotations that are texts, `$` and braces have meanings
/// of their own.
pub fn is_variable(object: &Value, at: &FieldPath) -> bool {
    let has_meanings = |segment: &Segment| match segment {
        Segment::Field(name) => name == "annotations",
        Segment::Index(_) => false,
        Segment::Key(_) => true,
    };
    let is_plain = match at.segments() {
        [.., Segment::Field(annotations), Segment::Key(key)] if annotations == "annotations" => is_plain(key),
        segments => !segments.iter().any(has_meanings),
    };
    is_plain && at.value(object).and_then(Value::as_str).is_some_and(has_variable)
}

fn has_variable(text: &str) -> bool {
    let is_named = |(start, _): (usize, &str)| {
        let name = text[start + 2..].split('}').next().unwrap_or_default();
        name.len() < text.len() - start - 2
            && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    };
    let is_placeholder = |(start, delimiter): (usize, &str)| {
        let name = &text[start + delimiter.len()..];
        let end = name.find(if delimiter == "<" { ">" } else { delimiter });
        end.is_some_and(|end| end > 0 && name[..end].starts_with(|first: char| first.is_ascii_alphabetic()))
    };
    text.match_indices("${").any(is_named)
        || (text.contains("{{") && text.contains("}}"))
        || ["<", "__"].iter().any(|delimiter| text.match_indices(delimiter).any(is_placeholder))
}

#[cfg(test)]
mod tests {
    use portcullis_core::field::At;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_with_a_variable_is_not_known() {
        let filled =
            ["shop.${DOMAIN}", "shop.${DOMAIN:=example.com}", "{{ .Values.host }}", "shop.<DOMAIN>", "__HOST__"];
        let written = ["shop.$DOMAIN", "${", "${1}", "a", "a__b", "<>", "a<b"];
        let hosts: Vec<&str> = filled.into_iter().chain(written).collect();
        let rules: Vec<Value> = hosts.iter().map(|host| json!({"host": host})).collect();
        let object = json!({"spec": {"rules": rules}});
        let known =
            (0..hosts.len()).map(|index| is_variable(&object, &At::element("spec.rules[].host", [index]).into()));
        let expected = hosts.iter().map(|host| filled.contains(host));
        assert!(known.eq(expected), "{hosts:?}");
        assert!(!is_variable(&object, &At::field("spec.rules").into()));
        let of_nginx = |name: &str| format!("nginx.ingress.kubernetes.io/{name}");
        let [snippet, weight] = ["configuration-snippet", "canary-weight"].map(of_nginx);
        let annotated = json!({"metadata": {"annotations": {&snippet: "${B}", &weight: "${B}"}}});
        let annotation = |key: &str| At::field("metadata.annotations").key(key);
        assert!(!is_variable(&annotated, &annotation(&snippet)));
        assert!(is_variable(&annotated, &annotation(&weight)));
        assert!(may_have_variables(&object.to_string()) && !may_have_variables("{\"a\": {}}"));
    }
}
