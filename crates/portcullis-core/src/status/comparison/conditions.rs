//! Compares the conditions of one place.

use super::condition_types::{ACCEPTED, CONFLICTED, PROGRAMMED, is_named};
use super::written::{LISTENERS_NOT_VALID, Written};
use super::{Cause, ObjectComparison, Place, WrittenCondition, WrittenConditions};
use crate::status::{Condition, ConditionStatus, Conditions};

/// The reasons of conditions that only the controller can decide: it does not support something, or has not decided yet.
const OF_CONTROLLER: [&str; 12] = [
    "InvalidCACertificateKind",
    "InvalidKind",
    "InvalidParameters",
    "InvalidRouteKinds",
    "NotReconciled",
    "OverlappingCertificates",
    "Pending",
    "PortUnavailable",
    "TooManyListeners",
    "UnsupportedAddress",
    "UnsupportedProtocol",
    "UnsupportedValue",
];

/// The reasons of `Accepted` for which the specification defines no word, or several.
const ANY_REASON: [&str; 3] = ["HostnameConflict", "ProtocolConflict", "UnsupportedValue"];

/// Compares the conditions that are written at `place`, as [`compare`] does. Of those that were written for an older generation of the
/// object, only this is said.
pub(super) fn compare_current(
    place: &Place,
    own: &WrittenConditions<'_>,
    specified: &Conditions,
    written: &Written,
    found: &mut ObjectComparison,
) {
    let Some(generation) = own.outdated(written.generation()) else { return compare(place, own, specified, found) };
    found.outdated(place, generation, written);
    let own = own.current(written.generation());
    let mut specified = specified.clone();
    specified.set.retain(|condition| own.get(condition.type_name).is_some());
    specified.cleared.retain(|type_name| own.get(type_name).is_some());
    compare(place, &own, &specified, found);
}

/// Compares the conditions that are written at `place` with those that the specification has there.
fn compare(place: &Place, written: &WrittenConditions<'_>, specified: &Conditions, found: &mut ObjectComparison) {
    let before = found.differences.len();
    let decided = specified.set.iter().filter(|condition| condition.type_name != PROGRAMMED);
    for condition in decided.filter(|condition| !follows(condition.type_name, written, specified)) {
        let type_name = condition.type_name;
        let expected = || Some(text(condition.status.name(), &condition.reason));
        match written.get(type_name) {
            None if must_be_written(place, condition) => {
                found.differ(place, type_name, (None, expected()), condition.message.clone());
            }
            None => {}
            Some(own) => match agreement(own, condition) {
                Agreement::Same => {}
                Agreement::NotCompared(cause) => found.leave(place, own.to_string(), cause),
                Agreement::Differs => {
                    let own = Some(text(own.status, own.reason));
                    found.differ(place, type_name, (own, expected()), condition.message.clone());
                }
            },
        }
    }
    let is_undecided = specified.get(ACCEPTED).is_some_and(|own| own.status == ConditionStatus::Unknown);
    for type_name in &specified.cleared {
        match written.get(type_name).filter(|own| own.status == "True") {
            Some(own) if OF_CONTROLLER.contains(&own.reason) => found.leave(place, own.to_string(), Cause::Controller),
            Some(own) if is_undecided => found.leave(place, own.to_string(), Cause::Unknown),
            Some(own) if !follows(type_name, written, specified) => {
                let own = Some(text(own.status, own.reason));
                found.differ(place, type_name, (own, None), absence(type_name).to_owned());
            }
            _ => {}
        }
    }
    let is_free_of_faults = found.differences.len() == before;
    programmed(place, written, specified, is_free_of_faults, found);
    let is_decided = |type_name: &str| specified.get(type_name).is_some() || specified.cleared.contains(&type_name);
    for own in written.iter().filter(|own| own.type_name != PROGRAMMED && !is_decided(own.type_name)) {
        let cause = if is_named(own.type_name) { Cause::Controller } else { Cause::Implementation };
        found.leave(place, own.to_string(), cause);
    }
}

