//! If a check says that the CRDs enforce its rule, they do so in every bundle that it names. The examples with findings
//! of the pages are sent to a real API server with the CRDs of each bundle and channel. If the CRDs enforce more than
//! the check says, the rule is only evaluated twice, which is harmless.

use std::collections::BTreeSet;

use libtest_mimic::Trial;
use portcullis::files::Manifest;
use portcullis_core::bundle::{Bundle, InstalledSchema};
use portcullis_core::checks::{Check, When, registry};
use portcullis_core::cluster::Event;
use portcullis_core::kinds::Kind;
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{judge_by, manifests, plan};
use serde_json::{Value, json};

use crate::harness::{Channel, ControlPlane, Flavour, Http, crds, eventually, on_gateway_cluster, versions};

pub fn trials() -> Vec<Trial> {
    vec![on_gateway_cluster(
        "enforced::crds_reject_what_checks_declare_enforced",
        crds_reject_what_checks_declare_enforced,
    )]
}

fn crds_reject_what_checks_declare_enforced() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let http = control_plane.http();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for version in versions() {
        for channel in [Channel::Standard, Channel::Experimental] {
            let installed = Installed::new(&http, version, channel);
            for (check, refused, line) in checks().flat_map(|check| installed.verdicts(check)) {
                let is_declared = check.enforced.is_some_and(|enforced| enforced.holds_in(installed.bundle));
                wrong.extend((is_declared && !refused).then_some(line));
                seen.extend(refused.then_some(check.id));
            }
            installed.remove();
        }
    }
    assert_eq!(wrong, [""; 0], "the check says otherwise");
    let unseen = checks().map(|check| check.id).filter(|id| !seen.contains(id));
    assert_eq!(unseen.collect::<Vec<_>>(), [""; 0], "no bundle refused an example of these");
}

/// The checks of single objects that say that some CRD enforces their rule.
fn checks() -> impl Iterator<Item = &'static Check> {
    registry::all().filter(|check| check.enforced.is_some() && check.when != When::Update)
}

/// A server with the CRDs of a bundle.
struct Installed<'h> {
    http: &'h Http,
    bundle: Bundle,
    crds: Vec<Value>,
}

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

impl<'h> Installed<'h> {
    fn new(http: &'h Http, version: &str, channel: Channel) -> Self {
        let bundle = Bundle::parse(version, channel.name()).expect("the pinned versions are versions");
        let crds = crds(version, channel);
        for crd in &crds {
            let (status, answer) = http.post(CRDS, crd.to_string());
            assert_eq!(status, 201, "{answer}");
        }
        let installed = Self { http, bundle, crds };
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api()) {
            if let Some(list) = installed.list_of(kind, "") {
                eventually("the kind is served", || http.get(&list).0 == 200);
            }
        }
        installed
    }

    fn remove(self) {
        for crd in &self.crds {
            let path = format!("{CRDS}/{}", crd["metadata"]["name"].as_str().expect("a CRD has a name"));
            self.http.delete(&path);
            eventually("the CRD is gone", || self.http.get(&path).0 == 404);
        }
    }

    /// The version in which the bundle serves `kind`, preferably `v1`.
    fn version_of(&self, kind: Kind) -> Option<&str> {
        let crd = self.crds.iter().find(|crd| crd["spec"]["names"]["kind"] == kind.api().kind)?;
        let served = crd["spec"]["versions"].as_array()?.iter().filter(|version| version["served"] == true);
        let names: Vec<&str> = served.filter_map(|version| version["name"].as_str()).collect();
        names.iter().find(|name| **name == "v1").or(names.last()).copied()
    }

    fn list_of(&self, kind: Kind, namespace: &str) -> Option<String> {
        let (api, version) = (kind.api(), self.version_of(kind)?);
        let inside = if namespace.is_empty() { String::new() } else { format!("namespaces/{namespace}/") };
        Some(format!("/apis/{}/{version}/{inside}{}", api.group, api.plural))
    }

    /// For each example with findings of the check: whether the API server refuses it, and a line for error messages.
    fn verdicts(&self, check: &'static Check) -> Vec<(&'static Check, bool, String)> {
        let found = examples(check.page).into_iter().filter(|example| {
            example.findings.is_some() && example.old.is_none() && !example.delete && example.config.is_none()
        });
        let found = found.map(|example| self.in_its_version(example));
        // Some rules exist only in one release or channel. In the others the check has no findings either.
        let finds = |example: &Example| {
            let kind = manifests(&example.yaml)[0].object_ref.kind;
            let schema = Event::Schema(kind, Some(InstalledSchema::assumed(self.bundle)));
            let evaluated = judge_by(&plan(check, example), check, example, &[schema]).findings;
            evaluated.iter().any(|evaluated| evaluated.finding.check == check.id)
        };
        let found = found.filter(finds);
        let verdicts = found.filter_map(|example| {
            let reviewed = manifests(&example.yaml).remove(0);
            let (refused, why) = self.refuses(&reviewed)?;
            Some((check, refused, format!("{} under {}: {why}\n{}", check.id, self.bundle, reviewed.json)))
        });
        verdicts.collect()
    }

    /// The example in the version that is served, since some checks depend on the version.
    fn in_its_version(&self, example: Example) -> Example {
        let kind = manifests(&example.yaml)[0].object_ref.kind;
        let Some(version) = self.version_of(kind) else { return example };
        let mut lines: Vec<&str> = example.yaml.lines().collect();
        let line = format!("apiVersion: {}/{version}", kind.api().group);
        let first = lines.iter_mut().find(|line| line.starts_with("apiVersion:")).expect("an object has a version");
        *first = &line;
        Example { yaml: lines.join("\n"), ..example }
    }

    /// Whether the API server refuses to create the object, and its message; `None` if it does not serve the kind.
    fn refuses(&self, reviewed: &Manifest) -> Option<(bool, String)> {
        let list = self.list_of(reviewed.object_ref.kind, "default")?;
        let mut object: Value = serde_json::from_str(&reviewed.json).expect("a manifest is JSON");
        let kind = reviewed.object_ref.kind;
        object["apiVersion"] = json!(format!("{}/{}", kind.api().group, self.version_of(kind)?));
        object["metadata"]["namespace"] = json!("default");
        let list = if kind.api().namespaced { list } else { self.list_of(kind, "")? };
        let (status, answer) = self.http.post(&format!("{list}?dryRun=All"), object.to_string());
        Some((status != 201, answer["message"].to_string()))
    }
}
