//! The alerts name metrics that exist, and docs/alerts.md explains each alert.

use std::collections::BTreeSet;

use portcullis_testing::repository::{files, read};
use regex::Regex;

const RULES: &str = "manifests/components/alerts/prometheus-rule.yaml";

/// Each match of a pattern with one group, once.
fn all(pattern: &str, text: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).expect("a pattern of ours is valid");
    pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn each_metric_of_an_alert_is_registered() {
    let telemetry = files("src/telemetry").into_iter();
    let others = ["src/telemetry.rs", "src/lease/elector.rs", "src/watch/metrics.rs"].map(String::from);
    let sources: String = telemetry.chain(others).map(|file| read(&file)).collect();
    let named = all(r"\bportcullis_([a-z_]+)", &read(RULES));
    assert!(named.len() > 8, "{named:?}");
    for name in named {
        let registered = name.strip_suffix("_total").unwrap_or(&name);
        assert!(
            sources.contains(&format!("{registered:?}")),
            "{RULES} names portcullis_{name}, which is not registered"
        );
    }
}

#[test]
fn each_alert_is_explained() {
    let alerts = all(r"- alert: (\w+)", &read(RULES));
    assert_eq!(all(r"(?m)^\| `(\w+)` \|", &read("docs/alerts.md")), alerts);
}

#[test]
fn the_chart_has_the_same_alerts() {
    assert!(read(RULES) == read("charts/portcullis/files/alerts.yaml"), "run `just docs`");
}
