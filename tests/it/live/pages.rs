//! Every page's examples, by real kubectl through a real API server: what is found arrives by its action.
//!
//! What the API server refuses by itself never reaches a webhook. Which examples those are is seen here, not written
//! down; they are sent to the same gate as a review of our own making.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Trial;
use portcullis::checks::{Check, Judged, registry};
use portcullis::files::Manifest;
use portcullis::finding::Action;
use portcullis::sentence::{Names, line, sentence};
use serde_json::{Value, json};

use super::stage::{ALICE, Doors, Stage, list_of, path_of, version_of};
use crate::harness::{ControlPlane, Flavour, Said, on_cluster};
use crate::page::{Example, examples};
use crate::pages::{config_text, judge, manifests};
use crate::parity::PARITY;

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("live::every_pages_findings_arrive_by_their_actions", every_page)]
}

/// An example on its way through the API server.
struct Scene {
    check: &'static Check,
    example: Example,
    reviewed: Manifest,
    old: Option<Manifest>,
    rest: Vec<Manifest>,
}

/// What came back, whichever way it went.
struct Heard {
    refused: bool,
    text: String,
}

/// What the API server does with an example before it asks any webhook.
#[derive(Debug, PartialEq, Eq)]
enum Before {
    Admits,
    Refuses,
}

