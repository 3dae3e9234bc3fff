//! The errors in selectors of writes and of namespaces.

use std::collections::BTreeSet;

use crate::config::{ConfigError, LabelRequirement, Match, NamespaceSelector, Position, Spanned};
use crate::kinds::KindSet;
use crate::names;

/// The errors in a selector of writes, reported at `at`.
pub fn of_match(at: &Spanned<String>, only: &Match) -> Vec<ConfigError> {
    let namespaces = only.namespaces.iter().flat_map(|selector| of_namespaces(at, selector));
    namespaces.chain(unknown_kinds(&at.at, &only.kinds)).collect()
}

/// The errors in what a selector of writes lacks, reported at `at`.
pub fn gaps_in_match(at: &Spanned<String>, only: &Match) -> Vec<ConfigError> {
    let namespaces = only.namespaces.iter().flat_map(|selector| {
        let nothing = "match.namespaces selects no namespace: set names, notNames, labels or matchExpressions";
        let empty = selector.is_empty().then(|| at.error(nothing));
        empty.into_iter().chain(gaps_in_namespaces(at, selector))
    });
    let unset = only.extra.iter().filter(|(_, values)| values.is_empty());
    let unset = unset.map(|(key, _)| at.error(format!("match.extra.{key} has no value: use `*` to match any")));
    namespaces.chain(unset).collect()
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
    if !names::is_label_key(key) {
        return Some(at.error(format!("`{key}` is not a valid label key: use a key such as example.com/tier")));
    }
    let has_values = !operator.takes_values() && !values.is_empty();
    has_values.then(|| at.error(format!("the operator {operator:?} on label `{key}` must not have `values`")))
}

/// The errors in what a selector of namespaces lacks, reported at `at`.
pub fn gaps_in_namespaces(at: &Spanned<String>, selector: &NamespaceSelector) -> Vec<ConfigError> {
    let requirements = selector.match_expressions.iter().filter(|requirement| names::is_label_key(&requirement.key));
    let valueless =
        requirements.filter(|requirement| requirement.operator.takes_values() && requirement.values.is_empty());
    let error = |LabelRequirement { key, operator, .. }: &LabelRequirement| {
        at.error(format!("the operator {operator:?} on label `{key}` requires `values`"))
    };
    valueless.map(error).collect()
}

/// An error if `name` is not a valid name of a namespace, reported at `at`.
pub fn namespace(at: &Spanned<String>, name: &str) -> Option<ConfigError> {
    (!names::is_label(name))
        .then(|| at.error(format!("`{name}` is not a valid namespace: use a DNS label in lower case")))
}
