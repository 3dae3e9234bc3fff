//! The entries of `hostOwnership` as literals of CEL.

use std::cmp::Reverse;

use portcullis_core::cluster::HostTemplate;
use portcullis_core::config::{ClaimMode, Config, NamespaceSelector, OwnedHost};
use portcullis_core::matching::Host;

use super::cel::{any, quoted, selects};

/// The entries, the most specific first.
pub(super) struct Entries(Vec<Entry>);

/// An entry.
struct Entry {
    /// Whether it is precise, its labels, and whether it has no placeholders.
    rank: (bool, usize, bool),
    /// The host as a literal.
    host: String,
    form: Form,
    /// The owners as an expression: empty if the namespace of the object is one, or else their description.
    by: String,
    /// Whether only HostClaims give its own host to namespaces.
    is_without_owner: bool,
    /// Whether only HostClaims give the hosts that it covers to namespaces.
    covers_without_owner: bool,
    /// What HostClaims mean for its hosts.
    mode: ClaimMode,
}

enum Form {
    Precise,
    /// What the hosts that it covers end with.
    Wildcard {
        suffix: String,
    },
    /// In addition, the regular expression of the hosts that it could cover, and the host of the namespace of the object as an expression;
    /// empty if it has none.
    Template {
        suffix: String,
        pattern: String,
        own: String,
    },
}

impl Entries {
    /// The entries of a configuration, which is valid.
    pub(super) fn of(config: &Config) -> Self {
        let entries = &config.host_ownership.hosts;
        // The first one that covers a host decides, and of two with placeholders the later one.
        let mut all: Vec<Entry> = entries.iter().rev().filter_map(|entry| Entry::of(entry, config)).collect();
        all.sort_by_key(|entry| Reverse(entry.rank));
        Self(all)
    }

    /// How many cover other hosts.
    pub(super) fn covering(&self) -> usize {
        self.0.iter().filter(|entry| !matches!(entry.form, Form::Precise)).count()
    }

    /// A map from the host of an entry to its owners, as text; empty if the namespace of the object is one, or HostClaims give the host to
    /// namespaces.
    pub(super) fn owners(&self) -> String {
        let literal = self.0.iter().filter(|entry| entry.rank.2);
        let element =
            |entry: &Entry| format!("{}: {}", entry.host, if entry.is_without_owner { "\"\"" } else { &entry.by });
        braced('{', literal.map(element).collect(), '}')
    }

    /// A list of the entries that cover other hosts. Where HostClaims count, they may give a host to others, so the owners are empty.
    pub(super) fn covering_without_claims(&self) -> String {
        let element = |entry: &Entry| {
            let is_closed = entry.mode == ClaimMode::Off && !entry.covers_without_owner;
            entry.element(if is_closed { &entry.by } else { "\"\"" }, &[])
        };
        braced('[', self.0.iter().filter_map(element).collect(), ']')
    }

    /// A map from the host of an entry to what HostClaims mean for it; `Entry` says that the entry gives it to namespaces.
    pub(super) fn modes(&self) -> String {
        let literal = self.0.iter().filter(|entry| entry.rank.2);
        let element = |entry: &Entry| {
            format!("{}: {}", entry.host, quoted(if entry.is_without_owner { mode_name(entry.mode) } else { "Entry" }))
        };
        // With one element at least, CEL knows the type of the values.
        let none = "\"\": \"Off\"".to_owned();
        braced('{', std::iter::once(none).chain(literal.map(element)).collect(), '}')
    }

    /// The same list with what HostClaims mean for the hosts, and how many labels a HostClaim has that is narrower. `-` as owners says that
    /// HostClaims alone give them to namespaces.
    pub(super) fn covering_with_claims(&self) -> String {
        let element = |entry: &Entry| {
            // A HostClaim with as many labels is narrower than a wildcard with placeholders.
            let (is_precise, labels, is_literal) = entry.rank;
            let labels = quoted(&(labels + usize::from(is_literal || is_precise)).to_string());
            let by = if entry.covers_without_owner { "\"-\"" } else { &entry.by };
            entry.element(by, &[("mode", quoted(mode_name(entry.mode))), ("labels", labels)])
        };
        braced('[', self.0.iter().filter_map(element).collect(), ']')
    }
}

impl Entry {
    fn of(entry: &OwnedHost, config: &Config) -> Option<Self> {
        let of_entries = match config.host_ownership.claims {
            ClaimMode::Off => ClaimMode::Off,
            ClaimMode::Optional | ClaimMode::Required => ClaimMode::Optional,
        };
        let (written, mode) = (&*entry.host.value, entry.claims.unwrap_or(of_entries));
        let is_without_owner = entry.claims.is_some() && entry.namespaces.is_empty();
        let covers_without_owner = is_without_owner || mode == ClaimMode::Required;
        let new = |rank, host: &str, form, by| {
            let host = quoted(host);
            Self { rank, host, form, by, is_without_owner, covers_without_owner, mode }
        };
        if let Some(template) = HostTemplate::parse(written).ok()? {
            let (is_precise, labels) = template.rank();
            let suffix = written.rsplit_once('}').map_or(written, |(_, tail)| tail).to_ascii_lowercase();
            let form = Form::Template { suffix, pattern: pattern(written), own: own_host(written, &entry.namespaces) };
            return Some(new((is_precise, labels, false), written, form, "\"namespaces\"".to_owned()));
        }
        let host = Host::parse(written);
        let (rank, form) = match &host {
            Host::Wildcard(name) => {
                let suffix = format!(".{name}");
                ((false, suffix.split('.').count(), true), Form::Wildcard { suffix })
            }
            Host::Any => ((false, 0, true), Form::Wildcard { suffix: String::new() }),
            Host::Precise(name) => ((true, name.split('.').count(), true), Form::Precise),
        };
        Some(new(rank, &host.to_string(), form, owners(&entry.namespaces, config)))
    }

