//! How the headers differ that backends receive, and those that clients receive from them.

use std::collections::BTreeSet;

use crate::explain::outcome::TRANSPORT_SECURITY;
use crate::explain::{BackendShare, Forward, HeaderChanges};

/// The headers of the requests to one backend and of its responses.
struct BackendHeaders {
    /// What it receives for the example.
    received: BTreeSet<(String, String)>,
    /// The changes to requests, whether the example has the headers or not.
    requests: HeaderChanges,
    /// The changes to responses.
    responses: HeaderChanges,
}

impl BackendHeaders {
    /// Those of `backend` with the changes of its own filters, or those of all backends.
    fn of(forward: &Forward, backend: Option<&BackendShare>) -> Self {
        let mut received = forward.request.headers.clone();
        let [mut requests, mut responses] = [&forward.request.changes, &forward.response_headers].map(Clone::clone);
        if let Some(backend) = backend {
            backend.request_headers.apply(&mut received);
            requests.extend(backend.request_headers.clone());
            responses.extend(backend.response_headers.clone());
        }
        Self { received: received.into_iter().collect(), requests, responses }
    }

    /// How those of `who` differ afterwards, each as text.
    fn differences(&self, after: &Self, who: &str) -> Vec<String> {
        let (own, other) = (&self.received, &after.received);
        let is_kept = |name: &String| other.iter().any(|(known, _)| known == name);
        let gained = other.difference(own).map(|(name, value)| format!("{who} gets the header {name}: {value}"));
        let lost = own.difference(other).filter(|(name, _)| !is_kept(name));
        let lost = lost.map(|(name, _)| format!("{who} does not get the header {name}"));
        let mut all: Vec<String> = gained.chain(lost).collect();
        // What is set, and mostly what is added, shows in the headers of the example.
        let hidden = [self, after].map(|side| {
            let HeaderChanges { add, remove, .. } = side.requests.clone();
            HeaderChanges { set: Vec::new(), add: if own == other { add } else { Vec::new() }, remove }
        });
        all.extend(header_changes("requests", &hidden[0], &hidden[1]));
        // That it is lost is a loss of protection.
        let responses = match after.responses.value_of(TRANSPORT_SECURITY) {
            None => self.responses.without(TRANSPORT_SECURITY),
            Some(_) => self.responses.clone(),
        };
        all.extend(header_changes("responses", &responses, &after.responses));
        all
    }
}

/// How the headers of two forwarded requests and of their responses differ, each as text. Where a backend has filters of its own, each
/// backend of both sides is compared with itself.
pub(super) fn header_differences(before: &Forward, after: &Forward) -> Vec<String> {
    let changes_headers = |forward: &Forward| forward.backends.iter().any(BackendShare::changes_headers);
    if !changes_headers(before) && !changes_headers(after) {
        let [own, other] = [before, after].map(|forward| BackendHeaders::of(forward, None));
        return own.differences(&other, "the backend");
    }
    let mut rest: Vec<&BackendShare> = served(after).collect();
    let mut all = Vec::new();
    for backend in served(before) {
        let who = backend.full_label();
        let Some(index) = rest.iter().position(|other| other.full_label() == who) else { continue };
        let other = BackendHeaders::of(after, Some(rest.remove(index)));
        all.extend(BackendHeaders::of(before, Some(backend)).differences(&other, &who));
    }
    all
}

/// The backends that get requests.
fn served(forward: &Forward) -> impl Iterator<Item = &BackendShare> {
    forward.backends.iter().filter(|backend| backend.share > 0.0)
}

/// How changes to the headers of `what` differ, each as text.
fn header_changes(what: &str, before: &HeaderChanges, after: &HeaderChanges) -> Vec<String> {
    let of = |changes: &HeaderChanges| -> BTreeSet<String> {
        let set = changes.set.iter().map(|(name, value)| format!("{name} of {what} is set to {value}"));
        let added = changes.add.iter().map(|(name, value)| format!("{value} is added to {name} of {what}"));
        let removed = changes.remove.iter().map(|name| format!("{name} of {what} is removed"));
        set.chain(added).chain(removed).collect()
    };
    let (before, after) = (of(before), of(after));
    let lost = before.difference(&after).map(|change| format!("before alone, the header {change}"));
    after.difference(&before).map(|change| format!("the header {change}")).chain(lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_differ_are_named() {
        let of = |set: &[(&str, &str)], remove: &[&str]| HeaderChanges {
            set: set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            add: Vec::new(),
            remove: remove.iter().map(|name| (*name).to_owned()).collect(),
        };
        let (before, after) = (of(&[("a", "1"), ("b", "2")], &["c"]), of(&[("b", "2"), ("a", "3")], &[]));
        let expected = [
            "the header a of responses is set to 3",
            "before alone, the header a of responses is set to 1",
            "before alone, the header c of responses is removed",
        ];
        assert_eq!(header_changes("responses", &before, &after), expected);
        assert!(header_changes("responses", &after, &after).is_empty());
    }
}
