//! What differs between what two answers ask for and explain does not evaluate.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Answer, winner};
use super::asked::{AUTHENTICATION, Asked, CLIENTS};
use super::change::ChangeKind;
use super::{Pairing, UnevaluatedObject};
use crate::explain::Reply;

/// What differs in what is not evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Protection {
    /// It protected before, and is absent afterwards.
    Lost(String),
    /// It protects only afterwards.
    Gained(String),
    /// Only one side does something that shows.
    Changed(ChangeKind, String),
    /// Whether the answers differ is not known.
    Unknown(String),
    /// It has no counterpart, and does not change which backend answers.
    NotExpressed(String),
}

/// The kinds of policies of which it is known what they protect with, each with the fields that do so. Others may protect with anything.
const POLICIES: [(&str, &[(&str, &str)]); 8] = [
    ("BackendLBPolicy", &[]),
    ("BackendTLSPolicy", &[]),
    (
        "BackendTrafficPolicy",
        &[
            ("circuitBreaker", "the connection limit"),
            ("rateLimit", "the rate limit"),
            ("requestBuffer", "the body size limit"),
        ],
    ),
    ("ClientSettingsPolicy", &[("body", "the body size limit")]),
    ("HealthCheckPolicy", &[]),
    ("ObservabilityPolicy", &[]),
    ("UpstreamSettingsPolicy", &[]),
    ("XBackendTrafficPolicy", &[]),
];

/// What an implementation may protect with afterwards and not before: policies, and filters of its own.
pub(super) struct Replacements<'a> {
    policies: Vec<&'a UnevaluatedObject>,
    filter: Option<&'a str>,
}

impl<'a> Replacements<'a> {
    pub(super) fn of(sides: &'a [Answer<'_>; 2]) -> Self {
        let is_new = |policy: &&UnevaluatedObject| !sides[0].policies.iter().any(|own| own.object == policy.object);
        let is_filter =
            |asked: &&Asked| asked.is_extension() && !sides[0].asked.iter().any(|own| own.what == asked.what);
        Self {
            policies: sides[1].policies.iter().filter(is_new).collect(),
            filter: sides[1].asked.iter().find(is_filter).map(|asked| asked.what.as_str()),
        }
    }

    /// What may protect with this.
    fn with(&self, with: &str) -> Option<&'a str> {
        let may_protect = |policy: &&&UnevaluatedObject| {
            let known = POLICIES.iter().find(|(kind, _)| policy.object.split(' ').next() == Some(*kind));
            let has = |field: &str| policy.content.contains(&format!("\"{field}\":"));
            known.is_none_or(|(_, fields)| fields.iter().any(|(field, own)| *own == with && has(field)))
        };
        self.policies.iter().find(may_protect).map(|policy| policy.object.as_str()).or(self.filter)
    }

    /// What may do anything else.
    fn acting(&self) -> Option<&'a str> {
        self.with("")
    }

    /// What may refuse requests with this status code.
    pub(super) fn refusing(&self, code: u16) -> Option<&'a str> {
        self.with(if code == 401 { AUTHENTICATION } else { CLIENTS })
    }
}

