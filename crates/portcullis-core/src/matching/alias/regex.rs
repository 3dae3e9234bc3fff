//! An upper bound for the hosts that a regular expression may match.

use regex_syntax::hir::Look;
use regex_syntax::hir::literal::{ExtractKind, Extractor, Literal};

use crate::matching::Host;
use crate::matching::compile::parse;
use crate::matching::host::canonical;

/// The maximum number of alternatives. An expression with more of them is assumed to match every host.
const MOST: usize = 64;

/// A set of hosts that contains all matches of `pattern`: precise hosts if the pattern lists them, wildcards if it
/// fixes the end of the name, and `Host::Any` otherwise. It is also `Host::Any` if the pattern is too large, or if
/// controllers may interpret it differently.
pub fn bound(pattern: &str) -> Vec<Host<'static>> {
    within(pattern).unwrap_or_else(|| vec![Host::Any])
}

fn within(pattern: &str) -> Option<Vec<Host<'static>>> {
    let pattern = pattern.trim();
    // Hosts are compared in lower case.
    let pattern = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    if !is_common(pattern) {
        return None;
    }
    let parsed = parse(pattern, false).ok()?;
    let properties = parsed.properties();
    if !properties.look_set_suffix().contains(Look::End) {
        return None;
    }
    let is_whole = properties.look_set_prefix().contains(Look::Start);
    let endings = Extractor::new().kind(ExtractKind::Suffix).limit_total(MOST).extract(&parsed);
    endings.literals()?.iter().map(|ending| host(ending, is_whole)).collect()
}

/// The host or wildcard that contains all matches with this ending.
fn host(ending: &Literal, is_whole: bool) -> Option<Host<'static>> {
    let text = std::str::from_utf8(ending.as_bytes()).ok()?;
    if ending.is_exact() && is_whole {
        return Some(Host::parse(text).into_owned()).filter(|host| *host != Host::Any);
    }
    let (_, suffix) = text.split_once('.')?;
    (!suffix.is_empty()).then(|| Host::Wildcard(canonical(suffix).into_owned().into()))
}

/// Whether an expression only has syntax that POSIX, PCRE, RE2 and Rust's parser interpret alike: no nested class, no
/// look-around, no flags, no literal brace.
fn is_common(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '\\' => escape(rest),
            '[' => class(rest),
            '{' => repetition(rest),
            '(' => Some(group(rest)).filter(|taken| *taken > 0),
            '^' | '$' | '.' | '|' | ')' | '*' | '+' | '?' | '-' | '_' | '/' => Some(1),
            _ => first.is_ascii_alphanumeric().then_some(1),
        };
        let Some(taken) = taken else { return false };
        rest = &rest[taken..];
    }
    true
}

/// The length of an escape that all engines interpret alike.
fn escape(text: &str) -> Option<usize> {
    text[1..].starts_with(['.', '-', '/', 'd', 'w']).then_some(2)
}

/// The length of a class that consists of single characters and ranges.
fn class(text: &str) -> Option<usize> {
    let end = text.find(']')?;
    let inner = &text[1..end];
    let inner = inner.strip_prefix('^').unwrap_or(inner);
    let is_simple = !inner.is_empty()
        && !inner.contains("--")
        && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    is_simple.then_some(end + 1)
}

/// The length of `{n}`, `{n,}` or `{n,m}`.
fn repetition(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let (least, most) = text[1..end].split_once(',').unwrap_or((&text[1..end], ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(end + 1)
}

/// The length of the opening of a group; 0 if it is not a plain group.
fn group(text: &str) -> usize {
    let Some(kind) = text[1..].strip_prefix('?') else { return 1 };
    if kind.starts_with(':') {
        return "(?:".len();
    }
    let named = kind.strip_prefix('P').unwrap_or(kind).strip_prefix('<').unwrap_or_default();
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let name = named.split_once('>').map(|(name, _)| name).filter(is_name);
    name.map_or(0, |name| text.len() - named.len() + name.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pattern: &str) -> String {
        bound(pattern).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_expression_is_bound_by_what_it_ends_with() {
        for (pattern, hosts) in [
            (r"^shop\.example\.com$", "shop.example.com"),
            (r"(?i)^Shop[.]example[.]com$", "shop.example.com"),
            (r"^(www|shop)\.example\.com$", "www.example.com shop.example.com"),
            (r"^(www\.)?example\.com$", "www.example.com example.com"),
            (r"^(?<tenant>.+)\.example\.com$", "*.example.com"),
            (r"^[a-z0-9-]+[.]example[.]com$", "*.example.com"),
            (r"shop\.example\.com$", "*.example.com"),
            (r"^[a-z]{2,}\.(eu|us)\.example\.com$", "*.eu.example.com *.us.example.com"),
        ] {
            assert_eq!(written(pattern), hosts, "{pattern}");
        }
    }

    #[test]
    fn unanchored_host_expression_may_match_every_host() {
        for pattern in [
            "",
            ".*",
            "^shop",
            r"^shop\.example\.com",
            r"^shop\.example\.com$|x",
            r"example$",
            r"^(?!shop).*\.example\.com$",
            r"^[s&&x]hop\.example\.com$",
            r"^[s[x]]{0}hop\.example\.com$",
            r"^[a--s]hop\.example\.com$",
            r"^a{,2}\.example\.com$",
            r"^(?x)shop\.example\.com$",
            r"^\Qshop.example.com\E$",
            r"^(shop$",
            r"^shöp\.example\.com$",
        ] {
            assert_eq!(written(pattern), "*", "{pattern}");
        }
        let large = format!(r"^{}\.example\.com$", r"\w".repeat(2100));
        assert_eq!(written(&large), "*", "an expression that is too large may match every host");
    }
}
