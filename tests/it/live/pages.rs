//! The examples of all pages with a real API server and kubectl: each finding arrives according to its action.
//!
//! An object that the API server itself refuses never reaches a webhook. The trial detects these examples and sends
//! them to the same server as a review that it builds itself. If a check says that the CRDs enforce its rule, they must
//! refuse the example, and the server must have no finding.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{Request, Response};
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

use super::fixture::{ALICE, ClusterFixture, RegisteredWebhooks, list_of, path_of, version_of, words_for};
use super::reply::{Reply, words};
use crate::harness::{
    Channel, ControlPlane, Flavour, Http, KubectlOutput, NEWEST, certificate_crds, crds, delegation_crds,
    host_claim_crds, on_full_cluster,
};
use crate::parity::PARITY;

pub fn trials() -> Vec<Trial> {
    vec![
        on_full_cluster("live::findings_of_each_page_reach_the_client", every_page),
        on_full_cluster("live::findings_of_gateway_pages_reach_the_client_with_standard_crds", every_gateway_page),
        on_full_cluster("live::findings_of_gateway_pages_reach_the_client_with_crds_of_1_4", || {
            every_older_page("1.4.1")
        }),
        on_full_cluster("live::findings_of_gateway_pages_reach_the_client_with_crds_of_1_5", || {
            every_older_page("1.5.1")
        }),
    ]
}

/// The minimum number of examples that a bundle must support.
const FEWEST: usize = 200;

/// An example to be evaluated with the API server.
struct Case {
    check: &'static Check,
    example: Example,
    /// Whether it is the first one of its page.
    is_first: bool,
    reviewed: Manifest,
    old: Option<Manifest>,
    rest: Vec<Manifest>,
    bundle: Bundle,
}

/// The response of the API server to an example before it calls any webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Admits,
    /// It serves the kind, but not all fields or not the version, so the webhook would not see the object as written.
    Prunes,
    Refuses,
}

/// All pages, with all kinds installed. kubectl writes the first example of each page, and costs as much time as the rest of it.
fn every_page() {
    let kept_away = run(NEWEST, Channel::Experimental, |_| true, |case| case.is_first);
    let live = |id: &&&str| registry::find(id).is_some_and(|check| !is_offline(check));
    let repeats = PARITY.iter().filter(live).chain(ANSWERED_BEFORE);
    assert_eq!(kept_away, repeats.copied().collect(), "the checks of which a fault never reaches Portcullis");
}

/// The pages with objects of the Gateway API, with only the standard channel installed.
fn every_gateway_page() {
    run(NEWEST, Channel::Standard, Case::is_about_gateways, |_| false);
}

/// The same with older CRDs, for the kinds that they have.
fn every_older_page(version: &str) {
    for channel in [Channel::Standard, Channel::Experimental] {
        run(version, channel, Case::is_about_gateways, |_| false);
    }
}

/// Evaluates the wanted examples on a server with the CRDs of this bundle, some of them by kubectl. Returns the checks
/// with faults that the API server refuses itself, except the checks that say so.
fn run(
    version: &str,
    channel: Channel,
    wanted: impl Fn(&Case) -> bool,
    by_kubectl: impl Fn(&Case) -> bool,
) -> BTreeSet<&'static str> {
    // A separate server, since the examples create and delete classes. The defaulting plugin is off, so that examples
    // may omit the class.
    let crds = [crds(version, channel), delegation_crds(), certificate_crds(), host_claim_crds()].concat();
    let control_plane = ControlPlane::serving(Flavour::NoDefaultIngressClass, crds);
    let bundle = Bundle::parse(version, channel.name()).expect("a pinned bundle has a version");
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, "profile: audit\n");
    let mut cases = by_config(bundle);
    cases.values_mut().for_each(|cases| cases.retain(&wanted));
    let namespaces: BTreeSet<&str> = cases.values().flatten().flat_map(Case::namespaces).collect();
    namespaces.into_iter().for_each(|name| fixture.add_namespace(name));
    let has_every_field = version == NEWEST && matches!(channel, Channel::Experimental);
    let (mut wrong, mut kept_away, mut played) = (Vec::new(), BTreeSet::new(), 0);
    for (config, cases) in cases.iter().filter(|(_, cases)| !cases.is_empty()) {
        fixture.configure(config);
        for case in cases {
            if !has_every_field && !case.fits(&fixture) {
                continue;
            }
            let (before, reply) = match case.run(&fixture, by_kubectl(case)) {
                Ok(played) => played,
                Err(why) => {
                    wrong.push(why);
                    continue;
                }
            };
            played += 1;
            wrong.extend(case.compare(before, &reply));
            if before == Before::Refuses && case.example.findings.is_some() && !case.is_enforced() {
                kept_away.insert(case.check.id);
            }
        }
    }
    assert!(played > FEWEST, "{played} examples prove little");
    assert!(wrong.is_empty(), "{} of {played} examples went wrong:\n\n{}", wrong.len(), wrong.join("\n\n"));
    kept_away
}