/// What differs between what is not evaluated of two answers, before and after. `replacements` are what may protect afterwards.
pub(super) fn differences(
    sides: &[Answer<'_>; 2],
    pairing: Pairing,
    replacements: &Replacements<'_>,
) -> Vec<Protection> {
    let [own, other] =
        sides.each_ref().map(|side| side.asked.iter().map(|asked| (asked.key(), asked)).collect::<BTreeMap<_, _>>());
    // What may replace a protection is named only with it.
    let (mut all, mut doubted) = (Vec::new(), BTreeSet::new());
    // One sentence for each protection, however many annotations configure it.
    let (mut lost, mut gained) = (BTreeMap::<&str, Vec<&str>>::new(), BTreeMap::<&str, Vec<&str>>::new());
    let absent_in = |one: &BTreeMap<String, &Asked>, key: &String| !one.contains_key(key);
    for (_, asked) in own.iter().filter(|(key, _)| absent_in(&other, key)) {
        let with = asked.protects_with();
        match (with, with.and_then(|with| replacements.with(with))) {
            (Some(_), Some(replacement)) => {
                doubted.insert(replacement);
                all.push(Protection::Unknown(format!("whether {replacement} replaces {}", asked.what)));
            }
            (Some(with), None) => lost.entry(with).or_default().push(&asked.what),
            (None, _) => all.push(match asked.acts().filter(|_| !has_mirrors(&sides[1], asked)) {
                None => unprotecting(asked, of_one_side(asked), pairing),
                Some(what) => match replacements.acting() {
                    Some(other) => Protection::Unknown(format!("whether {other} replaces {}", asked.what)),
                    None => Protection::Changed(kind_of(asked), format!("before alone, {} {what}", asked.what)),
                },
            }),
        }
    }
    for (_, asked) in other.iter().filter(|(key, _)| absent_in(&own, key)) {
        match asked.protects_with() {
            Some(with) => gained.entry(with).or_default().push(&asked.what),
            None => all.push(match asked.acts().filter(|_| !has_mirrors(&sides[0], asked)) {
                None => unprotecting(asked, of_one_side(asked), pairing),
                Some(what) => Protection::Changed(kind_of(asked), format!("afterwards, {} {what}", asked.what)),
            }),
        }
    }
    for (key, asked) in &own {
        if let Some(now) = other.get(key).filter(|now| now.values != asked.values) {
            all.push(match (asked.protects_with(), now.protects_with()) {
                (Some(with), None) => Protection::Lost(format!("without {with}: before, {}", asked.what)),
                (Some(_), Some(_)) => Protection::Unknown(format!("{} has another value", now.what)),
                (None, _) => unprotecting(now, "has another value", pairing),
            });
        }
    }
    all.extend(lost.into_iter().map(|(with, what)| match gained.remove(with) {
        None => Protection::Lost(format!("without {with}: before, {}", what.join(", "))),
        Some(now) => Protection::Unknown(format!("whether {} replaces {}", now.join(", "), what.join(", "))),
    }));
    all.extend(gained.into_iter().map(|(with, what)| Protection::Gained(format!("with {with}: {}", what.join(", ")))));
    all.extend(of_policies(sides, &doubted));
    all
}

/// What is to be said of what only one side asks for.
fn of_one_side(asked: &Asked) -> &'static str {
    if asked.what.starts_with("filter CORS at spec.rules[].filters[]") {
        "is on one side only"
    } else {
        "is not evaluated"
    }
}

/// What differs if only one side asks for it.
fn kind_of(asked: &Asked) -> ChangeKind {
    if asked.what.contains("mirror") { ChangeKind::Mirrors } else { ChangeKind::Reply }
}

/// Whether a side copies requests in another way than by what is `asked` for.
fn has_mirrors(side: &Answer<'_>, asked: &Asked) -> bool {
    let reply = winner(side.explanation).map(|winner| &winner.outcome.reply);
    asked.what.contains("mirror") && matches!(reply, Some(Reply::Forward(forward)) if !forward.mirrors.is_empty())
}

/// What differs in something that does not protect. One controller does something else if it is written in another way.
fn unprotecting(asked: &Asked, how: &str, pairing: Pairing) -> Protection {
    match pairing == Pairing::All && asked.is_unchanging() {
        true => Protection::NotExpressed(asked.what.clone()),
        false => Protection::Unknown(format!("{} {how}", asked.what)),
    }
}

/// Policies that only one side has, or that ask for something else afterwards, but for added ones that are `named` already. One that is
/// only renamed is the same.
fn of_policies(sides: &[Answer<'_>; 2], named: &BTreeSet<&str>) -> Vec<Protection> {
    let [own, other] = sides.each_ref().map(|side| {
        side.policies.iter().map(|policy| (policy.object.as_str(), policy.content.as_str())).collect::<BTreeMap<_, _>>()
    });
    let has_content = |one: &BTreeMap<&str, &str>, content: &str| one.values().any(|known| *known == content);
    let lost = own.iter().filter_map(|(object, content)| match other.get(object) {
        None if has_content(&other, content) => None,
        None => Some(Protection::Lost(format!("without {object}"))),
        Some(now) if now != content => Some(Protection::Unknown(format!("{object} or what it is attached to differs"))),
        Some(_) => None,
    });
    let is_added = |object: &str, content: &str| {
        !own.contains_key(object) && !has_content(&own, content) && !named.contains(object)
    };
    let added = other.iter().filter(|(object, content)| is_added(object, content));
    lost.chain(added.map(|(object, _)| Protection::Unknown(format!("{object} is not evaluated")))).collect()
}
