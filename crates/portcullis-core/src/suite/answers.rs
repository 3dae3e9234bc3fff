//! How an answer differs from what is expected, as text.

use super::expected::ExpectedAnswer;
use crate::explain::{BackendShare, Explanation, ReachedPoint, Reply, Winner};

/// How the answer differs from what is expected.
pub(super) fn mismatches(expected: &ExpectedAnswer, answer: &Explanation) -> Vec<String> {
    let mut all = Vec::new();
    let winner = answer.winner.as_ref().map(|(_, winner)| winner);
    if let Some(object) = &expected.object {
        let is_it = |winner: &Winner| winner.object.to_string() == object.replacen('/', " ", 1);
        match winner {
            // A rule whose backends cannot answer gives no answer, unless that is what else is expected.
            Some(winner) if is_it(winner) && winner.is_unanswered() && expected.is_about_object() => {
                all.push(format!("expected {} to answer, but {}", object.value, got(answer)));
            }
            Some(winner) if is_it(winner) => {}
            Some(winner) => all.push(format!("expected {} to answer, but {} does", object.value, rule(winner))),
            None => all.push(format!("expected {} to answer, but {}", object.value, got(answer))),
        }
    }
    let reply = winner.map(|winner| &winner.outcome.reply);
    if let Some(Reply::Unknown(why)) = reply {
        if !expected.is_about_object() {
            all.push(format!("not decided, because the answer is not known: {why}"));
        }
        return all;
    }
    let forward = match reply {
        Some(Reply::Forward(forward)) => Some(&**forward),
        _ => None,
    };
    if let Some(service) = &expected.service
        && !forward.is_some_and(|forward| forward.backends.iter().any(|backend| serves(backend, service)))
    {
        all.push(format!("expected Service {} to answer, but {}", service.value, got(answer)));
    }
    if let Some(path) = &expected.path {
        match forward.filter(|forward| forward.is_answered()).map(|forward| &forward.request.path) {
            Some(received) if received == path => {}
            Some(received) => {
                all.push(format!("expected the backend to receive the path {path}, but it receives {received}"));
            }
            None => all.push(format!("expected a backend to receive the path {path}, but {}", got(answer))),
        }
    }
    if let Some(expected) = expected.code
        && code(answer) != Some(expected)
    {
        all.push(format!("expected the proxy to answer {expected}, but {}", got(answer)));
    }
    if let Some(expected) = &expected.location
        && !matches!(reply, Some(Reply::Redirect { location, .. }) if location == expected)
    {
        all.push(format!("expected a redirect to {expected}, but {}", got(answer)));
    }
    match expected.answered {
        Some(true) if !answer.is_answered() => all.push(format!("expected an answer, but {}", got(answer))),
        Some(false) if answer.is_answered() => all.push(format!("expected no answer, but {}", got(answer))),
        _ => {}
    }
    all
}

/// What the client gets, as text, with the rule that answers.
fn got(answer: &Explanation) -> String {
    match &answer.winner {
        Some((_, winner)) => format!("{} ({})", outcome(answer), rule(winner)),
        None => outcome(answer),
    }
}

/// What the client gets, as text.
pub(super) fn outcome(answer: &Explanation) -> String {
    let Some((_, winner)) = &answer.winner else {
        let point = |point: &ReachedPoint| {
            let code = point.code.map_or_else(String::new, |code| format!("{code} from "));
            format!(": {code}{} {}: {}", point.object, point.field, point.reason)
        };
        return format!("no rule answers{}", answer.reached.first().map(point).unwrap_or_default());
    };
    match &winner.outcome.reply {
        Reply::Forward(forward) if forward.is_answered() => format!("{} answers", forward.served(label)),
        Reply::Forward(forward) => match forward.served(label).as_str() {
            "" => "no backend gets it".to_owned(),
            backends => format!("{backends} cannot answer"),
        },
        Reply::Redirect { code, location } => format!("the proxy redirects with {code} to {location}"),
        Reply::Response { code: Some(code), .. } => format!("the proxy answers {code}"),
        Reply::Response { code: None, message, .. } => format!("the proxy answers: {message}"),
        Reply::Unknown(why) => format!("the answer is not known: {why}"),
    }
}

/// The status code of the proxy; `None` if a backend answers, or the code is not known.
fn code(answer: &Explanation) -> Option<u16> {
    match answer.winner.as_ref().map(|(_, winner)| &winner.outcome.reply) {
        Some(Reply::Redirect { code, .. }) => Some(*code),
        Some(Reply::Response { code, .. }) => *code,
        Some(Reply::Forward(forward)) if !forward.is_answered() => forward.failure.code(),
        Some(Reply::Forward(_) | Reply::Unknown(_)) => None,
        None => {
            let first = answer.reached.first()?.code;
            first.filter(|_| answer.reached.iter().all(|point| point.code == first))
        }
    }
}

/// The rule with its object.
fn rule(winner: &Winner) -> String {
    format!("{} {}", winner.object, winner.field)
}

/// Whether this is the Service that is written as namespace/name or namespace/name:port, and can answer.
fn serves(backend: &BackendShare, written: &str) -> bool {
    let is_it = match written.contains(':') {
        true => label(backend) == written,
        false => label(&BackendShare { port: None, ..backend.clone() }) == written,
    };
    is_it && backend.share > 0.0 && backend.may_answer
}

/// A backend as namespace/name:port, with the kind in front unless it is a Service.
pub(super) fn label(backend: &BackendShare) -> String {
    backend.label_with_port("")
}