/// The checks in addition to [`PARITY`] with faults that the API server refuses itself.
const ANSWERED_BEFORE: &[&str] = &[
    // The CRDs refuse a name that occurs twice in one list, but not in two lists.
    "filter/header-modified-twice",
    // The CRDs refuse the example, but not all faults that the check finds.
    "http-route/prefix-replaced-without-prefix",
    // The CRDs refuse a match that is null, but not all faults that the check finds.
    "http-route/rule-shadowed",
    // Contour's current CRD refuses these hosts. The CRDs of older releases do not.
    "http-proxy/fqdn-malformed",
    "http-proxy/fqdn-conflict",
    // The CRD of HostClaims refuses these, but files have not passed it.
    "host-claim/host-malformed",
    "host-claim/name-mismatch",
    "host-claim/namespace-malformed",
    "ingress-class/controller-changed",
    "ingress-class/controller-malformed",
    "ingress-class/controller-missing",
    "ingress-class/controller-too-long",
    "ingress-class/name-malformed",
    "ingress-class/parameters-group-malformed",
    "ingress-class/parameters-incomplete",
    "ingress-class/parameters-namespace-mismatch",
    "ingress-class/parameters-scope-unknown",
    // The pattern of the schema is not anchored at one end, but still refuses the example.
    "listener/protocol-malformed",
    // The example follows the design document. The current API requires a port in every backend.
    "ingress/service-port-ambiguous",
    // An object that does not match the structure of its kind is not decoded.
    "object/unreadable",
];

/// All examples, grouped by configuration, since changing the configuration of the server takes a second.
fn by_config(bundle: Bundle) -> BTreeMap<String, Vec<Case>> {
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for check in registry::all().filter(|check| !is_offline(check)) {
        for (index, example) in examples(check.page).into_iter().enumerate() {
            let config = config_text(check, &example);
            // The server determines the bundle itself, the contents of Secrets are known only from files, and no CRD of a
            // bundle has routabilities in the status. Conditions and supported features are written by controllers, to
            // the subresource.
            let parts = [
                "kind: Secret",
                "status: {routabilities:",
                "status: {conditions:",
                "supportedFeatures:",
                "status: {loadBalancer:",
            ];
            // Times of creation have whole seconds. Of two HostClaims of one second both have an effect, and of two routes none takes
            // the requests of the other.
            let is_about_ages = ["host-claim/no-effect", "host/older-object-takes-requests"].contains(&check.id);
            let needs_ages = is_about_ages && example.yaml.contains("creationTimestamp");
            let needs_files = needs_ages || parts.iter().any(|part| example.yaml.contains(part));
            if !config.contains("gatewayBundle:") && !needs_files {
                cases.entry(config).or_default().push(Case::new(check, example, index == 0, bundle));
            }
        }
    }
    cases
}

/// The creation timestamp that the example gives the object.
fn created(manifest: &Manifest) -> Option<String> {
    let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
    object["metadata"]["creationTimestamp"].as_str().map(str::to_owned)
}

impl Case {
    fn new(check: &'static Check, example: Example, is_first: bool, bundle: Bundle) -> Self {
        let mut rest = manifests(&example.yaml);
        let reviewed = rest.remove(0);
        let old = example.old.as_deref().map(|yaml| manifests(yaml).remove(0));
        // Where the stored object counts, it is among the objects of the example, too.
        rest.retain(|manifest| manifest.object_ref != reviewed.object_ref);
        rest.sort_by_key(created);
        Self { check, example, is_first, reviewed, old, rest, bundle }
    }

