//! The alerts use metrics and labels that exist, and docs/alerts.md explains each alert.

use std::collections::BTreeSet;

use portcullis_testing::repository::read;
use regex::Regex;

use super::metrics::{Metric, parse, started, used};
use super::{documents, list};

const RULES: &str = "manifests/components/alerts/prometheus-rule.yaml";

/// The labels that Prometheus adds to each series, as far as an alert uses them.
const TARGET_LABELS: [&str; 3] = ["pod", "cluster", "job"];

/// An alert of the PrometheusRule.
pub struct Alert {
    /// The name.
    pub name: String,
    expression: String,
    annotations: String,
}

impl Alert {
    /// All alerts.
    pub fn all() -> Vec<Self> {
        let rule = documents(RULES).remove(0);
        let rules = list(&rule["spec"]["groups"]).flat_map(|group| list(&group["rules"]));
        let text =
            |value: &serde_json::Value| value.as_str().expect("an alert has a name and an expression").to_owned();
        let alert = |rule: &serde_json::Value| Self {
            name: text(&rule["alert"]),
            expression: text(&rule["expr"]),
            annotations: rule["annotations"].to_string(),
        };
        rules.map(alert).collect()
    }

    /// The metrics of Portcullis that the alert queries.
    pub fn names(&self) -> BTreeSet<String> {
        all(r"\b((?:portcullis|contour)_[a-z_]+)", &self.expression)
    }

    /// The labels that the expression groups by, and those that the annotations show.
    fn used_labels(&self) -> BTreeSet<String> {
        let grouped = all(r"\bby \(([a-z_, ]+)\)", &self.expression);
        let grouped = grouped.iter().flat_map(|labels| labels.split(", ")).map(str::to_owned);
        grouped.chain(all(r"\$labels\.(\w+)", &self.annotations)).collect()
    }

