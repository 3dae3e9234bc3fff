//! What a difference in an annotation of a controller means.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::matching::annotation_names::{Role, vocabularies};
use crate::names::glob;
use crate::nginx::annotations::{self, PREFIX};

/// The annotations of controllers without a [`Vocabulary`](crate::matching::annotation_names::Vocabulary), one per line, each with its
/// role, separated by a tab. A trailing `*` matches any text that no other line matches. The names and meanings are from the documentation
/// and the sources of APISIX Ingress Controller 2.0, Kong Ingress Controller 3.5, the controller of GKE, and NGINX Ingress Controller 5.4.
const TABLE: &str = include_str!("roles.tsv");

/// The lines of the table.
struct Rows {
    keys: HashMap<&'static str, Role>,
    patterns: Vec<(&'static str, Role)>,
}

static ROWS: LazyLock<Rows> = LazyLock::new(|| {
    let rows = TABLE.lines().filter_map(|line| line.split_once('\t')).map(|(key, role)| (key, Role::parse(role)));
    let (patterns, keys): (Vec<_>, Vec<_>) = rows.partition(|(key, _)| key.ends_with('*'));
    Rows { keys: keys.into_iter().collect(), patterns }
});

/// What a difference in the annotation `key` means, if it is known.
pub(super) fn of(key: &str) -> Option<Role> {
    if let Some(name) = key.strip_prefix(PREFIX) {
        return annotations::named(name).map(|known| known.role);
    }
    let by_pattern = || ROWS.patterns.iter().find(|(pattern, _)| glob(pattern, key)).map(|(_, role)| *role);
    let of_vocabulary = || vocabularies().iter().find_map(|vocabulary| vocabulary.role(key));
    ROWS.keys.get(key).copied().or_else(of_vocabulary).or_else(by_pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_annotation_has_one_role() {
        let keys: Vec<&str> = TABLE.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
        assert!(keys.is_sorted_by(|one, next| one < next) && keys.len() == TABLE.lines().count());
        assert_eq!(of("konghq.com/read-timeout"), Some(Role::Unchanging));
        assert_eq!(of("nginx.org/client-max-body-size"), Some(Role::Protects("the body size limit")));
        assert_eq!([of("nginx.org/policies"), of("nginx.org/polices")], [Some(Role::Changing), Some(Role::Unread)]);
        assert_eq!(of("k8s.apisix.apache.org/http-redirect"), Some(Role::Acts("redirects")));
        assert_eq!([of("konghq.com/rewrite"), of("example.com/x")], [None, None]);
        assert_eq!(of("alb.ingress.kubernetes.io/healthcheck-path"), Some(Role::Unchanging));
        assert_eq!(of("nginx.ingress.kubernetes.io/auth-url"), Some(Role::Protects("authentication")));
    }
}
