//! The annotations of ingress-nginx as data, and how they are read from an Ingress.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::config::Risk;
use crate::kinds::Ingress;
use crate::kinds::annotation_value::parse_bool;
use crate::matching::annotation_names::Role;

/// The prefix of the annotations.
pub const PREFIX: &str = "nginx.ingress.kubernetes.io/";

/// Whether `explain` evaluates an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluation {
    /// It does.
    Evaluated,
    /// It does, but what the value stands for is not known: passwords, an address, a list of clients.
    Partly,
    /// The annotation changes no answer.
    Unchanged,
    /// It does not, and names the annotation where it may change the answer.
    Named,
}

/// An annotation.
#[derive(Debug)]
pub struct Annotation {
    /// The name, without the prefix.
    pub name: &'static str,
    /// The published risk.
    pub risk: Risk,
    /// Whether `explain` evaluates it.
    pub evaluation: Evaluation,
    /// The value that counts without the annotation; empty if there is none.
    pub default: &'static str,
    /// What it does; empty for those that few use.
    pub meaning: &'static str,
    /// What does the same in the Gateway API; empty for those that few use.
    pub counterpart: &'static str,
    /// What a difference in it means.
    pub role: Role,
}

/// The annotations, one per line: the name, the type of the value ([`annotation_names`](crate::matching::annotation_names)), and the other
/// fields of [`Annotation`], separated by tabs. Names, types and risks are from the page
/// docs/user-guide/nginx-configuration/annotations-risk.md of ingress-nginx, those of type `other` from its change log and from Higress,
/// defaults and meanings from its sources.
const TABLE: &str = include_str!("../matching/annotation_names/ingress_nginx.tsv");

static BY_NAME: LazyLock<HashMap<&str, Annotation>> =
    LazyLock::new(|| TABLE.lines().filter_map(row).map(|row| (row.name, row)).collect());

fn row(line: &'static str) -> Option<Annotation> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [name, _, risk, evaluation, default, meaning, counterpart, role] = columns[..] else { return None };
    let evaluation = match evaluation {
        "evaluated" => Evaluation::Evaluated,
        "partly" => Evaluation::Partly,
        "unchanged" => Evaluation::Unchanged,
        "named" => Evaluation::Named,
        _ => return None,
    };
    let risk = Risk::ALL.into_iter().find(|known| known.name() == risk)?;
    let role = Role::parse(role);
    Some(Annotation { name, risk, evaluation, default, meaning, counterpart, role })
}

/// All annotations, sorted by name.
pub fn table() -> impl Iterator<Item = &'static Annotation> {
    let mut rows: Vec<&Annotation> = BY_NAME.values().collect();
    rows.sort_unstable_by_key(|row| row.name);
    rows.into_iter()
}

/// The annotation with this name, without the prefix.
pub fn named(name: &str) -> Option<&'static Annotation> {
    BY_NAME.get(name)
}

/// The annotations of an Ingress: the key, the name without the prefix, and the value. The controller ignores those without a value.
pub fn all<'i>(ingress: &'i Ingress<'_>) -> impl Iterator<Item = (&'i str, &'i str, &'i str)> {
    let annotations = ingress.metadata.annotations.iter().filter(|(_, value)| !value.is_empty());
    annotations.filter_map(|(key, value)| Some((key, key.strip_prefix(PREFIX)?, value)))
}

/// The key and the value of the annotation of an Ingress with this name, without the prefix.
pub fn find<'i>(name: &str, ingress: &'i Ingress<'_>) -> Option<(&'i str, &'i str)> {
    all(ingress).find_map(|(key, own, value)| (own == name).then_some((key, value)))
}

/// The annotations of one Ingress.
#[derive(Debug, Clone, Copy)]
pub struct Annotations<'w>(pub &'w Ingress<'w>);

impl<'w> Annotations<'w> {
    /// The value of the annotation with this name.
    pub fn text(&self, name: &str) -> Option<&'w str> {
        find(name, self.0).map(|(_, value)| value)
    }

    /// Whether the annotation has the value true.
    pub fn is_true(&self, name: &str) -> bool {
        self.flag(name) == Some(true)
    }

    /// The value of a boolean; `None` if it is absent or invalid, for which the default counts.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.text(name).and_then(parse_bool)
    }

    /// The first of these annotations that is there.
    pub fn first<const N: usize>(&self, names: [&'static str; N]) -> Option<&'static str> {
        names.into_iter().find(|name| self.text(name).is_some())
    }

    /// The first annotation with a risk above `most`.
    pub fn riskier(&self, most: Risk) -> Option<&'static str> {
        let known = all(self.0).filter_map(|(_, name, _)| named(name));
        known.filter(|known| known.risk > most).map(|known| known.name).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_each_row_has_its_columns() {
        let names: Vec<_> = TABLE.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
        assert!(names.is_sorted_by(|one, next| one < next));
        assert_eq!(BY_NAME.len(), names.len());
        for row in table().filter(|row| matches!(row.evaluation, Evaluation::Evaluated | Evaluation::Partly)) {
            assert!(!row.meaning.is_empty(), "{}", row.name);
        }
    }

    #[test]
    fn annotation_table_has_the_published_count_per_risk() {
        let count = |risk| table().filter(|row| row.risk == risk).count();
        assert_eq!([Risk::Medium, Risk::High, Risk::Critical].map(count), [45, 10, 5]);
    }
}
