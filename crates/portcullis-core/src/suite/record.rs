//! Writes a file of requests from today's answers: one request for each rule that answers, and for each kind of its replies.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::rules::each_answer;
use super::{API_VERSION, KIND, RequestCase, Rule};
use crate::explain::{Explanation, PlaneAnswer, Reply, Request, Scope, Snapshot, Winner};
use crate::kinds::Kind;

/// The first line of a file that was recorded.
pub const RECORDED: &str =
    "# Recorded by portcullis explain --record; what is edited here is lost when it is recorded again.";

/// The requests that are recorded.
#[derive(Debug)]
pub struct Recording {
    /// The cases, all of which pass.
    pub cases: Vec<RequestCase>,
    /// The rules that answer and have no case, each with the reason, and the hosts whose requests cannot be told.
    pub skipped: Vec<String>,
}

/// Where a reply comes from; those of one rule differ, for instance for plain HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Backend,
    Redirect,
    Response,
    Unknown,
}

impl Source {
    fn of(winner: &Winner) -> Self {
        match winner.outcome.reply {
            Reply::Forward(_) => Self::Backend,
            Reply::Redirect { .. } => Self::Redirect,
            Reply::Response { .. } => Self::Response,
            Reply::Unknown(_) => Self::Unknown,
        }
    }
}

/// A request that a rule answers.
struct Example {
    request: Request,
    /// The data plane, by its own scope.
    plane: Scope,
}

impl Example {
    /// Orders requests: the simplest first, of those over TLS.
    fn rank(request: &Request) -> (usize, bool, usize) {
        (request.headers.len() + request.query.len(), !request.is_secure, request.path.len())
    }
}

impl Recording {
    /// The cases for the rules in `scope`. `missing` lists what could not be read and may change an answer.
    pub fn of(snapshot: &Snapshot<'_>, scope: &Scope, missing: impl Fn(&Explanation, &Scope) -> Vec<String>) -> Self {
        let mut examples: BTreeMap<(Rule, Source), Example> = BTreeMap::new();
        let mut skipped = each_answer(snapshot, scope, |request, answer| {
            let Some(winner) = &answer.winner else { return };
            let key = ((winner.object.clone(), winner.field.clone()), Source::of(winner));
            let example = || Example { request: request.clone(), plane: plane_of(&answer, winner) };
            match examples.entry(key) {
                Entry::Vacant(entry) => drop(entry.insert(example())),
                Entry::Occupied(mut known) => {
                    if Example::rank(request) < Example::rank(&known.get().request) {
                        known.insert(example());
                    }
                }
            }
        });
        let mut cases = Vec::new();
        let mut failed: Vec<(&Rule, String)> = Vec::new();
        let mut recorded: BTreeSet<&Rule> = BTreeSet::new();
        for ((rule, source), example) in &examples {
            let suffix = match source {
                Source::Redirect => " (redirect)",
                Source::Response => " (response)",
                Source::Backend | Source::Unknown => "",
            };
            let name = format!("{} {}{suffix}", rule.0, rule.1);
            match case(name, rule, example, snapshot, scope, &missing) {
                Ok(case) => {
                    recorded.insert(rule);
                    cases.push(case);
                }
                Err(why) => failed.push((rule, why)),
            }
        }
        let failed = failed.into_iter().filter(|(rule, _)| !recorded.contains(rule));
        let failed: BTreeMap<&Rule, String> = failed.collect();
        skipped.extend(failed.into_iter().map(|((object, field), why)| format!("{object} {field}: {why}")));
        Self { cases, skipped }
    }

    /// The file, for the objects in `cluster`, which are all objects if it is `complete`.
    pub fn file(&self, cluster: &[String], complete: bool) -> String {
        let paths: String = cluster.iter().map(|path| format!("- {}\n", scalar(path))).collect();
        let complete = if complete { "complete: true\n" } else { "" };
        let cases: String = self.cases.iter().map(written).collect();
        format!("{RECORDED}\napiVersion: {API_VERSION}\nkind: {KIND}\ncluster:\n{paths}{complete}requests:\n{cases}")
    }
}

