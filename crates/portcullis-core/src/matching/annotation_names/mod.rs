//! The annotations that controllers read from Ingresses, as data: their names, and what a controller accepts as a value.

mod role;
mod value_type;

use std::sync::LazyLock;

pub use role::Role;
pub use value_type::ValueType;

use super::controller::Controller;
use crate::kinds::Ingress;
use crate::names::{glob, similarity};

/// Who else reads annotations with a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    /// The prefix belongs to the controller.
    Own,
    /// Controllers of others read it, too. An annotation that only this controller has shows for which one an Ingress is written.
    SharedButNames,
    /// Many controllers read it, and annotations of the same name.
    Shared,
}

/// An annotation that a controller has or had.
#[derive(Debug)]
pub struct KnownAnnotation {
    /// The name, without the prefix. A trailing `*` matches any text.
    pub name: &'static str,
    /// What the controller accepts as a value.
    pub value_type: ValueType,
    /// Whether an annotation of this name shows that an Ingress is written for this controller, although others read the prefix.
    is_telling: bool,
    /// What a difference in the annotation means, if the table says so.
    role: Option<Role>,
}

/// The annotations of one controller.
#[derive(Debug)]
pub struct Vocabulary {
    /// The controller.
    pub controller: Controller,
    /// The message about a name that it does not have, with a `{}` for that name, and one for a similar name that it has.
    pub unknown: &'static str,
    prefixes: &'static [(&'static str, Prefix)],
    /// Sorted by name.
    known: Vec<KnownAnnotation>,
    /// Those of `known` whose names end with `*`.
    patterns: Vec<usize>,
}

/// An annotation of an Ingress that has a prefix of a vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct Written<'i> {
    /// The key.
    pub key: &'i str,
    /// The key without the prefix.
    pub name: &'i str,
    /// The value, which is not empty.
    pub value: &'i str,
    /// Who else reads the prefix.
    pub prefix: Prefix,
}

const ALB: &[(&str, Prefix)] = &[("alb.ingress.kubernetes.io/", Prefix::SharedButNames)];
const HAPROXY_INGRESS: &[(&str, Prefix)] =
    &[("haproxy-ingress.github.io/", Prefix::Own), ("ingress.kubernetes.io/", Prefix::Shared)];
const HAPROXY_TECH: &[(&str, Prefix)] =
    &[("haproxy.com/", Prefix::Own), ("haproxy.org/", Prefix::Own), ("ingress.kubernetes.io/", Prefix::Shared)];
const INGRESS_NGINX: &[(&str, Prefix)] = &[("nginx.ingress.kubernetes.io/", Prefix::Own)];
const TRAEFIK: &[(&str, Prefix)] = &[("traefik.ingress.kubernetes.io/", Prefix::Own)];

/// The vocabularies. Each table has a line for each name, sorted: the name, the type of its value, and further columns, separated by tabs.
/// The type `other` means that the controller does not read the annotation on an Ingress: it did so in an earlier version, reads it in its
/// ConfigMap or on Services, or another controller reads it. `own` in the third column makes a name telling, and the
/// fourth column of a table other than that of ingress-nginx is the [`Role`].
///
/// The names and types are from these sources:
///
/// - AWS Load Balancer Controller 3 (commit 00c019c9): `pkg/annotations/constants.go`, and `pkg/ingress/model_build_*.go`,
///   `auth_config_builder.go` and `group_loader.go`, which fail to reconcile the group of an Ingress with a value that they do not parse.
///   The roles are from the documentation of 2.13. Type `foreign`: names of the controllers of Alibaba Cloud (`pkg/controller/ingress/reconcile/annotations`) and NAVER Cloud.
/// - HAProxy Ingress, the development branch after 0.14: `docs/content/en/docs/configuration/keys.md`, and
///   `pkg/converters/ingress/annotations/{validator,updater}.go`, which ignore a value that they do not parse.
/// - HAProxy Kubernetes Ingress Controller 3.2: `documentation/annotations.md`, and `pkg/annotations` with `pkg/utils/utils.go`, which log
///   an error and leave the annotation out.
/// - ingress-nginx 1.15: see [`nginx::annotations`](crate::nginx::annotations), whose table it is.
/// - Traefik 3, with what 2 has: `pkg/provider/kubernetes/ingress/annotations.go`; an Ingress whose annotations below `router.` do not
///   decode is ignored.
///   The names of version 1 are from its page of the Kubernetes Ingress provider (1.7).
static VOCABULARIES: LazyLock<[Vocabulary; 5]> = LazyLock::new(|| {
    [
        Vocabulary::new(
            Controller::Aws,
            "the AWS controller has no annotation `{}`; did you mean `{}`?",
            ALB,
            include_str!("aws.tsv"),
        ),
        Vocabulary::new(
            Controller::HaproxyIngress,
            "HAProxy Ingress has no annotation `{}`; did you mean `{}`?",
            HAPROXY_INGRESS,
            include_str!("haproxy_ingress.tsv"),
        ),
        Vocabulary::new(
            Controller::HaproxyTech,
            "HAProxy has no annotation `{}`; did you mean `{}`?",
            HAPROXY_TECH,
            include_str!("haproxy_tech.tsv"),
        ),
        Vocabulary::new(
            Controller::IngressNginx,
            "ingress-nginx has no annotation `{}`; did you mean `{}`?",
            INGRESS_NGINX,
            include_str!("ingress_nginx.tsv"),
        ),
        Vocabulary::new(
            Controller::Traefik,
            "Traefik has no annotation `{}`; did you mean `{}`?",
            TRAEFIK,
            include_str!("traefik.tsv"),
        ),
    ]
});

