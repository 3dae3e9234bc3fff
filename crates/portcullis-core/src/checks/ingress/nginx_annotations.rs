//! The annotations of ingress-nginx, and whether it may read those of an Ingress.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::checks::Context;
use crate::kinds::Ingress;
use crate::matching::controller::Controller;
use crate::names::similarity;
use crate::routing::controllers::may_be_served_by;

/// The prefix of the annotations of ingress-nginx.
pub(super) const PREFIX: &str = "nginx.ingress.kubernetes.io/";

/// Whether ingress-nginx serves the Ingress, as far as its classes are known: no class is of another controller.
pub(super) fn are_read(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    may_be_served_by(Controller::IngressNginx, ingress, cx.cluster)
}

/// The annotations with the prefix: the key, the name without the prefix, and the value. The controller ignores those without a value.
pub(super) fn all<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = (&'i str, &'i str, &'i str)> {
    let annotations = ingress.metadata.annotations.iter().filter(|(_, value)| !value.is_empty());
    annotations.filter_map(|(key, value)| Some((key, key.strip_prefix(PREFIX)?, value)))
}

/// The key and the value of the annotation with this name, without the prefix.
pub(super) fn named<'i>(name: &str, ingress: &'i Ingress<'_>) -> Option<(&'i str, &'i str)> {
    all(ingress).find_map(|(key, own, value)| (own == name).then_some((key, value)))
}

/// What the value of an annotation may be. The parser of ingress-nginx (internal/ingress/annotations) validates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    /// What `strconv.ParseBool` parses.
    Boolean,
    /// What `strconv.Atoi` parses.
    Integer,
    /// A size of nginx.
    Size,
    /// `on` or `off`.
    Switch,
    /// Addresses and networks, separated by commas.
    Networks,
    /// Another text.
    Text,
    /// The controller does not read the annotation: it did so in an earlier version, or another controller does.
    Other,
}

/// The names of the annotations without the prefix, one per line: the name, a tab, and the type of its value. Those that ingress-nginx
/// reads are from its docs/user-guide/nginx-configuration/annotations-risk.md; those of type `other` from its change log and from Higress.
const TABLE: &str = include_str!("nginx_annotations.tsv");

static TYPES: LazyLock<HashMap<&str, ValueType>> = LazyLock::new(|| TABLE.lines().filter_map(row).collect());

fn row(line: &str) -> Option<(&str, ValueType)> {
    let (name, word) = line.split_once('\t')?;
    let kind = match word {
        "boolean" => ValueType::Boolean,
        "integer" => ValueType::Integer,
        "size" => ValueType::Size,
        "switch" => ValueType::Switch,
        "networks" => ValueType::Networks,
        "text" => ValueType::Text,
        "other" => ValueType::Other,
        _ => return None,
    };
    Some((name, kind))
}

/// The type of the annotation with this name; `None` for a name that is not known.
pub(super) fn value_type(name: &str) -> Option<ValueType> {
    TYPES.get(name).copied()
}

/// The annotation that ingress-nginx reads whose name is most similar to `name`, if it is at least so similar.
pub(super) fn similar(name: &str, least: f64) -> Option<&'static str> {
    let read = TABLE.lines().filter_map(row).filter(|(_, kind)| *kind != ValueType::Other);
    let scored = read.map(|(known, _)| (similarity(name, known), known)).filter(|(score, _)| *score >= least);
    scored.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_each_row_has_a_type() {
        let names: Vec<_> = TABLE.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
        assert!(names.is_sorted_by(|one, next| one < next));
        assert_eq!(TYPES.len(), TABLE.lines().count());
    }
}
