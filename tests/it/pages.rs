//! Runs every page beside a check: what is said to be found is found, to the letter, and what is said to pass passes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use libtest_mimic::{Failed, Trial};
use portcullis::files::{self, Contents, Manifest};
use portcullis_core::checks::{Before, Check, Operation, Outcome, Plan, Profile, When, Write, registry};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SharedCluster, SyncState, User, View};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Object, Partial};
use portcullis_core::review::stored;

use crate::golden;
use crate::page::{Example, examples};

pub fn trials() -> Vec<Trial> {
    let page = |check: &'static Check| Trial::test(format!("page::{}", check.id), move || run(check));
    registry::all().map(page).collect()
}

/// Whether only the commands that read files or stored objects run the check.
pub fn is_offline(check: &Check) -> bool {
    matches!(check.when, When::Stored) || check.run.is_of_manifest()
}

/// The day on which every page is run.
pub fn today() -> Timestamp {
    "2026-12-01T00:00:00Z".parse().expect("a timestamp")
}

fn run(check: &'static Check) -> Result<(), Failed> {
    let examples = examples(check.page);
    assert!(check.page.starts_with(&format!("# `{}`\n", check.id)), "the title of a page is the id of its check");
    for heading in ["## Why", "## What to do", "## Found", "## Not found"] {
        assert!(check.page.contains(&format!("\n{heading}\n")), "the page lacks `{heading}`");
    }
    assert!(examples.iter().any(|example| example.findings.is_some()), "no example is found");
    assert!(examples.iter().any(|example| example.findings.is_none()), "no example passes");
    for (index, example) in examples.iter().enumerate() {
        let expected = example.findings.clone().unwrap_or_default();
        let found = found(check, example, &expected);
        // An example in which nothing is found any more, or only now, is a matter for whoever reads it.
        let can_be_updated = !found.is_empty() && !expected.is_empty();
        match found == expected {
            false if can_be_updated && golden::is_updated() => golden::update_page(check.id, &examples, index, &found),
            _ => assert_eq!(found, expected, "of {}", example.yaml),
        }
    }
    Ok(())
}

/// The findings of `check` on an example, as a page writes them. A page may write in front of a finding whether it warns or refuses; what
/// it does is written in front of the findings of which the page says so.
fn found(check: &Check, example: &Example, expected: &str) -> String {
    let says = |line: Option<&str>| line.is_some_and(|line| line.starts_with("warn ") || line.starts_with("deny "));
    let mut expected = expected.lines();
    let judgement = judge(check, example);
    let own = judgement.findings.iter().filter(|judged| judged.finding.check == check.id);
    let lines = own.map(|judged| {
        let message =
            portcullis_core::message::render_cause(&judged.finding, portcullis_core::message::Disclosure::All);
        let message = message.strip_suffix(&format!(" [{}]", check.id)).expect("a sentence ends with its id");
        let address = judged.finding.at.to_string();
        let mark = if judged.is_preexisting { "already present, tolerated: " } else { "" };
        let action = if says(expected.next()) { judged.action.name().to_lowercase() + " " } else { String::new() };
        format!("{action}{} {address}: {mark}{message}\n", check.id)
    });
    lines.collect()
}

/// What all checks say of an example.
pub fn judge(check: &Check, example: &Example) -> Outcome {
    judge_by(&plan(check, example), check, example, &[])
}

/// The checks as an example has them configured.
pub fn plan(check: &Check, example: &Example) -> Plan {
    Plan::new(config(check, example)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// What all checks say of an example, by the plan that is made already, in a cluster that has more to it than the example says.
pub fn judge_by(plan: &Plan, check: &Check, example: &Example, more: &[Event]) -> Outcome {
    judge_through(plan, check, example, more, &|overlay, judge| judge(overlay))
}

/// What makes a view of an overlay and lets it be judged by.
pub type Through<'t> = &'t dyn Fn(&Overlay<'_>, &dyn Fn(&dyn View) -> Outcome) -> Outcome;

/// The same through another view of that cluster.
pub fn judge_through(plan: &Plan, check: &Check, example: &Example, more: &[Event], through: Through<'_>) -> Outcome {
    let documents = manifests(&example.yaml);
    let (reviewed, rest) = documents.split_first().expect("an example begins with the object under review");
    let cluster = cluster(rest);
    let old = example.old.as_deref().map(manifests);
    let operation = match (example.delete, &old) {
        (true, _) => Operation::Delete,
        (false, Some(_)) => Operation::Update,
        (false, None) if is_offline(check) => Operation::Stored,
        (false, None) => Operation::Create,
    };
    cluster.apply(more.to_vec());
    cluster.apply(vec![Event::Secrets(contents(&example.yaml).secrets.into_iter().collect(), true, BTreeSet::new())]);
    let cluster = cluster.read();
    let overlay = Overlay::new(&cluster, &reviewed.object_ref);
    let write = Write { operation, this: &reviewed.object_ref, user: Some(User::named("alice")), now: today() };
    if operation == Operation::Stored {
        return stored::judge_manifest(plan, &cluster, &reviewed.object_ref, &reviewed.json, today());
    }
    let partial = Partial::read(reviewed.object_ref.kind, &reviewed.json);
    match partial {
        Partial { object: Some(object), decode_errors } if decode_errors.is_empty() => {
            let old = || old.as_ref().map(|old| must_read(&old[0]));
            through(&overlay, &|view| plan.check(&object, old, view, &write))
        }
        partial => {
            let before = old.as_ref().map(|old| Before::Other(Box::new(must_read(&old[0]))));
            let before = before.unwrap_or(Before::Unknown);
            through(&overlay, &|view| plan.check_partial(&partial, &before, view, &write))
        }
    }
}

pub fn config(check: &Check, example: &Example) -> Config {
    let text = config_text(check, example);
    Config::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The configuration of an example: its own, or the first profile in which the check acts.
pub fn config_text(check: &Check, example: &Example) -> String {
    let head = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n");
    match &example.config {
        Some(config) => format!("{head}{config}"),
        None => format!("{head}profile: {}\n", profile(check).name()),
    }
}

fn profile(check: &Check) -> Profile {
    let acts = |profile: &Profile| check.actions.of(*profile) != Action::Off;
    let first = [Profile::Baseline, Profile::Restricted, Profile::Kep758].into_iter().find(acts);
    first.unwrap_or_else(|| panic!("{} acts in no profile: its page needs a `yaml config`", check.id))
}

pub fn manifests(yaml: &str) -> Vec<Manifest> {
    contents(yaml).manifests
}

fn contents(yaml: &str) -> Contents {
    let contents = files::parse(Path::new("page.md"), yaml);
    assert_eq!(contents.unread, [], "{yaml}");
    contents
}

fn must_read(manifest: &Manifest) -> Object<'_> {
    manifest.object().expect("an example's old object can be read")
}

/// A cluster that holds just these objects.
pub fn cluster(rest: &[Manifest]) -> Arc<SharedCluster> {
    let mut cluster = Cluster::with(SyncState::Complete);
    for manifest in rest {
        cluster.apply(Event::Apply(Facts::of(&must_read(manifest))));
    }
    Arc::new(SharedCluster::new(cluster))
}
