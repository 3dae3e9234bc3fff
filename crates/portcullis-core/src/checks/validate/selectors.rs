//! The errors in selectors of writes and of namespaces.

use std::collections::BTreeSet;

use crate::config::{ConfigError, LabelRequirement, Match, NamespaceSelector, Position, Spanned};
use crate::kinds::KindSet;
use crate::names;

/// The errors in a selector of writes, reported at `at`.
pub fn of_match(at: &Spanned<String>, only: &Match) -> Vec<ConfigError> {
    let namespaces = only.namespaces.iter().flat_map(|selector| {
        let nothing = "match.namespaces selects no namespace: set names, notNames, labels or matchExpressions";
        let empty = selector.is_empty().then(|| at.error(nothing));
        empty.into_iter().chain(of_namespaces(at, selector))
    });
    let unset = only.extra.iter().filter(|(_, values)| values.is_empty());
    let unset = unset.map(|(key, _)| at.error(format!("match.extra.{key} has no value: use `*` to match any")));
    namespaces.chain(unset).chain(unknown_kinds(&at.at, &only.kinds)).collect()
}

/// The errors in names of kinds of objects that are validated, reported at `at`.
pub fn unknown_kinds<'k>(at: &'k Position, names: &'k [String]) -> impl Iterator<Item = ConfigError> + 'k {
    // Two kinds have the name TLSCertificateDelegation.
    let known: BTreeSet<&'static str> = KindSet::VALIDATED.iter().map(|kind| kind.api().kind).collect();
    names.iter().filter_map(move |name| {
        let error = || ConfigError::new(format!("unknown kind `{name}`"), at.clone());
        (!known.contains(name.as_str())).then(|| error().with_known(name, known.iter().copied().collect()))
    })
}

/// The errors in a selector of namespaces, reported at `at`; a name may end in `*`.
pub fn of_namespaces(at: &Spanned<String>, selector: &NamespaceSelector) -> Vec<ConfigError> {
    let names = selector.names.iter().chain(&selector.not_names).filter(|name| !name.ends_with('*'));
    let keys = selector.match_expressions.iter().filter_map(|requirement| requirement_error(at, requirement));
    names.filter_map(|name| namespace(at, name)).chain(keys).collect()
}

fn requirement_error(at: &Spanned<String>, requirement: &LabelRequirement) -> Option<ConfigError> {
    let LabelRequirement { key, operator, values } = requirement;
    let takes_values = operator.takes_values();
    let message = match values.is_empty() {
        _ if !names::is_label_key(key) => {
            format!("`{key}` is not a valid label key: use a key such as example.com/tier")
        }
        true if takes_values => format!("the operator {operator:?} on label `{key}` requires `values`"),
        false if !takes_values => format!("the operator {operator:?} on label `{key}` must not have `values`"),
        _ => return None,
    };
    Some(at.error(message))
}

/// An error if `name` is not a valid name of a namespace, reported at `at`.
pub fn namespace(at: &Spanned<String>, name: &str) -> Option<ConfigError> {
    (!names::is_label(name))
        .then(|| at.error(format!("`{name}` is not a valid namespace: use a DNS label in lower case")))
}
