//! Describes what the filters of a rule do.

use crate::kinds::filter::BackendRef;
use crate::kinds::filter::{Filter, HeaderModifier, PathModifier, RequestRedirect, UrlRewrite};

/// Describes what `filter` does.
pub(super) fn describe(filter: &Filter<'_>) -> String {
    let describe = match &*filter.kind {
        "RequestRedirect" => filter.request_redirect.as_deref().map(redirect),
        "URLRewrite" => filter.url_rewrite.as_deref().map(rewrite),
        "RequestHeaderModifier" => filter.request_header_modifier.as_deref().map(|m| headers("request", m)),
        "ResponseHeaderModifier" => filter.response_header_modifier.as_deref().map(|m| headers("response", m)),
        "RequestMirror" => filter
            .request_mirror
            .as_deref()
            .map(|mirror| format!("mirrors requests to {}", target(&mirror.backend_ref))),
        "CORS" => Some("answers preflight requests of other origins".to_owned()),
        "ExternalAuth" => filter
            .external_auth
            .as_deref()
            .map(|auth| format!("authorizes requests with {} first", target(&auth.backend_ref))),
        "ExtensionRef" => filter.extension_ref.as_deref().map(|extension| {
            format!("{} {}, which only the implementation knows", extension.kind_or(""), &*extension.name)
        }),
        _ => None,
    };
    describe.unwrap_or_else(|| format!("filter {} without settings", &*filter.kind))
}

/// Whether the filter answers requests itself.
pub(super) fn answers(filter: &Filter<'_>) -> bool {
    filter.redirect().is_some()
}

fn redirect(redirect: &RequestRedirect<'_>) -> String {
    let part = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
    let parts = [
        part("scheme", redirect.scheme.as_deref().map(str::to_owned)),
        part("host", redirect.hostname.as_deref().map(str::to_owned)),
        part("port", redirect.port.map(|port| port.to_string())),
        part("path", redirect.path.as_ref().map(path)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let to = if parts.is_empty() { "the same URL".to_owned() } else { parts.join(", ") };
    format!("answers with a redirect, {}: {to}", redirect.status_code.unwrap_or(302))
}

fn rewrite(rewrite: &UrlRewrite<'_>) -> String {
    let host = rewrite.hostname.as_deref().map(|host| format!("host {host}"));
    let path = rewrite.path.as_ref().map(|modifier| format!("path {}", path(modifier)));
    format!("rewrites to {}", host.into_iter().chain(path).collect::<Vec<_>>().join(", "))
}

fn path(modifier: &PathModifier<'_>) -> String {
    match (&modifier.replace_full_path, &modifier.replace_prefix_match) {
        (Some(full), _) if &*modifier.kind == "ReplaceFullPath" => full.to_string(),
        (_, Some(prefix)) => format!("{} for the matched prefix", if prefix.is_empty() { "/" } else { prefix }),
        _ => "unchanged".to_owned(),
    }
}

fn headers(of: &str, modifier: &HeaderModifier<'_>) -> String {
    let sets = modifier.set.iter().map(|header| format!("sets {}", &*header.name));
    let adds = modifier.add.iter().map(|header| format!("adds {}", &*header.name));
    let removes = modifier.remove.iter().map(|name| format!("removes {}", &**name));
    format!("{of} headers: {}", sets.chain(adds).chain(removes).collect::<Vec<_>>().join(", "))
}

fn target(backend: &BackendRef<'_>) -> String {
    let namespace = backend.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let port = backend.port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{} {namespace}{}{port}", backend.kind(), &*backend.name)
}
