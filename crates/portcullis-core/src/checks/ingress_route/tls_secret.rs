//! The TLS Secret of a root.

use crate::checks::Context;
use crate::cluster::{Lookup, SecretFacts};
use crate::config::Extension;
use crate::kinds::IngressRoute;

/// The namespace and the name in a reference of the form `namespace/name` or `name`.
pub fn parts(secret: &str) -> (Option<&str>, &str) {
    secret.split_once('/').map_or((None, secret), |(namespace, name)| (Some(namespace), name))
}

/// The TLS Secret of a root, as written and as found in files. `None` if the root has no TLS, passes it through, or may
/// not use a Secret of another namespace.
pub fn named<'o, 'c>(route: &'o IngressRoute<'_>, cx: &Context<'c>) -> Option<(&'o str, Lookup<&'c SecretFacts>)> {
    let tls = route.spec.virtualhost.as_ref()?.tls.as_ref()?;
    let (namespace, name) = parts(&tls.secret_name);
    let may = namespace.is_none() || cx.config.extensions.contains(&Extension::CertDelegation);
    let is_named = !name.is_empty() && !tls.passthrough && may;
    is_named.then(|| (&*tls.secret_name, cx.cluster.secret(namespace.unwrap_or(cx.namespace()), name)))
}
