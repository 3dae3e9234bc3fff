//! The hosts that one entry of a list may match.

use super::regex;
use crate::matching::Host;
use crate::matching::host::canonical;

/// The hosts that an entry of a list may match.
#[derive(Debug, PartialEq, Eq)]
pub enum HostEntry<'a> {
    /// Exactly this host or wildcard.
    Plain(Host<'a>),
    /// A subset of these hosts, because the entry is not a plain host.
    Within(Vec<Host<'a>>),
}

impl<'a> HostEntry<'a> {
    /// Parses an entry without surrounding white space.
    pub fn of(entry: &'a str) -> Self {
        if let Some(pattern) = entry.strip_prefix('~') {
            return Self::Within(regex::bound(pattern));
        }
        let name = entry.trim_end_matches('.');
        if is_plain(name.strip_prefix("*.").unwrap_or(name)) {
            return Self::Plain(Host::parse(name));
        }
        if let Some((host, port)) = name.rsplit_once(':')
            && (port == "*" || port.bytes().all(|byte| byte.is_ascii_digit()))
        {
            return Self::Within(Self::of(host).into_hosts());
        }
        match name.strip_prefix('.') {
            // nginx treats `.example.com` as the name itself and all names below it.
            Some(apex) if is_plain(apex) => Self::Within(vec![Host::parse(apex), Host::Wildcard(canonical(apex))]),
            _ => Self::Within(vec![bound(name)]),
        }
    }

    /// The hosts of either variant.
    pub fn into_hosts(self) -> Vec<Host<'a>> {
        match self {
            Self::Plain(host) => vec![host],
            Self::Within(hosts) => hosts,
        }
    }
}

/// Whether `name` matches only itself.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// Characters that may end the entry within the proxy's configuration, so that the rest is parsed as other
/// configuration.
const BREAKING: &[char] =
    &['"', '\'', '`', ';', '{', '}', '(', ')', '[', ']', '<', '>', '$', '#', '\\', '|', '^', '+', ','];

/// The hosts that a name with a non-host character may match. A `*`, a `?` or a character outside ASCII may represent
/// any text, so only the labels after the last of them are certain.
fn bound(name: &str) -> Host<'_> {
    if name.contains(BREAKING) || name.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Host::Any;
    }
    let is_certain = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let certain = name.rsplit(|letter| !is_certain(letter)).next().unwrap_or_default();
    match certain.split_once('.') {
        Some((_, suffix)) if is_plain(suffix) => Host::Wildcard(canonical(suffix)),
        _ => Host::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_host_or_is_within_some() {
        let plain = |host| HostEntry::Plain(Host::parse(host));
        let within = |hosts: &[&'static str]| HostEntry::Within(hosts.iter().map(|host| Host::parse(host)).collect());
        for (entry, expected) in [
            ("shop.example.com", plain("shop.example.com")),
            ("Shop.Example.COM.", plain("shop.example.com")),
            ("*.example.com", plain("*.example.com")),
            ("localhost", plain("localhost")),
            ("foo_bar.example.com", plain("foo_bar.example.com")),
            (".Example.com", within(&["example.com", "*.example.com"])),
            ("shop.example.com:8443", within(&["shop.example.com"])),
            ("*.example.com:*", within(&["*.example.com"])),
            ("www.example.*", within(&["*"])),
            ("*", within(&["*"])),
            ("**.example.com", within(&["*.example.com"])),
            ("*shop.example.com", within(&["*.example.com"])),
            ("s?op.example.com", within(&["*.example.com"])),
            ("ｓhop.example.com", within(&["*.example.com"])),
            ("shop。example.com", within(&["*.com"])),
            ("~^shop", within(&["*"])),
            ("~^shop\\.example\\.com$", within(&["shop.example.com"])),
            ("\"shop.example.com\"", within(&["*"])),
            ("a;shop.example.com", within(&["*"])),
            ("$host", within(&["*"])),
        ] {
            assert_eq!(HostEntry::of(entry), expected, "{entry}");
        }
    }
}
