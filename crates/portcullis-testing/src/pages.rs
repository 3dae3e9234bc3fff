//! Evaluates the examples of pages. The first document of an example is under review, the others are the cluster.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use jiff::Timestamp;
use portcullis::files::{self, FileContents, Manifest, UnreadCause};
use portcullis_core::checks::{Before, Check, Operation, Outcome, Plan, Profile, When, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, OfflineObjects, Overlay, SharedCluster, SyncState, User, View};
use portcullis_core::config::Config;
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Object, Partial};
use portcullis_core::review::stored::{self, AppliedManifest};

use crate::config;
use crate::page::Example;

/// Whether the check runs only in the commands that read files or stored objects.
pub fn is_offline(check: &Check) -> bool {
    matches!(check.when, When::Stored) || check.run.is_of_manifest()
}

/// The date at which every page is evaluated.
pub fn today() -> Timestamp {
    "2026-12-01T00:00:00Z".parse().expect("a timestamp")
}

/// The outcome of all checks for an example.
pub fn judge(check: &Check, example: &Example) -> Outcome {
    judge_by(&plan(check, example), check, example, &[])
}

/// The plan for an example. Thousands of examples share some hundred configurations, and a plan costs more than to judge an example.
pub fn plan(check: &Check, example: &Example) -> Arc<Plan> {
    static PLANS: LazyLock<Mutex<HashMap<String, Arc<Plan>>>> = LazyLock::new(Mutex::default);
    let text = config_text(check, example);
    if let Some(plan) = PLANS.lock().expect("no holder panics").get(&text) {
        return Arc::clone(plan);
    }
    let plan = Plan::new(config(check, example)).unwrap_or_else(|errors| panic!("{errors:?}"));
    let plan = Arc::new(plan);
    PLANS.lock().expect("no holder panics").insert(text, Arc::clone(&plan));
    plan
}

/// The outcome of all checks for an example with an existing plan. The events in `more` are applied to the cluster of
/// the example.
pub fn judge_by(plan: &Plan, check: &Check, example: &Example, more: &[Event]) -> Outcome {
    judge_through(plan, check, example, more, &|overlay, judge| judge(overlay))
}

/// Creates a view from an overlay, and evaluates with that view.
pub type Through<'t> = &'t dyn Fn(&Overlay<'_>, &dyn Fn(&dyn View) -> Outcome) -> Outcome;

/// The same with a view that `through` creates.
pub fn judge_through(plan: &Plan, check: &Check, example: &Example, more: &[Event], through: Through<'_>) -> Outcome {
    let FileContents { manifests: documents, secrets, .. } = contents(&example.yaml);
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
    cluster.apply(vec![Event::Secrets(OfflineObjects::all(secrets))]);
    let cluster = cluster.read();
    let overlay = Overlay::new(&cluster, &reviewed.object_ref);
    let write = Write { operation, this: &reviewed.object_ref, user: Some(User::named("alice")), now: today() };
    if operation == Operation::Stored {
        return stored::check_manifest(
            plan,
            &cluster,
            AppliedManifest::new(&reviewed.object_ref, &reviewed.json, today()),
        );
    }
    let partial = Partial::read(reviewed.object_ref.kind, &reviewed.json);
    match partial {
        Partial { object: Some(object), decode_errors } if decode_errors.is_empty() => {
            let old = || old.as_ref().map(|old| must_read(&old[0]));
            through(&overlay, &|view| plan.check(&object, old, view, &write))
        }
        partial => {
            let before = old.as_ref().map(|old| Before::Other(Box::new(must_read(&old[0]))));
            let before = before.unwrap_or(Before::Incomparable);
            through(&overlay, &|view| plan.check_partial(&partial, &before, view, &write))
        }
    }
}

/// The configuration of an example.
pub fn config(check: &Check, example: &Example) -> Config {
    let text = config_text(check, example);
    Config::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The text of an example's configuration: its own, or the first profile in which the check is enabled.
pub fn config_text(check: &Check, example: &Example) -> String {
    match &example.config {
        Some(config) => config::text(config),
        None => config::text(&format!("profile: {}\n", profile(check).name())),
    }
}

fn profile(check: &Check) -> Profile {
    let acts = |profile: &Profile| check.actions.of(*profile) != Action::Off;
    let first = [Profile::Baseline, Profile::Restricted, Profile::Kep758].into_iter().find(acts);
    first.unwrap_or_else(|| panic!("{} acts in no profile: its page needs a `yaml config`", check.id))
}

/// The manifests in a YAML text, all of which must be readable.
pub fn manifests(yaml: &str) -> Vec<Manifest> {
    contents(yaml).manifests
}

fn contents(yaml: &str) -> FileContents {
    let mut contents = files::parse(Path::new("page.md"), yaml);
    let unstored = contents.unread.iter_mut().filter_map(|unread| unread.unstored.take());
    contents.manifests.extend(unstored.map(|manifest| *manifest));
    contents.unread.retain(|unread| unread.cause != UnreadCause::RetiredVersion);
    assert_eq!(contents.unread, [], "{yaml}");
    contents
}

/// The object in a manifest of an example.
pub fn must_read(manifest: &Manifest) -> Object<'_> {
    manifest.object().unwrap_or_else(|errors| panic!("{errors:?}\n{}", manifest.json))
}

/// A cluster with exactly these objects.
pub fn cluster(rest: &[Manifest]) -> Arc<SharedCluster> {
    let mut cluster = Cluster::with(SyncState::Complete);
    for manifest in rest {
        cluster.apply(Event::Apply(Facts::of(&must_read(manifest))));
    }
    Arc::new(SharedCluster::new(cluster))
}
