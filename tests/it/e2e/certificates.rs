//! Certificates that are issued and rotated by the pods, and installers that disagree with them.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::cluster::{Cluster, NAMESPACE};
use super::install::{enforces, enforcing};
use super::load::{Load, Write};
use super::report::{figure, seconds, within};
use crate::harness::{Helm, text};

/// How fast a caBundle that others changed is restored.
const RESTORED: Duration = Duration::from_secs(5);

/// The value of the chart for short lives.
pub const SHORT_LIVED: &str = "extraArgs={--leaf-lifetime=12s,--ca-settle=3s,--ca-lifetime=60s}";

const VALIDATING: &str = "validatingwebhookconfiguration/portcullis";
const MUTATING: &str = "mutatingwebhookconfiguration/portcullis";

/// The caBundle of every entry is emptied.
pub fn an_emptied_ca_bundle(cluster: &Cluster) {
    let all = || [VALIDATING, MUTATING].map(|configuration| bundles_of(cluster, configuration));
    let before = all();
    for (configuration, entries) in [VALIDATING, MUTATING].iter().zip(&before) {
        let remove = |entry: usize| json!({"op": "remove", "path": format!("/webhooks/{entry}/clientConfig/caBundle")});
        let patch: Value = (0..entries.len()).map(remove).collect();
        cluster.kubectl(&format!("patch {configuration} --type json --patch")).arg(patch.to_string()).run().accepted();
    }
    let took = cluster.soon("they are restored", RESTORED * 4, || all() == before);
    within("each caBundle emptied: restored", RESTORED, took);
}

/// The owner of the entries applies them without one, and with it again, as Argo CD and Helm do.
pub fn a_foreign_apply(cluster: &Cluster) {
    let (before, all) = (bundles(cluster), rendered(cluster));
    let mut fewer = all.clone();
    let gone = fewer["webhooks"].as_array_mut().expect("a list").pop().expect("an entry");
    let apply = |configuration: &Value| {
        let command = cluster.kubectl("apply --server-side --field-manager helm -f -");
        command.stdin(&configuration.to_string()).run().accepted();
    };
    apply(&fewer);
    let left = cluster.get(VALIDATING);
    let names = |configuration: &Value| -> Vec<String> {
        configuration["webhooks"].as_array().expect("a list").iter().map(|entry| text(&entry["name"])).collect()
    };
    assert!(!names(&left).contains(&text(&gone["name"])), "{left}");
    assert_eq!(bundles(cluster), before[..before.len() - 1], "the other entries are as they were");
    apply(&all);
    let took = cluster.soon("the new entry has a caBundle", RESTORED * 4, || bundles(cluster) == before);
    within("an entry that a foreign apply removed and added has its caBundle", RESTORED, took);
}

/// A release of Helm 3 whose leaf certificates and CA live for seconds.
pub fn rotations(cluster: &Cluster) {
    // At the end, idle connections would keep the pods for 25 s.
    cluster.install(Helm::Three, &["enforce=true", SHORT_LIVED, "extraArgs[3]=--drain-timeout=5s"]);
    enforces(cluster);
    let load = Load::start(cluster, Write::ALL);
    let (first, leaves) = (bundles(cluster), certificates(cluster));
    cluster.soon("each leaf is renewed", Duration::from_secs(30), || {
        certificates(cluster).iter().zip(&leaves).all(|(now, before)| now != before)
    });
    let count = || bundles(cluster)[0].matches("BEGIN CERTIFICATE").count();
    cluster.soon("the old and the new CA are published", Duration::from_secs(90), || count() == 2);
    cluster.soon("the old CA is removed", Duration::from_secs(90), || count() == 1);
    assert_ne!(bundles(cluster), first);
    load.stop().none_failed("leaf certificates renewed and the CA rotated, with lifetimes of 12 s and 60 s");
    assert_eq!(enforcing(cluster), 3);
    let load = Load::start(cluster, Write::ADMITTED);
    cluster.helm(Helm::Three, "uninstall portcullis --wait").run().accepted();
    load.stop().none_failed("uninstalled with Helm 3 while it enforced");
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

/// Lifetimes of seconds are set back to the defaults: the last CA ends sooner than its successor is published for a minute.
pub fn lifetimes_that_are_set_back(cluster: &Cluster) {
    cluster.prepare();
    cluster.install(Helm::Four, &["enforce=true", SHORT_LIVED]);
    enforces(cluster);
    let load = Load::start(cluster, Write::ALL);
    cluster.upgrade(&["extraArgs=null"]);
    let day = 24.0 * 60.0 * 60.0;
    let lives = |(pod, _): (String, bool)| {
        let now = Timestamp::now().as_second() as f64;
        cluster.metric(&pod, "portcullis_ca_expiration_timestamp_seconds") > now + 300.0 * day
    };
    let took =
        cluster.soon("the CA lives for a year", Duration::from_secs(180), || cluster.pods().into_iter().all(lives));
    let count = || bundles(cluster)[0].matches("BEGIN CERTIFICATE").count();
    cluster.soon("the old CA is removed", Duration::from_secs(90), || count() == 1);
    figure("lifetimes of 12 s and 60 s set back to the defaults: the CA lives for a year", "180 s", seconds(took));
    load.stop().none_failed("lifetimes of 12 s and 60 s set back to the defaults");
    cluster.helm(Helm::Four, "uninstall portcullis --wait").run().accepted();
    cluster.kubectl(&format!("delete namespace {NAMESPACE}")).run().accepted();
}

/// When the certificate of each pod ends.
pub fn certificates(cluster: &Cluster) -> Vec<String> {
    let line = |pod: &str| -> String {
        let (_, metrics) = cluster.health(pod, "/metrics");
        let line = metrics.lines().find(|line| line.starts_with("portcullis_certificate_expiration_timestamp_seconds"));
        line.unwrap_or_default().to_owned()
    };
    cluster.pods().iter().map(|(pod, _)| line(pod)).collect()
}

/// The decoded caBundle of each entry of the ValidatingWebhookConfiguration.
pub fn bundles(cluster: &Cluster) -> Vec<String> {
    bundles_of(cluster, VALIDATING)
}

fn bundles_of(cluster: &Cluster, configuration: &str) -> Vec<String> {
    use base64::prelude::*;
    let entries = cluster.get(configuration)["webhooks"].take();
    let bundle = |entry: &Value| {
        let text = entry["clientConfig"]["caBundle"].as_str().unwrap_or_default();
        String::from_utf8(BASE64_STANDARD.decode(text).expect("base64")).expect("PEM is text")
    };
    entries.as_array().expect("a list").iter().map(bundle).collect()
}

/// The ValidatingWebhookConfiguration as the release contains it.
fn rendered(cluster: &Cluster) -> Value {
    let manifest = cluster.helm(Helm::Four, "get manifest portcullis").run().accepted().stdout;
    let documents = serde_saphyr::from_multiple::<Value>(&manifest).expect("Helm prints YAML");
    let is_it = |document: &Value| document["kind"] == "ValidatingWebhookConfiguration";
    documents.into_iter().find(is_it).expect("the release has it")
}