/// The annotations of all controllers for which there is a table.
pub fn vocabularies() -> &'static [Vocabulary] {
    &*VOCABULARIES
}

/// Whether a controller reads the annotation `key` as a number, a word, networks or JSON, so that `$` and `{{` have no meaning in its value.
pub fn is_plain(key: &str) -> bool {
    let is_text = |known: &KnownAnnotation| known.value_type == ValueType::Text;
    vocabularies().iter().filter_map(|vocabulary| vocabulary.of(key)).any(|known| known.is_read() && !is_text(known))
}

impl Vocabulary {
    fn new(
        controller: Controller,
        unknown: &'static str,
        prefixes: &'static [(&'static str, Prefix)],
        table: &'static str,
    ) -> Self {
        let known: Vec<KnownAnnotation> = table.lines().filter_map(KnownAnnotation::parse).collect();
        let patterns = (0..known.len()).filter(|&position| known[position].name.ends_with('*')).collect();
        Self { controller, unknown, prefixes, known, patterns }
    }

    /// The annotations of an Ingress with a prefix of the controller. Those without a value are left out: controllers ignore them.
    pub fn written<'i>(&'static self, ingress: &'i Ingress<'_>) -> impl Iterator<Item = Written<'i>> {
        let annotations = ingress.metadata.annotations.iter().filter(|(_, value)| !value.is_empty());
        annotations.filter_map(|(key, value)| {
            let (name, prefix) = self.split(key)?;
            Some(Written { key, name, value, prefix })
        })
    }

    /// The rest of a key after one of the prefixes, and who else reads that prefix.
    fn split<'k>(&self, key: &'k str) -> Option<(&'k str, Prefix)> {
        self.prefixes.iter().find_map(|(text, prefix)| Some((key.strip_prefix(text)?, *prefix)))
    }

    fn of(&self, key: &str) -> Option<&KnownAnnotation> {
        let (name, _) = self.split(key)?;
        self.named(name)
    }

    /// What a difference in the annotation `key` means, if the table says so.
    pub fn role(&self, key: &str) -> Option<Role> {
        self.of(key)?.role
    }

    /// The annotation with this name, without the prefix.
    pub fn named(&self, name: &str) -> Option<&KnownAnnotation> {
        let exact = self.known.binary_search_by_key(&name, |known| known.name).ok();
        let of_pattern = || self.patterns.iter().copied().find(|&position| glob(self.known[position].name, name));
        exact.or_else(of_pattern).map(|position| &self.known[position])
    }

    /// The annotation that the controller reads on an Ingress whose name is most similar to `name`, if it is at least so similar.
    pub fn similar(&self, name: &str, least: f64) -> Option<&'static str> {
        let read = self.known.iter().filter(|known| known.is_read() && !known.name.ends_with('*'));
        let scored = read.map(|known| (similarity(name, known.name), known.name)).filter(|(score, _)| *score >= least);
        scored.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
    }

    /// Whether the annotations of an Ingress show that it is written for this controller, although others read the prefix.
    pub fn is_meant(&'static self, ingress: &Ingress<'_>) -> bool {
        let known = || self.written(ingress).filter_map(|written| self.named(written.name));
        known().any(|known| known.is_telling) && !known().any(|known| known.value_type == ValueType::Foreign)
    }
}

impl KnownAnnotation {
    fn parse(line: &'static str) -> Option<Self> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, value_type, ref further @ ..] = columns[..] else { return None };
        let role = further.get(1).filter(|_| further.len() == 2).copied().map(Role::parse);
        Some(Self {
            name,
            value_type: ValueType::parse(value_type)?,
            is_telling: further.first() == Some(&"own"),
            role,
        })
    }

    /// Whether the controller reads the annotation on an Ingress.
    fn is_read(&self) -> bool {
        !matches!(self.value_type, ValueType::Foreign | ValueType::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_each_table_is_a_known_annotation_and_the_names_are_sorted() {
        for (vocabulary, lines) in vocabularies().iter().zip([
            include_str!("aws.tsv"),
            include_str!("haproxy_ingress.tsv"),
            include_str!("haproxy_tech.tsv"),
            include_str!("ingress_nginx.tsv"),
            include_str!("traefik.tsv"),
        ]) {
            assert_eq!(vocabulary.known.len(), lines.lines().count(), "{:?}", vocabulary.controller);
            assert!(vocabulary.known.is_sorted_by(|one, next| one.name < next.name), "{:?}", vocabulary.controller);
        }
    }

    #[test]
    fn no_known_name_is_a_misspelling_of_its_own_controller() {
        for vocabulary in vocabularies() {
            for known in vocabulary.known.iter().filter(|known| !known.name.ends_with('*')) {
                assert!(vocabulary.named(known.name).is_some(), "{}", known.name);
            }
        }
        let traefik = vocabularies().iter().find(|vocabulary| vocabulary.controller == Controller::Traefik);
        let traefik = traefik.expect("Traefik has a table");
        assert!(traefik.named("router.tls.domains.0.main").is_some());
        assert!(traefik.named("service.sticky.cookie").is_some());
        assert!(traefik.named("router.entrypoint").is_none());
        assert_eq!(traefik.similar("router.entrypoint", 0.85), Some("router.entrypoints"));
        assert_eq!(traefik.similar("router.unknown", 0.85), None);
    }
}
