//! How the answers of two sides to one request differ.

use std::collections::{BTreeMap, BTreeSet};

use super::Pairing;
use super::answer::{Answer, winner};
use super::asked::Asked;
use super::change::{Change, ChangeKind, Verdict};
use super::forwarded::{answering, forwarded, timeouts};
use super::protection::{self, Protection, Replacements};
use super::side::ANNOTATIONS;
use crate::explain::outcome::TRANSPORT_SECURITY;
use crate::explain::{Explanation, Forward, PathRewrite, Reply, Request};
use crate::kinds::Kind;

/// What a client gets, as far as two APIs can be compared.
enum Got<'a> {
    Nothing,
    Failure,
    Forward(&'a Forward),
    Redirect(u16, &'a str),
    Response(Option<u16>),
    Unknown(&'a str),
}

impl<'a> Got<'a> {
    fn of(answer: &'a Explanation) -> Self {
        match answer.winner.as_ref().map(|(_, winner)| &winner.outcome.reply) {
            None => Self::Nothing,
            _ if answer.differs => Self::Unknown("several data planes answer, each differently"),
            Some(Reply::Forward(forward)) if forward.is_answered() => Self::Forward(forward),
            Some(Reply::Forward(_) | Reply::Response { code: Some(503), .. }) => Self::Failure,
            Some(Reply::Redirect { code, location }) => Self::Redirect(*code, location),
            Some(Reply::Response { code, .. }) => Self::Response(*code),
            Some(Reply::Unknown(why)) => Self::Unknown(why),
        }
    }

    /// What the client gets, as text.
    fn words(&self) -> String {
        match self {
            Self::Nothing => "no rule answers".to_owned(),
            Self::Failure => "no backend can answer".to_owned(),
            Self::Forward(forward) => answering(forward),
            Self::Redirect(code, location) => format!("redirects with {code} to {location}"),
            Self::Response(Some(code)) => format!("the proxy answers {code}"),
            Self::Response(None) => "the proxy answers".to_owned(),
            Self::Unknown(why) => (*why).to_owned(),
        }
    }
}

/// What is written in another way around one of the answers than around the other, each as text.
fn differing(sides: &[Answer<'_>; 2], pairing: Pairing) -> Vec<String> {
    let [own, other] = sides.each_ref().map(|side| &side.around);
    let differs = |(what, content): &(&String, &String)| other.get(*what).is_some_and(|now| now != *content);
    let both = own.iter().filter(differs).map(|(what, _)| format!("{what} differs"));
    // That other Services answer is a difference of its own.
    let is_alone = |(what, content): &(&String, &String), second: &BTreeMap<String, String>| {
        !content.is_empty() && !second.contains_key(*what) && !what.starts_with("what Service ")
    };
    // An object that is only renamed says the same.
    let is_renamed = |content: &String, second: &BTreeMap<String, String>| second.values().any(|own| own == content);
    let after = other.iter().filter(|entry| is_alone(entry, own));
    let after =
        after.filter(|(_, content)| !is_renamed(content, own)).map(|(what, _)| format!("{what} is not evaluated"));
    let before = own.iter().filter(|entry| pairing == Pairing::ByName && is_alone(entry, other));
    let before = before
        .filter(|(_, content)| !is_renamed(content, other))
        .map(|(what, _)| format!("{what} is present only before"));
    both.chain(before).chain(after).collect()
}

/// How the answers to `request` differ, before and after. What only one side asks for and the other does not express is added to
/// `not_expressed`.
pub(super) fn verdict(
    sides: &[Answer<'_>; 2],
    pairing: Pairing,
    request: &Request,
    not_expressed: &mut BTreeSet<String>,
) -> Verdict {
    let [before, after] = sides.each_ref().map(|side| side.explanation);
    let replacements = Replacements::of(sides);
    let (own, other) = (Got::of(before), Got::of(after));
    if let (Got::Unknown(why), _) | (_, Got::Unknown(why)) = (&own, &other) {
        return Verdict::Unknown(vec![(*why).to_owned()]);
    }
    let mut changes = Vec::new();
    let mut push = |kind, text| changes.push(Change { kind, text });
    match (&own, &other) {
        (Got::Nothing, Got::Nothing) => return Verdict::Same,
        (Got::Nothing, _) if pairing == Pairing::All && is_health_check(before) => {
            not_expressed.insert("/healthz, which ingress-nginx answers itself on hosts without a rule".to_owned());
            return Verdict::Same;
        }
        // A filter of an implementation may answer.
        (Got::Failure, Got::Failure) => {}
        (Got::Forward(own), Got::Forward(other)) => {
            forwarded(own, other, &mut push);
            let security = [own, other].map(|forward| forward.response_headers.value_of(TRANSPORT_SECURITY));
            if let [Some(value), None] = security {
                // That ingress-nginx sends it is a default of the controller.
                match winner(before).is_some_and(|winner| winner.object.kind == Kind::Ingress) {
                    true => drop(
                        not_expressed.insert(format!("Strict-Transport-Security: {value}, which ingress-nginx adds")),
                    ),
                    false => {
                        push(ChangeKind::Protection, format!("without Strict-Transport-Security: before, {value}"))
                    }
                }
            }
            if own.request.path == other.request.path && is_by_example(&own.request.rewrite, &other.request.rewrite) {
                not_expressed
                    .insert("paths that are rewritten by expressions: they are compared by example".to_owned());
            }
            // The proxies of two APIs have timeouts of their own, which are not known.
            let kinds = [before, after].map(|answer| winner(answer).map(|winner| winner.object.kind));
            match timeouts(own) == timeouts(other) {
                true => {}
                // Its defaults depend on the class.
                _ if sides[0].removed.iter().any(|object| object.kind == Kind::GatewayClass) => {}
                false if kinds[0] == kinds[1] => push(ChangeKind::Timeouts, "the timeouts differ".to_owned()),
                false => not_expressed.extend(
                    other.timeouts.iter().map(|(name, value)| format!("afterwards, the timeout {name} is {value}")),
                ),
            }
        }
        (Got::Redirect(code, location), Got::Redirect(other_code, other_location)) => {
            if code != other_code {
                push(ChangeKind::Reply, format!("redirects with {other_code}, before with {code}"));
            }
            match Urls::of(location, other_location) {
                Urls::Same => {}
                // Controllers differ in it.
                Urls::SlashAtEnd(what) if pairing == Pairing::All => drop(not_expressed.insert(what.to_owned())),
                Urls::SlashAtEnd(_) | Urls::Different => {
                    push(ChangeKind::Reply, format!("redirects to {other_location}, before to {location}"));
                }
            }
        }
        (Got::Response(code), Got::Response(other)) => {
            if code != other {
                push(ChangeKind::Reply, format!("{}, before {}", Got::Response(*other).words(), own.words()));
            }
        }
        (_, Got::Nothing | Got::Failure) => {
            push(ChangeKind::Unanswered, format!("{}, before {}", other.words(), own.words()))
        }
        (Got::Nothing | Got::Failure, _) => {
            push(ChangeKind::Answered, format!("{}, before {}", other.words(), own.words()))
        }
        (Got::Redirect(_, location), Got::Forward(_)) if is_upgrade(location, request) => {
            push(ChangeKind::Protection, "plain HTTP is answered; before it was redirected to HTTPS".to_owned());
        }
        (Got::Response(Some(code @ (401 | 403))), Got::Forward(_)) => match replacements.refusing(*code) {
            Some(policy) => {
                return Verdict::Unknown(vec![format!("whether {policy} refuses it; before, {}", own.words())]);
            }
            None => push(ChangeKind::Protection, format!("{}, before {}", other.words(), own.words())),
        },
        (Got::Response(Some(204)), Got::Forward(_)) if answers_preflight(&sides[1], request) => {
            return Verdict::Unknown(vec!["whether the filter CORS answers preflight requests alike".to_owned()]);
        }
        (Got::Forward(_), Got::Response(Some(204))) if answers_preflight(&sides[0], request) => {
            return Verdict::Unknown(vec!["whether the filter CORS answers preflight requests alike".to_owned()]);
        }
        _ => push(ChangeKind::Reply, format!("{}, before {}", other.words(), own.words())),
    }
    if sides[1].is_unverifiable && !sides[0].is_unverifiable {
        push(ChangeKind::Unanswered, "over TLS, the certificate is not for this host".to_owned());
    }
    let removed = sides[0].removed.iter().map(|object| format!("{object} is removed, and may be defined elsewhere"));
    let mut unknown: Vec<String> = removed.collect();
    unknown.extend(differing(sides, pairing));
    // What is not reached afterwards needs no protection. Controllers differ in whether they redirect before they protect.
    let is_served = match other {
        Got::Forward(_) | Got::Response(_) | Got::Failure => true,
        Got::Redirect(..) => pairing == Pairing::ByName,
        Got::Nothing | Got::Unknown(_) => false,
    };
    doubt_changes(sides, pairing, &mut changes, &mut unknown);
    let mut push = |kind, text| changes.push(Change { kind, text });
    for difference in protection::differences(sides, pairing, &replacements).into_iter().filter(|_| is_served) {
        match difference {
            Protection::Lost(text) => push(ChangeKind::Protection, text),
            Protection::Gained(text) => push(ChangeKind::Reply, text),
            Protection::Changed(kind, text) => push(kind, text),
            Protection::Unknown(text) => unknown.push(text),
            Protection::NotExpressed(text) => drop(not_expressed.insert(text)),
        }
    }
    // What is elsewhere may answer.
    if !sides[0].removed.is_empty() && changes.iter().all(|change| change.kind == ChangeKind::Unanswered) {
        changes.clear();
    }
    if changes.is_empty() {
        return if unknown.is_empty() { Verdict::Same } else { Verdict::Unknown(unknown) };
    }
    let unknown =
        unknown.into_iter().map(|why| Change { kind: ChangeKind::Unknown, text: format!("not known: {why}") });
    changes.extend(unknown);
    changes.sort();
    Verdict::Different(changes)
}

/// Whether a proxy answers although no object asks for it.
fn is_health_check(answer: &Explanation) -> bool {
    answer.reached.iter().any(|reached| reached.code == Some(200))
}

/// Whether a filter answers the request if browsers send it before another one.
fn answers_preflight(side: &Answer<'_>, request: &Request) -> bool {
    request.method == "OPTIONS" && side.asked.iter().any(|asked| asked.what.starts_with("filter CORS"))
}

/// Makes changes unknown that something may do which only one side asks for and that is not evaluated: a filter of an implementation may
/// rewrite, and annotations of a controller may also redirect.
fn doubt_changes(sides: &[Answer<'_>; 2], pairing: Pairing, changes: &mut Vec<Change>, unknown: &mut Vec<String>) {
    let is_alone = |side: usize, asked: &Asked| !sides[1 - side].asked.iter().any(|other| other.what == asked.what);
    let alone = |side: usize| sides[side].asked.iter().filter(move |asked| is_alone(side, asked));
    let extension = alone(0).chain(alone(1)).find(|asked| asked.is_extension()).map(|asked| &asked.what);
    let annotation = alone(0).chain(alone(1)).find(|asked| asked.may_change_reply()).map(|asked| &asked.what);
    let mut around = sides[1].around.iter().filter(|_| pairing == Pairing::All);
    let annotated = around.find(|(what, content)| what.starts_with(ANNOTATIONS) && !content.is_empty());
    let annotation = annotation.or(annotated.map(|(what, _)| what));
    let is_doubted = |change: &Change| match change.kind {
        ChangeKind::Rewrite => true,
        ChangeKind::Reply => annotation.is_some(),
        _ => false,
    };
    if let Some(what) = extension.or(annotation)
        && changes.iter().all(is_doubted)
    {
        let text = |change: Change| format!("{what} is not evaluated; without it, {}", change.text);
        unknown.extend(changes.drain(..).map(text));
    }
}

/// Whether two rewrites may make different paths of other requests.
fn is_by_example(own: &PathRewrite, other: &PathRewrite) -> bool {
    own != other && [own, other].into_iter().any(|rewrite| matches!(rewrite, PathRewrite::Computed(_)))
}

/// Whether a rule computes something from the path or the query.
pub(super) fn is_computed(answer: &Explanation) -> bool {
    match winner(answer).map(|winner| &winner.outcome.reply) {
        Some(Reply::Forward(forward)) => forward.request.rewrite != PathRewrite::None,
        Some(Reply::Redirect { .. } | Reply::Unknown(_)) => true,
        Some(Reply::Response { .. }) | None => false,
    }
}

/// Whether the proxy answers that a password is missing.
pub(super) fn asks_for_password(answer: &Explanation) -> bool {
    matches!(Got::of(answer), Got::Response(Some(401)))
}

/// The URL that the client is redirected to, if it is the same host over HTTPS.
pub(super) fn upgrade<'a>(answer: &'a Explanation, request: &Request) -> Option<&'a str> {
    match Got::of(answer) {
        Got::Redirect(_, location) if is_upgrade(location, request) => Some(location),
        _ => None,
    }
}

/// Whether a redirect leads to the same host over HTTPS.
fn is_upgrade(location: &str, request: &Request) -> bool {
    let rest = location.strip_prefix("https://");
    !request.is_secure && rest.is_some_and(|rest| rest.split(['/', ':', '?']).next() == Some(&request.host))
}

/// How two URLs differ.
enum Urls {
    Same,
    /// In the slash at the end of the path; the text says how.
    SlashAtEnd(&'static str),
    Different,
}

impl Urls {
    /// Compares two URLs, in which the port of the scheme and the path `/` need not be written.
    fn of(before: &str, after: &str) -> Self {
        let plain = |url: &str| {
            let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
            let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            let port = if scheme == "https" { ":443" } else { ":80" };
            let slash = if path.starts_with('/') { "" } else { "/" };
            format!("{scheme}://{}{slash}{path}", authority.strip_suffix(port).unwrap_or(authority))
        };
        let (before, after) = (plain(before), plain(after));
        match () {
            () if before == after => Self::Same,
            () if after.strip_suffix('/') == Some(&before) => {
                Self::SlashAtEnd("before, redirects drop a trailing slash; after, they keep it")
            }
            () if before.strip_suffix('/') == Some(&after) => {
                Self::SlashAtEnd("before, redirects keep a trailing slash; after, they drop it")
            }
            () => Self::Different,
        }
    }
}
