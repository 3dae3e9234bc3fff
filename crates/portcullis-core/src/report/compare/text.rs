//! A comparison as text for terminals.

use super::{Compared, NotExpressed, curl, more, place};
use crate::compare::{HostResult, Overall};
use crate::message::sanitize;

/// The comparison as text: how many hosts are the same, and each difference with one request and both answers.
pub fn text(compared: &Compared<'_>) -> String {
    let mut text = format!("{}\n", summary(compared));
    let is_shown = |host: &&HostResult| host.overall() != Overall::Same || !host.differences.is_empty();
    for host in compared.hosts.iter().filter(is_shown) {
        text.push_str(&of_host(host));
    }
    text.push_str(&not_expressed(compared));
    if !compared.unread.is_empty() {
        text.push_str("\nnot read, and may change answers\n");
        text.extend(compared.unread.iter().map(|unread| format!("  {}\n", sanitize(unread))));
    }
    text
}

/// One line with the numbers of hosts, and of the kinds of requests for them.
pub(super) fn summary(compared: &Compared<'_>) -> String {
    let hosts = [Overall::Different, Overall::Unknown, Overall::Same].map(|verdict| compared.count(verdict));
    let requests = compared
        .hosts
        .iter()
        .map(HostResult::counts)
        .fold([0; 3], |sum, own| [0, 1, 2].map(|verdict: usize| sum[verdict] + own[verdict]));
    let mut parts = vec![counted(["host", "hosts"], hosts)];
    if requests != [0; 3] {
        parts.push(counted(["kind of request", "kinds of requests"], requests));
        parts.extend(match compared.unchanged() {
            0 => None,
            1 => Some("no change concerns 1 host".to_owned()),
            unchanged => Some(format!("no change concerns {unchanged} hosts")),
        });
    }
    parts.join("; ")
}

/// The number of things, and how many of them are different, unknown and the same.
fn counted([one, several]: [&str; 2], counts: [usize; 3]) -> String {
    let all: usize = counts.iter().sum();
    let named = counts.iter().zip(["different", "unknown", "same"]).filter(|(count, _)| **count > 0);
    let named: Vec<String> = named.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    let what = if all == 1 { one } else { several };
    format!("{all} {what}: {}", named.join(", "))
}

/// The verdict about a host, as one word.
pub(super) fn verdict(host: &HostResult) -> &'static str {
    match host.overall() {
        Overall::Different => "different",
        Overall::Unknown => "unknown",
        Overall::Same if host.differences.is_empty() => "same",
        Overall::Same => "accepted",
    }
}

fn of_host(host: &HostResult) -> String {
    let mut text = format!("\n{}: {}\n", sanitize(&host.host.to_string()), verdict(host));
    for why in &host.not_compared {
        text.push_str(&format!("  not compared: {}\n", sanitize(why)));
    }
    for difference in &host.differences {
        for reason in difference.reasons() {
            text.push_str(&format!("  {}\n", sanitize(&reason)));
        }
        if let Some(reason) = &difference.accepted {
            text.push_str(&format!("    accepted: {}\n", sanitize(reason)));
        }
        text.push_str(&format!("    {}\n", curl(difference.example())));
        text.push_str(&format!("    before  {}\n", sanitize(&place(&difference.before))));
        text.push_str(&format!("    after   {}\n", sanitize(&place(&difference.after))));
        text.extend(more(difference).iter().map(|line| format!("    {}\n", sanitize(line))));
    }
    text
}

fn not_expressed(compared: &Compared<'_>) -> String {
    let all = compared.not_expressed();
    let mut text = if all.is_empty() { String::new() } else { "\nnot expressed\n".to_owned() };
    for not_expressed in all {
        text.push_str(&format!("  {}\n", sanitize(&not_expressed.what)));
        match not_expressed.examples.as_slice() {
            [] => text.push_str(&format!("    {}\n", sanitize(&hosts(compared, &not_expressed)))),
            examples => text.extend(examples.iter().map(|example| format!("    {}\n", sanitize(example)))),
        }
    }
    text
}

/// The hosts of something that is not compared, as text.
pub(super) fn hosts(compared: &Compared<'_>, not_expressed: &NotExpressed<'_>) -> String {
    match not_expressed.hosts.len() == compared.hosts.len() && compared.hosts.len() > 1 {
        true => "all hosts".to_owned(),
        false => not_expressed.hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}
