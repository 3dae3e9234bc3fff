//! Hosts in canonical form: in lower case, without a trailing dot, with wildcards distinguished from precise names.

use std::borrow::Cow;
use std::fmt;

use crate::names;

/// How many labels the `*` of a wildcard matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Exactly one label, as in Ingress (KEP-758).
    OneLabel,
    /// One or more labels, as in the Gateway API, most proxies, and ownership, where the wider interpretation is the
    /// safe one.
    AnyLabels,
}

/// The three forms of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Every host.
    Any,
    /// A wildcard.
    Wildcard,
    /// One name.
    Precise,
}

/// A host that a rule, a listener or a configuration entry names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host<'a> {
    /// Every host.
    Any,
    /// `*.` and this suffix.
    Wildcard(Cow<'a, str>),
    /// Exactly this name.
    Precise(Cow<'a, str>),
}

impl<'a> Host<'a> {
    /// Parses a host as written. The empty text and a bare `*` represent every host.
    pub fn parse(written: &'a str) -> Self {
        let host = canonical(written);
        if host.is_empty() || host == "*" {
            return Self::Any;
        }
        match host {
            Cow::Borrowed(text) => match text.strip_prefix("*.") {
                Some(suffix) => Self::Wildcard(Cow::Borrowed(suffix)),
                None => Self::Precise(Cow::Borrowed(text)),
            },
            Cow::Owned(text) => match text.strip_prefix("*.") {
                Some(suffix) => Self::Wildcard(Cow::Owned(suffix.to_owned())),
                None => Self::Precise(Cow::Owned(text)),
            },
        }
    }

    /// The form of the host and its name without `*.`, which indexes store and hash.
    pub fn parts(&self) -> (Form, &str) {
        match self {
            Self::Any => (Form::Any, ""),
            Self::Wildcard(suffix) => (Form::Wildcard, suffix),
            Self::Precise(name) => (Form::Precise, name),
        }
    }

    /// The canonical text including `*.`, borrowed if the host is precise.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Precise(name) => Cow::Borrowed(name),
            host => Cow::Owned(host.to_string()),
        }
    }

    /// The host in a message: its canonical text, or `every host`.
    pub fn described(&self) -> Cow<'_, str> {
        if *self == Self::Any { Cow::Borrowed("every host") } else { self.text() }
    }

    /// Whether a client can request it: every host, or a DNS name with or without a leading wildcard.
    pub fn is_well_formed(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Wildcard(name) | Self::Precise(name) => names::is_subdomain(name),
        }
    }

    /// Returns the host with these parts.
    pub fn from_parts(form: Form, name: &'a str) -> Self {
        match form {
            Form::Any => Self::Any,
            Form::Wildcard => Self::Wildcard(Cow::Borrowed(name)),
            Form::Precise => Self::Precise(Cow::Borrowed(name)),
        }
    }

    /// The same host with owned text.
    pub fn into_owned(self) -> Host<'static> {
        match self {
            Self::Any => Host::Any,
            Self::Wildcard(suffix) => Host::Wildcard(Cow::Owned(suffix.into_owned())),
            Self::Precise(name) => Host::Precise(Cow::Owned(name.into_owned())),
        }
    }

    /// The wildcard that covers this precise name and its siblings: its first label is replaced by `*`.
    pub fn wildcard_above(self) -> Option<Self> {
        match self {
            Self::Precise(Cow::Borrowed(name)) => {
                name.split_once('.').map(|(_, suffix)| Self::Wildcard(Cow::Borrowed(suffix)))
            }
            Self::Precise(Cow::Owned(name)) => {
                name.split_once('.').map(|(_, suffix)| Self::Wildcard(Cow::Owned(suffix.to_owned())))
            }
            Self::Any | Self::Wildcard(_) => None,
        }
    }

    /// The wildcards of any depth that cover this host, the narrowest first, without the host itself and `Host::Any`.
    pub fn wildcards_above(&self) -> impl Iterator<Item = Host<'_>> {
        let name = self.parts().1;
        name.match_indices('.').map(|(dot, _)| Host::Wildcard(Cow::Borrowed(&name[dot + 1..])))
    }

    /// The host itself, then the [wildcards above](Self::wildcards_above) it.
    pub fn with_wildcards_above(&self) -> impl Iterator<Item = Host<'_>> {
        std::iter::once(self.borrowed()).chain(self.wildcards_above())
    }

    /// The labels in reverse order, such as `com.example.shop`; a wildcard ends with its `*`. In this order, the hosts
    /// that a host covers are adjacent.
    pub fn from_the_right(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Wildcard(suffix) => format!("{}.*", reversed(suffix)),
            Self::Precise(name) => reversed(name),
        }
    }

    /// The common prefix, [labels in reverse order](Self::from_the_right), of the hosts that this one covers at any
    /// depth; `None` for a precise name.
    pub fn prefix_of_covered(&self) -> Option<String> {
        match self {
            Self::Any => Some(String::new()),
            Self::Wildcard(suffix) => Some(format!("{}.", reversed(suffix))),
            Self::Precise(_) => None,
        }
    }

    /// Whether every request for `other` is also a request for this host.
    ///
    /// ```
    /// use portcullis_core::matching::{Depth, Host};
    ///
    /// let wildcard = Host::parse("*.example.com");
    /// assert!(wildcard.covers(&Host::parse("Shop.example.com"), Depth::OneLabel));
    /// assert!(!wildcard.covers(&Host::parse("a.shop.example.com"), Depth::OneLabel));
    /// assert!(wildcard.covers(&Host::parse("a.shop.example.com"), Depth::AnyLabels));
    /// assert!(Host::parse("").covers(&wildcard, Depth::OneLabel), "no host means every host");
    /// ```
    pub fn covers(&self, other: &Host<'_>, depth: Depth) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Host::Any) => false,
            (Self::Precise(name), Host::Precise(other)) => name == other,
            (Self::Precise(_), Host::Wildcard(_)) => false,
            (Self::Wildcard(suffix), Host::Precise(name)) => is_under(name, suffix, depth),
            (Self::Wildcard(suffix), Host::Wildcard(other)) => {
                suffix == other || (depth == Depth::AnyLabels && is_under(other, suffix, depth))
            }
        }
    }

    /// Whether some request matches both hosts.
    pub fn overlaps(&self, other: &Host<'_>, depth: Depth) -> bool {
        self.covers(other, depth) || other.covers(self, depth)
    }

    /// The requests that match both hosts, as the narrower of the two. Either one host covers the other or they have no
    /// request in common.
    pub fn intersection<'h>(&'h self, other: &'h Host<'_>, depth: Depth) -> Option<Host<'h>> {
        if self.covers(other, depth) {
            return Some(other.borrowed());
        }
        other.covers(self, depth).then(|| self.borrowed())
    }

    /// The same host, borrowed.
    pub fn borrowed(&self) -> Host<'_> {
        let (form, name) = self.parts();
        Host::from_parts(form, name)
    }

    /// Whether a request for `name` (canonical, without a port) matches this host.
    pub fn matches(&self, name: &str, depth: Depth) -> bool {
        match self {
            Self::Any => true,
            Self::Wildcard(suffix) => is_under(name, suffix, depth),
            Self::Precise(own) => own == name,
        }
    }
}

impl fmt::Display for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Wildcard(suffix) => write!(f, "*.{suffix}"),
            Self::Precise(name) => f.write_str(name),
        }
    }
}

/// Lower case and without the single trailing dot of an absolute name; borrowed if this changes nothing.
pub fn canonical(written: &str) -> Cow<'_, str> {
    let host = written.strip_suffix('.').unwrap_or(written);
    // No early exit, so that the compiler can vectorize the loop.
    match host.bytes().fold(false, |upper, byte| upper | byte.is_ascii_uppercase()) {
        true => Cow::Owned(host.to_ascii_lowercase()),
        false => Cow::Borrowed(host),
    }
}

fn reversed(name: &str) -> String {
    name.rsplit('.').collect::<Vec<_>>().join(".")
}

/// Whether `name` consists of one label (or one or more labels) and `suffix`, separated by a dot.
fn is_under(name: &str, suffix: &str, depth: Depth) -> bool {
    let Some(front) = name.strip_suffix(suffix).and_then(|front| front.strip_suffix('.')) else { return false };
    !front.is_empty() && (depth == Depth::AnyLabels || !front.contains('.'))
}
