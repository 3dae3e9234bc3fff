//! Every page's examples, by real kubectl through a real API server: what is found arrives by its action.
//!
//! What the API server refuses by itself never reaches a webhook. Which examples those are is seen here, not written
//! down; they are sent to the same gate as a review of our own making. What a check says that CRDs enforce must be
//! refused by them, and the gate is silent then.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Trial;
use portcullis::files::Manifest;
use portcullis_core::bundle::{Bundle, InstalledSchema};
use portcullis_core::checks::{Check, EvaluatedFinding, registry};
use portcullis_core::cluster::{Event, Facts, NamespaceFacts};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{config_text, is_offline, judge_by, manifests, plan};
use serde_json::{Value, json};

use super::fixture::{ALICE, ClusterFixture, Doors, list_of, version_of, words_for};
use super::reply::{Reply, words};
use crate::harness::{Channel, ControlPlane, Flavour, NEWEST, Said, on_full_cluster};
use crate::parity::PARITY;

pub fn trials() -> Vec<Trial> {
    vec![
        on_full_cluster("live::every_pages_findings_arrive_by_their_actions", every_page),
        on_full_cluster("live::every_pages_findings_arrive_under_the_standard_channel", every_gateway_page),
        on_full_cluster("live::every_pages_findings_arrive_under_the_crds_of_1_4", || every_older_page("1.4.1")),
        on_full_cluster("live::every_pages_findings_arrive_under_the_crds_of_1_5", || every_older_page("1.5.1")),
    ]
}

/// The fewest examples that a bundle must be able to play.
const FEWEST: usize = 200;

/// An example on its way through the API server.
struct Scene {
    check: &'static Check,
    example: Example,
    reviewed: Manifest,
    old: Option<Manifest>,
    rest: Vec<Manifest>,
    bundle: Bundle,
}

/// What the API server does with an example before it asks any webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Admits,
    /// It knows the kind, and not all fields or not the version: the gate would not see what is written.
    Prunes,
    Refuses,
}

/// Pages of every kind, where all kinds are.
fn every_page() {
    let kept_away = play(NEWEST, Channel::Experimental, |_| true);
    let live = |id: &&&str| registry::find(id).is_some_and(|check| !is_offline(check));
    let repeats = PARITY.iter().filter(live).chain(ANSWERED_BEFORE);
    assert_eq!(kept_away, repeats.copied().collect(), "the checks of which a fault never reaches the gate");
}

/// Pages that the Gateway API comes into, where only what is stable can be written.
fn every_gateway_page() {
    play(NEWEST, Channel::Standard, Scene::is_about_gateways);
}

/// The same under CRDs that are older, as far as these have the kinds.
fn every_older_page(version: &str) {
    for channel in [Channel::Standard, Channel::Experimental] {
        play(version, channel, Scene::is_about_gateways);
    }
}

/// Plays all scenes of the pages that are wanted, on a server with the CRDs of this bundle; the checks whose faults the API server answers by
/// itself, but for those that say so.
fn play(version: &str, channel: Channel, wanted: impl Fn(&Scene) -> bool) -> BTreeSet<&'static str> {
    // Its own, since pages make and delete classes; without the plugin, that they may say what a class is not.
    let cp = ControlPlane::start(Flavour::NoDefaultIngressClass);
    cp.install_gateway_api(version, channel);
    cp.install_delegations();
    let bundle = Bundle::parse(version, channel.name()).expect("a pinned bundle has a version");
    let fixture = ClusterFixture::new(&cp, Doors::Validate, "profile: audit\n");
    let mut scenes = by_config(bundle);
    scenes.values_mut().for_each(|scenes| scenes.retain(&wanted));
    let namespaces: BTreeSet<&str> = scenes.values().flatten().flat_map(Scene::namespaces).collect();
    namespaces.into_iter().for_each(|name| fixture.add_namespace(name));
    let has_every_field = version == NEWEST && matches!(channel, Channel::Experimental);
    let (mut wrong, mut kept_away, mut played) = (Vec::new(), BTreeSet::new(), 0);
    for (config, scenes) in scenes.iter().filter(|(_, scenes)| !scenes.is_empty()) {
        fixture.configure(config);
        for scene in scenes {
            if !has_every_field && !scene.fits(&fixture) {
                continue;
            }
            let (before, heard) = match scene.play(&fixture) {
                Ok(played) => played,
                Err(why) => {
                    wrong.push(why);
                    continue;
                }
            };
            played += 1;
            wrong.extend(scene.compare(before, &heard));
            if before == Before::Refuses && scene.example.findings.is_some() && !scene.is_enforced() {
                kept_away.insert(scene.check.id);
            }
        }
    }
    assert!(played > FEWEST, "{played} examples prove little");
    assert!(wrong.is_empty(), "{} of {played} examples went wrong:\n\n{}", wrong.len(), wrong.join("\n\n"));
    kept_away
}