/// The case for an example, which passes. Fails with the reason if its answer is not certain.
fn case(
    name: String,
    rule: &Rule,
    example: &Example,
    snapshot: &Snapshot<'_>,
    scope: &Scope,
    missing: &impl Fn(&Explanation, &Scope) -> Vec<String>,
) -> Result<RequestCase, String> {
    let answer = snapshot.ask(&example.request, scope);
    let (answer, scope) = match answer.is_ambiguous() {
        true => (snapshot.ask(&example.request, &example.plane), &example.plane),
        false => (answer, scope),
    };
    let is_same = |winner: &Winner| (&winner.object, &winner.field) == (&rule.0, &rule.1);
    if !answer.winner.as_ref().is_some_and(|(_, winner)| is_same(winner)) {
        return Err("several data planes answer its requests".to_owned());
    }
    let case = RequestCase::of(name, &answer, scope)?;
    match case.run(snapshot, missing).into_iter().next() {
        None => Ok(case),
        Some(why) => Err(why),
    }
}

/// The data plane of an answer by its Gateway or its class; every one if the answer names neither.
fn plane_of(answer: &PlaneAnswer, winner: &Winner) -> Scope {
    let first = winner.chain.first().map(|link| &link.object);
    let gateway = winner.chain.iter().map(|link| &link.object).find(|object| object.kind == Kind::Gateway);
    let of_tree = answer.plane.name.split_once(" of class ").map(|(_, class)| class.to_owned());
    let of_ingress = first.filter(|object| object.kind == Kind::IngressClass).map(|class| class.name.clone());
    match gateway {
        Some(gateway) => Scope { class: None, gateway: Some(gateway.clone()) },
        None => Scope { class: of_ingress.or(of_tree), gateway: None },
    }
}

/// A case as YAML.
fn written(case: &RequestCase) -> String {
    let line = |name: &str, value: &str| format!("  {name}: {}\n", scalar(value));
    let mut text = format!("- name: {}\n{}", scalar(&case.name), line("request", &case.request));
    if !case.headers.is_empty() {
        text.push_str("  headers:\n");
        text.extend(case.headers.iter().map(|(name, value)| format!("    {}: {}\n", scalar(name), scalar(value))));
    }
    text.extend(case.gateway.iter().map(|gateway| line("gateway", gateway)));
    text.extend(case.class.iter().map(|class| line("class", class)));
    text.push_str("  expect:\n");
    let expect = &case.expect;
    let texts = [
        ("object", expect.object.as_deref()),
        ("service", expect.service.as_deref()),
        ("path", expect.path.as_ref()),
        ("location", expect.location.as_ref()),
    ];
    text.extend(texts.into_iter().filter_map(|(name, value)| Some(format!("  {}", line(name, value?)))));
    text.extend(expect.code.map(|code| format!("    code: {code}\n")));
    text.extend(expect.answered.map(|answered| format!("    answered: {answered}\n")));
    text
}

/// A text in YAML: as it is, if that is certainly read as this text, and otherwise in quotes, which JSON and YAML have in common.
fn scalar(text: &str) -> String {
    let begins = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || b"/.".contains(&first));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" /._:?=&%+-[]()@$~".contains(&byte);
    let is_word =
        !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_ascii_lowercase().as_str());
    let has_no_end = !text.contains(": ") && !text.ends_with([':', ' ']);
    let is_number = text.starts_with('.') && !text.starts_with("./") && !text.starts_with("../") && text != "..";
    match begins && text.bytes().all(is_plain) && is_word && has_no_end && !is_number {
        true => text.to_owned(),
        false => serde_json::Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::scalar;

    #[test]
    fn quoted_text_is_parsed_unchanged() {
        let texts = [
            "plain",
            "",
            "1",
            "1e3",
            ".5",
            ".inf",
            "true",
            "No",
            "a: b",
            "a #b",
            "a:",
            "- a",
            "*a",
            "/x/$1",
            "../a",
            ".",
            "é",
            "a\"b\\c",
            "GET https://a.example/x?q=1",
            "HTTPRoute a/b spec.rules[0]: redirect",
            "~",
            "'",
            "{a",
            "0x1",
        ];
        for text in texts {
            let read: String = serde_saphyr::from_str(&scalar(text)).expect("a text");
            assert_eq!(read, text);
        }
    }
}
