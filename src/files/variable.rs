//! Values that a tool or a reader fills in before they are applied: `${NAME}` of Flux, Argo CD and envsubst, `{{ name }}` of templates,
//! `<NAME>`, `{NAME}` and `YOUR_NAME` of instructions, `__NAME__` of scripts.

use portcullis_core::field::{FieldPath, Segment};
use portcullis_core::matching::annotation_names::is_plain;
use serde_json::Value;

/// Whether a manifest, given as JSON, may contain a variable.
pub fn may_have_variables(json: &str) -> bool {
    ["${", "{{", "<", "__"].iter().any(|start| json.contains(start))
        || json.contains(":null}")
        || words(json).any(is_instruction)
        || json.match_indices('{').any(|(start, _)| in_braces(&json[start..]).is_some())
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
    is_plain
        && at.value(object).is_some_and(|value| match value {
            Value::String(text) => has_variable(text),
            // `{NAME}` without quotes is a map.
            Value::Object(fields) => {
                let is_name = |(name, value): (&String, &Value)| value.is_null() && words(name).eq([&**name]);
                fields.len() == 1 && fields.iter().all(is_name)
            }
            _ => false,
        })
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
        let name = end.map_or("", |end| name[..end].trim_start_matches("*."));
        name.starts_with(|first: char| first.is_ascii_alphabetic())
    };
    let is_braced = |(start, _): (usize, &str)| in_braces(&text[start..]).is_some();
    text.match_indices("${").any(is_named)
        || words(text).any(is_instruction)
        // In a path, braces are more often those of an interface description, which no controller fills in.
        || !text.starts_with('/') && text.match_indices('{').any(is_braced)
        || (text.contains("{{") && text.contains("}}"))
        || ["<", "__"].iter().any(|delimiter| text.match_indices(delimiter).any(is_placeholder))
}

/// The name between the braces with which a text starts.
fn in_braces(text: &str) -> Option<&str> {
    let text = text.strip_prefix('{')?;
    let is_other = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '-' | '.');
    let (name, rest) = text.split_at(text.find(is_other)?);
    (name.starts_with(|first: char| first.is_ascii_alphabetic()) && rest.starts_with('}')).then_some(name)
}

/// The words in upper case, which no name of an object or host contains.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let separators = ['_', '-'];
    let is_other =
        move |letter: char| !letter.is_ascii_uppercase() && !letter.is_ascii_digit() && !separators.contains(&letter);
    text.split(is_other).map(move |word| word.trim_matches(separators))
}

/// Whether a word asks a reader to replace it.
fn is_instruction(word: &str) -> bool {
    const STARTS: [&str; 4] = ["CHANGE", "PLACEHOLDER", "REPLACE", "YOUR"];
    let has_separator = |rest: &str| rest.starts_with(['_', '-']);
    STARTS.iter().any(|start| word.strip_prefix(start).is_some_and(has_separator))
        || ["CHANGEME", "REPLACEME"].contains(&word)
        || word.ends_with("_PLACEHOLDER")
}

#[cfg(test)]
mod tests {
    use portcullis_core::field::At;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_with_a_variable_is_not_known() {
        let filled = [
            "shop.${DOMAIN}",
            "shop.${DOMAIN:=example.com}",
            "{{ .Values.host }}",
            "shop.<DOMAIN>",
            "<*.domain>",
            "__HOST__",
            "{GATEWAY_CLASS}",
            "shop.{domain}",
            "YOUR_HOST",
            "shop.REPLACE-ME",
            "CHANGEME",
            "REPLACEME-stable",
            "shop.HOST_PLACEHOLDER.example.com",
            "PLACEHOLDER_ADDRESSES",
        ];
        let written = [
            "shop.$DOMAIN",
            "${",
            "${1}",
            "a",
            "a__b",
            "<>",
            "a<b",
            "/items/{id}",
            "a{2,3}",
            "your-host",
            "YOURS",
            "PLACEHOLDER",
            "REPLACE",
        ];
        let hosts: Vec<&str> = filled.into_iter().chain(written).collect();
        let rules: Vec<Value> = hosts.iter().map(|host| json!({"host": host})).collect();
        let object = json!({"spec": {"rules": rules}});
        let known =
            (0..hosts.len()).map(|index| is_variable(&object, &At::element("spec.rules[].host", [index]).into()));
        let expected = hosts.iter().map(|host| filled.contains(host));
        assert!(known.eq(expected), "{hosts:?}");
        assert!(!is_variable(&object, &At::field("spec.rules").into()));
        let object = json!({"spec": {"gatewayClassName": {"CLASS_NAME": null}, "backend": {"service": null}}});
        assert!(is_variable(&object, &At::field("spec.gatewayClassName").into()));
        assert!(!is_variable(&object, &At::field("spec.backend").into()));
        let of_nginx = |name: &str| format!("nginx.ingress.kubernetes.io/{name}");
        let [snippet, weight] = ["configuration-snippet", "canary-weight"].map(of_nginx);
        let annotated = json!({"metadata": {"annotations": {&snippet: "${B}", &weight: "${B}"}}});
        let annotation = |key: &str| At::field("metadata.annotations").key(key);
        assert!(!is_variable(&annotated, &annotation(&snippet)));
        assert!(is_variable(&annotated, &annotation(&weight)));
        assert!(may_have_variables(&object.to_string()) && !may_have_variables("{\"a\": {}}"));
        assert!(may_have_variables("{\"a\":\"{b}\"}") && may_have_variables("{\"a\":\"YOUR_NAME\"}"));
    }
}