    /// The selectors behind a name, as label, operator and value.
    fn selectors(&self, name: &str) -> Vec<[String; 3]> {
        let braces = all(&format!(r"\b{name}\{{([^}}]*)\}}"), &self.expression);
        let pair = Regex::new(r#"(\w+)(=~|!~|!=|=)"([^"]*)""#).expect("the pattern is valid");
        let pairs = braces.iter().flat_map(|text| pair.captures_iter(text));
        pairs.map(|pair| [1, 2, 3].map(|group| pair[group].to_owned())).collect()
    }
}

/// Each match of a pattern with one group, once.
fn all(pattern: &str, text: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).expect("a pattern of ours is valid");
    pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn each_metric_and_label_of_an_alert_exists() {
    let metrics = parse(&used().render());
    let mut queried = BTreeSet::new();
    for alert in Alert::all() {
        let mut labels = BTreeSet::from(TARGET_LABELS.map(str::to_owned));
        for name in alert.names() {
            let metric = metrics.iter().find(|metric| metric.samples.contains(&name));
            let metric = metric.unwrap_or_else(|| panic!("{} queries {name}, which does not exist", alert.name));
            for selector in alert.selectors(&name) {
                must_select(&alert, metric, &selector);
            }
            labels.extend(metric.labels.keys().cloned());
            queried.insert(name);
        }
        let unknown: Vec<_> = alert.used_labels().difference(&labels).cloned().collect();
        assert!(unknown.is_empty(), "{} uses the labels {unknown:?}, which its metrics do not have", alert.name);
    }
    assert!(queried.len() > 8, "alerts query only {queried:?}");
}

/// Panics unless the selector matches a series of the metric.
fn must_select(alert: &Alert, metric: &Metric, [label, operator, value]: &[String; 3]) {
    let (name, query) = (&alert.name, &metric.name);
    let values = metric.labels.get(label).unwrap_or_else(|| panic!("{name}: {query} has no label `{label}`"));
    assert_eq!(operator, "=", "{name} selects by `{operator}`, which this test does not know");
    assert!(values.contains(value), "{name}: the label `{label}` of {query} is never `{value}`, but one of {values:?}");
}

/// Prometheus sees no increase of a series that begins with 1, so the first event would raise no alert.
#[test]
fn each_counter_of_an_alert_starts_at_zero() {
    let text = started().render();
    let mut counters = 0;
    for alert in Alert::all() {
        for name in alert.names().into_iter().filter(|name| name.ends_with("_total")) {
            let selectors = alert.selectors(&name);
            let is_selected = |line: &&str| {
                let is_named = line.strip_prefix(&*name).is_some_and(|rest| rest.starts_with([' ', '{']));
                is_named && selectors.iter().all(|[label, _, value]| line.contains(&format!("{label}=\"{value}\"")))
            };
            let series: Vec<&str> = text.lines().filter(is_selected).collect();
            let is_zero = !series.is_empty() && series.iter().all(|line| line.ends_with(" 0"));
            assert!(is_zero, "{}: a new process has no series of {name} that is 0, but {series:?}", alert.name);
            counters += 1;
        }
    }
    assert!(counters >= 4, "alerts query only {counters} counters");
}

/// The counters of the API server have no series before their first event, so `increase` misses what a fresh one counts before it is
/// scraped. Each of them is also compared with what was there before the window.
#[test]
fn each_foreign_counter_is_seen_from_its_first_value() {
    let increase = Regex::new(r"increase\(((\w+)(?:\{[^}]*\})?)\[(\w+)\]\)").expect("the pattern is valid");
    let mut foreign = 0;
    for alert in Alert::all() {
        for found in increase.captures_iter(&alert.expression).filter(|found| !found[2].starts_with("portcullis_")) {
            let new = format!(" or sum by (cluster) ({} unless {} offset {}) > 0", &found[1], &found[2], &found[3]);
            assert!(alert.expression.ends_with(&new), "{} does not end with `{new}`", alert.name);
            foreign += 1;
        }
    }
    assert_eq!(foreign, 2);
}

/// Where one Prometheus reads several clusters, replicas of one must not be compared with those of another.
#[test]
fn each_aggregation_of_replicas_is_by_cluster() {
    let aggregation =
        Regex::new(r"\b(?:sum|count|min|max|avg|group)\b(?: by \(([^)]*)\))?").expect("the pattern is valid");
    let mut aggregations = 0;
    for alert in Alert::all() {
        for found in aggregation.captures_iter(&alert.expression) {
            let labels: Vec<&str> = found.get(1).map_or("", |labels| labels.as_str()).split(", ").collect();
            let is_of_replicas = !alert.names().is_empty();
            let is_separate = labels.contains(&"cluster") && (labels.contains(&"job") || !is_of_replicas);
            assert!(is_separate, "{} aggregates by {labels:?}", alert.name);
            aggregations += 1;
        }
    }
    assert!(aggregations >= 5, "only {aggregations} aggregations were found");
}

/// What a parser would find first: a bracket without its counterpart, or a quote.
#[test]
fn each_expression_is_balanced_and_compares() {
    let comparison = Regex::new(r"(?:(?:==|>|<) [0-9* ]+|absent_over_time\([^()]+\))$").expect("the pattern is valid");
    for alert in Alert::all() {
        let (mut open, mut is_quoted) = (Vec::new(), false);
        for next in alert.expression.chars() {
            match next {
                '"' => is_quoted = !is_quoted,
                _ if is_quoted => {}
                '(' | '[' | '{' => open.push(next),
                ')' | ']' | '}' => {
                    let expected = [('(', ')'), ('[', ']'), ('{', '}')].into_iter().find(|pair| pair.1 == next);
                    assert_eq!(open.pop(), expected.map(|pair| pair.0), "{}: `{next}`", alert.name);
                }
                _ => {}
            }
        }
        assert!(open.is_empty() && !is_quoted, "{}: {open:?} is not closed", alert.name);
        assert!(comparison.is_match(&alert.expression), "{} compares with nothing", alert.name);
    }
}

#[test]
fn each_alert_is_explained() {
    let alerts: BTreeSet<String> = Alert::all().into_iter().map(|alert| alert.name).collect();
    assert_eq!(all(r"(?m)^\| `(\w+)` \|", &read("docs/alerts.md")), alerts);
}
