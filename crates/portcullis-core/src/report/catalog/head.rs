//! Generates the head of a page: the actions of a check, when it runs, its options; and its end: how to turn it off or exempt
//! from it.

use std::collections::BTreeSet;

use super::{CatalogEntry, option};
use crate::bundle::{Channel, Enforced};
use crate::checks::{Check, Profile, When};
use crate::defaults::Defaulter;
use crate::finding::Action;

/// The head of the page of `entry`. Each line has a label and a text.
pub fn of(entry: &CatalogEntry) -> String {
    let rows = match entry {
        CatalogEntry::Check(check) => of_check(entry, check),
        CatalogEntry::Defaulter(defaulter) => of_defaulter(defaulter),
    };
    text(&rows)
}

/// How to turn a check off or exempt from it, after an empty line; empty for a defaulter.
pub fn way_out(entry: &CatalogEntry) -> String {
    let CatalogEntry::Check(check) = entry else { return String::new() };
    let off = match check.when {
        When::GivenUp => "not by itself: it is as strict as the strictest of the other checks".to_owned(),
        _ => format!("checks: {{{}: Off}}", check.id),
    };
    let exemption = "match: {namespaces: {names: [NAMESPACE]}}, reason: TEXT";
    let exemption = format!("exemptions: [{{checks: [{}], {exemption}}}]", check.id);
    format!("\n{}", text(&[("turn off", off), ("exempt", exemption)]))
}

fn text(rows: &[(&str, String)]) -> String {
    let widest = rows.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    let line = |(label, text): &(&str, String)| format!("    {label:<widest$}  {text}").trim_end().to_owned() + "\n";
    rows.iter().map(line).collect()
}

type Rows = Vec<(&'static str, String)>;

fn of_check(entry: &CatalogEntry, check: &Check) -> Rows {
    let actions = Profile::ALL.map(|profile| format!("{} {}", profile.name(), check.actions.of(profile)));
    let some_only_warn = if entry.may_only_warn() { "; some findings only warn" } else { "" };
    let mut rows = vec![
        ("theme", check.theme.name().to_owned()),
        ("action", actions.join(", ") + some_only_warn),
        ("since", since(check)),
        ("runs", runs(check).to_owned()),
    ];
    rows.extend(check.enforced.map(|enforced| ("schema", schema(enforced))));
    rows.extend(policy(check).map(|text| ("policy", text)));
    rows.extend(option::labeled(option::of_check(check)));
    rows
}

fn of_defaulter(defaulter: &Defaulter) -> Rows {
    let action = if defaulter.enabled { "on by default" } else { "off by default" };
    let mut rows = vec![
        ("default", action.to_owned()),
        ("runs", "in the webhook (/mutate), before the checks; `lint` and `audit` change no object".to_owned()),
    ];
    rows.extend(option::labeled(option::of_defaulter(defaulter)));
    let (label, setting) = match (defaulter.enabled, defaulter.option) {
        (true, _) => ("turn off", "{enabled: false}".to_owned()),
        (false, Some(option)) => ("turn on", format!("{{{option}: {}}}", option.to_uppercase())),
        (false, None) => ("turn on", "{enabled: true}".to_owned()),
    };
    rows.push((label, format!("defaults: {{{}: {setting}}}", defaulter.id)));
    rows
}

fn since(check: &Check) -> String {
    let stricter =
        check.stricter.iter().map(|(release, profile)| format!("; stricter in {} since {release}", profile.name()));
    format!("{}{}", check.since, stricter.collect::<String>())
}

/// When the check runs, live and offline.
fn runs(check: &Check) -> &'static str {
    match check.when {
        _ if check.run.is_of_manifest() => "offline: `lint` only, for manifests in files",
        When::GivenUp => "live: webhook, if a review takes too long",
        When::Stored => "offline: `lint` and `audit`",
        When::Exists => "live: webhook, on create and update; offline: `lint` and `audit`",
        When::Update => "live: webhook, on update",
        When::Delete => "live: webhook, on delete",
    }
}

/// Whether the exported policies deny the same, and why not; `None` for a check that denies nothing when an object is written.
fn policy(check: &Check) -> Option<String> {
    let denies = Profile::ALL.into_iter().any(|profile| check.actions.of(profile) == Action::Deny);
    let is_live = matches!(check.when, When::Exists | When::Update) && !check.run.is_of_manifest();
    let looked_up = || {
        check
            .needs
            .iter()
            .map(|kind| kind.api().kind)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
            .join(", ")
    };
    (check.is_exported || denies && is_live).then(|| match check.is_exported {
        true => "exported: `portcullis export policies` prints one that denies the same, also while no replica answers"
            .to_owned(),
        false if check.needs.is_empty() => {
            "not exported: policies are only for hosts of others, classes, and required labels and annotations"
                .to_owned()
        }
        false => format!("not exported: it looks up objects ({}), which a policy cannot", looked_up()),
    })
}

/// Since which release the schemas of the Gateway API reject the same fault.
fn schema(enforced: Enforced) -> String {
    let (major, minor) = enforced.since;
    let channel = match enforced.channel {
        Channel::Standard => "",
        Channel::Experimental => " (experimental channel)",
    };
    format!(
        "rejected by the API server itself with CRDs of Gateway API {major}.{minor} or later{channel}, then not checked again"
    )
}