fn every_page() {
    // Its own, since pages make and delete IngressClasses; without the plugin, that they may say what a class is not.
    let cp = ControlPlane::start(Flavour::NoDefaultIngressClass);
    let stage = Stage::new(&cp, Doors::Validate, "profile: audit\n");
    let (mut wrong, mut kept_away) = (Vec::new(), BTreeSet::new());
    for (config, scenes) in by_config() {
        stage.configure(&config);
        for scene in &scenes {
            let (before, heard) = scene.play(&stage);
            wrong.extend(scene.compare(&before, &heard));
            if before == Before::Refuses && scene.example.findings.is_some() {
                kept_away.insert(scene.check.id);
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples went wrong:\n\n{}", wrong.len(), wrong.join("\n\n"));
    let live = |id: &&&str| registry::find(id).is_some_and(|check| !check.is_offline());
    let repeats = PARITY.iter().filter(live).chain(ANSWERED_BEFORE);
    assert_eq!(kept_away, repeats.copied().collect(), "the checks of which a fault never reaches the gate");
}

/// The checks beside [`PARITY`] whose faults the API server answers by itself.
const ANSWERED_BEFORE: &[&str] = &[
    "ingress-class/controller-changed",
    "ingress-class/controller-malformed",
    "ingress-class/controller-missing",
    "ingress-class/controller-too-long",
    "ingress-class/name-malformed",
    "ingress-class/parameters-group-malformed",
    "ingress-class/parameters-incomplete",
    "ingress-class/parameters-namespace-mismatch",
    "ingress-class/parameters-scope-unknown",
    // The side of the design document: today every backend needs a port.
    "ingress/service-port-ambiguous",
    // What has not even the shape of its kind is not decoded there.
    "object/unreadable",
];

/// All examples, those with one configuration together: to change it takes the gate a second.
fn by_config() -> BTreeMap<String, Vec<Scene>> {
    let mut scenes: BTreeMap<String, Vec<Scene>> = BTreeMap::new();
    for check in registry::all().filter(|check| !check.is_offline()) {
        for example in examples(check.page) {
            scenes.entry(config_text(check, &example)).or_default().push(Scene::new(check, example));
        }
    }
    scenes
}

impl Scene {
    fn new(check: &'static Check, example: Example) -> Self {
        let mut rest = manifests(&example.yaml);
        let reviewed = rest.remove(0);
        let old = example.old.as_deref().map(|yaml| manifests(yaml).remove(0));
        Self { check, example, reviewed, old, rest }
    }

    /// Sets the scene, writes the object under review, and clears the stage again.
    fn play(&self, stage: &Stage<'_>) -> (Before, Heard) {
        let rest = if self.rest.is_empty() { Ok(()) } else { stage.set(&self.rest) };
        rest.unwrap_or_else(|answer| panic!("{}: the rest is refused: {answer}", self.check.id));
        let stored = if self.example.delete { Some(&self.reviewed) } else { self.old.as_ref() };
        let stored = stored.map_or(Ok(()), |stored| stage.set(std::slice::from_ref(stored)));
        let before = if stored.is_ok() { self.ask(stage) } else { Before::Refuses };
        let heard = match before {
            Before::Admits => Heard::of_kubectl(&self.write(stage)),
            Before::Refuses => Heard::of_review(&stage.gate.post("/validate", self.review().to_string())),
        };
        stage.clear();
        (before, heard)
    }

    /// What the API server itself says: a dry run that no webhook sees.
    fn ask(&self, stage: &Stage<'_>) -> Before {
        let (reviewed, json) = (&self.reviewed, self.reviewed.json.to_string());
        let (status, answer) = match &self.old {
            _ if self.example.delete => return Before::Admits,
            Some(_) => stage.http.put(&format!("{}?dryRun=All", path_of(reviewed)), json),
            None => stage.http.post(&format!("{}?dryRun=All", list_of(reviewed)), json),
        };
        match status {
            200 | 201 => Before::Admits,
            400 | 422 => Before::Refuses,
            _ => panic!("{}: neither admitted nor refused: {status} {answer}", self.check.id),
        }
    }

    fn write(&self, stage: &Stage<'_>) -> Said {
        let place = &self.reviewed.place;
        let words = match &self.old {
            _ if self.example.delete => &format!("delete {}/{} --dry-run=server", place.kind.api().plural, place.name),
            Some(_) => "replace --dry-run=server -f -",
            None => "apply --dry-run=server -f -",
        };
        stage.kubectl(words).stdin(&self.reviewed.json).run()
    }

    /// The review that the API server would have asked for.
    fn review(&self) -> Value {
        let (place, api) = (&self.reviewed.place, self.reviewed.place.kind.api());
        let object: Value = serde_json::from_str(&self.reviewed.json).expect("a manifest is JSON");
        let old = self.old.as_ref().map(|old| serde_json::from_str::<Value>(&old.json).expect("a manifest is JSON"));
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": {"group": api.group, "version": version_of(&self.reviewed), "kind": api.kind},
            "name": place.name,
            "namespace": place.namespace,
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "userInfo": {"username": ALICE},
            "object": object,
            "oldObject": old,
        }})
    }

    /// What is wrong with what was heard.
    fn compare(&self, before: &Before, heard: &Heard) -> Option<String> {
        let own = judge(self.check, &self.example).findings.into_iter();
        let own: Vec<Judged> = own.filter(|judged| judged.finding.check == self.check.id).collect();
        let missing: Vec<String> = own.iter().map(words).filter(|words| !heard.text.contains(words)).collect();
        let slipped = own.iter().any(|judged| judged.action == Action::Deny) && !heard.refused;
        let unasked = own.is_empty() && heard.text.contains(&format!("[{}]", self.check.id));
        let wrong = !missing.is_empty() || slipped || unasked;
        wrong.then(|| {
            let Heard { refused, text } = heard;
            let Example { yaml, .. } = &self.example;
            format!(
                "{}: the API server {before:?}\n{yaml}missing: {missing:#?}\nrefused: {refused}\n{text}",
                self.check.id
            )
        })
    }
}

/// The words by which a finding must arrive.
fn words(judged: &Judged) -> String {
    let (at, finding) = (judged.finding.at.to_string(), &judged.finding);
    match judged.action {
        Action::Deny if at.is_empty() => sentence(finding, Names::All),
        Action::Deny => format!("{at}: {}", sentence(finding, Names::All)),
        Action::Warn => format!("Warning: {}\n", line(finding, Names::All)),
        Action::Audit | Action::Off => panic!("a page shows what its reader would see"),
    }
}

impl Heard {
    fn of_kubectl(said: &Said) -> Self {
        Self { refused: !said.succeeded(), text: said.stderr.clone() }
    }

    fn of_review((status, answer): &(u16, Value)) -> Self {
        assert_eq!(*status, 200, "{answer}");
        let response = &answer["response"];
        let warnings = response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let warnings: String = warnings.map(|warning| format!("Warning: {warning}\n")).collect();
        let message = response["status"]["message"].as_str().unwrap_or_default();
        Self { refused: response["allowed"] == false, text: format!("{warnings}{message}\n") }
    }
}
