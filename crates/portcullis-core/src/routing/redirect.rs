//! Redirects whose Location matches the rule that wrote it.

use crate::cluster::gateway_facts::ListenerFacts;
use crate::kinds::filter::{Filter, PathModifier, RequestRedirect};
use crate::kinds::http_route::{HttpMatch, HttpRule};
use crate::matching::request::written_path;
use crate::matching::{Host, Path, PathType};

/// The redirect of a rule that a client may meet again when it follows it, as far as only the route decides.
#[derive(Debug, Clone, Copy)]
pub struct Redirect<'o, 'a> {
    /// The index of the rule.
    pub rule: usize,
    /// The index of the filter.
    pub position: usize,
    /// The redirect.
    pub filter: &'o RequestRedirect<'a>,
    /// The path to which it leads.
    pub path: ReturnPath<'o>,
    /// The type and the value of the path that the rule matches.
    matched: (&'o str, &'o str),
}

/// A path of a redirect for which the rule of the redirect is chosen again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReturnPath<'o> {
    /// Another one, which no other rule of the route matches.
    Matched(&'o str),
    /// That of the request.
    Same,
}

impl<'o, 'a> Redirect<'o, 'a> {
    /// The redirect of the rule at `index`; `None` if it has none, or if it leads to a request that the rule may not get.
    pub fn of(rules: &'o [HttpRule<'a>], index: usize) -> Option<Self> {
        let rule = &rules[index];
        let (position, filter) = rule.filters.iter().enumerate().find_map(|(at, one)| Some((at, one.redirect()?)))?;
        if !rule.backend_refs.is_empty() || !rule.filters.iter().all(keeps_requests) {
            return None;
        }
        // Of other redirects, a client follows a POST by a GET.
        let keeps_method = matches!(filter.status_code, Some(307 | 308));
        let mut others = rules.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
        if !keeps_method && others.any(|other| other.matches.iter().any(|matched| matched.method.is_some())) {
            return None;
        }
        // A proxy that terminates TLS may say in a header which scheme was requested.
        let is_to_itself = is_elsewhere_unset(filter);
        let is_followed = |matched: &&HttpMatch<'_>| {
            (keeps_method || matches!(matched.method.as_deref(), None | Some("GET" | "HEAD")))
                && (is_to_itself || matched.headers.is_empty())
        };
        let after = |matched: Option<&'o HttpMatch<'a>>| match &filter.path {
            None => Some((ReturnPath::Same, written(matched))),
            Some(path) => Some((path_after(path, matched, rules, index)?, written(matched))),
        };
        let (path, matched) = match &rule.matches[..] {
            [] => after(None),
            matches => matches.iter().filter(is_followed).filter_map(|matched| after(Some(matched))).max(),
        }?;
        Some(Self { rule: index, position, filter, path, matched })
    }

    /// Whether another route of the same host, one of whose matches has this key, may get all requests that lead back to the rule.
    pub fn may_lose_to(&self, key: &str) -> bool {
        let Some(other) = written_path(key) else { return true };
        let full = self.filter.path.as_ref().and_then(|path| path.replace_full_path.as_deref());
        match (self.path, full) {
            (ReturnPath::Matched(path), _) | (ReturnPath::Same, Some(path)) => may_precede(other, path, self.matched),
            // The rule keeps the other requests below its path.
            (ReturnPath::Same, None) => {
                let are_plain = [other, self.matched].iter().all(|(kind, _)| matches!(*kind, "Exact" | "PathPrefix"));
                !are_plain || other.0 == self.matched.0 && without_slash(other.1) == without_slash(self.matched.1)
            }
        }
    }

    /// Whether the redirect leads to the requested URL on every listener.
    pub fn changes_nothing(&self) -> bool {
        self.path == ReturnPath::Same && is_elsewhere_unset(self.filter)
    }

    /// Whether some request to this listener, for one of these hosts of the route, is redirected to the same listener and host. Without
    /// a port, it is the default of a scheme that the redirect sets, and otherwise that of the listener.
    pub fn leads_back_to(&self, listener: &ListenerFacts, hosts: &[Host<'_>]) -> bool {
        let own = match &*listener.protocol {
            "HTTP" => "http",
            "HTTPS" => "https",
            _ => return false,
        };
        let scheme = self.filter.scheme.as_deref();
        let default = match scheme {
            Some("https") => Some(443),
            Some(_) => Some(80),
            None => listener.port,
        };
        let is_served = |written: &str| {
            let host = Host::parse(written);
            hosts.contains(&host) || hosts.is_empty() && host == listener.host
        };
        listener.error.is_none()
            && scheme.is_none_or(|scheme| scheme == own)
            && self.filter.port.or(default) == listener.port
            && self.filter.hostname.as_deref().is_none_or(is_served)
    }
}

