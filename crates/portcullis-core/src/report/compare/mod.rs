//! Renders which requests two sets of objects answer differently.

pub mod document;
pub mod github;
pub mod html;
pub mod probes;
pub mod text;

use std::collections::BTreeMap;

use crate::compare::{Difference, HostClass, HostResult, Overall, Spelling};
use crate::explain::{Explanation, Request};
use crate::message::sanitize;

/// A comparison, and what of it is not known.
pub struct Compared<'r> {
    /// The results, by host.
    pub hosts: &'r [HostResult],
    /// What could not be read and may change answers, as text.
    pub unread: &'r [String],
}

impl Compared<'_> {
    /// The verdict about all requests.
    pub fn overall(&self) -> Overall {
        let unread = if self.unread.is_empty() { Overall::Same } else { Overall::Unknown };
        self.hosts.iter().map(HostResult::overall).max().unwrap_or(Overall::Same).max(unread)
    }

    /// The number of hosts with this verdict.
    fn count(&self, verdict: Overall) -> usize {
        self.hosts.iter().filter(|host| host.overall() == verdict).count()
    }

    /// The number of hosts that no change concerns.
    fn unchanged(&self) -> usize {
        self.hosts.iter().filter(|host| host.is_unchanged).count()
    }

    /// The differences, each with its host, by how bad they are.
    fn differences(&self) -> impl Iterator<Item = (&HostResult, &Difference)> {
        self.hosts.iter().flat_map(|host| host.differences.iter().map(move |difference| (host, difference)))
    }
}

/// Something that is not compared, and for which hosts.
pub(super) struct NotExpressed<'r> {
    /// What, as text.
    pub(super) what: String,
    /// The hosts, or the classes of hosts.
    pub(super) hosts: Vec<&'r HostClass>,
    /// The paths it is about, each after its host, with what differs there; empty if it is about all.
    pub(super) examples: Vec<String>,
}

impl<'r> Compared<'r> {
    /// What one side asks for and the other does not express, and other spellings of paths, each once for all hosts.
    fn not_expressed(&self) -> Vec<NotExpressed<'r>> {
        let mut all: BTreeMap<String, NotExpressed<'r>> = BTreeMap::new();
        let mut add = |what: String, host: &'r HostClass, example: Option<String>| {
            let new = || NotExpressed { what: what.clone(), hosts: Vec::new(), examples: Vec::new() };
            let known = all.entry(what.clone()).or_insert_with(new);
            known.hosts.push(host);
            known.examples.extend(example);
        };
        for host in self.hosts {
            host.not_expressed.iter().for_each(|what| add(what.clone(), &host.host, None));
            for Spelling { what, path, reasons } in &host.spellings {
                let example = format!("{}{path}: {reasons}", host.host);
                add(format!("paths with {what}, unless the proxy normalizes them"), &host.host, Some(example));
            }
        }
        all.into_values().collect()
    }
}

/// The rule that answers, or what the request reaches, as text.
fn place(answer: &Explanation) -> String {
    match (&answer.winner, answer.reached.first()) {
        (Some((_, winner)), _) => format!("{} {}", winner.object, winner.field),
        (None, Some(reached)) => format!("{} {}: {}", reached.object, reached.field, reached.reason),
        (None, None) => "no rule answers".to_owned(),
    }
}

/// The requests that get the same two answers as the example: some with other paths, and the number of the rest.
fn more(difference: &Difference) -> Vec<String> {
    let others = difference.requests.named().skip(1);
    let mut lines: Vec<String> = others.map(|request| format!("also    {}", curl(request))).collect();
    match difference.requests.count() - 1 - lines.len() {
        0 => {}
        1 => lines.push("and 1 more kind of request".to_owned()),
        more => lines.push(format!("and {more} more kinds of requests")),
    }
    lines
}

/// A command line that sends the request.
pub fn curl(request: &Request) -> String {
    let mut words = vec!["curl -i".to_owned()];
    match request.method.as_str() {
        "GET" => {}
        "HEAD" => words[0] = "curl -I".to_owned(),
        method => words.push(format!("-X {method}")),
    }
    words.extend(request.headers.iter().map(|(name, value)| format!("-H {}", quoted(&format!("{name}: {value}")))));
    words.push(quoted(&request.url()));
    sanitize(&words.join(" "))
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~/:@%+,".contains(letter);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