    /// All objects of the example.
    fn objects(&self) -> impl Iterator<Item = &Manifest> {
        self.rest.iter().chain(&self.old).chain([&self.reviewed])
    }

    fn is_about_gateways(&self) -> bool {
        self.objects().any(|manifest| manifest.object_ref.kind.is_gateway_api())
    }

    fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.objects().map(|manifest| manifest.object_ref.namespace.as_str()).filter(|name| !name.is_empty())
    }

    /// Whether the CRDs enforce the rule of the check in this bundle according to the check.
    fn is_enforced(&self) -> bool {
        self.check.enforced.is_some_and(|enforced| enforced.holds_in(self.bundle))
    }

    /// What the server knows in addition to the objects of the example: a schema, and all mentioned namespaces.
    fn more(&self) -> Vec<Event> {
        let schema = InstalledSchema { enforced: !self.is_enforced(), ..InstalledSchema::assumed(self.bundle) };
        let is_there = |name: &str| self.objects().any(|manifest| manifest.object_ref == namespace_place(name));
        let others: BTreeSet<&str> = self.namespaces().filter(|name| !is_there(name)).collect();
        let others = others.into_iter().map(|name| NamespaceFacts::new(name, []));
        let others = others.map(|facts| Event::Apply(Facts::Namespace(facts)));
        others.chain([Event::Schema(self.reviewed.object_ref.kind, Some(schema))]).collect()
    }

    /// Whether the server has all kinds, versions and fields of the example's objects, and all kinds that the check
    /// needs.
    fn fits(&self, fixture: &ClusterFixture<'_>) -> bool {
        let mut gateway_api = self.objects().filter(|manifest| manifest.object_ref.kind.is_gateway_api());
        let mut needs = self.check.needs.iter().filter(|kind| kind.is_gateway_api());
        let has_fields = |manifest: &Manifest| {
            let list = format!("{}?dryRun=All&fieldValidation=Strict", list_of(manifest));
            !manifest.object_ref.kind.is_gateway_api() || fixture.http.post(&list, manifest.json.to_string()).0 < 300
        };
        gateway_api.all(|manifest| fixture.http.get(&format!("{}?limit=1", list_of(manifest))).0 == 200)
            && needs.all(|kind| fixture.serves(*kind))
            && self.rest.iter().all(has_fields)
    }

    /// Whether an object has a creation timestamp, which the API server would set itself.
    fn is_timed(&self) -> bool {
        self.objects().any(|manifest| manifest.json.contains("creationTimestamp"))
    }

    /// Whether the stored object is older than another object of the example, according to their creation timestamps.
    fn is_older(&self, stored: Option<&Manifest>) -> bool {
        let stored = stored.and_then(created);
        stored.is_some() && self.rest.iter().filter_map(created).any(|other| stored < Some(other))
    }

    /// Creates the other objects, writes the object under review, and deletes all of them again.
    fn run(&self, fixture: &ClusterFixture<'_>, by_kubectl: bool) -> Result<(Before, Reply), String> {
        let stored = if self.example.delete { Some(&self.reviewed) } else { self.old.as_ref() };
        let set_stored = || stored.map_or(Ok(()), |stored| fixture.set(std::slice::from_ref(stored)));
        let set_rest = || if self.rest.is_empty() { Ok(()) } else { fixture.set(&self.rest) };
        // The API server sets creation timestamps, so what is older must be created first.
        let (stored, rest) = if self.is_older(stored) {
            let stored = set_stored();
            (stored, set_rest())
        } else {
            let rest = set_rest();
            (set_stored(), rest)
        };
        if let Err(answer) = rest {
            fixture.clear();
            return Err(format!("{}: the rest is refused: {answer}\n{}", self.check.id, self.example.yaml));
        }
        let before = if stored.is_ok() { self.ask(fixture) } else { Before::Refuses };
        let reply = match before {
            Before::Admits if by_kubectl => Reply::of_kubectl(&self.write(fixture)),
            Before::Admits => Reply::of_api_server(&self.send(fixture, &fixture.alice, "?dryRun=All")),
            Before::Prunes | Before::Refuses => {
                Reply::of_review(&fixture.server.post("/validate", self.review().to_string()))
            }
        };
        fixture.clear();
        Ok((before, reply))
    }

    /// The response of the API server itself to a strict dry run that no webhook sees, and to an ordinary one where it refuses that.
    fn ask(&self, fixture: &ClusterFixture<'_>) -> Before {
        if self.example.delete {
            return Before::Admits;
        }
        let strict = self.send(fixture, &fixture.http, "?dryRun=All&fieldValidation=Strict");
        if strict.status().is_success() {
            return Before::Admits;
        }
        let answer = self.send(fixture, &fixture.http, "?dryRun=All");
        match answer.status().as_u16() {
            200 | 201 | 404 => Before::Prunes,
            400 | 422 => Before::Refuses,
            status => {
                let answer = String::from_utf8_lossy(answer.body());
                panic!("{}: neither admitted nor refused: {status} {answer}", self.check.id)
            }
        }
    }

    fn write(&self, fixture: &ClusterFixture<'_>) -> KubectlOutput {
        let object_ref = &self.reviewed.object_ref;
        let words = match &self.old {
            _ if self.example.delete => &format!("delete {} --dry-run=server", words_for(object_ref)),
            // Fields are validated already, and kubectl would read the schemas of all kinds.
            Some(_) => "replace --dry-run=server --validate=false -f -",
            None => "apply --dry-run=server --validate=false -f -",
        };
        fixture.kubectl(words).stdin(&self.reviewed.json).run()
    }

    /// The same without kubectl, by this client, with `query` after the path.
    fn send(&self, fixture: &ClusterFixture<'_>, http: &Http, query: &str) -> Response<Vec<u8>> {
        let at = |path: String| format!("{path}{query}");
        let (request, object) = match &self.old {
            _ if self.example.delete => (Request::delete(at(path_of(&self.reviewed))), None),
            Some(_) => (Request::put(at(path_of(&self.reviewed))), Some(fixture.replacement(&self.reviewed))),
            None => (Request::post(at(list_of(&self.reviewed))), Some(self.object())),
        };
        http.respond(request, object.as_ref())
    }

    fn object(&self) -> Value {
        serde_json::from_str(&self.reviewed.json).expect("a manifest is JSON")
    }

    /// The review that the API server would have sent.
    fn review(&self) -> Value {
        let (object_ref, api) = (&self.reviewed.object_ref, self.reviewed.object_ref.kind.api());
        let old = self.old.as_ref().map(|old| serde_json::from_str::<Value>(&old.json).expect("a manifest is JSON"));
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": {"group": api.group, "version": version_of(&self.reviewed), "kind": api.kind},
            "name": object_ref.name,
            "namespace": object_ref.namespace,
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "userInfo": {"username": ALICE},
            "object": self.object(),
            "oldObject": old,
        }})
    }

    /// The difference between the expected and the actual reply, if there is one.
    fn compare(&self, before: Before, reply: &Reply) -> Option<String> {
        let plan = plan(self.check, &self.example);
        let own = judge_by(&plan, self.check, &self.example, &self.more()).findings.into_iter();
        let own: Vec<EvaluatedFinding> = own.filter(|evaluated| evaluated.finding.check == self.check.id).collect();
        let mark = format!("[{}]", self.check.id);
        // The API server determines which object is older, so the message may differ, or there may be an additional
        // finding.
        let is_timed = self.is_timed();
        let is_missing = |words: &String| !reply.text.contains(if is_timed { &mark } else { words });
        let missing: Vec<String> = own.iter().map(words).filter(is_missing).collect();
        let slipped = own.iter().any(|evaluated| evaluated.action == Action::Deny) && !reply.refused;
        let is_reported = reply.text.contains(&mark);
        let wrong = match self.is_enforced() {
            // The API server refuses the object, and the server under test must not evaluate the rule again.
            true => is_reported || (before != Before::Refuses && !own.is_empty()),
            false => !missing.is_empty() || slipped || (own.is_empty() && is_reported && !is_timed),
        };
        wrong.then(|| {
            let Reply { refused, text } = reply;
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
