//! Renders the answer of `explain` as text.

use super::outcome;
use crate::explain::{self, BackendShare, Explanation, Reply};
use crate::message::sanitize;

/// The answer as text: the object that answers, over which chain, with which backends, and why each other candidate
/// does not. `unread` lists the objects that could not be read and might answer.
pub fn text(answer: &Explanation, unread: &[String]) -> String {
    let mut text = format!("{} {}\n\n", answer.request.method, sanitize(&answer.request.url()));
    if answer.is_ambiguous() {
        text.push_str(&ambiguity(answer));
    }
    match &answer.winner {
        None if unread.is_empty() => text.push_str("no object answers\n"),
        None => text.push_str("incomplete: no object that could be read answers this request\n"),
        Some((_, winner)) => {
            let plane = answer.answering.first().filter(|plane| answer.is_ambiguous() || plane.is_class_missing);
            let plane = plane.map(|plane| format!("{}: ", sanitize(&plane.name))).unwrap_or_default();
            let does = if winner.is_unanswered() { "matches, but no backend can answer" } else { "answers" };
            text.push_str(&format!("{plane}{} {does}: {}\n", sanitize(&winner.object.to_string()), winner.field));
            let reply = &winner.outcome.reply;
            text.extend(outcome::headline(reply).map(|line| format!("{}\n", sanitize(&line))));
            let chain = winner.chain.iter();
            let rows = chain.map(|link| [link.object.to_string(), link.field.to_string(), link.message.clone()]);
            text.push_str(&section("chain", rows.collect()));
            let own = &winner.object.namespace;
            let backends = winner.outcome.backends().iter();
            let rows = backends
                .map(|backend| [backend.label_with_port(own), percent(backend.share), unanswered(backend, reply)]);
            text.push_str(&section("backends", rows.collect()));
            let pairs =
                |rows: Vec<[String; 2]>| rows.into_iter().map(|[what, value]| [what, value, String::new()]).collect();
            text.push_str(&section("answered with", pairs(outcome::headers(reply))));
            text.push_str(&section("changed on the way", pairs(outcome::changes(reply, &answer.request, own))));
            let rows = outcome::mirrors(reply).iter();
            let rows = rows.map(|mirror| [mirror.label_with_port(own), percent(mirror.share), String::new()]);
            text.push_str(&section("copies", rows.collect()));
            let rows = winner.outcome.not_evaluated.iter().map(|what| [what.to_string(), String::new(), String::new()]);
            text.push_str(&section("not evaluated", rows.collect()));
        }
    }
    let rows = unread.iter().map(|unread| [unread.clone(), String::new(), String::new()]);
    text.push_str(&section("not read, and might answer", rows.collect()));
    text.push_str(&section("reached", answer.reached.iter().map(outcome::reached).collect()));
    let is_unnamed = answer.winner.is_none() && answer.losers.iter().all(|loser| loser.is_elsewhere);
    // If nothing is for the host, the few rules for other hosts show what was misspelled.
    let shows_others = is_unnamed && answer.elsewhere == 0;
    let lost: Vec<&explain::Loser> = answer.losers.iter().filter(|loser| shows_others || !loser.is_elsewhere).collect();
    let elsewhere = answer.elsewhere + answer.losers.len() - lost.len();
    let rows = lost.iter().map(|loser| [loser.object.to_string(), loser.field.to_string(), loser.reason.clone()]);
    text.push_str(&section("lost", rows.collect()));
    match elsewhere {
        0 => {}
        1 => text.push_str("\n1 more rule is for another host\n"),
        // If they were few, they would be listed.
        others if is_unnamed && unread.is_empty() => {
            text.push_str(&format!("\nno rule names this host; {others} rules are for other hosts\n"));
        }
        more => text.push_str(&format!("\n{more} more rules are for other hosts\n")),
    }
    text
}

/// Which data planes would answer, if there are several. It comes first, since no single object is the answer then.
fn ambiguity(answer: &Explanation) -> String {
    let words = "ambiguous: each of these data planes would answer; narrow it with --gateway or --class";
    let planes = answer.answering.iter().map(|plane| format!("  {}\n", sanitize(&plane.name)));
    format!("{words}\n{}\n", planes.collect::<String>())
}

/// A heading and rows with aligned columns; empty without rows.
fn section(heading: &str, rows: Vec<[String; 3]>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rows: Vec<[String; 3]> = rows.into_iter().map(|row| row.map(|cell| sanitize(&cell))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (first, second) = (width(0), width(1));
    let line = |[one, two, three]: &[String; 3]| {
        let gap = if second == 0 { "" } else { "  " };
        format!("  {}\n", format!("{one:<first$}{gap}{two:<second$}  {three}").trim_end())
    };
    format!("\n{heading}\n{}", rows.iter().map(line).collect::<String>())
}

/// What the client gets from a backend that receives requests and cannot answer them.
fn unanswered(backend: &BackendShare, reply: &Reply) -> String {
    match reply {
        Reply::Forward(forward) if !backend.may_answer && backend.share > 0.0 => forward.failure.message(),
        Reply::Forward(_) | Reply::Redirect { .. } | Reply::Response { .. } | Reply::Unknown(_) => String::new(),
    }
}

fn percent(share: f64) -> String {
    let rounded = format!("{:.1}", share * 100.0);
    format!("{} %", rounded.strip_suffix(".0").unwrap_or(&rounded))
}
