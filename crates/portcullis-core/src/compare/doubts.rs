//! What differs whichever way a doubt is resolved.

use super::answer::winner;
use super::{Difference, Side};
use crate::explain::{Condition, Forward, Reply};
use crate::nginx::snippet::Shown;

/// What differs although it is not known whether ingress-nginx ignores Ingresses before: if it does not, each answer shows something that
/// no answer afterwards has. `doubted` are the rules of these Ingresses; `None` if it is not certain.
pub(super) fn shown(difference: &Difference, doubted: &[Condition<'_>], after: Side<'_, '_>) -> Option<String> {
    let answer = &difference.after;
    let Reply::Forward(forward) = &winner(answer)?.outcome.reply else { return None };
    let is_extended =
        after.asked(answer).iter().any(|asked| asked.is_extension()) || !after.policies_of(answer).is_empty();
    if difference.before.winner.is_some() || is_extended {
        return None;
    }
    let lost = |condition: &&Condition<'_>| {
        condition.shown.as_ref().is_some_and(|shown| !has(forward, &shown.shown))
            && difference.requests.kept().iter().all(|request| condition.path.matches(&request.path))
    };
    let all_show = doubted.iter().all(|condition| condition.shown.is_some());
    let condition = doubted.iter().filter(|_| all_show).find(lost)?;
    let directive = &condition.shown.as_ref()?.text;
    Some(format!("{}; then its directive {directive} is lost", condition.doubt.as_ref()?))
}

/// Whether an answer shows the same.
fn has(forward: &Forward, shown: &Shown) -> bool {
    let names = |set: &[(String, String)], name: &str| set.iter().any(|(own, _)| own == name);
    match shown {
        Shown::InRequest(name) => {
            names(&forward.request.changes.set, name) || names(&forward.request.changes.add, name)
        }
        Shown::InResponse(name) => {
            names(&forward.response_headers.set, name) || names(&forward.response_headers.add, name)
        }
        Shown::InReply => false,
    }
}