/// Compares `Programmed`, which only the controller knows, with what contradicts it. Where another condition differs already, that one
/// explains it.
fn programmed(
    place: &Place,
    written: &WrittenConditions<'_>,
    specified: &Conditions,
    is_free_of_faults: bool,
    found: &mut ObjectComparison,
) {
    let Some(own) = written.get(PROGRAMMED) else { return };
    let is_false = |condition: &&Condition| condition.status == ConditionStatus::False;
    let contradiction = match specified.get(PROGRAMMED).filter(is_false) {
        _ if own.status != "True" => None,
        _ if written.is(ACCEPTED, "False") => {
            Some(("False".to_owned(), "Accepted is False beside it, so that nothing can be programmed".to_owned()))
        }
        Some(condition) if is_free_of_faults => {
            Some((text(condition.status.name(), &condition.reason), condition.message.clone()))
        }
        _ => None,
    };
    match contradiction {
        Some((expected, message)) => {
            found.differ(place, PROGRAMMED, (Some(text(own.status, own.reason)), Some(expected)), message);
        }
        None => found.leave(place, own.to_string(), Cause::Controller),
    }
}

/// Whether another condition says the same, so that a type is not compared by itself: a conflict is what `Conflicted` says, and
/// conditions about parts of what is accepted presuppose `Accepted`.
fn follows(type_name: &str, written: &WrittenConditions<'_>, specified: &Conditions) -> bool {
    let is_accepted = |condition: &Condition| condition.status == ConditionStatus::True;
    match type_name {
        ACCEPTED => specified.get(CONFLICTED).is_some(),
        "OverlappingTLSConfig" | "PartiallyInvalid" => {
            !written.is(ACCEPTED, "True") || !specified.get(ACCEPTED).is_some_and(is_accepted)
        }
        _ => false,
    }
}

/// Whether a condition that the specification has must be written. Implementations may lack what they do not support, and a reader does
/// not miss `ResolvedRefs` while all is well.
fn must_be_written(place: &Place, condition: &Condition) -> bool {
    match (condition.type_name, condition.status) {
        (_, ConditionStatus::Unknown) => false,
        (ACCEPTED, _) | (CONFLICTED | "OverlappingTLSConfig" | "PartiallyInvalid", _) => true,
        ("ResolvedRefs", status) => *place != Place::Object && status == ConditionStatus::False,
        _ => false,
    }
}

/// How a written condition relates to the one that the specification has.
enum Agreement {
    Same,
    NotCompared(Cause),
    Differs,
}

fn agreement(own: &WrittenCondition<'_>, condition: &Condition) -> Agreement {
    if condition.status == ConditionStatus::Unknown {
        return Agreement::NotCompared(Cause::Unknown);
    }
    let has_status = own.status == condition.status.name();
    let is_free = condition.type_name == ACCEPTED && ANY_REASON.contains(&&*condition.reason);
    let has_reason = own.reason == condition.reason || condition.other_reasons.contains(&own.reason) || is_free;
    // A controller may reject a whole Gateway because of a listener, or not.
    let is_same = has_reason && (has_status || own.reason == LISTENERS_NOT_VALID);
    match is_same {
        true => Agreement::Same,
        false if own.status == "Unknown" || OF_CONTROLLER.contains(&own.reason) => {
            Agreement::NotCompared(Cause::Controller)
        }
        false => Agreement::Differs,
    }
}

/// Why the specification does not have a condition.
fn absence(type_name: &str) -> &'static str {
    match type_name {
        CONFLICTED => "no other listener conflicts with it",
        "OverlappingTLSConfig" => "its hostname overlaps with no other listener of the port that terminates TLS",
        "PartiallyInvalid" => "no rule of the route is invalid",
        "InsecureFrontendValidationMode" => "no validation of clients has the mode AllowInsecureFallback",
        "DefaultGateway" => "spec.defaultScope is not All",
        _ => "the condition does not apply",
    }
}

/// A status with its reason.
fn text(status: &str, reason: &str) -> String {
    format!("{status} {reason}").trim_end().to_owned()
}