    /// The entry as a map, with these owners and more fields, all of which are expressions; `None` if it covers no other hosts.
    fn element(&self, by: &str, more: &[(&str, String)]) -> Option<String> {
        let (suffix, pattern, own) = match &self.form {
            Form::Precise => return None,
            Form::Wildcard { suffix } => (suffix, "", "\"\""),
            Form::Template { suffix, pattern, own } => (suffix, &**pattern, &**own),
        };
        let [suffix, pattern, own, host, by] = [&quoted(suffix), &quoted(pattern), own, &*self.host, by];
        let more: String = more.iter().map(|(field, value)| format!(", \"{field}\": {value}")).collect();
        Some(format!(
            "{{\"suffix\": {suffix}, \"pattern\": {pattern}, \"own\": {own}, \"host\": {host}, \"by\": {by}{more}}}"
        ))
    }
}

/// The maximum number of hosts of an object if each is compared with so many entries, so that the cost stays below what the API server
/// allows.
pub(super) fn most_hosts(entries: usize) -> usize {
    (COMPARISONS / entries.max(1)).min(MAX_HOSTS)
}

/// How often a policy compares a host with an entry at most. It costs about 15 units, of which the API server allows 1,000,000.
const COMPARISONS: usize = 25_000;
/// The maximum number of hosts that are compared with those of the old object.
const MAX_HOSTS: usize = 400;

fn owners(namespaces: &NamespaceSelector, config: &Config) -> String {
    let by = match config.reveal_other_namespaces {
        true => namespaces.to_string(),
        false => "others".to_owned(),
    };
    format!("({} ? \"\" : {})", selects(namespaces), quoted(&by))
}

/// The name of what HostClaims mean.
pub(super) fn mode_name(mode: ClaimMode) -> &'static str {
    match mode {
        ClaimMode::Off => "Off",
        ClaimMode::Optional => "Optional",
        ClaimMode::Required => "Required",
    }
}

/// A list or a map with one element a line.
pub(super) fn braced(open: char, elements: Vec<String>, close: char) -> String {
    match elements.is_empty() {
        true => format!("{open}{close}"),
        false => format!("{open}\n{}\n{close}", elements.join(",\n")),
    }
}

/// The texts of an entry with placeholders and these in turn, beginning with a text.
fn parts(host: &str) -> Vec<&str> {
    host.split(['{', '}']).collect()
}

/// The regular expression of the hosts that an entry with placeholders could cover.
fn pattern(host: &str) -> String {
    let (mut pattern, rest) = match host.strip_prefix("*.") {
        Some(rest) => ("^(\\*|[^.]+)(\\.[^.]+)*\\.".to_owned(), rest),
        None => ("^".to_owned(), host),
    };
    for (position, part) in parts(rest).into_iter().enumerate() {
        match position % 2 {
            0 => pattern += &part.to_ascii_lowercase().replace('.', "\\."),
            _ => pattern += "[^.]+",
        }
    }
    pattern + "$"
}

/// The host that an entry with placeholders gives the namespace of the object, as an expression; empty if it is not one of `namespaces` or
/// lacks a label.
fn own_host(host: &str, namespaces: &NamespaceSelector) -> String {
    let (mut texts, mut lacks) = (Vec::new(), vec![format!("!{}", selects(namespaces))]);
    for (position, part) in parts(host).into_iter().enumerate() {
        texts.push(match (position % 2, part.strip_prefix("namespace.labels.")) {
            (0, _) => quoted(&part.to_ascii_lowercase()),
            (_, None) => "variables.ownNamespace".to_owned(),
            (_, Some(key)) => {
                let value = format!("variables.labels[?{}].orValue(\"\")", quoted(key));
                lacks.push(format!("!{value}.matches(\"^[^.]+$\")"));
                format!("{value}.lowerAscii()")
            }
        });
    }
    format!("({} ? \"\" : {})", any(lacks), texts.join(" + "))
}

/// The denial of a host that nothing covers, if only listed hosts may be claimed.
pub(super) const UNLISTED: &str =
    "'host ' + host + ' is not listed, and only listed hosts may be claimed: ask the platform team [host/not-owned]'";

/// Whether an entry covers a host.
pub(super) const COVERS: &str = "host.endsWith(entry.suffix) && (entry.pattern == '' || host.matches(entry.pattern))";

/// Whether a wildcard covers hosts of an entry with placeholders, which belong to several namespaces.
pub(super) const TEMPLATES: &str = "entry.pattern != '' && entry.by != '-' && entry.suffix.endsWith(host.substring(1))";

/// The denial of a host under an entry, or nothing.
pub(super) const ALLOWED: &str = "\
(entry.by == '' ? ''
    : entry.pattern == '' ? 'host ' + host + ' is under ' + entry.host + ', which belongs to ' + entry.by + ' [host/not-owned]'
    : entry.own != '' && (host == entry.own || entry.own.startsWith('*.') && host.endsWith(entry.own.substring(1))) ? ''
    : 'host ' + host + ' is not allowed here under ' + entry.host
      + (entry.own == '' ? '' : '; this namespace may use ' + entry.own) + ' [host/not-owned]')";
