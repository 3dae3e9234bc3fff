//! Renders the answer of `explain` as text and as JSON.

use serde::Serialize;

use crate::explain::{self, BackendShare, Explanation, Port};
use crate::field::FieldPath;
use crate::kinds::ObjectRef;
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
            let plane = answer.answering.first().filter(|_| answer.is_ambiguous());
            let plane = plane.map(|plane| format!("{}: ", sanitize(&plane.name))).unwrap_or_default();
            let does = if winner.is_unanswered() { "matches, but no backend can answer" } else { "answers" };
            text.push_str(&format!("{plane}{} {does}: {}\n", sanitize(&winner.object.to_string()), winner.field));
            text.extend(winner.response.iter().map(|response| format!("{}\n", sanitize(response))));
            let chain = winner.chain.iter();
            let rows = chain.map(|link| [link.object.to_string(), link.field.to_string(), link.message.clone()]);
            text.push_str(&section("chain", rows.collect()));
            let rows =
                winner.backends.iter().map(|backend| [target(backend), percent(backend.share), unanswered(backend)]);
            text.push_str(&section("backends", rows.collect()));
        }
    }
    let rows = unread.iter().map(|unread| [unread.clone(), String::new(), String::new()]);
    text.push_str(&section("not read, and might answer", rows.collect()));
    // Rules for other hosts show what was misspelled, if nothing answers.
    let is_listed = |loser: &&explain::Loser| answer.winner.is_none() || !loser.is_elsewhere;
    let lost: Vec<&explain::Loser> = answer.losers.iter().filter(is_listed).collect();
    let elsewhere = answer.elsewhere + answer.losers.len() - lost.len();
    let rows = lost.iter().map(|loser| [loser.object.to_string(), loser.field.to_string(), loser.reason.clone()]);
    text.push_str(&section("lost", rows.collect()));
    match elsewhere {
        0 => {}
        1 => text.push_str("\n1 more rule is for another host\n"),
        more => text.push_str(&format!("\n{more} more rules are for other hosts\n")),
    }
    text
}

/// Which data planes would answer, if there are several. It comes first, since no single object is the answer then.
fn ambiguity(answer: &Explanation) -> String {
    let words = "ambiguous: each of these data planes would answer; --gateway and --class narrow it";
    let planes = answer.answering.iter().map(|plane| format!("  {}\n", sanitize(&plane.name)));
    format!("{words}\n{}\n", planes.collect::<String>())
}

/// The answer as one line of JSON, with `unread` as in [`text`].
pub fn json(answer: &Explanation, unread: &[String]) -> String {
    let request = &answer.request;
    let written = Written {
        request: RequestDocument {
            method: &request.method,
            url: request.url(),
            scheme: request.scheme(),
            host: &request.host,
            port: request.port,
            path: &request.path,
            query: request.query.iter().map(|(name, value)| Pair { name, value }).collect(),
            headers: request.headers.iter().map(|(name, value)| Pair { name, value }).collect(),
            sni: request.sni.as_deref(),
        },
        winner: answer.winner.as_ref().map(|(_, winner)| Winner {
            object: reference(&winner.object),
            field: winner.field.to_string(),
            backends: winner.backends.iter().map(Share::of).collect(),
            chain: winner.chain.iter().map(|link| Link::of(&link.object, &link.field, &link.message)).collect(),
        }),
        answered: answer.is_answered(),
        losers: answer.losers.iter().map(Loser::of).collect(),
        ambiguous: answer.is_ambiguous(),
        unread,
    };
    let mut text = serde_json::to_string(&written).unwrap_or_default();
    text.push('\n');
    text
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

fn target(backend: &BackendShare) -> String {
    match &backend.port {
        Some(Port::Number(number)) => format!("{}:{number}", backend.service),
        Some(Port::Name(name)) => format!("{}:{name}", backend.service),
        None => backend.service.clone(),
    }
}

/// What is wrong with a backend that receives requests and cannot answer them.
fn unanswered(backend: &BackendShare) -> String {
    if backend.may_answer || backend.share == 0.0 { String::new() } else { "no answer".to_owned() }
}

fn percent(share: f64) -> String {
    let rounded = format!("{:.1}", share * 100.0);
    format!("{} %", rounded.strip_suffix(".0").unwrap_or(&rounded))
}

/// `Kind/namespace/name`, without the namespace for a cluster-scoped object.
fn reference(object_ref: &ObjectRef) -> String {
    match object_ref.namespace.as_str() {
        "" => format!("{}/{}", object_ref.kind, object_ref.name),
        namespace => format!("{}/{namespace}/{}", object_ref.kind, object_ref.name),
    }
}

#[derive(Serialize)]
struct Written<'r> {
    request: RequestDocument<'r>,
    winner: Option<Winner<'r>>,
    answered: bool,
    losers: Vec<Loser<'r>>,
    ambiguous: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unread: &'r [String],
}

#[derive(Serialize)]
struct RequestDocument<'r> {
    method: &'r str,
    url: String,
    scheme: &'static str,
    host: &'r str,
    port: u16,
    path: &'r str,
    query: Vec<Pair<'r>>,
    headers: Vec<Pair<'r>>,
    sni: Option<&'r str>,
}

#[derive(Serialize)]
struct Pair<'r> {
    name: &'r str,
    value: &'r str,
}

#[derive(Serialize)]
struct Winner<'r> {
    object: String,
    field: String,
    backends: Vec<Share<'r>>,
    chain: Vec<Link<'r>>,
}

#[derive(Serialize)]
struct Share<'r> {
    service: &'r str,
    port: Option<Number<'r>>,
    share: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Number<'r> {
    Number(i64),
    Name(&'r str),
}

impl<'r> Share<'r> {
    fn of(backend: &'r BackendShare) -> Self {
        let port = backend.port.as_ref().map(|port| match port {
            Port::Number(number) => Number::Number(*number),
            Port::Name(name) => Number::Name(name),
        });
        Self { service: &backend.service, port, share: backend.share }
    }
}

#[derive(Serialize)]
struct Link<'r> {
    object: String,
    field: String,
    message: &'r str,
}

impl<'r> Link<'r> {
    fn of(object: &ObjectRef, field: &FieldPath, message: &'r str) -> Self {
        Self { object: reference(object), field: field.to_string(), message }
    }
}

#[derive(Serialize)]
struct Loser<'r> {
    object: String,
    field: String,
    reason: &'r str,
}

impl<'r> Loser<'r> {
    fn of(loser: &'r explain::Loser) -> Self {
        Self { object: reference(&loser.object), field: loser.field.to_string(), reason: &loser.reason }
    }
}
