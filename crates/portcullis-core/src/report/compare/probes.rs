//! Requests to send to real proxies, as a file for Hurl (hurl.dev).

use std::collections::BTreeSet;

use super::{Compared, place};
use crate::compare::{Difference, HostResult};
use crate::explain::Request;
use crate::message::sanitize;

/// One request for each region that differs or may do so, with what differs as a comment; with `all`, also one for each other region.
/// A request that several data planes answer differently is sent once.
pub fn probes(compared: &Compared<'_>, all: bool) -> String {
    let (mut text, mut sent) = (String::new(), BTreeSet::new());
    let mut once = |request: &Request| Some(probe(request)).filter(|probe| sent.insert(probe.clone()));
    for host in compared.hosts {
        for difference in host.differences.iter().filter(|difference| difference.accepted.is_none()) {
            text.push_str(&comment(host, difference));
            text.extend(difference.requests.kept().iter().filter_map(&mut once));
        }
        if all && !host.same.kept().is_empty() {
            text.push_str(&format!("# {}: the same\n", sanitize(&host.host.to_string())));
            text.extend(host.same.kept().iter().filter_map(&mut once));
        }
    }
    text
}

fn comment(host: &HostResult, difference: &Difference) -> String {
    let name = host.host.to_string();
    let lines = difference.reasons().into_iter().map(|reason| format!("{name}: {reason}"));
    let places = [("before", &difference.before), ("after", &difference.after)];
    let places = places.map(|(when, answer)| format!("{when}: {}", place(answer)));
    lines.chain(places).map(|line| format!("# {}\n", sanitize(&line))).collect()
}

fn probe(request: &Request) -> String {
    let headers = request.headers.iter().map(|(name, value)| format!("{}: {}\n", sanitize(name), escaped(value)));
    let headers: String = headers.collect();
    format!("{} {}\n{headers}HTTP *\n\n", request.method, escaped(&request.url()))
}

/// A value in which Hurl finds no comment, escape or template.
fn escaped(text: &str) -> String {
    sanitize(text).replace('\\', r"\\").replace('#', r"\#").replace("{{", r"\{{")
}
