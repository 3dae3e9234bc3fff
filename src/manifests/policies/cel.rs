//! Selectors of the configuration as expressions of CEL.

use portcullis_core::config::{LabelOperator, LabelRequirement, Match, NamespaceSelector};
use serde_json::Value;

/// A text as a literal.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A list of texts as a literal.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let all: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", all.join(", "))
}

/// Whether one of the expressions holds.
pub(super) fn any(expressions: Vec<String>) -> String {
    joined(expressions, " || ", "false")
}

/// Whether all expressions hold.
fn all(expressions: Vec<String>) -> String {
    joined(expressions, " && ", "true")
}

fn joined(expressions: Vec<String>, operator: &str, of_none: &str) -> String {
    match expressions.len() {
        0 => of_none.to_owned(),
        1 => expressions.into_iter().next().unwrap_or_default(),
        _ => format!("({})", expressions.join(operator)),
    }
}

/// Whether the selector selects the namespace of the object: the variables `ownNamespace` and `labels`. An object of a cluster-scoped kind is in
/// none.
pub(super) fn selects(selector: &NamespaceSelector) -> String {
    let (named, labels) = (globs("variables.ownNamespace", &selector.names), labeled(selector));
    let is_of_exclusion = selector.names.is_empty() && labels.is_none() && !selector.not_names.is_empty();
    let selected = match labels {
        _ if is_of_exclusion => "variables.ownNamespace != ''".to_owned(),
        Some(labels) if selector.names.is_empty() => labels,
        Some(labels) => any(vec![named, labels]),
        None => named,
    };
    match selector.not_names.is_empty() {
        true => selected,
        false => format!("(!{} && {selected})", globs("variables.ownNamespace", &selector.not_names)),
    }
}

/// Whether the labels of the namespace are as the selector says; `None` if it asks for none.
fn labeled(selector: &NamespaceSelector) -> Option<String> {
    let equal = selector.labels.iter().map(|(key, value)| has_one_of(key, std::slice::from_ref(value)));
    let conditions: Vec<String> = equal.chain(selector.match_expressions.iter().map(requirement)).collect();
    (!conditions.is_empty()).then(|| all(conditions))
}

fn requirement(requirement: &LabelRequirement) -> String {
    let LabelRequirement { key, operator, values } = requirement;
    match operator {
        LabelOperator::In => has_one_of(key, values),
        LabelOperator::NotIn => format!("!{}", has_one_of(key, values)),
        LabelOperator::Exists => format!("({} in variables.labels)", quoted(key)),
        LabelOperator::DoesNotExist => format!("!({} in variables.labels)", quoted(key)),
    }
}

fn has_one_of(key: &str, values: &[String]) -> String {
    let (key, values) = (quoted(key), list(values.iter().map(String::as_str)));
    format!("({key} in variables.labels && variables.labels[{key}] in {values})")
}

/// Whether `value`, an expression, is one of these texts, of which a trailing `*` matches anything.
fn globs(value: &str, patterns: &[String]) -> String {
    let (prefixes, exact): (Vec<&String>, Vec<&String>) = patterns.iter().partition(|pattern| pattern.ends_with('*'));
    let exact = (!exact.is_empty()).then(|| format!("({value} in {})", list(exact.iter().map(|text| text.as_str()))));
    let prefixes = prefixes.iter().map(|pattern| match pattern.trim_end_matches('*') {
        "" => "true".to_owned(),
        prefix => format!("{value}.startsWith({})", quoted(prefix)),
    });
    any(exact.into_iter().chain(prefixes).collect())
}

/// Whether a write is one that `written` selects. A condition of which a policy knows nothing is left out, so that the expression selects
/// more: `true` beside it says so.
pub(super) fn matches(written: &Match) -> (String, bool) {
    let Match { kinds, ingress_classes, namespaces, users, groups, extra } = written;
    let mut conditions = Vec::new();
    if !kinds.is_empty() {
        conditions.push(format!("(request.kind.kind in {})", list(kinds.iter().map(String::as_str))));
    }
    conditions.extend(namespaces.as_ref().map(selects));
    if !users.is_empty() {
        conditions.push(globs("request.userInfo.username", users));
    }
    if !groups.is_empty() {
        conditions.push(format!("request.userInfo.?groups.orValue([]).exists(group, {})", globs("group", groups)));
    }
    (all(conditions), !ingress_classes.is_empty() || !extra.is_empty())
}
