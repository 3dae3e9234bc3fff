//! How a root names a Secret.

/// The namespace, if one is named, and the name of a Secret that is written `namespace/name` or `name`.
pub fn parts(secret: &str) -> (Option<&str>, &str) {
    secret.split_once('/').map_or((None, secret), |(namespace, name)| (Some(namespace), name))
}
