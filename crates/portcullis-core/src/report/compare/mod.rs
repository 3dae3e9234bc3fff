//! Renders which requests two sets of objects answer differently.

pub mod document;
pub mod github;
pub mod html;
pub mod probes;
pub mod text;

use crate::compare::{Difference, HostResult, Overall};
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

    /// The differences, each with its host, by how bad they are.
    fn differences(&self) -> impl Iterator<Item = (&HostResult, &Difference)> {
        self.hosts.iter().flat_map(|host| host.differences.iter().map(move |difference| (host, difference)))
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
