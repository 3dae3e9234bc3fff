//! The example manifests of upstream projects are admitted.

use libtest_mimic::Trial;
use portcullis::files::{self, Manifest, UnreadCause};
use portcullis_core::checks::{Operation, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState, User};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::finding::Action;
use portcullis_core::kinds::Kind;
use portcullis_testing::pages::today;

use crate::harness::{contour_examples, examples, on_contour, on_gateway_api, versions};

pub fn trials() -> Vec<Trial> {
    vec![
        on_gateway_api("upstream::every_example_is_admitted_in_baseline", every_example_is_admitted),
        on_contour("upstream::every_example_of_contour_is_admitted_in_baseline", every_example_of_contour),
    ]
}

fn every_example_of_contour() {
    let config = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: baseline\n");
    let plan = Plan::new(Config::parse(&config).expect("a configuration")).expect("a plan");
    let (mut checked, mut refused) = (0, Vec::new());
    for (file, text) in contour_examples() {
        let mut contents = files::parse(&file, &text);
        // One example has a version that HTTPProxy never had, and no API server accepts it.
        contents.unread.retain(|unread| unread.cause != UnreadCause::UnknownKind);
        assert_eq!(contents.unread, []);
        let cluster = cluster(&contents.manifests);
        let proxies = contents.manifests.iter().filter(|manifest| manifest.object_ref.kind == Kind::HttpProxy);
        for manifest in proxies {
            checked += 1;
            let of = |denial| format!("{}: {}: {denial}", file.display(), manifest.object_ref);
            refused.extend(denials(&plan, &cluster, manifest).into_iter().map(of));
        }
    }
    assert!(refused.is_empty(), "of {checked} objects:\n{}", refused.join("\n"));
    assert!(checked > 30, "only {checked} objects were found");
}

fn every_example_is_admitted() {
    let (mut checked, mut refused) = (0, Vec::new());
    for version in versions() {
        for (file, text) in examples(version) {
            let channel = if file.starts_with("experimental") { "experimental" } else { "standard" };
            let plan = plan(version, channel);
            let contents = files::parse(&file, &text);
            assert_eq!(contents.unread, []);
            let objects = contents.manifests;
            let cluster = cluster(&objects);
            for manifest in objects.iter().filter(|manifest| manifest.object_ref.kind.is_validated()) {
                checked += 1;
                let of = |denial| format!("{version} {}: {}: {denial}", file.display(), manifest.object_ref);
                refused.extend(denials(&plan, &cluster, manifest).into_iter().map(of));
            }
        }
    }
    assert!(refused.is_empty(), "of {checked} objects:\n{}", refused.join("\n"));
    assert!(checked > 200, "only {checked} objects were found");
}

fn plan(version: &str, channel: &str) -> Plan {
    let bundle = format!("gatewayBundle: {{version: '{version}', channel: {channel}}}");
    let config = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: baseline\n{bundle}\n");
    Plan::new(Config::parse(&config).expect("a configuration")).expect("a plan")
}

/// A cluster with the objects of one file only.
fn cluster(objects: &[Manifest]) -> Cluster {
    let mut cluster = Cluster::with(SyncState::Complete);
    for manifest in objects {
        let object =
            manifest.object().unwrap_or_else(|decode_errors| panic!("{}: {decode_errors:?}", manifest.object_ref));
        cluster.apply(Event::Apply(Facts::of(&object)));
    }
    cluster
}

/// The denials for the creation of the object.
fn denials(plan: &Plan, cluster: &Cluster, manifest: &Manifest) -> Vec<String> {
    let object = manifest.object().expect("it was read before");
    let overlay = Overlay::new(cluster, &manifest.object_ref);
    let user = Some(User::named("alice"));
    let write = Write { operation: Operation::Create, this: &manifest.object_ref, user, now: today() };
    let findings = plan.check(&object, || None, &overlay, &write).findings.into_iter();
    let denied = findings.filter(|evaluated| evaluated.action == Action::Deny);
    denied.map(|evaluated| format!("{} {}", evaluated.finding.at, evaluated.finding.check)).collect()
}
