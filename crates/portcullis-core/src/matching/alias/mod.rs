//! The hosts that annotations add to those of an object's spec: the annotations, the controllers that read them, and
//! the hosts that they name.

mod conditions;
mod emissary;
mod forwarding_rules;
mod haproxy;
mod lua;
mod name;
mod regex;
pub(super) mod rule;
mod snippet;
mod table;

use conditions::Condition;
use name::HostEntry;
pub use regex::bound as hosts_of_expression;
use table::Syntax;
pub use table::{Alias, AliasPrecedence, keys};

use super::claimed_host::{ClaimLocation, ClaimStrength, ClaimedHost};
use super::host::Host;
use crate::kinds::{Entries, annotation_value};

/// An annotation of an object that may add hosts.
#[derive(Debug, Clone)]
pub struct Aliased<'i> {
    /// The row of the annotation's key.
    pub alias: &'static Alias,
    at: ClaimLocation<'i>,
    value: &'i str,
}

impl<'i> Aliased<'i> {
    /// The annotations in a map at the field `map` that may add hosts.
    pub fn all<'e>(map: &'static str, annotations: &'e Entries<'_>) -> impl Iterator<Item = Aliased<'e>> {
        annotations.iter().filter_map(move |(key, value)| {
            let alias = Alias::find(key).filter(|alias| alias.is_on(annotations))?;
            Some(Aliased { alias, at: ClaimLocation::Annotation(map, key), value })
        })
    }

    /// The key and the value of the annotation.
    pub fn written(&self) -> (&'i str, &'i str) {
        let key = match self.at {
            ClaimLocation::Annotation(_, key) => key,
            ClaimLocation::At(_) => "",
        };
        (key, self.value)
    }

    /// The claims that the annotation adds to an object whose spec claims `own`.
    pub fn claims(&self, own: &[ClaimedHost<'i>]) -> Vec<ClaimedHost<'i>> {
        match self.alias.syntax {
            Syntax::List => self.list(),
            Syntax::Regex => self.within(regex::bound(self.value)),
            Syntax::Conditions => self.conditions(),
            Syntax::ForwardingRules => self.forwarding_rules(),
            Syntax::Predicates => self.within(rule::of_skipper(self.value)),
            Syntax::Matcher => self.within(rule::of_traefik(self.value)),
            Syntax::Emissary => self.within(emissary::hosts(self.value)),
            Syntax::Dns => self.names(),
            Syntax::Disclosure => self.plain_names(),
            Syntax::Www => self.www(own),
            Syntax::NginxSnippet => self.any_if(snippet::escapes_nginx(self.value)),
            Syntax::NginxValue => self.any_if(snippet::escapes_nginx_as_value(self.value)),
            Syntax::NginxQuoted => self.any_if(snippet::escapes_nginx_quoted(self.value, '"')),
            Syntax::HaproxySnippet => self.any_if(haproxy::escapes(self.value)),
            Syntax::HaproxyFrontend => self.any_if(haproxy::answers(self.value)),
        }
    }

    fn claim(&self, kind: ClaimStrength, host: Host<'i>, written: &'i str) -> ClaimedHost<'i> {
        ClaimedHost { at: self.at, host, written, kind }
    }

    fn within(&self, hosts: Vec<Host<'i>>) -> Vec<ClaimedHost<'i>> {
        hosts.into_iter().map(|host| self.claim(ClaimStrength::Widened, host, "")).collect()
    }

    fn any_if(&self, escapes: bool) -> Vec<ClaimedHost<'i>> {
        self.within(escapes.then_some(Host::Any).into_iter().collect())
    }

    /// The entries between commas, and the words of each entry, since some releases also accept white space as
    /// separator.
    fn list(&self) -> Vec<ClaimedHost<'i>> {
        let mut claims = Vec::new();
        for entry in self.value.split(',') {
            let is_one = entry.split_whitespace().nth(1).is_none();
            for word in entry.split_whitespace() {
                match HostEntry::of(word) {
                    HostEntry::Plain(host) if is_one => claims.push(self.claim(ClaimStrength::Served, host, word)),
                    named => {
                        let hosts = named.into_hosts();
                        let written = if hosts.len() == 1 { word } else { "" };
                        let claim = |host| self.claim(ClaimStrength::Widened, host, written);
                        claims.extend(hosts.into_iter().map(claim));
                    }
                }
            }
        }
        claims
    }

    /// The entries between commas. external-dns ignores spaces within a name.
    fn names(&self) -> Vec<ClaimedHost<'i>> {
        let mut claims = Vec::new();
        for entry in self.value.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (hosts, written) = match entry.contains(' ') {
                false => (HostEntry::of(entry).into_hosts(), entry),
                true => {
                    let joined = entry.replace(' ', "");
                    let hosts = HostEntry::of(&joined).into_hosts().into_iter();
                    (hosts.map(Host::into_owned).collect(), "")
                }
            };
            claims.extend(hosts.into_iter().map(|host| self.claim(ClaimStrength::Dns, host, written)));
        }
        claims
    }

    /// The entries between commas that are names or wildcards with more than one label.
    fn plain_names(&self) -> Vec<ClaimedHost<'i>> {
        let entries = self.value.split(',').map(str::trim).filter(|entry| entry.contains('.'));
        let named = entries.filter_map(|entry| match HostEntry::of(entry) {
            HostEntry::Plain(host) => Some(self.claim(ClaimStrength::Dns, host, entry)),
            HostEntry::Within(_) => None,
        });
        named.collect()
    }

    fn conditions(&self) -> Vec<ClaimedHost<'i>> {
        let Some(conditions) = conditions::hosts(self.value) else { return self.any_if(true) };
        let read = |condition: Condition| match condition {
            Condition::Regex(pattern) => self.within(regex::bound(&pattern)),
            Condition::Host(host) => self.host(&host),
        };
        conditions.into_iter().flat_map(read).collect()
    }

    /// The hosts of the rules, each once. A rule without a host applies to every host, like a rule of the spec.
    fn forwarding_rules(&self) -> Vec<ClaimedHost<'i>> {
        let Some(mut hosts) = forwarding_rules::hosts(self.value) else { return self.any_if(true) };
        hosts.sort_unstable();
        hosts.dedup();
        let read = |host: &String| match host.as_str() {
            "" => vec![self.claim(ClaimStrength::Served, Host::Any, "")],
            host => self.host(host),
        };
        hosts.iter().flat_map(read).collect()
    }

    /// A claim of a served host, or of the hosts that a pattern may match.
    fn host(&self, host: &str) -> Vec<ClaimedHost<'i>> {
        let (kind, hosts) = match HostEntry::of(host) {
            HostEntry::Plain(host) => (ClaimStrength::Served, vec![host]),
            HostEntry::Within(hosts) => (ClaimStrength::Widened, hosts),
        };
        hosts.into_iter().map(|host| self.claim(kind, host.into_owned(), "")).collect()
    }

    /// Each precise host with a leading `www.` added or, if present, removed.
    fn www(&self, own: &[ClaimedHost<'i>]) -> Vec<ClaimedHost<'i>> {
        if !annotation_value::is_true(self.value) {
            return Vec::new();
        }
        let twin = |claim: &ClaimedHost<'_>| match &claim.host {
            Host::Precise(name) if claim.is_rule() => Some(match name.strip_prefix("www.") {
                Some(apex) => apex.to_owned(),
                None => format!("www.{name}"),
            }),
            _ => None,
        };
        let is_own = |twin: &String| own.iter().any(|claim| claim.host == Host::Precise(twin.into()));
        let mut twins: Vec<String> = own.iter().filter_map(twin).filter(|twin| !is_own(twin)).collect();
        twins.sort_unstable();
        twins.dedup();
        self.within(twins.into_iter().map(|twin| Host::Precise(twin.into())).collect())
    }
}
