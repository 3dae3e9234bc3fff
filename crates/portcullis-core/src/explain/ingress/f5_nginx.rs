//! What the NGINX Ingress Controller by F5 does with requests for Ingresses that the API does not specify (internal/configs of the
//! controller, and its template).

use super::super::answer::Winner;
use super::super::outcome::Reply;
use super::super::request::Request;
use super::Ingresses;
use crate::kinds::annotation_value::parse_bool;
use crate::kinds::{Entries, Ingress};
use crate::matching::{Host, Path, PathTest, PathType};

const SSL_REDIRECT: &str = "nginx.org/ssl-redirect";
const FORMER_SSL_REDIRECT: &str = "ingress.kubernetes.io/ssl-redirect";
const REDIRECT_CODE: &str = "nginx.org/http-redirect-code";

const SNIPPETS: [&str; 2] = ["nginx.org/location-snippets", "nginx.org/server-snippets"];

/// Whether an answer evaluates the annotation `key`.
pub(in crate::explain) fn evaluates(key: &str) -> bool {
    matches!(key, SSL_REDIRECT | FORMER_SSL_REDIRECT | REDIRECT_CODE)
}

/// Whether plain HTTP is redirected to HTTPS for a host that is in `spec.tls`.
fn redirects(annotations: &Entries<'_>) -> bool {
    let flag = |key: &str| annotations.get(key).and_then(|value| parse_bool(value));
    flag(SSL_REDIRECT).or_else(|| flag(FORMER_SSL_REDIRECT)) != Some(false)
}

/// Whether `spec.tls` lists a host exactly as a rule does.
fn has_tls(ingress: &Ingress<'_>, host: &Host<'_>) -> bool {
    let mut listed = ingress.spec.tls.iter().flat_map(|tls| tls.hosts.iter());
    listed.any(|own| Host::parse(own) == *host)
}

/// Why it is not known whether the Ingress is served, if it has a snippet: the controller refuses it unless snippets are enabled.
fn snippet(annotations: &Entries<'_>) -> Option<String> {
    let present = SNIPPETS.iter().find(|key| annotations.get(key).is_some())?;
    Some(format!("whether the controller allows {present} and serves the Ingress is not known"))
}

/// The path that nginx redirects to the one of a location, which ends in a slash.
pub(super) fn without_slash<'p>(path: &'p PathTest<'_>) -> Option<PathTest<'p>> {
    let PathTest::Begins(text) = path else { return None };
    let plain = text.strip_suffix('/').filter(|plain| !plain.is_empty())?;
    Some(PathTest::Path(Path::new(PathType::Exact, Some(plain))))
}

impl<'w> Ingresses<'w> {
    /// The rules of `own` that are served, where all Ingresses that name a host but the oldest are ignored. Fails with the reason if it is
    /// not known which one is the oldest.
    pub(super) fn of_oldest(&self, own: &[usize]) -> Result<Vec<usize>, String> {
        let created = |rule: usize| self.rules[rule].candidate.created;
        let source = |rule: usize| self.rules[rule].source;
        let Some(oldest) = own.iter().copied().min_by_key(|rule| (created(*rule).is_none(), created(*rule))) else {
            return Ok(Vec::new());
        };
        match own.iter().find(|rule| source(**rule) != source(oldest) && created(**rule) == created(oldest)) {
            Some(other) => {
                let other = self.rules[*other].candidate.object;
                Err(format!("{other} names the host, too, and which Ingress is older is not known"))
            }
            None => Ok(own.iter().copied().filter(|rule| source(*rule) == source(oldest)).collect()),
        }
    }

    /// The rule among `own` whose location nginx redirects this path to, which lacks the slash at its end.
    pub(super) fn redirecting(&self, own: &[usize], chosen: Option<usize>, request: &Request) -> Option<usize> {
        let is_exact = |rule: usize| match &self.rules[rule].candidate.path {
            PathTest::Path(path) => path.kind == PathType::Exact,
            PathTest::Begins(text) => **text == *request.path,
            PathTest::Pattern(_) => true,
            _ => false,
        };
        let is_without = |rule: &&usize| {
            let path = without_slash(&self.rules[**rule].candidate.path);
            path.is_some_and(|path| path.matches(&request.path))
        };
        own.iter().find(is_without).copied().filter(|_| !chosen.is_some_and(is_exact))
    }

    /// Changes the answer of the `chosen` rule, or of the default backend of its Ingress, into that of the controller; with whether nginx
    /// redirects to its path.
    pub(super) fn apply_f5_nginx(
        &self,
        winner: &mut Winner,
        (chosen, is_redirected): (usize, bool),
        own: &[usize],
        request: &Request,
    ) {
        let rule = &self.rules[chosen];
        let ingress = self.sources[rule.source].ingress;
        let annotations = &ingress.metadata.annotations;
        let query = request.query_text.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
        let redirect = |code, scheme: &str, path: &str| Reply::Redirect {
            code,
            location: format!("{scheme}://{}{path}{query}", request.host),
        };
        let doubt = snippet(annotations);
        if let Some(why) = doubt {
            winner.outcome.reply = Reply::Unknown(why);
        } else if !request.is_secure && has_tls(ingress, &rule.host) && redirects(annotations) {
            let code = annotations.get(REDIRECT_CODE).and_then(|code| code.parse().ok()).unwrap_or(301);
            winner.outcome.reply = redirect(code, "https", &request.path);
        } else if let Some(why) = self.unordered_in_f5_nginx(chosen, own, request) {
            winner.outcome.reply = Reply::Unknown(why);
        } else if is_redirected {
            let scheme = if request.is_secure { "https" } else { "http" };
            winner.outcome.reply = redirect(301, scheme, &format!("{}/", request.path));
        }
    }

    /// Why it is not known which location nginx selects: it refuses two with one path, and expressions are tried in the order of the
    /// configuration.
    fn unordered_in_f5_nginx(&self, chosen: usize, own: &[usize], request: &Request) -> Option<String> {
        let is_pattern = |rule: usize| matches!(self.rules[rule].candidate.path, PathTest::Pattern(_));
        let is_same = |other: usize| self.rules[chosen].candidate.spelling == self.rules[other].candidate.spelling;
        let is_unordered = |other| is_pattern(chosen) || is_pattern(other) || is_same(other);
        let is_open = |other| self.has_other_backend(chosen, other) && is_unordered(other);
        self.unordered(chosen, own, request, is_open)
    }
}
