//! Keys of annotations as the controllers that read them compare them.

use std::borrow::Cow;

/// The prefix of Traefik's annotations. It finds their names without regard to case (`findTypedField` in traefik/paerser), but not the prefix.
const CASELESS_PREFIX: &str = "traefik.ingress.kubernetes.io/";

/// The domain of the key of a label or an annotation, with its slash: `example.com/` of `example.com/team`. Empty for a
/// key without one.
pub fn domain_of_key(key: &str) -> &str {
    key.find('/').map_or("", |slash| &key[..=slash])
}

/// Whether the names after this prefix are found without regard to case.
pub fn ignores_case(prefix: &str) -> bool {
    prefix.starts_with(CASELESS_PREFIX)
}

/// `key` in lower case if its controller ignores case, and unchanged otherwise.
pub fn as_compared(key: Cow<'_, str>) -> Cow<'_, str> {
    match ignores_case(&key) && key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(key.to_ascii_lowercase()),
        false => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_traefik_are_compared_without_case() {
        for (key, compared) in [
            ("traefik.ingress.kubernetes.io/router.pathMatcher", "traefik.ingress.kubernetes.io/router.pathmatcher"),
            ("traefik.ingress.kubernetes.io/router.rule", "traefik.ingress.kubernetes.io/router.rule"),
            ("Traefik.ingress.kubernetes.io/Router.Rule", "Traefik.ingress.kubernetes.io/Router.Rule"),
            ("nginx.ingress.kubernetes.io/Server-Alias", "nginx.ingress.kubernetes.io/Server-Alias"),
        ] {
            assert_eq!(as_compared(Cow::Borrowed(key)), compared);
        }
    }
}