/// The checks beside [`PARITY`] whose faults the API server answers by itself.
const ANSWERED_BEFORE: &[&str] = &[
    // The CRDs refuse a name that one list holds twice, and not one that two lists hold.
    "filter/header-modified-twice",
    // The CRDs refuse the example, but not all that the check finds.
    "http-route/prefix-replaced-without-prefix",
    // They refuse a match that is null, and not all that the check finds.
    "http-route/rule-shadowed",
    // Contour's CRD refuses these hosts, which that of older releases does not.
    "http-proxy/fqdn-malformed",
    "http-proxy/fqdn-conflict",
    "ingress-class/controller-changed",
    "ingress-class/controller-malformed",
    "ingress-class/controller-missing",
    "ingress-class/controller-too-long",
    "ingress-class/name-malformed",
    "ingress-class/parameters-group-malformed",
    "ingress-class/parameters-incomplete",
    "ingress-class/parameters-namespace-mismatch",
    "ingress-class/parameters-scope-unknown",
    // The pattern of the schema is open at one end, and stops what lies outside of it.
    "listener/protocol-malformed",
    // The side of the design document: today every backend needs a port.
    "ingress/service-port-ambiguous",
    // What has not even the shape of its kind is not decoded there.
    "object/unreadable",
];

/// All examples, those with one configuration together: to change it takes the gate a second.
fn by_config(bundle: Bundle) -> BTreeMap<String, Vec<Scene>> {
    let mut scenes: BTreeMap<String, Vec<Scene>> = BTreeMap::new();
    for check in registry::all().filter(|check| !is_offline(check)) {
        for example in examples(check.page) {
            let config = config_text(check, &example);
            // Here the server says which bundle it has, and what a Secret holds only files tell.
            if !config.contains("gatewayBundle:") && !example.yaml.contains("kind: Secret") {
                scenes.entry(config).or_default().push(Scene::new(check, example, bundle));
            }
        }
    }
    scenes
}

impl Scene {
    fn new(check: &'static Check, example: Example, bundle: Bundle) -> Self {
        let mut rest = manifests(&example.yaml);
        let reviewed = rest.remove(0);
        let old = example.old.as_deref().map(|yaml| manifests(yaml).remove(0));
        Self { check, example, reviewed, old, rest, bundle }
    }

    /// All objects of the scene.
    fn objects(&self) -> impl Iterator<Item = &Manifest> {
        self.rest.iter().chain(&self.old).chain([&self.reviewed])
    }

    fn is_about_gateways(&self) -> bool {
        self.objects().any(|manifest| manifest.object_ref.kind.is_gateway_api())
    }

    fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.objects().map(|manifest| manifest.object_ref.namespace.as_str()).filter(|name| !name.is_empty())
    }

    /// Whether the CRDs refuse what the check finds, as it says, so that the gate need not.
    fn is_enforced(&self) -> bool {
        self.check.enforced.is_some_and(|enforced| enforced.holds_in(self.bundle))
    }

    /// What the server has beside what the example says: a schema, and all namespaces that are named.
    fn more(&self) -> Vec<Event> {
        let schema = InstalledSchema { bundle: self.bundle, enforced: !self.is_enforced() };
        let is_there = |name: &str| self.objects().any(|manifest| manifest.object_ref == namespace_place(name));
        let others: BTreeSet<&str> = self.namespaces().filter(|name| !is_there(name)).collect();
        let others = others.into_iter().map(|name| NamespaceFacts { name: name.into(), labels: Box::default() });
        let others = others.map(|facts| Event::Apply(Facts::Namespace(facts)));
        others.chain([Event::Schema(self.reviewed.object_ref.kind, Some(schema))]).collect()
    }

    /// Whether the server has all kinds, versions and fields that the scene is set with, and all kinds that the check asks for.
    fn fits(&self, fixture: &ClusterFixture<'_>) -> bool {
        let mut gateway_api = self.objects().filter(|manifest| manifest.object_ref.kind.is_gateway_api());
        let mut needs = self.check.needs.iter().filter(|kind| kind.is_gateway_api());
        let has_fields = |manifest: &Manifest| {
            let list = format!("{}?dryRun=All&fieldValidation=Strict", list_of(manifest));
            !manifest.object_ref.kind.is_gateway_api() || fixture.http.post(&list, manifest.json.to_string()).0 < 300
        };
        gateway_api.all(|manifest| fixture.http.get(&list_of(manifest)).0 == 200)
            && needs.all(|kind| fixture.serves(*kind))
            && self.rest.iter().all(has_fields)
    }

    /// Whether an object says when it was made, which the server says itself.
    fn is_timed(&self) -> bool {
        self.objects().any(|manifest| manifest.json.contains("creationTimestamp"))
    }

    /// Sets the scene, writes the object under review, and clears the stage again.
    fn play(&self, fixture: &ClusterFixture<'_>) -> Result<(Before, Reply), String> {
        let rest = if self.rest.is_empty() { Ok(()) } else { fixture.set(&self.rest) };
        if let Err(answer) = rest {
            fixture.clear();
            return Err(format!("{}: the rest is refused: {answer}\n{}", self.check.id, self.example.yaml));
        }
        let stored = if self.example.delete { Some(&self.reviewed) } else { self.old.as_ref() };
        let stored = stored.map_or(Ok(()), |stored| fixture.set(std::slice::from_ref(stored)));
        let before = if stored.is_ok() { self.ask(fixture) } else { Before::Refuses };
        let heard = match before {
            Before::Admits => Reply::of_kubectl(&self.write(fixture)),
            Before::Prunes | Before::Refuses => {
                Reply::of_review(&fixture.gate.post("/validate", self.review().to_string()))
            }
        };
        fixture.clear();
        Ok((before, heard))
    }

    /// What the API server itself says: a dry run that no webhook sees, then a strict one.
    fn ask(&self, fixture: &ClusterFixture<'_>) -> Before {
        let (reviewed, json) = (&self.reviewed, self.reviewed.json.to_string());
        let dry = |strictness: &str| match &self.old {
            _ if self.example.delete => (200, Value::Null),
            Some(_) => fixture.replace(reviewed, &format!("?dryRun=All{strictness}")),
            None => fixture.http.post(&format!("{}?dryRun=All{strictness}", list_of(reviewed)), json.clone()),
        };
        match dry("") {
            (200 | 201, _) => match dry("&fieldValidation=Strict").0 {
                200 | 201 => Before::Admits,
                _ => Before::Prunes,
            },
            (404, _) => Before::Prunes,
            (400 | 422, _) => Before::Refuses,
            (status, answer) => panic!("{}: neither admitted nor refused: {status} {answer}", self.check.id),
        }
    }

    fn write(&self, fixture: &ClusterFixture<'_>) -> Said {
        let object_ref = &self.reviewed.object_ref;
        let words = match &self.old {
            _ if self.example.delete => &format!("delete {} --dry-run=server", words_for(object_ref)),
            Some(_) => "replace --dry-run=server -f -",
            None => "apply --dry-run=server -f -",
        };
        fixture.kubectl(words).stdin(&self.reviewed.json).run()
    }

    /// The review that the API server would have asked for.
    fn review(&self) -> Value {
        let (object_ref, api) = (&self.reviewed.object_ref, self.reviewed.object_ref.kind.api());
        let object: Value = serde_json::from_str(&self.reviewed.json).expect("a manifest is JSON");
        let old = self.old.as_ref().map(|old| serde_json::from_str::<Value>(&old.json).expect("a manifest is JSON"));
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": {"group": api.group, "version": version_of(&self.reviewed), "kind": api.kind},
            "name": object_ref.name,
            "namespace": object_ref.namespace,
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "userInfo": {"username": ALICE},
            "object": object,
            "oldObject": old,
        }})
    }

    /// What is wrong with what was heard.
    fn compare(&self, before: Before, heard: &Reply) -> Option<String> {
        let plan = plan(self.check, &self.example);
        let own = judge_by(&plan, self.check, &self.example, &self.more()).findings.into_iter();
        let own: Vec<EvaluatedFinding> = own.filter(|judged| judged.finding.check == self.check.id).collect();
        let mark = format!("[{}]", self.check.id);
        // Who was first is for the server to say, so that another sentence may be right, and one where there is none.
        let is_timed = self.is_timed();
        let is_missing = |words: &String| !heard.text.contains(if is_timed { &mark } else { words });
        let missing: Vec<String> = own.iter().map(words).filter(is_missing).collect();
        let slipped = own.iter().any(|judged| judged.action == Action::Deny) && !heard.refused;
        let said = heard.text.contains(&mark);
        let wrong = match self.is_enforced() {
            // Who refuses is the API server, and the gate does not look again.
            true => said || (before != Before::Refuses && !own.is_empty()),
            false => !missing.is_empty() || slipped || (own.is_empty() && said && !is_timed),
        };
        wrong.then(|| {
            let Reply { refused, text } = heard;
            let Example { yaml, .. } = &self.example;
            format!(
                "{}: the API server {before:?}\n{yaml}missing: {missing:#?}\nrefused: {refused}\n{text}",
                self.check.id
            )
        })
    }
}

fn namespace_place(name: &str) -> ObjectRef {
    ObjectRef::new(Kind::Namespace, "", name)
}