/// Whether the redirect sets neither scheme nor host nor port.
fn is_elsewhere_unset(redirect: &RequestRedirect<'_>) -> bool {
    redirect.scheme.is_none() && redirect.hostname.is_none() && redirect.port.is_none()
}

/// Whether a client that follows a redirect sends the same headers, in spite of this filter of the rule.
fn keeps_requests(filter: &Filter<'_>) -> bool {
    match &*filter.kind {
        "RequestRedirect" | "RequestHeaderModifier" | "RequestMirror" | "CORS" => true,
        "ResponseHeaderModifier" => filter.response_headers().is_none_or(|headers| {
            let mut written = headers.set.iter().chain(&headers.add);
            !written.any(|header| header.name.eq_ignore_ascii_case("set-cookie"))
        }),
        _ => false,
    }
}

/// The path of the redirect of a request that `matched` matches, or of any request without one, if the rule at `index` gets the
/// redirected request, too.
fn path_after<'o>(
    path: &'o PathModifier<'_>,
    matched: Option<&HttpMatch<'_>>,
    rules: &[HttpRule<'_>],
    index: usize,
) -> Option<ReturnPath<'o>> {
    let (kind, value) = written(matched);
    if !matches!(kind, "Exact" | "PathPrefix") || matched.is_some_and(|matched| !matched.query_params.is_empty()) {
        return None;
    }
    let is_prefix = kind == "PathPrefix";
    let own = if is_prefix { PathType::Prefix } else { PathType::Exact };
    let new = match &*path.kind {
        "ReplaceFullPath" => path.replace_full_path.as_deref()?,
        "ReplacePrefixMatch" if is_prefix => path.replace_prefix_match.as_deref()?,
        _ => return None,
    };
    let is_same = new == value || is_prefix && without_slash(new) == without_slash(value);
    if is_same && &*path.kind == "ReplacePrefixMatch" {
        return Some(ReturnPath::Same);
    }
    let others = rules.iter().enumerate().filter(|(other, _)| *other != index);
    let is_taken = others.into_iter().any(|(_, other)| match &other.matches[..] {
        [] => may_precede(written(None), new, (kind, value)),
        matches => matches.iter().any(|other| may_precede(written(Some(other)), new, (kind, value))),
    });
    (!is_taken && Path::new(own, Some(value)).matches(new) == Some(true)).then_some(match is_same {
        true => ReturnPath::Same,
        false => ReturnPath::Matched(new),
    })
}

/// The type and the value of the path of a match.
fn written<'o>(matched: Option<&'o HttpMatch<'_>>) -> (&'o str, &'o str) {
    let path = matched.and_then(|matched| matched.path.as_ref());
    path.map_or(("PathPrefix", "/"), |path| (path.kind(), path.value()))
}

/// Whether a match of another path may take a request for `path` before one of this path, which is a prefix or exact.
fn may_precede((other, text): (&str, &str), path: &str, (kind, value): (&str, &str)) -> bool {
    match other {
        "Exact" => text == path,
        "PathPrefix" => {
            kind == "PathPrefix"
                && without_slash(text).len() >= without_slash(value).len()
                && Path::new(PathType::Prefix, Some(text)).matches(path) == Some(true)
        }
        _ => true,
    }
}

fn without_slash(path: &str) -> &str {
    path.trim_end_matches('/')
}
